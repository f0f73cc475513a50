#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The payloads do what they say: the kernel's own events, exit by exit and chain by chain.

What L0 adds by itself is left out: its timer's interrupts and faults on pages that
are touched for the first time.
"""
import re
import sys
from collections import Counter

from tap import Boot, Tap

SVM = {
    "cpuid": "cpuid", "rdmsr": "msr", "wrmsr": "msr", "icr": "msr", "selfipi": "msr",
    "hypercall": "hypercall", "pvipi": "hypercall", "in": "io", "out": "io", "ini": "io",
    "outi": "io", "mmio": "npf", "mmior": "npf", "mmiow": "npf", "xicr": "npf", "hlt": "hlt",
    "pause": "pause", "end": "wbinvd", "fault": "PF", "irq": "interrupt", "window": "vintr",
}
VMX = {
    "cpuid": "CPUID", "rdmsr": "MSR_READ", "wrmsr": "MSR_WRITE", "icr": "MSR_WRITE",
    "selfipi": "MSR_WRITE", "hypercall": "VMCALL", "pvipi": "VMCALL", "in": "IO_INSTRUCTION",
    "out": "IO_INSTRUCTION", "ini": "IO_INSTRUCTION", "outi": "IO_INSTRUCTION",
    "mmio": "EPT_VIOLATION", "mmior": "EPT_VIOLATION", "mmiow": "EPT_VIOLATION",
    "xicr": "EPT_VIOLATION", "hlt": "HLT", "pause": "PAUSE_INSTRUCTION", "end": "INVD",
    "fault": "EXCEPTION_NMI", "irq": "EXTERNAL_INTERRUPT", "window": "INTERRUPT_WINDOW",
}
# L0's own: timer, pages, and how it gets out of L2 at once (preemption timer on VMX)
L0_OWN = {"interrupt", "npf", "EXTERNAL_INTERRUPT", "EPT_VIOLATION", "EPT_MISCONFIG",
          "PREEMPTION_TIMER"}
RUNS = ("all flat xapic two steps synth around handled handled-ipi handled-xapic "
        "smp").split()
SVM_RUNS = ["vmload", "gif"]
# The same, but with a VMREAD or VMWRITE of L1 for each one that it executes
UNSHADOWED = {"unshadowed": "all", "unshadowed-flat": "flat", "unshadowed-synth": "synth",
              "unshadowed-ipi": "handled-ipi"}
HANDLED = {
    "handled": {"rdmsr", "wrmsr", "in", "ini", "out", "outi", "mmio", "mmior", "mmiow", "pause"},
    "handled-ipi": {"icr", "selfipi", "hlt"},
    "handled-xapic": {"xicr"},
}
SELF = 0xffffffff


class Trace:
    """Exits by level, and chains: what L1 saw, then L1's exits until L2 runs again."""

    def __init__(self, lines):
        self.exits = {1: Counter(), 2: Counter()}
        self.chains = Counter()
        self.synthesised = Counter()
        level, chain, last, interrupt = 1, None, None, False
        for line in lines:
            event, _, rest = line.partition(": ")
            found = re.search(r"reason:? (\w+)", rest)
            reason = found.group(1) if found else None
            if event == "kvm_exit":
                self.exits[level][reason] += 1
                last = (level, reason)
                if level == 1 and chain is not None and reason not in L0_OWN:
                    chain.append(reason)
            elif event == "kvm_nested_intr_vmexit":
                # SVM: the exit that L0 forced to get here has the same reason
                interrupt = True
            elif event == "kvm_nested_vmexit_inject":
                if interrupt or last != (2, reason):
                    self.synthesised[reason] += 1
                level, chain, interrupt = 1, [reason], False
            elif event == "kvm_nested_vmenter":
                if chain:
                    self.chains[tuple(chain)] += 1
                level, chain = 2, None


