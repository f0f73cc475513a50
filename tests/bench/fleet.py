#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""fleet.py HOSTS VMS SECONDS: many simulated hosts, one real Prometheus.

Prints what Prometheus takes for them, how long each panel's query lasts with and without the
recording rules, and from both what fleets of other sizes take.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests", "web"))
import simhosts  # noqa: E402
from prom import BOARDS, RULES, Export, Prometheus, get  # noqa: E402

EXPORT = os.path.join(TOP, "build", "bench", "export")
INTERVAL = 15
MOST_SERIES = 10e6  # what one server is given before another one is set up


def exposition(vms):
    return subprocess.run([EXPORT, "text", str(vms), "2"], capture_output=True, check=True).stdout.decode()


def series(text):
    return sum(1 for line in text.splitlines() if not line.startswith("#"))


def recorded():
    """name -> expression of each recording rule."""
    with open(RULES, encoding="utf-8") as file:
        text = file.read()
    rules = {}
    for name, rest in re.findall(r"- record: (\S+)\n\s+expr: ((?:.|\n)*?)(?=\n\s+(?:- |#)|\n\s+- name)",
                                 text):
        rules[name] = " ".join(rest.lstrip("|").split())
    return rules


def without_rules(query, rules):
    """The same query on what was scraped: a selector of a rule becomes a part of its expression."""
    for name, expr in rules.items():
        found = re.search(re.escape(name) + r"(\{[^}]*\})?", query)
        while found:
            inner = expr
            if found[1]:
                # the rule's labels are those of what it reads
                inner = re.sub(r"(nvx_vcpu_time_seconds_total)(?=\[5m\]\)\)\s*/)", r"\1" + found[1], expr)
            query = query[:found.start()] + "(" + inner + ")" + query[found.end():]
            found = None if name in expr else re.search(re.escape(name) + r"(\{[^}]*\})?", query)
    return query


def panels():
    for name in ("nvx-fleet.json", "nvx-vm.json"):
        with open(os.path.join(BOARDS, "grafana", name), encoding="utf-8") as file:
            for panel in json.load(file)["panels"]:
                for target in panel["targets"]:
                    yield panel["title"], target["expr"].replace("$__rate_interval", "1m") \
                        .replace("$instance", "host17").replace("$vm", "vm1")


def timed(prometheus, query, seconds):
    """Best of three, ms, over the time that was scraped, in 240 steps: a board's hour has as many."""
    best, rows, now = 1e9, 0, time.time()
    for _ in range(3):
        start = time.monotonic()
        answer = prometheus.ask("query_range", query=query, start=now - seconds, end=now,
                                step=seconds / 240)
        best = min(best, (time.monotonic() - start) * 1e3)
        if answer["status"] != "success":
            sys.exit("%s: %s" % (query, answer.get("error")))
        rows = len(answer["data"]["result"])
    return best, rows


def memory(process):
    with open("/proc/%d/status" % process.pid, encoding="ascii") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1]) * 1024


def disk(directory):
    return sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(directory)
               for name in names if "chunks" in at or "wal" in at)


def report_queries(prometheus, seconds):
    rules = recorded()
    print("\n%-58s %9s %9s %6s" % ("query of a panel in 240 steps, ms", "rules", "without", "rows"))
    for title, query in panels():
        plain = without_rules(query, rules)
        with_rules, rows = timed(prometheus, query, seconds)
        text = "%9s" % "same" if plain == query else "%9.1f" % timed(prometheus, plain, seconds)[0]
        print("%-58s %9.1f %s %6d" % (title[:58], with_rules, text, rows))


def report_sizes(vm, own, per_series, recording, ruled):
    print("\nA busy VM has %d series here, nvx %d of its own; a VM of the lab's recording %d." %
          (vm, own, recording))
    print("The rules make %d of a VM: what a server that federates reads." % ruled)
    print("With 10 busy VMs a host, at %.1f kB of memory a series:" % (per_series / 1e3))
    print("%8s %12s %16s %16s %14s %8s" % ("hosts", "series", "samples/s (15s)", "samples/s (60s)",
                                         "memory", "servers"))
    for hosts in (10, 1000, 100000):
        total = hosts * (own + 10 * vm)
        print("%8d %12d %16d %16d %11.1f GB %8d" %
              (hosts, total, total / 15, total / 60, total * per_series / 1e9,
               -(-total // int(MOST_SERIES))))


def recording_series():
    export = Export("--listen", "127.0.0.1:0")
    text = get(export.url + "metrics")[2]
    export.stop()
    vms = text.count("\nnvx_vm_info{")
    return sum(1 for line in text.splitlines() if '{vm="' in line) // max(vms, 1)


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    hosts, vms, seconds = (int(arg) for arg in sys.argv[1:])
    one, many = series(exposition(1)), series(exposition(11))
    server = simhosts.serve(simhosts.Text(exposition(vms)), hosts)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as directory:
        targets = os.path.join(directory, "hosts.json")
        with open(targets, "w", encoding="utf-8") as file:
            json.dump([{"targets": ["127.0.0.1:%d" % server.server_address[1]],
                        "labels": {"__metrics_path__": "/host/%d" % host, "instance": "host%d" % host}}
                       for host in range(hosts)], file)
        prometheus = Prometheus(directory, {"file_sd_configs": [{"files": [targets]}],
                                            "scrape_interval": "%ds" % INTERVAL}, [RULES])
        if not prometheus.wait("count(up) >= %d" % hosts, 120):
            sys.exit("Prometheus does not scrape them")
        time.sleep(seconds)
        head = prometheus.ask("status/tsdb")["data"]["headStats"]
        samples = prometheus.value("sum(scrape_samples_scraped) / %d" % INTERVAL)
        late = prometheus.value("max(scrape_duration_seconds)")
        used = memory(prometheus.process)
        print("%d hosts of %d VMs, %d series a host, every %d s, after %d s:" %
              (hosts, vms, series(exposition(vms)), INTERVAL, seconds))
        print("  %d of %d up; %d samples/s; %d series in memory; the slowest scrape %.2f s" %
              (prometheus.value("sum(up)"), hosts, samples, head["numSeries"], late))
        print("  Prometheus: %.0f MB resident, %.1f kB a series; %.0f MB on disk" %
              (used / 1e6, used / head["numSeries"] / 1e3,
               disk(os.path.join(directory, "data")) / 1e6))
        report_queries(prometheus, seconds)
        ruled = round(prometheus.value('count({__name__=~"instance_vm.*"})') / (hosts * vms))
        report_sizes((many - one) // 10, one - (many - one) // 10, used / head["numSeries"],
                     recording_series(), ruled)
        prometheus.stop()


if __name__ == "__main__":
    main()
