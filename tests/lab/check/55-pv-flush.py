#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Flushes whose cause is KVM's paravirtual flush are those that the kernel's own event counts."""
import re
import sys

import nvxstat
from tap import Boot, Tap


def main():
    tap = Tap()
    boot = Boot(sys.argv[1])
    job = boot.job(tap, "55-pv-flush")
    stat = job and nvxstat.load(tap, job, "stat.json")
    if stat:
        tap.ok("@cpus 2" in (job.text("console") or ""), "L1 has two CPUs")
        tap.ok("@munmap 0" in (job.text("console") or ""), "L1's threads took their pages away")
        # { need_flush_tlb: 1 } hitcount: 17
        seen = {int(key): int(hits) for key, hits in
                re.findall(r"need_flush_tlb:\s*(\d+) .*hitcount:\s*(\d+)", job.text("hist") or "")}
        asked = seen.get(1, 0)
        tap.ok(asked > 10, "vCPUs were asked to flush while they did not run", seen)
        rows = [row for row in stat.data["tlb"]["flushes"] if row["cause"] == "pv"]
        tap.equal({row["kind"] for row in rows}, {"guest"}, "they flush the guest's mappings")
        tap.equal({row["level"] for row in rows}, {"1"}, "... of L1")
        tap.equal(sum(row["count"] for row in rows), asked,
                  "the ledger's count of the cause pv is the kernel's, %d" % asked)
        # a firmware touches more ports than have rows of their own
        nvxstat.no_drops(tap, stat, "stat.json", detail=False)
    tap.done()


if __name__ == "__main__":
    main()
