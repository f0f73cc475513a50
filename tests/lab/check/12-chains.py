#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Every chain has exactly the L1 exits that the payload's source causes.

The golden file holds what the source says: the L1 exits within the chains of a
reason, and the length of each chain.  Only the timer of L0 may come in between,
while L1 runs; it must account for every chain that is longer than the golden one.
"""
import json
import os
import sys

import nvxstat
from tap import Boot, Tap


def golden(boot):
    path = os.path.join(boot.top, "tests", "golden", "lab", "chains-svm.json")
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def slot_of(length):
    """Upper bound of the histogram's slot: exact to 16, then powers of two."""
    return length if length <= 16 else 1 << (length - 1).bit_length()


def cells_of(stat, vm, reason):
    return {row["l1_reason"]: row["count"] for row in stat.rows("cells", vm=vm, l2_reason=reason)}


def check_chain(faults, stat, vm, reason, want):
    name = "%s: chain %s" % (vm, reason)
    row = (stat.rows("chains", vm=vm, l2_reason=reason) or [None])[0]
    if row is None:
        faults.append(name + " is missing")
        return
    cells = cells_of(stat, vm, reason)
    extra = cells.pop("interrupt", 0)
    faults.equal(cells, want["cells"], name + ": L1 exits")
    for key in ("count", "open"):
        faults.equal(row[key], want[key], "%s: %s" % (name, key))
    faults.equal((row["reflected"], row["synthesised"], row["noexit"]), (row["count"], 0, 0),
                 name + ": outcomes")
    usual = [n for bound, n in row["length"] if bound == slot_of(want["length"])]
    longer = sum(n for bound, n in row["length"] if bound != slot_of(want["length"]))
    shorter = [n for bound, n in row["length"] if bound and bound < want["length"]]
    faults.equal(shorter, [], name + ": chains that are too short")
    faults.equal(sum(usual) + longer, want["count"] - want["open"], name + ": chains that ended")
    if longer > extra:
        faults.append("%s: %d longer chains, %d interrupts" % (name, longer, extra))
    # a chain is rarely disturbed: a 4 ms tick against some 20 us
    if longer > 2 + want["count"] // 20:
        faults.append("%s: %d of %d chains are longer" % (name, longer, want["count"]))


def check_vm(tap, stat, vm, want, vmm):
    faults = nvxstat.Faults()
    got = {row["l2_reason"] for row in stat.rows("chains", vm=vm)}
    faults.equal(sorted(got), sorted(want), vm + ": reasons that L1 saw")
    for reason, chain in want.items():
        check_chain(faults, stat, vm, reason, chain)
    tap.ok(not faults, "VM %s: chains are those of the golden file" % vm, "\n".join(faults))
    nvxstat.l1_agrees(tap, stat, vm, vmm, ["vmrun"])


def countings(stat, vm):
    """Everything that is counted, without times and without what L0's timer adds."""
    out = {}
    for table in ("l2s", "exits", "msrs", "hypercalls", "pio", "cells"):
        for row in stat.rows(table, vm=vm):
            if "interrupt" in (row.get("reason"), row.get("l1_reason")):
                continue
            key = (table,) + tuple(value for label, value in row.items()
                                   if isinstance(value, str) and label != "vm")
            out[key] = tuple(row[name] for name in ("entries", "count", "reflected",
                                                    "synthesised", "handled", "open")
                             if name in row)
    return out


def check_repeated(tap, stat, vm):
    one, two = countings(stat, vm + "-1"), countings(stat, vm + "-2")
    differ = ["%r: %r %r" % (key, one.get(key), two.get(key))
              for key in sorted(set(one) | set(two)) if one.get(key) != two.get(key)]
    tap.ok(len(one) > 10 and not differ, "VM %s: the same counts in a second run" % vm,
           "\n".join(differ[:20]))


def main():
    tap = Tap()
    boot = Boot(sys.argv[1])
    job = boot.job(tap, "12-chains")
    stat = job and nvxstat.load(tap, job, "stat.json")
    if stat:
        want = golden(boot)
        nvxstat.laws(tap, stat, "stat.json")
        tap.equal(sorted(stat.names()), sorted("%s-%s" % (vm, n) for vm in want for n in "12"),
                  "the VMs")
        for vm in want:
            for name in (vm + "-1", vm + "-2"):
                check_vm(tap, stat, name, want[vm], job.json(name + ".vmm"))
            check_repeated(tap, stat, vm)
    tap.done()


if __name__ == "__main__":
    main()
