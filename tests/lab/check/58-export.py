#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What nvx export serves is what nvx stat counted, and it serves without rights."""
import re
import sys

import nvxstat
from tap import Boot, Tap

NAME = 'a"b\\c'
ESCAPED = 'a\\"b\\\\c'


def series(text, name, labels=""):
    """Sum of the values of a metric whose labels hold this text."""
    return sum(float(value) for found, value in
               re.findall(r"^%s(\{.*\})? (\S+)$" % name, text or "", re.M) if labels in found)


def main():
    tap = Tap()
    boot = Boot(sys.argv[1])
    job = boot.job(tap, "58-export")
    stat = job and nvxstat.load(tap, job, "stat.json")
    if stat:
        metrics = job.text("metrics")
        rights = dict(line.split(":\t") for line in job.lines("rights"))
        tap.equal((int(rights["CapEff"], 16), int(rights["CapPrm"], 16), rights["NoNewPrivs"]),
                  (0, 0, "1"), "no right is left")
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
    tap.done()


if __name__ == "__main__":
    main()
