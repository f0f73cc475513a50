#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Dashboards, rules, alerts and console pages: every one has data, in Debian's Prometheus.

The hosts are simulated (tests/bench/simhosts.py), so that counters grow and every section of the
registry is filled; minutes of the rules are seconds here.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import urllib.parse

import yaml
from prom import BOARDS, RULES, TOP, Export, Prometheus, get

sys.path[:0] = [os.path.join(TOP, "tests", "lab", "check"), os.path.join(TOP, "tests", "bench")]
import simhosts  # noqa: E402
from tap import Tap  # noqa: E402

EXPORT = os.path.join(TOP, "build", "bench", "export")
NAMES = r"\b(?:instance_[a-z_]+:)?nvx_[a-z0-9_]+(?::[a-z0-9_]+)?"
HOSTS = 3


def exposition(*args):
    return subprocess.run([EXPORT, "text", *args], capture_output=True, check=True).stdout.decode()


def hurried(text):
    """Rules and pages as they are, but for their times."""
    text = re.sub(r"\[\d+m\]", "[6s]", text)
    return re.sub(r"(for|interval): \d+[ms]", r"\1: 1s", text)


def copy_hurried(source, directory, name):
    path = os.path.join(directory, name)
    with open(source, encoding="utf-8") as file:
        text = hurried(file.read())
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def panels():
    """(where, query) of every panel."""
    for name in sorted(os.listdir(os.path.join(BOARDS, "grafana"))):
        with open(os.path.join(BOARDS, "grafana", name), encoding="utf-8") as file:
            for panel in json.load(file)["panels"]:
                for target in panel["targets"]:
                    yield "%s: %s %s" % (name, panel["title"], target["refId"]), target["expr"]


def check_grafana(tap):
    """What Grafana's schema wants of a board, as far as nothing here can show it."""
    uids = []
    for name in sorted(os.listdir(os.path.join(BOARDS, "grafana"))):
        with open(os.path.join(BOARDS, "grafana", name), encoding="utf-8") as file:
            board = json.load(file)
        uids.append(board["uid"])
        ids = [panel["id"] for panel in board["panels"]]
        cells = [(x, y) for at in (panel["gridPos"] for panel in board["panels"])
                 for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])]
        variables = {v["name"] for v in board["templating"]["list"]} | {"__rate_interval"}
        used = set(re.findall(r"\$\{?(\w+)", json.dumps(board["panels"])))
        tap.ok(board["title"] and board["schemaVersion"] >= 37 and len(ids) == len(set(ids)) and
               all(panel["type"] in ("table", "timeseries") and panel["title"] and
                   panel["datasource"]["uid"] == "${datasource}" and
                   len({t["refId"] for t in panel["targets"]}) == len(panel["targets"])
                   for panel in board["panels"]), "%s is a board" % name)
        tap.ok(len(cells) == len(set(cells)) and max(x for x, _ in cells) < 24,
               "%s: panels do not overlap" % name)
        tap.ok(used <= variables, "%s: its variables are defined" % name, used - variables)
    tap.equal(len(uids), len(set(uids)), "boards have an id each")


def known_names(text):
    """Every family of the registry: the simulated exposition has all sections."""
    names = set(re.findall(r"^# TYPE (\S+)", text, re.M))
    for name in re.findall(r"^# TYPE (\S+) histogram", text, re.M):
        names |= {name + end for end in ("_bucket", "_sum", "_count")}
    with open(RULES, encoding="utf-8") as file:
        return names | set(re.findall(r"record: (\S+)", file.read()))


def check_names(tap, known):
    texts = dict(panels())
    for directory in ("prometheus", "consoles"):
        for name in sorted(os.listdir(os.path.join(BOARDS, directory))):
            with open(os.path.join(BOARDS, directory, name), encoding="utf-8") as file:
                text = file.read()
            # file names of links, and the names of groups
            texts[name] = re.sub(r"nvx[a-z-]*\.(html|rules|test)\S*|name: \S+", "", text)
    for where, text in texts.items():
        unknown = set(re.findall(NAMES, re.sub(r"%s", "", text))) - known
        tap.ok(not unknown, "%s: its metrics exist" % where, unknown)


