#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The source tiers give the same counts in the same run, where both can count."""
import sys

import nvxstat
from tap import Boot, Tap

# Of L1 up to its first VMRUN: all that the classic tier can see with an unknown level.
BEFORE = {"npf", "cpuid", "msr", "read_cr4", "interrupt", "vmsave", "vmrun"}
SWITCHES = {"l2s": ("entries",),
            "chains": ("count", "reflected", "synthesised", "noexit", "open", "length"),
            "cells": ("count",)}
EXITS = {"exits": ("count", "reflected", "synthesised", "handled", "open"),
         "pio": ("count", "reflected"), "mmio": ("count", "reflected")}


def counts(stat, table, keys, levels=None):
    """{labels: counts}; levels that are one to the caller are added up."""
    out = {}
    for row in stat.rows(table):
        if levels and row.get("level") not in levels:
            continue
        label = tuple(value for key, value in row.items()
                      if isinstance(value, str) and key not in ("level",))
        values = [row[key] for key in keys]
        if label in out:
            values = [a + b for a, b in zip(out[label], values)]
        out[label] = values
    return out


def same(tap, one, two, name):
    differ = ["%r: classic %r, btf %r" % (key, one.get(key), two.get(key))
              for key in sorted(set(one) | set(two)) if one.get(key) != two.get(key)]
    tap.ok(one and two and not differ, "%s: both tiers counted the same" % name,
           "\n".join(differ[:20]) or "a table is empty")


def check_levels(tap, classic, btf):
    for vm in btf.names():
        unknown = {row["reason"] for row in classic.rows("exits", vm=vm, level="?")}
        if vm == "guest":
            tap.equal({row["level"] for row in classic.rows("exits", vm=vm)}, {"?"},
                      "guest: without nesting the classic tier never learns the level")
            continue
        tap.ok(unknown and unknown <= BEFORE and
               classic.total("exits", "count", vm=vm, level="?", reason="vmrun") ==
               classic.total("totals", "vcpus", vm=vm),
               "%s: unknown levels end with each vCPU's first VMRUN" % vm, unknown)
    tap.equal(btf.total("totals", "unknown_exits"), 0, "BTF: the level is always known")


def main():
    tap = Tap()
    boot = Boot(sys.argv[1])
    job = boot.job(tap, "21-tiers")
    classic = job and nvxstat.load(tap, job, "classic.json")
    btf = job and nvxstat.load(tap, job, "btf.json")
    if classic and btf:
        tap.equal((classic.data["source"], btf.data["source"]),
                  ("stock KVM without BTF", "stock KVM with BTF"), "the tiers that were asked for")
        for stat, name in ((classic, "classic"), (btf, "btf")):
            nvxstat.laws(tap, stat, name)
        for vm in ("mixed", "handled", "pair"):
            nvxstat.l1_agrees(tap, btf, vm, job.json(vm + ".vmm"), ["vmrun"])
        for table, keys in SWITCHES.items():
            same(tap, counts(classic, table, keys), counts(btf, table, keys), table)
        for table, keys in EXITS.items():
            same(tap, counts(classic, table, keys, "2"), counts(btf, table, keys, "2"),
                 table + " of L2")
            same(tap, counts(classic, table, keys, "1?"), counts(btf, table, keys, "1"),
                 table + " of L1")
        check_levels(tap, classic, btf)
        tap.ok(classic.data["msrs"].get("na"), "classic: MSRs are n/a with a reason")
        tap.ok(classic.data["exits"].get("partial"), "classic: levels are partial with a reason")
        tap.equal((job.text("module.rc"), job.text("module.json"), len(job.lines("module.err"))),
                  ("1\n", "", 1), "without the module its tier is refused in one line")
    tap.done()


if __name__ == "__main__":
    main()
