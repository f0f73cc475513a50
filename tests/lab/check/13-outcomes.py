#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Reflected, handled and synthesised exits are told apart, and their numbers are right."""
import sys

import nvxstat
from tap import Boot, Tap

L0_OWN = ("interrupt", "npf")
REFLECTED = {"cpuid": 211, "io": 140, "pause": 23, "hlt": 19, "npf": 71, "msr": 11, "wbinvd": 2}
HANDLED = {"cpuid": 223, "io": 156, "npf": 79, "msr": 154}
# port: (access, of VM reflected, of VM handled)
PORTS = {"0x80": ("write", 43, 47), "0x61": ("read", 37, 41),
         "0x92": ("write", 31, 37), "0x93": ("read", 29, 31)}
PAGES = {"0xd0000000": (41, 43), "0xd0001000": (17, 19), "0xd0002000": (13, 17)}


def outcome(stat, vm, key):
    return {row["reason"]: row[key] for row in stat.rows("exits", vm=vm, level="2") if row[key]}


def check_reflected(tap, stat):
    tap.equal(outcome(stat, "reflected", "reflected"), REFLECTED, "reflected: each of them")
    tap.equal(outcome(stat, "reflected", "synthesised"), {}, "reflected: none is synthesised")
    tap.equal({row["port"]: (row["access"], row["count"], row["reflected"])
               for row in stat.rows("pio", vm="reflected", level="2")},
              {port: (access, n, n) for port, (access, n, _) in PORTS.items()},
              "reflected: ports, in the instruction and in DX")
    pages = {row["page"]: (row["count"], row["reflected"])
             for row in stat.rows("mmio", vm="reflected", level="2") if row["reflected"]}
    tap.equal(pages, {page: (n, n) for page, (n, _) in PAGES.items()}, "reflected: pages")


def check_handled(tap, stat):
    got = outcome(stat, "handled", "handled")
    got.pop("interrupt", 0)
    # pages of memory that L2 touches first come on top of device accesses
    pages = got.pop("npf", 0)
    want = dict(HANDLED)
    tap.between(pages, want["npf"], want.pop("npf") + 30, "handled: nested page faults")
    tap.equal(got, want, "handled: each of the others")
    tap.equal(outcome(stat, "handled", "reflected"), {"wbinvd": 2},
              "handled: nothing but L2's end is reflected")
    tap.equal({row["port"]: (row["access"], row["count"], row["reflected"])
               for row in stat.rows("pio", vm="handled", level="2")},
              {port: (access, n, 0) for port, (access, _, n) in PORTS.items()}, "handled: ports")
    tap.equal({row["page"]: (row["count"], row["reflected"])
               for row in stat.rows("mmio", vm="handled", level="2")},
              {page: (n, 0) for page, (_, n) in PAGES.items()}, "handled: pages")
    tap.equal({row["code"]: row["count"] for row in stat.rows("msrs", vm="handled", level="2")},
              {0x1b: 101, 0x830: 53}, "handled: MSRs")


def check_xapic(tap, stat):
    """An IPI in xAPIC mode is two exits: ICR2 and ICR."""
    for vm, count, reflected in (("xapic", 118, 118), ("xapic-handled", 122, 0)):
        tap.equal([(row["page"], row["count"], row["reflected"])
                   for row in stat.rows("mmio", vm=vm, level="2")],
                  [("0xfee00000", count, reflected)], "%s: two accesses an IPI" % vm)
    tap.equal([(row["page"], row["count"]) for row in stat.rows("mmio", vm="guest-xapic")],
              [("0xfee00000", 146)], "guest-xapic: two accesses an IPI of L1")


def check_synthesised(tap, stat, vm, reason, count):
    """L0 handles an L2 exit for `reason`, and then L1 has an interrupt pending."""
    tap.equal(outcome(stat, vm, "synthesised"), {reason: count}, "%s: synthesised exits" % vm)
    row = (stat.rows("chains", vm=vm, l2_reason="interrupt") or [{}])[0]
    tap.equal({key: row.get(key) for key in ("count", "reflected", "synthesised", "noexit")},
              {"count": count, "reflected": 0, "synthesised": count, "noexit": 0},
              "%s: L1 saw interrupts instead" % vm)
    # L1 opens a window for the interrupt (vintr), ends it (EOI), and enters L2 again
    cells = {row["l1_reason"]: row["count"] for row in
             stat.rows("cells", vm=vm, l2_reason="interrupt") if row["l1_reason"] not in L0_OWN}
    tap.equal(cells, {"vintr": count, "msr": count, "vmrun": count}, "%s: L1 exits" % vm)


def check_guest(tap, stat):
    rows = {row["reason"]: row["count"] for row in stat.rows("exits", vm="guest", level="1")}
    # one more port: OUT 0xf4 ends the guest
    for reason, count in (("cpuid", 229), ("hypercall", 31), ("io", 113)):
        tap.equal(rows.get(reason), count, "guest: %d %s at level 1" % (count, reason))
    msrs = {row["code"]: row["count"] for row in stat.rows("msrs", vm="guest", level="1")}
    tap.equal((msrs.get(0x1b), msrs.get(0x830)), (103, 71), "guest: MSRs at level 1")
    tap.equal({row["port"]: row["count"] for row in stat.rows("pio", vm="guest")},
              {"0x80": 59, "0x61": 53, "0xf4": 1}, "guest: ports")
    tap.equal({row["page"]: row["count"] for row in stat.rows("mmio", vm="guest")},
              {"0xd0000000": 47}, "guest: pages")
    for vm in ("guest", "guest-xapic"):
        total = stat.rows("totals", vm=vm)[0]
        tap.equal((total["l2_exits"], total["entries"], total["leaves"]), (0, 0, 0),
                  "%s: no level 2" % vm)


def check_shadow(tap, stat):
    """Without nested paging L2's device accesses come as page faults."""
    got = outcome(stat, "shadow", "reflected")
    tap.equal(got, {"cpuid": 103, "PF excp": 21, "wbinvd": 1}, "shadow: page faults reflected")


def main():
    tap = Tap()
    boot = Boot(sys.argv[1])
    job = boot.job(tap, "13-outcomes")
    stat = job and nvxstat.load(tap, job, "stat.json")
    if stat:
        nvxstat.laws(tap, stat, "stat.json")
        for vm in stat.names():
            if "guest" not in vm:
                nvxstat.l1_agrees(tap, stat, vm, job.json(vm + ".vmm"), ["vmrun"])
        check_reflected(tap, stat)
        check_handled(tap, stat)
        check_xapic(tap, stat)
        check_shadow(tap, stat)
        check_synthesised(tap, stat, "pending", "interrupt", 53)
        check_synthesised(tap, stat, "self", "msr", 67)
        check_synthesised(tap, stat, "timer", "hlt", 29)
        check_guest(tap, stat)
    tap.done()


if __name__ == "__main__":
    main()