def check_panels(tap, prometheus):
    for where, query in panels():
        asked = query.replace("$__rate_interval", "6s").replace("$instance", "host1") \
            .replace("$vm", "vm1").replace("$before", "3s")
        answer = prometheus.ask("query", query=asked)
        tap.ok(answer["status"] == "success" and answer["data"]["result"] and
               any(float(row["value"][1]) for row in answer["data"]["result"]),
               "%s: it has data" % where, answer)


def check_rules(tap, prometheus):
    rules = [rule for group in prometheus.ask("rules")["data"]["groups"] for rule in group["rules"]]
    alerts = [rule for rule in rules if rule["type"] == "alerting"]
    tap.ok(len(rules) > 10 and all(rule["health"] == "ok" for rule in rules),
           "the server runs the rules", [rule for rule in rules if rule["health"] != "ok"])
    for rule in rules:
        if rule["type"] == "recording":
            tap.ok(prometheus.value("count(%s)" % rule["name"]), "%s: it has data" % rule["name"])
    for rule in alerts:
        tap.ok(prometheus.wait('ALERTS{alertname="%s",alertstate="firing"}' % rule["name"]),
               "%s fires" % rule["name"])
    firing = prometheus.ask("alerts")["data"]["alerts"]
    wrong = [a for a in firing if re.search(r"<no value>|%!|\bNaN\b", json.dumps(a["annotations"]))]
    tap.ok(not wrong, "alerts say what is the matter", wrong)


def browser(url, profile, *args):
    return subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu",
                           "--disable-dev-shm-usage", "--hide-scrollbars", "--window-size=1200,1500",
                           "--user-data-dir=" + profile, *args, url], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, timeout=120, encoding="utf-8", check=False).stdout


def check_page(tap, name, dom, tables):
    """Chromium has each table, with rows, and nothing that is not known."""
    for table, (least, most) in tables.items():
        found = re.search(r'<table id="%s">(.*?)</table>' % table, dom, re.S)
        rows = found[1].count("<tr>") - 1 if found else -1
        tap.ok(least <= rows <= most, "%s: %s has its rows" % (name, table), "%d" % rows)
    tap.ok(dom and not re.search(r"n/a|NaN|error|<no value>", dom), name + ": every figure is known",
           re.findall(r".*(?:n/a|NaN|error|no value).*", dom)[:5])


def check_consoles(tap, prometheus, directory):
    profile = os.path.join(directory, "profile")
    fleet = browser(prometheus.site + "consoles/nvx.html", profile, "--dump-dom")
    check_page(tap, "nvx.html", fleet,
               {"alerts": (5, 99), "vms": (2 * HOSTS, 2 * HOSTS), "hosts": (HOSTS, HOSTS)})
    links = set(re.findall(r'href="(nvx-vm\.html\?[^"]*)"', fleet))
    tap.ok(len(links) >= 6, "it leads to each VM", links)
    link = sorted(links)[0].replace("&amp;", "&") if links else "nvx-vm.html"
    url = prometheus.site + "consoles/" + link
    check_page(tap, "nvx-vm.html", browser(url, profile, "--dump-dom"),
               {"time": (9, 9), "exits": (19, 19), "chains": (6, 6), "ipis": (4, 4), "tlb": (4, 4),
                "msrs": (10, 10)})
    hostile = urllib.parse.urlencode({"instance": 'a"} or vector(1) #', "vm": "<script>alert(1)</script>"})
    dom = browser(prometheus.site + "consoles/nvx-vm.html?" + hostile, profile, "--dump-dom")
    tap.ok("No such VM" in dom and "<script>" not in dom, "a hostile link shows no VM and runs nothing")
    keep = os.environ.get("NVX_SCREENSHOTS")
    for name, address in (("fleet", prometheus.site + "consoles/nvx.html"), ("vm", url)):
        shot = os.path.join(keep or directory, "console-%s.png" % name)
        browser(address, profile, "--screenshot=" + shot)
        tap.ok(os.path.exists(shot) and os.path.getsize(shot) > 20000, "Chromium draws " + name)


