#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""nvx export with Debian's Prometheus: the same figures as nvx replay; who may ask for what.

The source is a recording of the lab, so that each figure is known.
"""
import json
import os
import re
import resource
import socket
import subprocess
import sys
import tempfile
import threading
import time

from prom import BOARDS, NVX, RECORDING, RULES, TOP, Export, Prometheus, get, run

sys.path.insert(0, os.path.join(TOP, "tests", "lab", "check"))
from tap import Tap  # noqa: E402

OPENMETRICS = "application/openmetrics-text; version=1.0.0"


def check_pages(tap, export):
    status, kind, text = get(export.url + "metrics")
    tap.ok(status == 200 and kind.startswith("text/plain; version=0.0.4"), "/metrics is Prometheus's text")
    done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True,
                          check=False)
    tap.equal((done.returncode, done.stdout + done.stderr), (0, ""), "promtool check metrics is content")
    status, kind, open_text = get(export.url + "metrics", OPENMETRICS)
    tap.ok(status == 200 and kind.startswith("application/openmetrics-text") and
           open_text.endswith("# EOF\n"), "OpenMetrics by the Accept header")
    tap.equal(get(export.url + "healthz")[::2], (200, "ok\n"), "/healthz")
    tap.ok("<h1>nvx export</h1>" in get(export.url)[2], "the status page")
    tap.equal([get(export.url + "nosuch")[0], get(export.url + "metrics", data=b"x")[0]], [404, 405],
              "no such page; only GET")
    families = re.findall(r"^# TYPE (\S+)", open_text, re.M)
    tap.equal(len(families), len(set(families)), "no family twice")
    series = [line.rsplit(" ", 1)[0] for line in text.splitlines() if not line.startswith("#")]
    tap.equal(len(series), len(set(series)), "no series twice")
    return text


class Crowd(threading.Thread):
    """Comes and never goes: half a request a connection, then a byte now and then."""

    def __init__(self, address, size):
        super().__init__(daemon=True)
        self.address, self.size, self.socks, self.ended = address, size, [], threading.Event()

    def run(self):
        for _ in range(self.size):
            sock = socket.socket()
            sock.setblocking(False)
            sock.connect_ex(self.address)
            self.socks.append(sock)
            self.tell(sock, b"GET /metrics HTTP/1.1\r\nHost: x\r\nX-Slow: ")
        while not self.ended.wait(0.5):
            for sock in self.socks:
                self.tell(sock, b"a")

    @staticmethod
    def tell(sock, what):
        try:
            sock.send(what)
        except OSError:
            pass

    def stop(self):
        self.ended.set()
        self.join()
        for sock in self.socks:
            sock.close()


def still_served(export, times=5):
    """Whether a scraper gets whole pages, one after the other."""
    for _ in range(times):
        try:
            status, _, text = get(export.url + "metrics", OPENMETRICS)
        except OSError as error:
            return str(error)
        if status != 200 or not text.endswith("# EOF\n"):
            return "status %d, %d bytes" % (status, len(text))
    return ""


def resident(export):
    with open("/proc/%d/status" % export.process.pid, encoding="ascii") as file:
        return int(re.search(r"VmRSS:\s+(\d+)", file.read())[1])


def refusal(address, request):
    """The first line of the answer to what nobody should send."""
    with socket.create_connection(address, timeout=10) as sock:
        try:
            sock.sendall(request)
        except OSError:
            pass  # it answered before it had read all
        try:
            return sock.recv(4096).split(b"\r\n")[0].decode()
        except OSError as error:
            return str(error)


def check_hostile(tap, export):
    """Who sends nothing, much, or comes in thousands does not keep a scraper from being served."""
    host, port = export.url.split("//")[1].strip("/").split(":")
    address = (host, int(port))
    resource.setrlimit(resource.RLIMIT_NOFILE, (12000, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    before = resident(export)
    crowd = Crowd(address, 10000)
    crowd.start()
    tap.equal(still_served(export), "", "served while 10,000 slow clients come")
    while len(crowd.socks) < crowd.size:
        time.sleep(0.1)
    time.sleep(1)
    tap.equal(still_served(export), "", "... and while they stay, a byte every half second")
    crowd.stop()
    readers = []
    for _ in range(400):
        sock = socket.create_connection(address, timeout=10)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        sock.send(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
        readers.append(sock)
    tap.equal(still_served(export), "", "400 clients that ask and do not read")
    tap.ok(resident(export) - before < 128 * 1024, "memory stays within what pages may take",
           "%d KiB, %d before" % (resident(export), before))
    for sock in readers:
        sock.close()
    for what, request, want in (
            ("header", b"GET /metrics HTTP/1.1\r\nHost: x\r\nX-Big: " + b"a" * 1000000, "431"),
            ("URI", b"GET /" + b"a" * 1000000 + b" HTTP/1.1\r\n\r\n", "414"),
            ("body", b"GET /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n" +
             b"a" * 100000, "413"),
            ("method", b"BREW /metrics HTTP/1.1\r\nHost: x\r\n\r\n", "405"),
            ("version", b"GET /metrics HTTP/9.9\r\nHost: x\r\n\r\n", "505")):
        got = refusal(address, request)
        tap.ok(got.startswith("HTTP/1.1 " + want) or got.startswith("HTTP/1.0 " + want),
               "refused: an impossible " + what, got)
    tap.equal(still_served(export), "", "it goes on serving")


def check_top(tap):
    export = Export("--listen", "127.0.0.1:0", "--top-reasons", "3")
    text = get(export.url + "metrics")[2]
    names = set(re.findall(r'^nvx_exits_total\{vm="([^"]*)",level="([^"]*)",reason="([^"]*)"', text, re.M))
    per_vm = {}
    for vm, _, _ in names:
        per_vm[vm] = per_vm.get(vm, 0) + 1
    tap.ok(per_vm and max(per_vm.values()) <= 6 and any(reason == "other" for _, _, reason in names),
           "--top-reasons 3: three series a VM, and other of each level", per_vm)
    code, out, _ = run("replay", "--fast", "--json", RECORDING)
    want = sum(row["count"] for row in json.loads(out)["exits"]["exits"])
    got = sum(int(line.rsplit(" ", 1)[1]) for line in text.splitlines()
              if line.startswith("nvx_exits_total{"))
    tap.equal((code, got), (0, want), "... and they add up to all exits")
    tap.equal(export.stop(), 0, "SIGTERM ends it well")


def check_options(tap, whole):
    """--per-vcpu has the same sums, --created says more, and neither keeps a right."""
    export = Export("--listen", "127.0.0.1:0", "--per-vcpu", "--created", "--top-reasons", "0")
    with open("/proc/%d/status" % export.process.pid, encoding="ascii") as file:
        status = dict(line.rstrip("\n").split(":\t", 1) for line in file if ":\t" in line)
    tap.ok(int(status["CapEff"], 16) == int(status["CapPrm"], 16) == 0 and status["NoNewPrivs"] == "1" and
           "0" not in status["Uid"].split(), "a recording is served without rights, by nobody", status)
    text = get(export.url + "metrics", OPENMETRICS)[2]
    export.stop()
    for name in ("nvx_exits_total", "nvx_chains_total", "nvx_vm_l2_exits_total"):
        sums = [sum(int(value) for value in re.findall(r"^%s\{.*\} (\d+)$" % name, page, re.M))
                for page in (whole, text)]
        tap.ok(sums[0] == sums[1] > 0, "%s: vCPUs add up to VMs" % name, sums)
    tap.ok('vcpu="' in text and 'vcpu="' not in whole, "--per-vcpu, off by default")
    counters = len(re.findall(r"^nvx_exits_total\{", text, re.M))
    tap.equal(len(re.findall(r"^nvx_exits_created\{", text, re.M)), counters, "--created: one each")


def check_passed_socket(tap):
    """As systemd passes one: descriptor 3, and whose it is."""
    with socket.create_server(("127.0.0.1", 0)) as sock:
        process = subprocess.Popen(
            ["sh", "-c", 'LISTEN_PID=$$ LISTEN_FDS=1 exec "$@" 3<&%d' % sock.fileno(), "sh", NVX, "export",
             "--replay", RECORDING, "--listen", "nowhere"], pass_fds=[sock.fileno()])
        status, _, text = get("http://127.0.0.1:%d/metrics" % sock.getsockname()[1])
        tap.ok(status == 200 and "nvx_exits_total{" in text, "a socket that was passed goes first")
        process.terminate()
        tap.equal(process.wait(timeout=10), 0, "... and it ends well")


def check_figures(tap, prometheus):
    """PromQL says what nvx replay says."""
    data = json.loads(run("replay", "--fast", "--json", RECORDING)[1])
    for level in ("1", "2"):
        tap.equal(prometheus.value('sum(nvx_exits_total{level="%s"})' % level),
                  sum(row["count"] for row in data["exits"]["exits"] if row["level"] == level),
                  "exits of level %s" % level)
    tap.equal(prometheus.value('nvx_exits_reflected_total{reason="cpuid",level="2"} > 0'),
              sum(row["reflected"] for row in data["exits"]["exits"]
                  if (row["level"], row["reason"]) == ("2", "cpuid")), "reflected CPUIDs of L2")
    tap.equal(prometheus.value("sum(nvx_chains_total)"),
              sum(row["count"] for row in data["chains"]["chains"]), "chains")
    want = sum(row["time_ns"] for row in data["time"]["time"]) / 1e9
    got = prometheus.value("sum(nvx_vcpu_time_seconds_total)")
    tap.ok(got and abs(got - want) < 1e-3, "time of vCPUs", "got %s, want %s" % (got, want))
    tap.equal(prometheus.value("sum(nvx_exit_duration_seconds_count)"),
              sum(row["count"] - row["open"] for row in data["exits"]["exits"]),
              "the histogram holds each exit that was entered again")
    scraped = prometheus.ask("targets")["data"]["activeTargets"][0]
    tap.equal((scraped["health"], scraped["lastError"]), ("up", ""), "Prometheus is content")


def main():
    tap = Tap()
    directory = os.path.join(BOARDS, "prometheus")
    for what in (("check", "rules", "nvx.rules.yml"), ("test", "rules", "nvx.test.yml")):
        done = subprocess.run(["promtool", *what], cwd=directory, capture_output=True, text=True, check=False)
        tap.equal(done.returncode, 0, "promtool %s rules %s" % (what[0], done.stdout + done.stderr if
                                                                done.returncode else ""))
    export = Export("--listen", "127.0.0.1:0")
    text = check_pages(tap, export)
    with tempfile.TemporaryDirectory() as directory:
        prometheus = Prometheus(directory, {"static_configs": [
            {"targets": [export.url.split("//")[1].strip("/")]}]}, [RULES])
        if tap.ok(prometheus.wait("count_over_time(nvx_scrapes_total[1m]) >= 3"), "Prometheus scrapes it"):
            check_figures(tap, prometheus)
        prometheus.stop()
    check_hostile(tap, export)
    export.stop()
    check_top(tap)
    check_options(tap, text)
    check_passed_socket(tap)
    code, _, err = run("export", "--replay", RECORDING, "--listen", "nowhere")
    tap.ok(code == 1 and "ADDRESS:PORT" in err, "a wrong address: one line", err)
    code, _, err = run("export", "--replay", "/nonexistent")
    tap.ok(code == 1 and "/nonexistent" in err, "no such recording: one line", err)
    tap.done()


if __name__ == "__main__":
    main()
