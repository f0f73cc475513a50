#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Every IPI that was sent is in the ledger: by level, path and destination, with its exits."""
import re
import sys

import nvxstat
from tap import Boot, Tap

# (path, to): IPIs, destinations of one (None: not known), exits of one
CPUS = 4
L1 = {
    "x2": {("x2apic_icr", "one"): (37 + 7, 1, 1), ("x2apic_icr", "subset"): (31, 2, 1),
           ("x2apic_icr", "others"): (29, CPUS - 1, 1), ("x2apic_icr", "self"): (23, 1, 1),
           ("x2apic_icr", "all"): (19, CPUS, 1)},
    "x1": {("xapic_icr", "one"): (41, 1, 2), ("xapic_icr", "subset"): (43, 3, 2),
           ("xapic_icr", "others"): (47, CPUS - 1, 2), ("xapic_icr", "self"): (53, 1, 2),
           ("xapic_icr", "all"): (59, CPUS, 2)},
}
# Two masks of different size are one row.
PV = {("x2apic_self", "self"): (17, 17, 17), ("pv", "one"): (13, 13, 13),
      ("pv", "subset"): (11 + 5, 11 * 3 + 5 * 5, 11 + 5)}
# How many vCPUs an L2 has is its hypervisor's secret.
L2 = [
    {("x2apic_icr", "one"): (61, 61, 61), ("x2apic_icr", "subset"): (67, 67 * 4, 67),
     ("x2apic_icr", "others"): (71, None, 71), ("x2apic_icr", "self"): (73, 73, 73),
     ("x2apic_icr", "all"): (79, None, 79)},
    {("x2apic_self", "self"): (83, 83, 83), ("pv", "one"): (89, 89, 89),
     ("pv", "subset"): (97, 97 * 8, 97), ("hyperv_icr", "one"): (101, 101, 101)},
    {("hyperv_icr", "others"): (103, None, 103), ("hyperv_icr", "subset"): (107, 214, 107)},
]
L2_L0 = {("x2apic_icr", "one"): (113, 113, 113), ("x2apic_icr", "self"): (127, 127, 127),
         ("x2apic_self", "self"): (131, 131, 131)}


def ledger(stat, **labels):
    """{(path, to): (IPIs, destinations or None, exits)}"""
    rows = {}
    for row in stat.data["ipis"]["ipis"]:
        if all(row[key] == value for key, value in labels.items()):
            unknown = row["unknown_destinations"]
            known = row["destinations"] if not unknown else \
                None if (unknown, row["destinations"]) == (row["count"], 0) else "some"
            rows[(row["path"], row["to"])] = (row["count"], known, row["exits"])
    return rows


def times(want, cpus):
    return {key: tuple(None if n is None else n * cpus for n in row) for key, row in want.items()}


def per_ipi(want):
    return {key: (n, n * dests, n * exits) for key, (n, dests, exits) in want.items()}


def check_l1(tap, stat):
    for vm, want in L1.items():
        tap.equal(ledger(stat, vm=vm), times(per_ipi(want), CPUS), "%s: L1's IPIs" % vm)
    tap.equal(ledger(stat, vm="pv"), times(PV, CPUS), "pv: L1's IPIs")
    tap.equal([row for row in stat.data["ipis"]["ipis"]
               if row["level"] != ("2" if row["vm"].startswith("l2") else "1")], [],
              "each is of the level that sent it")


def check_l2(tap, job, stat):
    addresses = [l2["vmcb"] for l2 in job.json("l2.vmm")["cpus"][0]["l2s"]]
    for address, want in zip(addresses, L2):
        tap.equal(ledger(stat, vm="l2", l2=address), want, "IPIs of L2 %s, which L1 takes" % address)
    # the value is in an instruction that L0 does not decode
    tap.equal(ledger(stat, vm="l2-x1"), {("xapic_icr", "?"): (109, None, 218)},
              "an L2's xAPIC IPIs that L1 takes: counted, the destination n/a")
    tap.equal(ledger(stat, vm="l2-l0"), L2_L0, "an L2's IPIs that L0 takes")
    tap.equal(ledger(stat, vm="l2-x1-l0"), {("xapic_icr", "one"): (137, 137, 274)},
              "an L2's xAPIC IPIs that L0 takes")


def check_exits(tap, stat):
    """The ledger's exits are exits that the MSR and page tables count too."""
    for vm, code, path in (("x2", 0x830, "x2apic_icr"), ("pv", 0x83f, "x2apic_self"),
                           ("l2", 0x830, "x2apic_icr"), ("l2", 0x40000071, "hyperv_icr")):
        tap.equal(stat.total("msrs", "count", vm=vm, code=code, access="write"),
                  sum(row[2] for row in ledger_sum(stat, vm, path)),
                  "%s: exits of %s are writes to MSR %#x" % (vm, path, code))


def ledger_sum(stat, vm, path):
    return [(row["count"], row["destinations"], row["exits"])
            for row in stat.data["ipis"]["ipis"] if row["vm"] == vm and row["path"] == path]


def check_text(tap, job):
    """EXITS/DEST and SAVED: what the same destinations would cost, one exit each."""
    rows = {}
    for line in job.lines("stat.txt"):
        words = line.replace(",", "").split()
        if len(words) == 9 and words[1] in ("L1", "L2"):
            rows[(words[0], words[2], words[3])] = words[4:]
    for vm, path, to, want in (
            ("x2", "x2apic_icr", "others", ["116", "348", "116", "0.33", "232"]),
            ("x1", "xapic_icr", "one", ["164", "164", "328", "2.00", "0"]),
            ("x1", "xapic_icr", "all", ["236", "944", "472", "0.50", "472"]),
            ("pv", "pv", "subset", ["64", "232", "64", "0.28", "168"]),
            ("l2", "x2apic_icr", "others", ["71", "n/a", "71", "n/a", "n/a"])):
        tap.equal(rows.get((vm, path, to)), want,
                  "the text: %s %s %s, exits per destination and saved" % (vm, path, to))


def main():
    tap = Tap()
    boot = Boot(sys.argv[1])
    job = boot.job(tap, "50-ipis")
    stat = job and nvxstat.load(tap, job, "stat.json")
    if stat:
        nvxstat.no_drops(tap, stat, "stat.json")
        check_l1(tap, stat)
        check_l2(tap, job, stat)
        check_exits(tap, stat)
        check_text(tap, job)
    tap.done()


if __name__ == "__main__":
    main()
