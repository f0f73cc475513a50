#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""nvx stat counts what L2 did, to the last exit."""
import sys

import nvxstat
from tap import Boot, Tap

MSRS = {("X2APIC_ICR", 0x830, "write"): 503, ("IA32_UCODE_REV", 0x8b, "read"): 101}
PORTS = {("0x80", "write"): 211, ("0x61", "read"): 97}
EXITS = {"cpuid": 10007, "msr": 604, "hypercall": 307, "io": 308, "wbinvd": 1}


def check_exits(tap, stat):
    rows = {row["reason"]: row for row in stat.rows("exits", level="2")}
    for reason, count in EXITS.items():
        row = rows.pop(reason, {"count": None, "reflected": None})
        tap.equal((row["count"], row["reflected"]), (count, count),
                  "L2: %d %s, all of them reflected" % (count, reason))
    # the host's own: its timer, and pages that L2 touches first
    tap.ok(set(rows) <= {"interrupt", "npf"} and all(row["reflected"] == 0 for row in rows.values()),
           "L2 has no other exits but what L0 has to do itself", rows)


def check_numbers(tap, stat):
    tap.equal({(row["msr"], row["code"], row["access"]): row["count"]
               for row in stat.rows("msrs", level="2")}, MSRS, "MSRs of L2")
    tap.equal({row["code"]: row["count"] for row in stat.rows("hypercalls", level="2")},
              {77: 307}, "hypercalls of L2")
    tap.equal({(row["port"], row["access"]): row["count"]
               for row in stat.rows("pio", level="2")}, PORTS, "ports of L2")
    tap.equal([row for row in stat.rows("mmio", level="2") if row["reflected"]], [],
              "L2 accesses no device page")
    l1_msrs = {row["msr"] for row in stat.rows("msrs", level="1")}
    tap.ok(l1_msrs == {"EFER", "VM_HSAVE_PA"}, "L1 sets up SVM by these MSRs only", l1_msrs)


def check_text(tap, job):
    text = job.text("one.txt") or ""
    for words in ("L2 cpuid 10,007", "L2 X2APIC_ICR write 503", "L2 0x4d 307",
                  "Dropped events: 0"):
        tap.ok(any(" ".join(line.split()).startswith(words) for line in text.splitlines()),
               "the text says: %s" % words, text)


def main():
    tap = Tap()
    boot = Boot(sys.argv[1])
    job = boot.job(tap, "10-exact")
    stat = job and nvxstat.load(tap, job, "one.json")
    if stat:
        vmm = job.json("one.vmm")
        tap.equal([(vm["vm"], vm["pid"], vm["vmm"]) for vm in stat.data["vms"]],
                  [("one", vmm["pid"], "qemu")], "the VM has its name and process")
        tap.equal(stat.data["source"], "stock KVM with BTF", "the tier is BTF")
        check_exits(tap, stat)
        check_numbers(tap, stat)
        nvxstat.laws(tap, stat, "one.json")
        nvxstat.l1_agrees(tap, stat, "one", vmm, ["vmrun"])
        check_text(tap, job)
    tap.done()


if __name__ == "__main__":
    main()