def check_status_page(tap):
    export = Export("--listen", "127.0.0.1:0")
    get(export.url + "metrics")
    with tempfile.TemporaryDirectory() as directory:
        dom = browser(export.url, directory + "/profile", "--dump-dom")
        shot = os.path.join(os.environ.get("NVX_SCREENSHOTS") or directory, "status.png")
        browser(export.url, directory + "/profile", "--screenshot=" + shot)
        tap.ok(os.path.exists(shot) and os.path.getsize(shot) > 20000, "Chromium draws the status page")
    tap.ok(dom.count("<h2>") == 2 and "VMs: 2" in dom and "svm-6.1-l1-linux" in dom and
           re.search(r"the last took [\d.]+ ms", dom), "the status page says what is counted", dom[-2000:])
    export.stop()


def check_federation(tap, prometheus):
    """What the example reads of each server: the rules' series, and they are few."""
    with open(os.path.join(BOARDS, "examples", "prometheus.yml"), encoding="utf-8") as file:
        job = next(job for job in yaml.safe_load(file)["scrape_configs"]
                   if job["job_name"] == "nvx-federation")
    query = urllib.parse.urlencode({"match[]": job["params"]["match[]"]}, doseq=True)
    text = get(prometheus.site.rstrip("/") + job["metrics_path"] + "?" + query)[2]
    series = [line for line in text.splitlines() if not line.startswith("#")]
    tap.ok(2 * HOSTS * 15 <= len(series) < 2 * HOSTS * 25 and
           all(line.startswith(("instance_vm", "ALERTS{")) for line in series),
           "federation reads what the rules made", len(series))


def check_hostile_names(tap):
    """Names of quotes, newlines and broken UTF-8, as promtool reads them."""
    every = set()
    for seed in ("1", "2", "3"):
        text = exposition("40", "1", seed)
        series = set(re.findall(r'nvx_vm_info\{vm="((?:[^"\\\n]|\\.)*)"', text))
        tap.equal(len(series), 40, "40 hostile names stay apart")
        every |= series
        done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True,
                              encoding="utf-8", check=False)
        tap.equal(done.stdout + done.stderr, "", "promtool reads them")
    tap.ok(all(any(piece in name for name in every) for piece in ('\\"', "\\\\", "\u00e4", "\U0001f427")) and
           any(len(name.encode()) > 110 for name in every), "they are hostile", every)


def main():
    tap = Tap()
    text = exposition("2", "2")
    # what no healthy host shows is to fire its alert here
    text = text.replace("\nnvx_events_dropped_total 0\n", "\nnvx_events_dropped_total 3\n")
    text = re.sub(r"\nnvx_scrape_duration_seconds \S+", "\nnvx_scrape_duration_seconds 0.3", text)
    text = re.sub(r'(nvx_exits_total\{vm="vm1",level="1",reason="vintr"\} \d+)', r"\g<1>0", text)
    check_names(tap, known_names(text))
    check_grafana(tap)
    check_hostile_names(tap)
    check_status_page(tap)
    server = simhosts.serve(simhosts.Text(text), HOSTS)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as directory:
        consoles = os.path.join(directory, "consoles")
        os.mkdir(consoles)
        for name in os.listdir(os.path.join(BOARDS, "consoles")):
            copy_hurried(os.path.join(BOARDS, "consoles", name), consoles, name)
        scrape = {"static_configs": [
            {"targets": ["127.0.0.1:%d" % server.server_address[1]],
             "labels": {"__metrics_path__": "/host/%d" % host, "instance": "host%d" % host}}
            for host in range(HOSTS)]}
        prometheus = Prometheus(directory, scrape, [copy_hurried(RULES, directory, "rules.yml")],
                                "--web.console.templates=" + consoles)
        if tap.ok(prometheus.wait("count(count_over_time(nvx_scrapes_total[1m]) >= 8) >= %d" % HOSTS),
                  "Prometheus scrapes %d hosts" % HOSTS):
            check_rules(tap, prometheus)
            check_panels(tap, prometheus)
            check_federation(tap, prometheus)
            check_consoles(tap, prometheus, directory)
        prometheus.stop()
    tap.done()


if __name__ == "__main__":
    main()
