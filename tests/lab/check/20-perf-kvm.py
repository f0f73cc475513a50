#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""nvx and perf kvm stat agree over one run.

By perf's rule an exit counts at the kvm_entry that follows it in its thread.
What nvx counts beyond that are its open exits, and nothing else.
"""
import re
import sys

import nvxstat
from tap import Boot, Tap

# The last exit of each vCPU: OUT 0xf4, and with --end-threads no entry after it.
VCPUS = 9
REASONS = {"cpuid", "msr", "vmrun", "vmload", "vmsave", "npf", "io", "vintr", "hypercall", "hlt",
           "wbinvd"}


def report(text):
    """{reason: samples} as perf kvm stat report prints them, and the total that it states."""
    rows = dict(re.findall(r"^\s*(\S.*?)\s+(\d+)\s+[\d.]+%\s+[\d.]+%", text or "", re.M))
    total = re.search(r"Total Samples:\s*(\d+)", text or "")
    return {name: int(n) for name, n in rows.items()}, int(total.group(1)) if total else None


def by_rule(lines):
    """The rule, applied to the events: exits, and those that an entry followed, by reason."""
    exits, entered, pending = {}, {}, {}
    for line in lines:
        found = re.match(r"\s*(\d+)\s+kvm:(kvm_exit|kvm_entry):.*?(?:reason (.*?) rip|$)", line)
        if not found:
            continue
        tid, event, reason = found.groups()
        if event == "kvm_exit":
            exits[reason] = exits.get(reason, 0) + 1
            pending[tid] = reason
        elif tid in pending:
            reason = pending.pop(tid)
            entered[reason] = entered.get(reason, 0) + 1
    return exits, entered


def nvx_by_reason(stat, keys):
    out = {}
    for row in stat.rows("exits"):
        out[row["reason"]] = out.get(row["reason"], 0) + sum(sign * row[key] for key, sign in keys)
    return {reason: n for reason, n in out.items() if n}


def main():
    tap = Tap()
    boot = Boot(sys.argv[1])
    job = boot.job(tap, "20-perf-kvm")
    stat = job and nvxstat.load(tap, job, "stat.json")
    if stat:
        nvxstat.laws(tap, stat, "stat.json")
        samples, total = report(job.text("report"))
        exits, entered = by_rule(job.lines("script"))
        tap.ok("LOST" not in (job.text("script") or "LOST") and
               "lost" not in (job.text("log") or "lost").lower(), "perf lost no event")
        tap.ok(REASONS <= set(samples), "the run has many kinds of exits",
               "missing: %s" % (REASONS - set(samples)))
        tap.equal(total, sum(samples.values()), "perf's report is complete")
        again = nvx_by_reason(stat, (("count", 1), ("open", -1)))
        tap.equal(again, samples, "re-entered exits by reason: nvx and perf kvm stat report")
        tap.equal(again, entered, "re-entered exits by reason: nvx and the rule on perf's events")
        tap.equal(nvx_by_reason(stat, (("count", 1),)), exits, "exits by reason: nvx and kvm_exit")
        is_open = nvx_by_reason(stat, (("open", 1),))
        tap.equal(is_open, {"io": VCPUS}, "open exits: the last one of each vCPU")
        tap.equal({reason: n - entered.get(reason, 0) for reason, n in exits.items()
                   if n != entered.get(reason, 0)}, is_open,
                  "open exits make up the whole difference")
    tap.done()


if __name__ == "__main__":
    main()
