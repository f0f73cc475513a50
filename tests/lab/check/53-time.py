#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A vCPU's parts of time add up to its life, and each VM reads what it does."""
import re
import sys

import nvxstat
from tap import Boot, Tap

ONE = ("idle", "timer", "l1-spin", "l2-spin", "chains", "pair-1", "pair-2")
# 0.1 %, but not less than a moment: the witness's clock is read some instructions apart
MOMENT_NS = 20000


def parts(stat, vm):
    return {row["phase"]: row["time_ns"] for row in stat.data["time"]["time"] if row["vm"] == vm}


def share(got, *phases):
    return round(sum(got.get(phase, 0) for phase in phases) / max(sum(got.values()), 1), 4)


def lives(job):
    """{tid: (first exit, end)} in ns"""
    first, last = {}, {}
    for line in job.lines("trace"):
        found = re.search(r"-(\d+)\s+\[\d+\]\s+\S+\s+(\d+)\.(\d+): (\w+):", line)
        if found:
            tid, at = int(found.group(1)), int(found.group(2) + found.group(3).ljust(9, "0"))
            if found.group(4) == "kvm_exit":
                first.setdefault(tid, at)
            else:
                last[tid] = at
    return {tid: (first[tid], last[tid]) for tid in first if tid in last}


def scheduler(job, vm):
    """tid of the vCPU, and what the scheduler says it ran and waited, ns."""
    for line in job.lines(vm + ".sched"):
        words = line.split()
        if "KVM" in words[4]:
            return int(words[0]), int(words[1]), int(words[2])
    return None


def check_life(tap, job, total, vm, alive):
    task = scheduler(job, vm)
    if not tap.ok(task and task[0] in alive, "%s: its vCPU's life is in the trace" % vm, task):
        return
    wall = alive[task[0]][1] - alive[task[0]][0]
    got = parts(total, vm)
    tap.between(sum(got.values()), wall - max(wall / 1000, MOMENT_NS),
                wall + max(wall / 1000, MOMENT_NS),
                "%s: the parts add up to its life of %d ms within 0.1 %%" % (vm, wall / 1e6))
    waited = got.get("waiting", 0)
    # it waited a little more between the reading and its end, or less before its first exit
    tap.between(waited, task[2] * 0.97 - 5e6, task[2] * 1.03 + 10e6,
                "%s: waiting is the scheduler's run delay, %.1f ms" % (vm, task[2] / 1e6))


def check_intervals(tap, stats):
    """In every interval that a VM lived through, its parts are the interval."""
    wrong, seen = [], 0
    for before, now, after in zip(stats, stats[1:-1], stats[2:-1]):
        for vm in ONE:
            if not all(parts(stat, vm) for stat in (before, now, after)):
                continue
            seen += 1
            got, want = sum(parts(now, vm).values()), now.data["duration_ns"]
            if abs(got - want) > want / 1000:
                wrong.append("%s, interval %d: %d of %d ns" % (vm, now.data["interval"], got, want))
    tap.ok(seen > 10 and not wrong, "%d intervals: the parts add up to each within 0.1 %%" % seen,
           "\n".join(wrong) or "too few")


def check_shares(tap, total):
    shares = {vm: parts(total, vm) for vm in ONE}
    for vm, phases, low, what in (
            ("idle", ("halted",), 0.95, "an idle VM reads halted"),
            ("timer", ("halted", "polling"), 0.80, "one that sleeps and wakes, too"),
            ("l1-spin", ("l1",), 0.85, "a spinning guest reads L1"),
            ("l2-spin", ("l2",), 0.85, "a spinning L2 reads L2")):
        got = share(shares[vm], *phases)
        tap.between(got, low, 1, "%s: %s, %.1f %%" % (vm, what, got * 100))
    for vm, phase in (("pair-1", "l1"), ("pair-2", "l2")):
        got = share(shares[vm], "waiting")
        tap.between(got, 0.35, 0.65, "%s: two on one CPU: half of it waiting, %.1f %%" %
                    (vm, got * 100))
        got = share(shares[vm], "waiting", phase)
        tap.between(got, 0.85, 1, "%s: ... and the other half %s" % (vm, phase.upper()))
    got = share(shares["chains"], "l0_for_l1", "l0_for_l2", "l0")
    tap.between(got, 0.5, 1, "chains: exits without end read L0, %.1f %%" % (got * 100))
    for vm in ONE:
        tap.note("%s %s" % (vm, {key: round(n / 1e6, 3) for key, n in shares[vm].items()}))


def main():
    tap = Tap()
    boot = Boot(sys.argv[1])
    job = boot.job(tap, "53-time")
    stats = job and nvxstat.load_intervals(tap, job, "time.json")
    if stats:
        total = stats[-1]
        tap.ok(not any(map(int, re.findall(r"overrun: (\d+)", job.text("trace-stats") or "1"))),
               "the witness lost nothing")
        nvxstat.no_drops(tap, total, "time.json")
        alive = lives(job)
        for vm in ONE:
            check_life(tap, job, total, vm, alive)
        check_intervals(tap, stats)
        check_shares(tap, total)
    tap.done()


if __name__ == "__main__":
    main()