class Run:
    def __init__(self, job, vendor, file, shadow):
        self.file = file
        self.name = UNSHADOWED.get(file, file)
        self.names = VMX if vendor == "vmx" else SVM
        self.vendor = vendor
        self.report = job.json(file + ".json")
        self.trace = Trace(job.lines(file + ".trace"))
        self.shadow = shadow

    def l2s(self):
        return [l2 for cpu in self.report["cpus"] for l2 in cpu["l2s"]]

    def reason(self, op):
        if self.name == "flat" and op in ("mmio", "mmior", "mmiow", "xicr"):
            return self.names["fault"]
        return self.names[op]

    def exits_of(self, op):
        return op["count"] * (2 if op["op"] == "xicr" else 1)

    def want_l2_exits(self):
        """By reason; L0 does not exit on PAUSE by itself in these labs."""
        want = Counter()
        for l2 in self.l2s():
            want[self.names["end"]] += 1
            for op in l2["ops"]:
                quiet = op["op"] in ("spin", "touch") or (
                    op["op"] == "pause" and "pause" in HANDLED.get(self.name, ()))
                if not quiet:
                    want[self.reason(op["op"])] += self.exits_of(op)
                if op["op"] == "hlt" and "hlt" in HANDLED.get(self.name, ()):
                    # sets the timer: mode and divider once, then each time
                    want[self.names["wrmsr"]] += op["count"] + 2
        return +Counter({key: n for key, n in want.items() if key not in L0_OWN})

    def per_exit(self, reason):
        """What L1 does at an exit that it skips, but for the entry."""
        steps = {"steps": ["cpuid", "cpuid", "rdmsr"]}.get(self.name, [])
        if self.vendor == "svm":
            return {"vmload": ["vmsave", "vmload", "vmload"]}.get(
                self.name, [SVM[step] for step in steps])
        steps = [VMX[step] for step in steps]
        if self.shadow:
            return steps
        reads = 5 if reason in (VMX["mmio"], VMX["fault"]) else 4
        return ["VMREAD"] * reads + steps + ["VMWRITE"]

    def enter(self):
        return "vmrun" if self.vendor == "svm" else "VMRESUME"

    def want_reflected(self):
        want = Counter()
        for l2 in self.l2s():
            for op in l2["ops"]:
                if op["op"] not in ("spin", "touch") and \
                        op["op"] not in HANDLED.get(self.name, ()):
                    want[self.reason(op["op"])] += self.exits_of(op)
        return +want

    def interrupt_chain(self, handled_hlt):
        """L1 takes an interrupt: a window, and the EOI, which is MMIO in xAPIC mode."""
        chain = [self.names["irq"], self.names["window"]]
        if self.vendor == "vmx" and not self.shadow:
            chain[1:1] = ["VMREAD"] * 4
        if self.name != "handled-xapic":
            chain.append(self.names["wrmsr"])
        if self.vendor == "vmx" and handled_hlt:
            # GUEST_ACTIVITY is in no shadow VMCS of KVM's
            chain.append("VMWRITE")
        return tuple(chain + [self.enter()])

    def want_chains(self):
        want = Counter()
        for reason, count in self.want_reflected().items():
            want[(reason, *self.per_exit(reason), self.enter())] += count
        # An L2 that ends is followed by another on the same CPU, or by none.
        ends = sum(len(cpu["l2s"]) - 1 for cpu in self.report["cpus"])
        end = self.per_exit(self.names["end"])
        if "VMWRITE" in end:
            end.remove("VMWRITE")
        want[(self.names["end"], *end, self.enter())] += ends
        if self.name == "synth":
            self.add_synth(want)
        if self.name in ("handled-ipi", "handled-xapic"):
            want[self.interrupt_chain(self.name == "handled-ipi")] += self.interrupts()
        return +want

    def interrupts(self):
        """Each one of an L2 whose interrupts L0 sends to L1's APIC."""
        n = 0
        for l2 in self.l2s():
            for op in l2["ops"]:
                if op["op"] in ("selfipi", "hlt") or \
                        (op["op"] in ("icr", "xicr") and op["arg"] == SELF):
                    n += op["count"]
        return n

    def add_synth(self, want):
        """17 interrupts: one before the first entry, one after each of the first 16 CPUIDs."""
        cpuid = self.names["cpuid"]
        usual = (cpuid, *self.per_exit(cpuid), self.enter())
        want[usual] -= 16
        want[usual[:-1] + (self.names["wrmsr"], self.enter())] += 16
        want[self.interrupt_chain(False)] += 17


