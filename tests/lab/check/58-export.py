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
    tap.done()


if __name__ == "__main__":
    main()
