#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Attached in the middle of a run, nvx has levels and chains right from then on."""
import sys

import nvxstat
from tap import Boot, Tap

# (VM, level): reasons that are of that level for sure.  Only L0's own work is at both.
LEVELS = {("busy", "1"): {"vmrun", "cpuid", "vintr", "msr"}, ("busy", "2"): {"io", "hlt", "msr"},
          ("deep", "1"): set(), ("deep", "2"): {"io"}}
L0_OWN = {"interrupt", "npf"}
EOI, TMICT = 0x80b, 0x838
# What L1 does at each exit: 3 CPUID and VMRUN; after an interrupt its window and EOI too.
LENGTH = {"io": 5, "interrupt": 7}


def check_levels(faults, stat, vms, exact):
    faults.equal(sorted(stat.names()), vms, "the VMs")
    for (vm, level), reasons in LEVELS.items():
        if vm not in vms:
            continue
        got = {row["reason"] for row in stat.rows("exits", vm=vm, level=level)} - L0_OWN
        if exact and got != reasons:
            faults.append("%s: level %s has %s, not %s" % (vm, level, got, reasons))
        elif not got <= reasons:
            faults.append("%s: level %s has %s" % (vm, level, got - reasons))
    if "na" not in stat.data["msrs"]:
        got = {(row["level"], row["code"]) for row in stat.rows("msrs")}
        faults.equal(got, {("1", EOI), ("2", TMICT)}, "MSRs by level")


def check_identity(faults, stat, busy, deep):
    """The two L2s of busy use a port each, the one of deep too."""
    a, b = [l2["vmcb"] for l2 in busy["cpus"][0]["l2s"]]
    c = deep["cpus"][0]["l2s"][0]["vmcb"]
    want = {("busy", "0x80", a), ("busy", "0x61", b)}
    if "deep" in stat.names():
        want.add(("deep", "0x61", c))
    got = {(row["vm"], row["port"], row["l2"]) for row in stat.rows("pio")}
    faults.equal(got, want, "ports by L2")


def check_chains(faults, stat):
    faults.equal({row["vm"] for row in stat.rows("chains")}, {"busy"}, "VMs with chains")
    for row in stat.rows("chains"):
        name = "chain %s" % row["l2_reason"]
        usual = LENGTH[row["l2_reason"]]
        cells = {cell["l1_reason"]: cell["count"] for cell in
                 stat.rows("cells", l2_reason=row["l2_reason"])}
        longer = sum(n for bound, n in row["length"] if bound != usual)
        if any(bound < usual for bound, _ in row["length"]):
            faults.append("%s is too short: %r" % (name, row["length"]))
        if longer > sum(cells.get(own, 0) for own in L0_OWN):
            faults.append("%s is too long: %r, %r" % (name, row["length"], cells))
        if row["open"] > 1:
            faults.append("%s: %d are open" % (name, row["open"]))
        if row["noexit"]:
            faults.append("%s: %d without L2 exit" % (name, row["noexit"]))
        # but for the one that is open, each has what L1 does at an exit
        done = row["count"] - row["open"]
        for reason, n in (("cpuid", 3), ("vmrun", 1)):
            if not done * n <= cells.get(reason, 0) <= row["count"] * n:
                faults.append("%s: %d %s in %d chains" % (name, cells.get(reason, 0), reason, done))


def check_btf(tap, job, name, vms, busy, deep):
    stats = nvxstat.load_intervals(tap, job, name)
    if not stats:
        return
    total, parts = stats[-1], stats[:-1]
    faults = nvxstat.Faults()
    for row in total.rows("totals"):
        for key in ("unknown_exits", "resyncs", "entries_failed", "detail_dropped"):
            faults.equal(row[key], 0, "%s: %s" % (row["vm"], key))
    check_levels(faults, total, vms, exact=True)
    check_identity(faults, total, busy, deep)
    check_chains(faults, total)
    tap.ok(not faults, "%s: levels, L2s and chains are right" % name, "\n".join(faults))
    nvxstat.laws(tap, total, name)
    check_sums(tap, name, parts, total)


def check_sums(tap, name, parts, total):
    tap.equal([part.data["interval"] for part in parts], [1, 2, 3], "%s: three intervals" % name)
    tap.ok(all(part.total("exits", "count") > 40 for part in parts), "%s: each has counts" % name)
    differ = []
    for table, key in (("exits", "count"), ("exits", "time_ns"), ("exits", "reflected"),
                       ("l2s", "entries"), ("msrs", "count"), ("pio", "count"),
                       ("chains", "count"), ("chains", "time_ns"), ("cells", "count")):
        for row in total.rows(table):
            labels = {name: value for name, value in row.items() if isinstance(value, str)}
            got = sum(part.total(table, key, **labels) for part in parts)
            if got != row[key]:
                differ.append("%s %r: %d, not %d" % (table, labels, got, row[key]))
    tap.ok(not differ, "%s: the intervals add up to the total" % name, "\n".join(differ))


def check_classic(tap, job, name):
    stat = nvxstat.load(tap, job, name)
    if not stat:
        return
    faults = nvxstat.Faults()
    check_levels(faults, stat, ["busy"], exact=False)
    check_chains(faults, stat)
    tap.ok(not faults, "%s: levels and chains are right" % name, "\n".join(faults))
    # Without BTF the level comes with the first switch, or the first exit of L2: at once here.
    unknown = stat.total("totals", "unknown_exits")
    known = stat.total("totals", "l1_exits") + stat.total("totals", "l2_exits")
    tap.ok(unknown <= 12 and known > 100, "%s: the level is soon known" % name,
           "%d unknown, %d known" % (unknown, known))
    nvxstat.no_drops(tap, stat, name)


def main():
    tap = Tap()
    boot = Boot(sys.argv[1])
    job = boot.job(tap, "22-attach")
    if job:
        busy, deep = job.json("busy.vmm"), job.json("deep.vmm")
        check_btf(tap, job, "both.json", ["busy", "deep"], busy, deep)
        check_btf(tap, job, "busy.json", ["busy"], busy, deep)
        check_classic(tap, job, "classic.json")
    tap.done()


if __name__ == "__main__":
    main()