def plain(chains):
    """Without what only changes the current VMCS: judged by its number."""
    out = Counter()
    for chain, count in chains.items():
        out[tuple("VMRESUME" if word == "VMLAUNCH" else word
                  for word in chain if word != "VMPTRLD")] += count
    return out


def check_nested(tap, run):
    report, trace = run.report, run.trace
    name = run.file
    if name == "smp":
        # the trace does not tell the CPUs apart; their reports must do
        tap.equal([(len(cpu["l2s"]), [sorted(l2["exits_to_l1"].items()) for l2 in cpu["l2s"]])
                   for cpu in report["cpus"]],
                  [(2, [[("cpuid", 53), ("end", 1)], [("end", 1), ("out", 41)]])] * 2,
                  name + ": both CPUs ran both L2s")
        return
    tap.equal({key: n for key, n in trace.exits[2].items() if key not in L0_OWN},
              dict(run.want_l2_exits()), name + ": exits of L2")
    want = run.want_chains()
    tap.equal(dict(plain(trace.chains)), dict(want), name + ": chains")
    irq = run.names["irq"]
    synthesised = sum(n for chain, n in want.items() if chain[0] == irq)
    tap.equal(trace.synthesised[irq], synthesised, name + ": synthesised exits")
    entries = sum(l2["entries"] for l2 in run.l2s())
    made = sum(trace.exits[1][word] for word in ("vmrun", "VMLAUNCH", "VMRESUME"))
    tap.equal(made, entries, name + ": entries into L2")
    if name == "two":
        tap.equal(len({l2["vmcb"] for l2 in run.l2s()}), 2, "two: the L2s have a VMCB each")


def check_guest(tap, run):
    """L1's exits: those of the ops, of the interrupts they cause, and the end."""
    if run.name == "guest-xapic":
        return
    want = Counter({run.names["out"]: 1})
    for op in run.report["cpus"][0]["before"]:
        if op["op"] in ("spin", "touch", "pause"):
            continue
        want[run.names[op["op"]]] += op["count"]
        if op["op"] == "hlt":
            want[run.names["wrmsr"]] += op["count"] + 2
    # an EOI each
    want[run.names["wrmsr"]] += sum(run.report["interrupts"].values())
    got = run.trace.exits[1]
    tap.equal({key: n for key, n in got.items() if key not in L0_OWN},
              {key: n for key, n in want.items() if key not in L0_OWN}, "guest: exits of L1")
    mmio = sum(op["count"] for op in run.report["cpus"][0]["before"] if "mmio" in op["op"])
    faults = sum(got[key] for key in ("npf", "EPT_VIOLATION", "EPT_MISCONFIG"))
    tap.ok(faults >= mmio, "guest: at least %d exits for MMIO" % mmio, faults)


def check_usage(tap, job):
    lines = job.lines("usage")
    tap.equal([line for line in lines if line.split()[0] != "2"], [],
              "wrong command lines end with 2")
    tap.equal([line for line in lines if line.split()[1] == "0"], [], "and say why")
    tap.ok(len(lines) >= 15, "number of wrong command lines", len(lines))
    tap.ok("usage: labvmm" in (job.text("help") or ""), "--help helps")


def main():
    tap = Tap()
    boot = Boot(sys.argv[1])
    job = boot.job(tap, "06-payload")
    vendor = "vmx" if boot.kind.startswith("vmx") else "svm"
    runs = ["guest", "guest-xapic"] + RUNS + (SVM_RUNS if vendor == "svm" else [])
    if boot.kind == "vmx":
        runs += UNSHADOWED
    for name in runs if job else []:
        shadow = (job.text("shadow") or "").strip() == "Y" and name not in UNSHADOWED
        run = Run(job, vendor, name, shadow)
        if not tap.ok(run.report and run.report["ok"], name + ": labvmm found nothing wrong",
                      job.text(name + ".err")):
            continue
        lost = [line for line in job.lines(name + ".stats")
                if re.match(r"(overrun|commit overrun|dropped events): [^0]", line)]
        if not tap.equal((lost, job.exists(name + ".stats")), ([], True),
                         name + ": the trace lost no event"):
            continue
        if name.startswith("guest"):
            check_guest(tap, run)
        else:
            check_nested(tap, run)
    if job:
        check_usage(tap, job)
    tap.done()


if __name__ == "__main__":
    main()
