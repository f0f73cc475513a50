#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A recording replayed gives the counts that were counted live, event for event."""
import json
import os
import subprocess
import sys

import nvxstat
from tap import Boot, Tap

VMS = ("mixed", "handled", "pair", "xapic", "self", "smp", "guest")
# What is compared of each table: its labels, and its counts. Times are those of other clock reads.
TABLES = {
    "totals": ((), ("l1_exits", "l2_exits", "unknown_exits", "entries", "leaves", "noexit",
                    "entries_failed", "resyncs", "dropped", "detail_dropped")),
    "l2s": (("l2",), ("entries",)),
    "exits": (("level", "l2", "reason", "code"),
              ("count", "reflected", "synthesised", "handled", "open")),
    "pio": (("level", "l2", "port", "access"), ("count", "reflected")),
    "mmio": (("level", "l2", "page"), ("count", "reflected")),
    "chains": (("l2_reason", "code"), ("count", "reflected", "synthesised", "noexit", "open",
                                       "length")),
    "cells": (("l2_reason", "l1_reason"), ("count",)),
    "ipis": (("level", "l2", "path", "to"), ("count", "exits")),
}
SECTION = dict(nvxstat.Stat.SECTION, ipis="ipis")


def rows_of(data, table):
    if table == "totals":
        return data["totals"]
    return data[SECTION[table]].get(table)


def counts(data, table, name_of, drop_level=False):
    """{(vm, labels...): [counts]}; with drop_level exits before the level was known are L1's"""
    labels, values = TABLES[table]
    out = {}
    for row in rows_of(data, table) or []:
        vm = name_of(row["vm"])
        if vm not in VMS:
            continue
        key = [row[label] for label in labels]
        if drop_level and "level" in labels and key[0] == "?":
            key[0] = "1"
        key = (vm,) + tuple(key)
        new = [row[value] for value in values]
        if key in out:
            new = [add(a, b) for a, b in zip(out[key], new)]
        out[key] = new
    return out


def add(a, b):
    if isinstance(a, list):
        sums = {}
        for bound, n in a + b:
            sums[bound] = sums.get(bound, 0) + n
        return sorted(([bound, n] for bound, n in sums.items()), key=str)
    return a + b


def differences(live, replayed):
    return ["%r: live %r, replayed %r" % (key, live.get(key), replayed.get(key))
            for key in sorted(set(live) | set(replayed), key=str)
            if normal(live.get(key)) != normal(replayed.get(key))]


def normal(row):
    return row and [sorted(value, key=str) if isinstance(value, list) else value for value in row]


def replay(tap, boot, job):
    nvx = os.path.join(boot.top, "build", "nvx")
    done = subprocess.run([nvx, "replay", "--fast", "--by", "l2", "--json", job.path("trace.dat")],
                          capture_output=True, text=True, timeout=120, check=False)
    if not tap.equal((done.returncode, done.stderr), (0, ""), "nvx replay reads the recording"):
        return None
    return json.loads(done.stdout)


def names(job, data):
    """A trace knows threads, not VMs: name of the VM by the thread of its vCPU."""
    tids = {cpu["tid"]: vm for vm in VMS for cpu in job.json(vm + ".vmm")["cpus"]}
    by_row = {vm["vm"]: tids.get(vm["pid"]) for vm in data["vms"]}
    return lambda name: by_row.get(name)


def compare(tap, live, replayed, name_of, table, what, **kw):
    want = counts(live, table, lambda name: name, **kw)
    got = counts(replayed, table, name_of, **kw)
    wrong = differences(want, got)
    tap.ok(want and not wrong, "%s: %s agree, %d rows" % (what, table, len(want)),
           "\n".join(wrong[:12]) or "no rows")


def check_classic(tap, live, replayed, name_of):
    """The same events through the same engine: nothing may differ, `?` included."""
    for table in TABLES:
        if rows_of(live, table) is None:
            tap.ok("na" in live[SECTION[table]], "classic: %s are n/a" % table)
            continue
        compare(tap, live, replayed, name_of, table, "classic")


def check_btf(tap, live, replayed, name_of):
    """BTF knows the level from the first exit on; a trace from the first nested event on."""
    for table in ("l2s", "exits", "pio", "mmio", "chains", "cells"):
        compare(tap, live, replayed, name_of, table, "btf", drop_level=True)
    totals = [{vm: row[0] + row[2] for (vm,), row in counts(data, "totals", name).items()}
              for data, name in ((live, lambda name: name), (replayed, name_of))]
    tap.equal(totals[1], totals[0], "btf: L1's exits and those of unknown level")


def handled(data, name_of):
    """{(vm, level, l2, number, access): exits that L0 did not hand on}"""
    out = {}
    for row in data["msrs"]["msrs"]:
        vm, left = name_of(row["vm"]), row["count"] - row["reflected"]
        if vm in VMS and left:
            key = (vm, "1" if row["level"] == "?" else row["level"], row["l2"], row["code"],
                   row["access"])
            out[key] = out.get(key, 0) + left
    return out


def check_numbers(tap, live, replayed, name_of):
    """kvm_msr fires for what L0 does itself; the registers of the rest are not in a trace."""
    want, got = handled(live, lambda name: name), handled(replayed, name_of)
    tap.ok(want and got == want, "MSRs that L0 handles agree, %d rows" % len(want),
           "got  %r\nwant %r" % (got, want))
    tap.ok("hand" in replayed["msrs"].get("partial", ""), "... and the rest is said to be missing",
           replayed["msrs"].get("partial"))
    tap.ok(replayed["tlb"].get("na"), "a trace has no TLB flushes: n/a", replayed["tlb"])
    for section in ("exits", "ipis", "time"):
        tap.ok(replayed[section].get("partial"), "%s of a trace: what is missing is said" % section)
    want = {key: n for key, n in counts(live, "ipis", lambda name: name).items()
            if key[3] == "xapic_icr"}
    got = counts(replayed, "ipis", name_of)
    tap.ok(want and differences(want, got) == [], "btf: IPIs by the xAPIC page agree",
           "\n".join(differences(want, got)))


def main():
    tap = Tap()
    boot = Boot(sys.argv[1])
    job = boot.job(tap, "54-record")
    live = [nvxstat.load(tap, job, name + ".json") for name in ("classic", "btf")] if job else []
    replayed = replay(tap, boot, job) if job else None
    if live and all(live) and replayed:
        tap.equal(replayed["dropped"]["lost_by_recording"], 0, "the recording lost no event")
        name_of = names(job, replayed)
        check_classic(tap, live[0].data, replayed, name_of)
        check_btf(tap, live[1].data, replayed, name_of)
        check_numbers(tap, live[1].data, replayed, name_of)
    tap.done()


if __name__ == "__main__":
    main()
