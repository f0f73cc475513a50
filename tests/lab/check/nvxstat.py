# SPDX-License-Identifier: GPL-2.0-only
"""nvx stat's JSON, and what must hold in every one of them.

Nothing here compares a number with one that nvx derived from it: each law joins
counters that different events bumped, or an nvx counter with labvmm's own.
"""

LEN_EXACT = 16
# One spelling of what the payload's operations are called on each vendor.
REASON = {
    "svm": {"cpuid": "cpuid", "rdmsr": "msr", "wrmsr": "msr", "hypercall": "hypercall",
            "pio": "io", "mmio": "npf", "hlt": "hlt", "interrupt": "interrupt", "end": "wbinvd",
            "enter": "vmrun"},
}
DRILLED = (("msrs", "msrs", ("msr", "MSR_READ", "MSR_WRITE")),
           ("msrs", "hypercalls", ("hypercall", "VMCALL")), ("io", "pio", ("io", "IO_INSTRUCTION")))


class Stat:
    """rows("exits", level="2", reason="cpuid") and total("exits", "count", ...)"""

    SECTION = {"exits": "exits", "l2s": "exits", "msrs": "msrs", "hypercalls": "msrs",
               "pio": "io", "mmio": "io", "chains": "chains", "cells": "chains"}

    def __init__(self, data):
        self.data = data

    def table(self, name):
        """The table's rows; None where it is n/a."""
        if name == "totals":
            return self.data["totals"]
        return self.data[self.SECTION[name]].get(name)

    def rows(self, name, **labels):
        return [row for row in self.table(name)
                if all(row[key] == value for key, value in labels.items())]

    def total(self, name, key, **labels):
        return sum(row[key] for row in self.rows(name, **labels))

    def names(self):
        return [row["vm"] for row in self.data["totals"]]


def load(tap, job, name):
    """The one JSON object of a file, or None and a failed test."""
    data = job.json(name)
    if not tap.ok(data is not None and data.get("schema") == "nvx-stat-1" and data["totals"],
                  "%s is JSON of nvx stat with counts in it" % name, (job.text(name) or "")[:400]):
        return None
    return Stat(data)


def load_intervals(tap, job, name):
    """The objects of a file with -i: the intervals, and the total behind them."""
    import json
    stats = []
    for line in job.lines(name):
        try:
            stats.append(Stat(json.loads(line)))
        except ValueError:
            tap.ok(False, "%s: each line is JSON" % name, line[:200])
            return None
    if not tap.ok(len(stats) > 1, "%s has intervals and a total" % name, "%d lines" % len(stats)):
        return None
    return stats


class Faults(list):
    """What does not add up, told in one test for a whole file."""

    def equal(self, got, want, what):
        if got != want:
            self.append("%s: %r, not %r" % (what, got, want))


