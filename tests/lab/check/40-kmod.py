#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The module's tracepoints count what stock KVM's count in the same run, and what the payload
says that it did; their causes and paths are those that the payload brings about."""
import re
import sys
from collections import Counter

from tap import Boot, Tap

VMX, SVM = "vmx", "svm"
CODES = {
    VMX: {"cpuid": 10, "rdmsr": 31, "out": 30, "launch": 20, "resume": 24, "end": 13},
    SVM: {"cpuid": 0x72, "rdmsr": 0x7c, "out": 0x7b},
}
TO_L2, TO_L1 = 1, 2
ALL, CURRENT, GUEST, GVA = 1, 2, 3, 4
(NONE, _, VPID_OFF, CHANGED, NEW) = range(5)
MMU_LOAD, REMOTE, MIGRATED = 9, 13, 14
X2APIC, X2APIC_SELF, _, XAPIC = 1, 2, 3, 4
EVENTS = ("nvx_apicv nvx_evmcs nvx_exit nvx_invvpid nvx_ipi nvx_msr_bitmap nvx_posted_intr "
          "nvx_pv_ipi nvx_switch nvx_tlb_flush").split()
RUNS = "exits flat ipis xapic alternate novpid smp".split()


def hist(job, run, event):
    """tuple of the keys (a number, if there is one only) -> count; None without the file"""
    text = job.text("%s/%s" % (run, event))
    if text is None or "Dropped: 0" not in text:
        return None
    counts = Counter()
    for line in text.splitlines():
        found = re.match(r"\{ (.*) \} hitcount: +(\d+)", line)
        if found:
            keys = tuple(int(part.split(":")[1]) for part in found.group(1).split(","))
            counts[keys if len(keys) > 1 else keys[0]] = int(found.group(2))
    return counts


def check_counts(tap, job, run):
    """nvx_exit by level and reason adds up to kvm_exit, and its level 2 to kvm_nested_vmexit."""
    stock, nested = hist(job, run, "kvm_exit"), hist(job, run, "kvm_nested_vmexit")
    ours = hist(job, run, "nvx_exit")
    if not tap.ok(None not in (stock, nested, ours), run + ": histograms are whole"):
        return
    by_reason, level2 = Counter(), Counter()
    for (level, reason), count in ours.items():
        by_reason[reason] += count
        if level == 2:
            level2[reason] += count
    tap.ok(bool(stock), run + ": there are exits")
    tap.equal(by_reason, stock, run + ": nvx_exit counts what kvm_exit counts, by reason")
    tap.equal(level2, nested, run + ": its level 2 is what kvm_nested_vmexit counts")


def check_switches(tap, job, run):
    """nvx_switch is kvm_nested_vmenter and kvm_nested_vmexit_inject."""
    entered, injected = hist(job, run, "kvm_nested_vmenter"), hist(job, run, "kvm_nested_vmexit_inject")
    to_l1 = Counter()
    to_l2 = 0
    for (direction, reason, _), count in hist(job, run, "nvx_switch").items():
        if direction == TO_L1:
            to_l1[reason] += count
        else:
            to_l2 += count
    tap.equal(to_l2, sum(entered.values()), run + ": switches to L2 are kvm_nested_vmenter")
    tap.equal(to_l1, injected, run + ": switches to L1 are kvm_nested_vmexit_inject, by reason")
    tap.equal(to_l2, sum(to_l1.values()), run + ": as many switches there as back")


def check_vmx(tap, job):
    for run in RUNS:
        check_switches(tap, job, run)
    code = CODES[VMX]
    exits = hist(job, "exits", "nvx_exit")
    tap.equal((exits[2, code["cpuid"]], exits[2, code["rdmsr"]], exits[2, code["out"]]),
              (10007, 101, 53), "exits: L2's exits are exactly those of the payload")
    switches = hist(job, "exits", "nvx_switch")
    tap.equal({key: n for key, n in switches.items() if key[0] == TO_L2},
              {(TO_L2, code["launch"], NEW): 1, (TO_L2, code["resume"], NONE): 10161},
              "exits: one L2 flushes at its first entry only")
    # The end of each L2 leads to the other, so 106 + 2 entries, the first one aside.
    switches = hist(job, "alternate", "nvx_switch")
    causes = Counter()
    for (direction, _, cause), count in switches.items():
        if direction == TO_L2:
            causes[cause] += count
    tap.equal(causes, {NEW: 1, CHANGED: 107}, "alternate: each entry finds another vpid12 in vpid02")
    flushes = hist(job, "alternate", "nvx_tlb_flush")
    tap.equal((flushes[2, GUEST, NEW], flushes[2, GUEST, CHANGED]), (1, 107),
              "alternate: and each is flushed for that cause")
    tap.equal(flushes[2, CURRENT, MMU_LOAD], 108,
              "alternate: each loads its page-table root anew, which INVEPTs")
    switches = hist(job, "novpid", "nvx_switch")
    tap.equal({cause for _, _, cause in switches}, {VPID_OFF}, "novpid: each switch flushes")
    flushes = hist(job, "novpid", "nvx_tlb_flush")
    tap.equal((flushes[1, GUEST, VPID_OFF], flushes[2, GUEST, VPID_OFF]), (54, 54),
              "novpid: in both directions")
    bitmap = hist(job, "exits", "nvx_msr_bitmap")
    tap.equal(dict(bitmap), {(1, 1, 0): 10162}, "exits: the MSR bitmap is merged at each entry")


def check_ipis(tap, job):
    ipis = hist(job, "ipis", "nvx_ipi")
    tap.equal(dict(ipis), {(X2APIC, 0, 0): 17, (X2APIC, 1, 1): 31, (X2APIC_SELF, 1, 1): 19},
              "ipis: path, shorthand and destinations of each")
    tap.equal(dict(hist(job, "ipis", "nvx_pv_ipi")), {(1, 1, 0): 7},
              "ipis: hypercalls: asked, delivered, absent")
    tap.equal(sum(ipis.values()), sum(hist(job, "ipis", "kvm_apic_ipi").values()),
              "ipis: nvx_ipi counts what kvm_apic_ipi counts")
    tap.equal(dict(hist(job, "xapic", "nvx_ipi")), {(XAPIC, 0, 0): 3, (XAPIC, 1, 1): 11},
              "xapic: path, shorthand and destinations of each")


def main():
    tap = Tap()
    boot = Boot(sys.argv[1])
    vendor = boot.kind[:3]
    job = boot.job(tap, "40-kmod")
    if job:
        names = [name for name in job.lines("events") if name.startswith("nvx_")]
        tap.equal(names, EVENTS, "the tracepoints are there")
        tap.equal(job.text("splats"), "", "the kernel has nothing to complain about")
        for run in RUNS:
            if vendor == VMX or run != "novpid":
                check_counts(tap, job, run)
        check_ipis(tap, job)
        if vendor == VMX:
            check_vmx(tap, job)
        else:
            exits = hist(job, "exits", "nvx_exit")
            code = CODES[SVM]
            tap.equal((exits[2, code["cpuid"]], exits[2, code["rdmsr"]], exits[2, code["out"]]),
                      (10007, 101, 53), "exits: L2's exits are exactly those of the payload")
        text = job.text("text") or ""
        tap.ok(re.search(r"nvx_exit: pid \d+ vcpu 0 L2 %s reason 0x%x " %
                         (vendor, CODES[vendor]["cpuid"]), text),
               "as text: an exit of L2", text[:500])
        tap.ok(re.search(r"nvx_ipi: pid \d+ vcpu 0 L1 x2apic vector 241 mode 0 physical shorthand "
                         r"self destinations 1 fastpath", text), "as text: an IPI")
    tap.done()


main()
