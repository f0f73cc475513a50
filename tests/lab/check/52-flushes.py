#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The TLB ledger is what KVM's flush functions were really called for."""
import re
import sys

import nvxstat
from tap import Boot, Tap

SWITCH = {"kvm_nested_vmenter": "L1->L2", "kvm_nested_vmexit_inject": "L2->L1"}
LAST = 5    # five and more


def read_trace(job):
    """{tid: [event, ...]} from each thread's first exit on: there nvx begins to count."""
    threads = {}
    for line in job.lines("trace"):
        found = re.search(r"-(\d+)\s+\[\d+\]\s+\S+\s+[\d.]+: (\w+):", line)
        if not found:
            continue
        tid, event = int(found.group(1)), found.group(2)
        if event == "kvm_exit" or tid in threads:
            threads.setdefault(tid, []).append(event)
    return threads


def walk(events):
    """What a vCPU's events say: {function: calls}, and {direction: {flushes: switches}}."""
    calls, switches = {}, {}
    direction, flushes = None, 0
    for event in events:
        if event == "kvm_exit":
            direction = None
        elif event in SWITCH:
            direction, flushes = SWITCH[event], 0
        elif event == "kvm_entry":
            if direction:
                per = switches.setdefault(direction, {})
                per[min(flushes, LAST)] = per.get(min(flushes, LAST), 0) + 1
            direction = None
        elif "_flush_tlb_" in event:
            calls[event] = calls.get(event, 0) + 1
            flushes += 1
    return calls, switches


def add(to, more):
    for key, n in more.items():
        if isinstance(n, dict):
            add(to.setdefault(key, {}), n)
        else:
            to[key] = to.get(key, 0) + n


def ledger(stat, vm):
    """{kind: flushes}, {cause: flushes}, {direction: {flushes: switches}}"""
    kinds, causes, switches = {}, {}, {}
    for row in stat.data["tlb"]["flushes"]:
        if row["vm"] == vm:
            add(kinds, {row["kind"]: row["count"]})
            add(causes, {row["cause"]: row["count"]})
    for row in stat.data["tlb"]["switches"]:
        if row["vm"] == vm:
            switches[row["direction"]] = {LAST if n is None else n: count
                                          for n, count in row["hist"]}
    return kinds, causes, switches


def check_vm(tap, stat, vmm, vm, threads):
    calls, switches = {}, {}
    for cpu in vmm["cpus"]:
        add(calls, walk(threads.get(cpu["tid"], []))[0])
        add(switches, walk(threads.get(cpu["tid"], []))[1])
    kinds, causes, per_switch = ledger(stat, vm)
    tap.note("%s: %r %r %r" % (vm, kinds, causes, per_switch))
    gva = sum(n for name, n in calls.items() if name.endswith("_gva"))
    tap.equal((sum(kinds.values()), kinds.get("gva", 0)), (sum(calls.values()), gva),
              "%s: flushes, as the kprobes count them" % vm)
    if any(name.startswith("vmx") for name in calls):
        tap.equal(kinds, {name.replace("vmx_flush_tlb_", ""): n for name, n in calls.items()},
                  "%s: by kind" % vm)
    tap.equal(per_switch, switches, "%s: flushes of each switch" % vm)
    tap.equal(causes.get("switch", 0), sum(n * count for per in switches.values()
                                           for n, count in per.items()),
              "%s: those at a switch have it as their cause" % vm)
    entries = sum(l2["entries"] for cpu in vmm["cpus"] for l2 in cpu["l2s"])
    tap.equal({key: sum(per.values()) for key, per in per_switch.items()},
              {"L1->L2": entries, "L2->L1": entries} if entries else {},
              "%s: as many switches each way as L1 entered L2" % vm)
    return per_switch, entries


def check_svm(tap, vm, per_switch, entries):
    """nested_svm_transition_tlb_flush(): once each way; a new root flushes once more."""
    for direction, per in per_switch.items():
        tap.between(per.get(1, 0), entries * 0.9, entries,
                    "%s: %s flushes once" % (vm, direction))
        tap.equal(per.get(0, 0), 0, "%s: %s never goes without" % (vm, direction))


def flushed(per):
    return sum(n for flushes, n in per.items() if flushes)


def check_vmx(tap, vm, per_switch, entries):
    """nested_vmx_transition_tlb_flush(): when vpid12 is not the last one, or is 0."""
    there, back = per_switch["L1->L2"], per_switch["L2->L1"]
    if vm == "alternate":
        tap.equal(entries, 60, "alternate: 60 entries")
        tap.between(flushed(there), 59, 60, "alternate: 59 or 60 of 60 entries flush")
    elif vm == "one":
        # the first: last_vpid is 0 after VMXON
        tap.between(flushed(there), 0, 1, "one: no entry flushes but the first")
    elif vm == "novpid":
        tap.equal((flushed(there), flushed(back)), (entries, entries),
                  "novpid: each switch flushes, both ways")
    if vm in ("alternate", "one"):
        tap.between(flushed(back), 0, 1, "%s: no way back flushes" % vm)


def main():
    tap = Tap()
    boot = Boot(sys.argv[1])
    job = boot.job(tap, "52-flushes")
    stat = job and nvxstat.load(tap, job, "stat.json")
    if stat:
        nvxstat.no_drops(tap, stat, "stat.json")
        lost = re.findall(r"(?:overrun|dropped events): (\d+)", job.text("trace-stats") or "")
        tap.ok(lost and not any(map(int, lost)), "the witness lost nothing", lost)
        threads = read_trace(job)
        for vm in stat.names():
            per_switch, entries = check_vm(tap, stat, job.json(vm + ".vmm"), vm, threads)
            if entries and boot.kind.startswith("svm"):
                check_svm(tap, vm, per_switch, entries)
            elif entries and vm != "shadow":
                check_vmx(tap, vm, per_switch, entries)
    tap.done()


if __name__ == "__main__":
    main()
