#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""With every switch at its default the distribution's kvm-amd.ko does the same on our kvm.ko as on
the stock one: the same events with the same fields in the same order."""
import difflib
import re
import sys

from tap import Boot, Tap

RUNS = {"guest": 100, "nested": 600, "flat": 200, "alternate": 150, "handled": 150,
        "synth": 100}


def lines(job, where, run):
    """Without the faults of pages that are touched first: the host's memory is not the same."""
    text = job.text("%s/%s" % (where, run))
    if text is None:
        return None
    return [line for line in text.splitlines()
            if not re.match(r"kvm_(exit|nested_vmexit):.* npf ", line)]


def check(tap, run, stock, ours):
    if not tap.ok(stock is not None and len(stock) >= RUNS[run],
                  "%s: stock KVM left enough events" % run, stock and len(stock)):
        return
    if ours is None:
        tap.ok(False, run + ": ours ran")
        return
    diff = list(difflib.unified_diff(stock, ours, "stock", "ours", lineterm="", n=1))
    tap.ok(not diff, "%s: %d events, the same on our modules" % (run, len(stock)),
           "\n".join(diff[:20]))


def main():
    tap = Tap()
    boot = Boot(sys.argv[1])
    job = boot.job(tap, "43-kmod-svm")
    for run in RUNS if job else ():
        for where in ("stock", "ours"):
            stats = job.text("%s/%s.stats" % (where, run)) or "missing 1"
            lost = [line for line in stats.splitlines() if not line.endswith(": 0")]
            tap.equal(lost, [], "%s: no event of %s was lost" % (run, where))
        check(tap, run, lines(job, "stock", run), lines(job, "ours", run))
    tap.done()


main()
