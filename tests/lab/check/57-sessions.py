#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A session holds what was counted; a killed one is readable; tune tells what matters."""
import sys

import nvxstat
from tap import Boot, Tap


def check_series(tap, job):
    stat = nvxstat.load(tap, job, "series.json")
    if not stat:
        return
    total = stat.rows("totals", vm="busy") or stat.data["totals"]
    exits = sum(row["l1_exits"] + row["l2_exits"] + row["unknown_exits"]
                for row in stat.data["totals"])
    folded = [line.rsplit(" ", 1) for line in job.lines("series.folded")]
    tap.ok(total and exits > 1000, "the session has exits", stat.data["totals"])
    tap.equal(sum(int(count) for _, count in folded), exits,
              "the stacks of the flame graph add up to all exits")
    tap.ok(any(stack.startswith("L2:cpuid;L1:vmrun") for stack, _ in folded),
           "an L2's CPUID has L1's VMRUN on top", folded[:9])


def check_killed(tap, job):
    stat = nvxstat.load(tap, job, "killed.json")
    tap.ok("is incomplete: cut off: it has no end" in (job.text("killed.err") or ""),
           "a session whose recorder was killed is marked as incomplete", job.text("killed.err"))
    if stat:
        tap.ok(stat.data["duration_ns"] >= 5 * 0.2e9 and sum(
            row["l1_exits"] for row in stat.data["totals"]) > 100,
               "and has what was recorded until then", stat.data["totals"])


def check_tune(tap, job):
    effect, none = job.json("effect.json"), job.json("none.json")
    if not tap.ok(effect and none, "tune printed both comparisons"):
        return
    tap.equal([entry["key"] for entry in none["config"]], ["param.kvm.report_ignored_msrs"],
              "the setting is all that differs between the sides")
    tap.equal(effect["unit"], "period", "a unit is a period")
    rates = {figure["figure"]: figure for figure in effect["figures"]
             if figure["group"] == "rates"}
    for name in ("L1 exits", "L2 exits", "L2 cpuid"):
        figure = rates.get(name, {})
        tap.ok(figure.get("verdict") == "differs" and
               figure["b"]["median"] < figure["a"]["median"] / 2,
               "a guest that is stopped is proven to have fewer: %s" % name, figure)
    # one such comparison in twenty may show something, by its own rule
    read = [figure["verdict"] for figure in none["figures"]]
    tap.ok(len(read) > 20 and read.count("not_proven") >= 0.9 * len(read),
           "a setting without an effect reads ~", none["differ"])


def check_ends(tap, job):
    ends = dict((line.split()[0], line.split()[1:]) for line in job.lines("codes"))
    for name in ("record", "report", "folded", "killed"):
        tap.equal(ends.get(name), ["0"], "%s: exit code" % name)
    for name in ("effect", "none"):
        tap.equal(ends.get(name), ["0", "50000"], "%s: exit code; the setting is back" % name)
    for name in ("interrupted", "terminated", "parent-killed", "child-killed"):
        tap.equal((ends.get(name) or [None])[-1], "50000",
                  "tune %s: the setting is back" % name)
    tap.equal(ends.get("child-killed"), ["1", "50000"], "and it says that its child was killed")


def main():
    tap = Tap()
    job = Boot(sys.argv[1]).job(tap, "57-sessions")
    if job:
        check_series(tap, job)
        check_killed(tap, job)
        check_tune(tap, job)
        check_ends(tap, job)
    tap.done()


if __name__ == "__main__":
    main()
