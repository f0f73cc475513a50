#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""With a Linux as L1 the usual chain of a CPUID is 6, and longer ones hold extra exits."""
import re
import sys

import nvxstat
from tap import Boot, Tap

# What the guest was told to do; 102nd OUT: its end.
L2 = {"cpuid": 1009, "io": 102, "msr": 53, "hypercall": 31}
# What kvm_amd of L1 does between two runs of its guest (svm_vcpu_run()), all of which exits.
USUAL = {"vmsave": 1, "vmload": 2, "msr": 1, "vmrun": 1}
LENGTH = 1 + sum(USUAL.values())
# Why a chain may be longer: a timer tick in L0 or in L1, which costs L1 a window, its EOI and
# the next tick (MSRs), and another task in L1 (VMSAVE again when it comes back).
EXTRA = {"interrupt", "vintr", "msr", "vmsave", "hlt", "npf", "io"}


def histogram(text):
    return {int(key): int(hits) for key, hits in
            re.findall(r"exit_(?:reason|code):\s*(\d+) .*hitcount:\s*(\d+)", text or "")}


def by_code(stat, table, key, **labels):
    out = {}
    for row in stat.rows(table, **labels):
        if row[key]:
            out[row["code"]] = out.get(row["code"], 0) + row[key]
    return out


def check_witness(tap, job, stat):
    for name, got in (("kvm_exit", by_code(stat, "exits", "count")),
                      ("kvm_nested_vmexit", by_code(stat, "exits", "count", level="2")),
                      ("kvm_nested_vmexit_inject", by_code(stat, "chains", "count"))):
        want = histogram(job.text(name))
        tap.ok(want and got == want, "nvx and the kernel's histogram of %s agree by reason" % name,
               "got  %r\nwant %r" % (got, want))


def check_exits(tap, stat):
    rows = {row["reason"]: row for row in stat.rows("exits", level="2")}
    for reason, count in L2.items():
        row = rows.get(reason, {"count": None, "reflected": None})
        tap.equal((row["count"], row["reflected"]), (count, count),
                  "L2: %d %s, all of them reflected" % (count, reason))
    # L1 has a timer of its own, so interrupts come for it while L2 runs
    row = (stat.rows("chains", l2_reason="interrupt") or [{}])[0]
    tap.ok(row.get("synthesised", 0) == row.get("count") and row["count"] > 10,
           "interrupts that L1 sees are synthesised", row)
    tap.equal({row["code"]: (row["count"], row["reflected"])
               for row in stat.rows("hypercalls", level="2")}, {5: (31, 31)}, "hypercalls of L2")
    tap.equal({row["code"]: (row["count"], row["reflected"])
               for row in stat.rows("msrs", level="2")}, {0x10: (53, 53)}, "MSRs of L2")
    # the one access to port 0xf4 finds the rows taken by L1's firmware
    tap.equal([(row["count"], row["reflected"]) for row in
               stat.rows("pio", level="2", port="0x80")], [(101, 101)], "port 0x80 of L2")
    tap.equal(stat.total("pio", "reflected", level="2"), 102, "all ports of L2")


def check_cpuid(tap, stat):
    row = stat.rows("chains", l2_reason="cpuid")[0]
    lengths = [(bound, n) for bound, n in row["length"]]
    cells = {cell["l1_reason"]: cell["count"] for cell in stat.rows("cells", l2_reason="cpuid")}
    tap.equal(min(bound for bound, _ in lengths), LENGTH, "no CPUID chain is shorter than 6")
    tap.equal(max(lengths, key=lambda pair: pair[1])[0], LENGTH, "the usual CPUID chain is 6")
    tap.equal((cells["vmrun"], cells["vmload"]), (row["count"], 2 * row["count"]),
              "each has its VMRUN and two VMLOAD")
    extra = {reason: n - USUAL.get(reason, 0) * row["count"] for reason, n in cells.items()}
    tap.equal({reason: n for reason, n in extra.items() if n < 0 or n and reason not in EXTRA}, {},
              "each has its VMSAVE and RDMSR; what comes on top is due to interrupts and tasks")
    # exact, since laws() holds: sum of lengths = chains + cells
    longer = sum(n for bound, n in lengths if bound != LENGTH)
    tap.ok(longer <= sum(extra.values()), "every longer chain has an extra exit",
           "%d longer, %d exits" % (longer, sum(extra.values())))
    if all(bound <= nvxstat.LEN_EXACT for bound, _ in lengths):
        tap.equal(sum((bound - LENGTH) * n for bound, n in lengths), sum(extra.values()),
                  "the extra exits make up all that is longer than 6")
    else:
        low = sum(((bound if bound <= nvxstat.LEN_EXACT else bound // 2 + 1) - LENGTH) * n
                  for bound, n in lengths)
        high = sum((bound - LENGTH) * n for bound, n in lengths)
        tap.between(sum(extra.values()), low, high,
                    "the extra exits make up all that is longer than 6")


def main():
    tap = Tap()
    boot = Boot(sys.argv[1])
    job = boot.job(tap, "30-l1-linux-chains")
    stat = job and nvxstat.load(tap, job, "stat.json")
    if stat:
        tap.ok("@labvmm 0" in (job.text("console") or ""), "labvmm in L1 is content")
        tap.equal([(vm["vm"], vm["vmm"]) for vm in stat.data["vms"]], [("linux", "qemu")],
                  "the VM has the name of QEMU's command line")
        total = stat.rows("totals", vm="linux")[0]
        tap.equal([total[key] for key in ("unknown_exits", "resyncs", "entries_failed")], [0, 0, 0],
                  "levels are known all the time")
        tap.ok(all(row["l2"].startswith("0x") for row in stat.rows("l2s")), "so is the L2",
               stat.rows("l2s"))
        # L1's firmware uses more ports, MSRs and pages than there are rows for
        nvxstat.laws(tap, stat, "stat.json", detail=False)
        check_witness(tap, job, stat)
        check_exits(tap, stat)
        check_cpuid(tap, stat)
    tap.done()


if __name__ == "__main__":
    main()
