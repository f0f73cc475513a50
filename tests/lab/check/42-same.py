#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""With every switch at its default our modules do what the stock ones do: the same events with
the same fields in the same order."""
import difflib
import os
import re
import sys

from tap import Boot, Tap

RUNS = {"guest": 100, "nested": 600, "flat": 200, "alternate": 150, "handled": 150, "synth": 100}


def lines(job, where, run):
    """Without the faults of pages that are touched first: the host's memory is not the same."""
    text = job.text("%s/%s" % (where, run))
    if text is None:
        return None
    return [line for line in text.splitlines()
            if not re.match(r"kvm_(exit|nested_vmexit):.* (EPT_VIOLATION|EPT_MISCONFIG|npf) ", line)]


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
    job = boot.job(tap, "42-same")
    stock = job
    if job and boot.kind == "vmx":
        tap.ok(all(lines(job, "stock", run) for run in RUNS), "stock events are there")
        tap.done()
    if job and boot.kind.startswith("vmx-nvx"):
        other = Boot(os.path.join(os.path.dirname(boot.directory), "vmx-" + boot.series))
        stock = other.job(tap, "42-same")
    if job and stock:
        for run in RUNS:
            for where, source in (("stock", stock), ("ours", job)):
                stats = source.text("%s/%s.stats" % (where, run)) or "missing 1"
                lost = [line for line in stats.splitlines() if not line.endswith(": 0")]
                tap.equal(lost, [], "%s: no event of %s was lost" % (run, where))
            check(tap, run, lines(stock, "stock", run), lines(job, "ours", run))
    tap.done()


main()