def within_buckets(hist, time_ns):
    """Can so many durations in these buckets add up to this time?"""
    low = sum((0 if bound == 256 else (bound or 1 << 31) // 2) * n for bound, n in hist)
    high = sum(bound * n if bound else float("inf") for bound, n in hist)
    return low <= time_ns <= high


def exit_laws(faults, stat, vm):
    total = stat.rows("totals", vm=vm)[0]
    for level, key in (("1", "l1_exits"), ("2", "l2_exits"), ("?", "unknown_exits")):
        faults.equal(stat.total("exits", "count", vm=vm, level=level), total[key],
                     "%s: exits of level %s" % (vm, level))
    for row in stat.rows("exits", vm=vm):
        name = "%s: level %s %s" % (vm, row["level"], row["reason"])
        faults.equal(sum(n for _, n in row["hist"]), row["count"] - row["open"],
                     name + ": histogram")
        if not within_buckets(row["hist"], row["time_ns"]):
            faults.append("%s: %d ns is not a sum of %r" % (name, row["time_ns"], row["hist"]))
        if row["level"] == "2":
            faults.equal(row["reflected"] + row["synthesised"] + row["handled"], row["count"],
                         name + ": outcomes")
        else:
            faults.equal((row["reflected"], row["synthesised"], row["handled"]), (0, 0, 0),
                         name + ": no outcome")


def drill_laws(faults, stat, vm):
    for section, table, reasons in DRILLED:
        if "na" in stat.data[section]:
            continue
        for level in ("1", "2", "?"):
            for key in ("count", "reflected", "time_ns"):
                got = stat.total(table, key, vm=vm, level=level)
                if table == "pio" and key == "count" and stat.data["source"] == "stock KVM with BTF":
                    # KVM reads the port of a VMX exit late: nvx knows it at the re-entry.
                    got += stat.total("exits", "open", vm=vm, level=level, reason="IO_INSTRUCTION")
                faults.equal(got, sum(stat.total("exits", key, vm=vm, level=level, reason=reason)
                                      for reason in reasons),
                             "%s: level %s %s, %s" % (vm, level, table, key))


def switch_laws(faults, stat, vm):
    """L2's exits, switches and chains are counted at different events."""
    total = stat.rows("totals", vm=vm)[0]
    chains = stat.rows("chains", vm=vm)
    faults.equal(stat.total("l2s", "entries", vm=vm), total["entries"], vm + ": entries")
    faults.equal(sum(row["count"] for row in chains), total["leaves"], vm + ": chains")
    faults.equal(sum(row["noexit"] for row in chains), total["noexit"], vm + ": noexit")
    faults.equal(sum(row["reflected"] for row in chains),
                 stat.total("exits", "reflected", vm=vm, level="2"), vm + ": reflected")
    faults.equal(sum(row["synthesised"] for row in chains),
                 stat.total("exits", "synthesised", vm=vm, level="2") + total["noexit"],
                 vm + ": synthesised")
    for row in chains:
        name = "%s: chain %s" % (vm, row["l2_reason"])
        lengths = row["length"]
        faults.equal(sum(n for _, n in lengths), row["count"] - row["open"], name + ": lengths")
        exits = row["count"] - row["open"] + stat.total("cells", "count", vm=vm,
                                                        l2_reason=row["l2_reason"])
        low, high = length_range(lengths)
        # an open chain has L1 exits, too, but no length yet
        if exits < low or exits > high and not row["open"]:
            faults.append("%s: %d exits in chains of %d to %d" % (name, exits, low, high))


def length_range(lengths):
    """Least and most exits in chains of these lengths: equal where all slots are exact."""
    low = sum((bound if bound and bound <= LEN_EXACT else (bound or 1 << 12) // 2 + 1) * n
              for bound, n in lengths)
    return low, sum(bound * n if bound else float("inf") for bound, n in lengths)


def no_drops(tap, stat, what, detail=True):
    """detail: neither is any number without a row of its own."""
    return tap.equal({key: n for key, n in stat.data["dropped"].items()
                      if n and (detail or key != "detail")}, {}, "%s: nothing is dropped" % what)


def laws(tap, stat, what, vms=None, detail=True):
    """All that must add up for these VMs (all of the file); one test, plus one for drops."""
    faults = Faults()
    for vm in vms or stat.names():
        exit_laws(faults, stat, vm)
        drill_laws(faults, stat, vm)
        if "na" not in stat.data["chains"]:
            switch_laws(faults, stat, vm)
    no_drops(tap, stat, what, detail)
    tap.ok(not faults, "%s: all sums agree" % what, "\n".join(faults[:20]))


def whole_run(faults, stat, vm, detail=True):
    """What holds for a VM that was seen from its first to its last exit; detail: as no_drops()."""
    total = stat.rows("totals", vm=vm)[0]
    for key in ("unknown_exits", "resyncs", "entries_failed", "detail_dropped", "dropped"):
        if detail or key != "detail_dropped":
            faults.equal(total[key], 0, "%s: %s" % (vm, key))
    faults.equal(stat.rows("l2s", vm=vm, l2="?") + stat.rows("l2s", vm=vm, l2="other"), [],
                 vm + ": L2s without identity")


def l1_agrees(tap, stat, vm, vmm, enter, what=None):
    """L1 of labvmm counted its entries into each L2 and each exit code that it saw."""
    faults = Faults()
    codes = {}
    entries = {}
    for cpu in vmm["cpus"]:
        for l2 in cpu["l2s"]:
            entries[l2["vmcb"]] = entries.get(l2["vmcb"], 0) + l2["entries"]
            for code, n in l2["codes"].items():
                codes[int(code, 16)] = codes.get(int(code, 16), 0) + n
    whole_run(faults, stat, vm)
    faults.equal({row["l2"]: row["entries"] for row in stat.rows("l2s", vm=vm)}, entries,
                 "L2s by address, and the entries into each")
    faults.equal({row["code"]: row["count"] for row in stat.rows("chains", vm=vm)}, codes,
                 "switches to L1 by the code that it saw")
    faults.equal(sum(stat.total("exits", "count", vm=vm, level="1", reason=name)
                     for name in enter), sum(entries.values()), "exits of %s" % "/".join(enter))
    if not codes:
        faults.append("labvmm reports no exits")
    return tap.ok(not faults, "%s: nvx and L1 counted the same" % (what or vm), "\n".join(faults))
