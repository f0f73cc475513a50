#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A Linux as L1 on VMX: its guest's exits are exact, and the kernel counted the same."""
import json
import re
import sys

import nvxstat
from tap import Boot, Tap

# The guest's numbers; the last OUT is its end.
L2 = {"CPUID": 1009, "IO_INSTRUCTION": 102, "MSR_READ": 53, "VMCALL": 31}


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
    tap.equal({row["code"]: (row["count"], row["reflected"])
               for row in stat.rows("hypercalls", level="2")}, {5: (31, 31)}, "hypercalls of L2")
    tap.equal({row["code"]: (row["count"], row["reflected"])
               for row in stat.rows("msrs", level="2")}, {0x8b: (53, 53)}, "MSRs of L2")


def marked(job, word):
    found = re.search(r"@%s (.*)" % word, job.text("console") or "")
    return found.group(1) if found else None


def main():
    tap = Tap()
    boot = Boot(sys.argv[1])
    job = boot.job(tap, "31-vmx-l1-linux")
    stat = job and nvxstat.load(tap, job, "stat.json")
    if stat:
        tap.equal((marked(job, "l1 up") or "?").split()[0], boot.kernel("release").strip(),
                  "L1 runs the same kernel")
        tap.equal((marked(job, "nested"), marked(job, "labvmm")), ("Y", "0"),
                  "L1 offers nesting itself and its labvmm is content")
        tap.ok(json.loads(marked(job, "json") or "{}"), "labvmm in L1 reports")
        faults = nvxstat.Faults()
        # L1's kernel uses more ports, MSRs and pages than there are rows for
        nvxstat.whole_run(faults, stat, "linux", detail=False)
        tap.ok(not faults, "levels and L2s are known all the time", "\n".join(faults))
        nvxstat.laws(tap, stat, "stat.json", detail=False)
        check_witness(tap, job, stat)
        check_exits(tap, stat)
    tap.done()


if __name__ == "__main__":
    main()
