#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""nvx top, live: its screens show what nvx stat counted, the VM while it lives, and itself."""
import json
import re
import sys

from tap import Boot, Tap

ROW = re.compile(r"^(\S.*?) +(L1|L2|\?) +([\d,]+) ")


def screen_exits(lines):
    """{(reason, level): count} of the view of exits"""
    head = next((i for i, line in enumerate(lines) if line.startswith("REASON ")), len(lines))
    rows = filter(None, map(ROW.match, lines[head + 1:]))
    return {(m[1], m[2].lstrip("L")): int(m[3].replace(",", "")) for m in rows}


def stat_exits(job):
    total = {}
    for row in json.loads(job.text("stat.json"))["exits"]["exits"]:
        key = row["reason"], row["level"]
        total[key] = total.get(key, 0) + row["count"]
    return total


def main():
    tap = Tap()
    boot = Boot(sys.argv[1])
    job = boot.job(tap, "59-top")
    if job:
        got = screen_exits(job.lines("exits"))
        tap.equal(got.get(("cpuid", "2")), 1009, "1,009 CPUID exits of L2 on the screen")
        tap.equal(got, stat_exits(job), "the exits on the screen are those of nvx stat")
        vms = "\n".join(job.lines("vms"))
        tap.ok("web1" in vms and "VMs 1" in vms, "the VM while it lives", vms)
        vcpus = "\n".join(job.lines("vcpus"))
        tap.ok("[9 vCPUs]" in vcpus and "VM web1" in vcpus, "its vCPUs", vcpus)
        tap.ok(re.search(r"nvx \d+\.\d\d% of a CPU, BPF .*dropped 0", vcpus),
               "what nvx takes, and nothing dropped", vcpus)
        features = "\n".join(job.lines("features"))
        tap.ok("feature module" in features and "section tlb" in features,
               "what is off, and why", features)
        tap.equal(job.lines("rc"), ["0"], "q ends it")
        tap.equal(job.lines("err"), [], "nothing on standard error")
        tap.ok('"schema"' in job.text("report.json"), "the session that S recorded is whole")
        tap.ok(any(line.startswith("nvx top ") for line in job.lines("plain")), "plain text")
    tap.done()


if __name__ == "__main__":
    main()
