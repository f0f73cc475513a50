#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What nvx export serves is what nvx stat counted, and it serves without rights."""
import http.server
import os
import re
import sys
import tempfile
import threading

import nvxstat
from tap import Boot, Tap

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "web"))
from prom import Prometheus  # noqa: E402

NAME = 'a"b\\c'
ESCAPED = 'a\\"b\\\\c'
QUOTED = '"%s"' % ESCAPED


def series(text, name, labels=""):
    """Sum of the values of a metric whose labels hold this text."""
    return sum(float(value) for found, value in
               re.findall(r"^%s(\{.*\})? (\S+)$" % name, text or "", re.M) if labels in found)


def check_rights(tap, job, name, uid, whose):
    rights = dict(line.split(":", 1) for line in job.lines(name + ".rights"))
    tap.equal([int(rights[cap], 16) for cap in ("CapEff", "CapPrm", "CapInh", "CapAmb")], [0] * 4,
              "no right is left " + whose)
    tap.equal([set(rights["Uid"].split()), set(rights["Gid"].split()), rights["Groups"].split(),
               rights["NoNewPrivs"].strip()], [{uid}, {uid}, [], "1"], "... whose user is %s" % uid)


def counters(text):
    """What depends on events alone: exits, switches, IPIs by VM, level and reason."""
    return re.findall(r"^nvx_(?:vm|exits|chains?|ipis?|msr|hypercall)\w*_total\{.* \d+$", text or "",
                      re.M)


def serve(text):
    """What the lab's wget got, as nvx export served it there."""
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type",
                             "application/openmetrics-text; version=1.0.0; charset=utf-8")
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return "127.0.0.1:%d" % server.server_address[1]


def check_promql(tap, text, stat):
    """Prometheus's own parser of OpenMetrics, and its queries, beside nvx stat of the same time."""
    with tempfile.TemporaryDirectory() as directory:
        prometheus = Prometheus(directory, {"static_configs": [{"targets": [serve(text)]}]}, [])
        if tap.ok(prometheus.wait("nvx_scrapes_total"), "Prometheus takes the lab's OpenMetrics"):
            for level in ("1", "2"):
                tap.equal(prometheus.value('sum(nvx_exits_total{vm=%s,level="%s"})' % (QUOTED, level)),
                          sum(row["count"] for row in stat.rows("exits", level=level)),
                          "PromQL: exits of level %s" % level)
            tap.equal(prometheus.value("sum(nvx_chains_total)"), stat.total("chains", "count"),
                      "PromQL: chains")
            tap.equal(prometheus.value('sum(nvx_exit_duration_seconds_bucket{le="+Inf"})'),
                      sum(row["count"] - row["open"] for row in stat.rows("exits")),
                      "PromQL: the histogram")
        prometheus.stop()


def main():
    tap = Tap()
    boot = Boot(sys.argv[1])
    job = boot.job(tap, "58-export")
    stat = job and nvxstat.load(tap, job, "stat.json")
    if stat:
        metrics = job.text("metrics")
        check_rights(tap, job, "export", "65534", "of root")
        check_rights(tap, job, "user", "1234", "of the unit")
        tap.equal([counters(job.text("user.metrics"))], [counters(metrics)],
                  "who never was root counts the same")
        tap.equal(stat.names(), [NAME], "the VM's name")
        tap.equal(series(metrics, "nvx_vm_info", 'vm="%s"' % ESCAPED), 1, "... in a label")
        for level in ("1", "2"):
            for row in stat.rows("exits", level=level):
                labels = 'level="%s",reason="%s"' % (level, row["reason"])
                tap.equal([series(metrics, "nvx_exits_total", labels),
                           series(metrics, "nvx_exits_reflected_total", labels),
                           series(metrics, "nvx_exit_duration_seconds_count", labels)],
                          [row["count"], row["reflected"], row["count"] - row["open"]],
                          "level %s: %d %s" % (level, row["count"], row["reason"]))
        tap.equal(series(metrics, "nvx_chains_total"), stat.total("chains", "count"), "chains")
        tap.equal(series(metrics, "nvx_ipis_total", 'level="2",path="x2apic'), 17, "IPIs of L2")
        tap.equal(series(metrics, "nvx_events_dropped_total"), 0, "nothing is dropped")
        tap.ok((job.text("openmetrics") or "").endswith("# EOF\n"), "OpenMetrics")
        check_promql(tap, job.text("openmetrics") or "", stat)
    tap.done()


if __name__ == "__main__":
    main()
