#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The selftests of enlightened VMCS pass whatever the switches are, and each switch does what it
says: the L1 of evmcs_test is the same in all runs."""
import re
import sys
from collections import Counter

from tap import Boot, Tap

RUNS = ("stock", "dirty", "cached", "changed", "all")
IN, OUT = 1, 2
CLEAN_FIELDS, LAUNCH, OTHER, CACHED, FORCED, SAVED, COPY_ALL, CHANGED = range(1, 9)
FIELDS = {IN: 106, OUT: 72}


def syncs(job, run):
    """(direction, reason) -> number of copies, fields copied; None if it is not whole"""
    text = job.text(run + ".hist")
    if text is None or "Dropped: 0" not in text:
        return None
    copies, fields = Counter(), Counter()
    for line in text.splitlines():
        found = re.match(r"\{ (.*) \} hitcount: +(\d+)", line)
        if not found:
            continue
        key = {part.split(":")[0].strip(): int(part.split(":")[1])
               for part in found.group(1).split(",")}
        way, count = key["direction"], int(found.group(2))
        if key["fields"] + key["fields_skipped"] != FIELDS[way] and \
                key["reason"] != COPY_ALL:
            return None
        copies[way, key["reason"]] += count
        fields[way, key["reason"]] += count * key["fields"]
    return copies, fields


def main():
    tap = Tap()
    boot = Boot(sys.argv[1])
    job = boot.job(tap, "61-evmcs")
    if job:
        for line in (job.text("results") or "").splitlines():
            run, test, code = line.split()
            tap.equal(int(code), 0, "%s: %s passes" % (run, test))
        tap.equal(job.text("splats") or "", "", "the kernel did not complain")
        got = {run: syncs(job, run) for run in RUNS}
        if tap.ok(all(got.values()), "each copy accounts for every field", got):
            check_switches(tap, got)
    tap.done()


def check_switches(tap, got):
    stock, stock_fields = got["stock"]
    entries = sum(n for (way, reason), n in stock.items() if way == IN and reason != SAVED)
    exits = sum(n for (way, _), n in stock.items() if way == OUT)
    tap.ok(entries > 0 and exits > 0, "stock: L2 ran by an enlightened VMCS", stock)
    tap.equal({reason for way, reason in stock if way == OUT}, {COPY_ALL},
              "stock: all is copied out")
    tap.equal(stock_fields[OUT, COPY_ALL], FIELDS[OUT] * exits, "stock: 72 fields an exit")
    for run in RUNS:
        copies = got[run][0]
        tap.equal((sum(n for (way, reason), n in copies.items() if way == IN and reason != SAVED),
                   sum(n for (way, _), n in copies.items() if way == OUT)), (entries, exits),
                  run + ": as many copies as on stock")
    copies, fields = got["dirty"]
    tap.equal(copies[IN, FORCED], entries, "all-dirty: every entry is one by force")
    tap.equal(fields[IN, FORCED], FIELDS[IN] * entries, "all-dirty: 106 fields an entry")
    for run in ("changed", "all"):
        copies, fields = got[run]
        tap.equal(copies[OUT, CHANGED], exits, run + ": what changed is copied out")
        tap.between(fields[OUT, CHANGED], 1, exits * FIELDS[OUT] // 2,
                    run + ": less than half of the fields")
    tap.note({run: {key: (n, got[run][1][key]) for key, n in got[run][0].items()}
              for run in RUNS})


if __name__ == "__main__":
    main()
