#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Two L2s, two VMs, two vCPUs: each has its own counts, and filters leave no others."""
import sys

import nvxstat
from tap import Boot, Tap

# What the L2s of VM pair were told to do, in this order.
PAIR = ({"cpuid": 401, "msr": 101, "wbinvd": 1}, {"cpuid": 211, "hypercall": 307, "wbinvd": 1})
SMP = {"cpuid": 503, "io": 97, "wbinvd": 1}
L0_OWN = ("interrupt", "npf")


def reflected(stat, **labels):
    """{reason: count} of what L1 was handed; what L0 has to do itself is left out."""
    return {row["reason"]: row["reflected"] for row in stat.rows("exits", level="2", **labels)
            if row["reflected"]}


def l2_addresses(vmm):
    return [[l2["vmcb"] for l2 in cpu["l2s"]] for cpu in vmm["cpus"]]


def check_all(tap, stat, pair, smp):
    tap.equal(sorted((vm["vm"], vm["pid"]) for vm in stat.data["vms"]),
              [("pair", pair["pid"]), ("smp", smp["pid"])], "two VMs, by name and process")
    nvxstat.laws(tap, stat, "all.json")
    nvxstat.l1_agrees(tap, stat, "pair", pair, ["vmrun"])
    nvxstat.l1_agrees(tap, stat, "smp", smp, ["vmrun"])
    addresses = l2_addresses(pair)[0]
    tap.ok(len(set(addresses)) == 2, "VM pair has two L2s", addresses)
    for address, want in zip(addresses, PAIR):
        tap.equal(reflected(stat, vm="pair", l2=address), want, "VM pair, L2 %s" % address)
    smp_l2s = [address for cpu in l2_addresses(smp) for address in cpu]
    tap.ok(len(set(smp_l2s)) == 2, "VM smp has an L2 on each vCPU", smp_l2s)
    for address in smp_l2s:
        tap.equal(reflected(stat, vm="smp", l2=address), SMP, "VM smp, L2 %s" % address)
    tap.equal({row["vm"]: row["vcpus"] for row in stat.rows("totals")}, {"pair": 1, "smp": 2},
              "vCPUs of each")
    tap.equal([row["l2"] for row in stat.rows("exits", level="1") if row["l2"]], [],
              "exits of L1 belong to no L2")
    tap.equal(stat.total("msrs", "count", vm="smp", level="1", code=0x1b), 26,
              "13 RDMSR of L1 on each vCPU")


def strip(rows):
    """Counts alone: each nvx has its own times."""
    return sorted(tuple(sorted((key, value) for key, value in row.items()
                               if key not in ("time_ns", "hist"))) for row in rows)


def check_subset(tap, whole, part, what, tables, want):
    """The filter's rows are those of the whole that `want` names, no more and no less."""
    for table in tables:
        rows = [row for row in whole.rows(table) if want(row)]
        tap.ok(rows and strip(part.rows(table)) == strip(rows), "%s: the %s it names" %
               (what, table), "got  %r\nwant %r" % (strip(part.rows(table)), strip(rows)))


def check_vcpu(tap, stat, smp):
    tap.equal([(row["vm"], row["vcpus"]) for row in stat.rows("totals")], [("smp", 1)],
              "--vcpu 1: one vCPU, that of the VM that has two")
    address = l2_addresses(smp)[1][0]
    tap.equal([row["l2"] for row in stat.rows("l2s")], [address], "--vcpu 1: its L2")
    tap.equal(reflected(stat, vm="smp", l2=address), SMP, "--vcpu 1: its exits")
    tap.equal(stat.total("msrs", "count", level="1", code=0x1b), 13, "--vcpu 1: its RDMSR in L1")


def main():
    tap = Tap()
    boot = Boot(sys.argv[1])
    job = boot.job(tap, "11-told-apart")
    stat = {}
    for name in ("all", "vm", "vcpu", "pid") if job else ():
        stat[name] = nvxstat.load(tap, job, name + ".json")
    if stat and all(stat.values()):
        pair, smp = job.json("pair.vmm"), job.json("smp.vmm")
        check_all(tap, stat["all"], pair, smp)
        check_subset(tap, stat["all"], stat["vm"], "--vm", ("totals", "l2s", "chains", "cells"),
                     lambda row: row["vm"] == "pair")
        check_subset(tap, stat["all"], stat["vm"], "--vm --level 2", ("exits", "msrs", "hypercalls"),
                     lambda row: row["vm"] == "pair" and row["level"] == "2")
        check_subset(tap, stat["all"], stat["pid"], "-p", ("totals", "chains", "cells"),
                     lambda row: row["vm"] == "smp")
        check_subset(tap, stat["all"], stat["pid"], "-p --level 1", ("exits", "msrs", "pio"),
                     lambda row: row["vm"] == "smp" and row["level"] == "1")
        check_vcpu(tap, stat["vcpu"], smp)
    tap.done()


if __name__ == "__main__":
    main()
