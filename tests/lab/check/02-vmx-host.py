#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""L0 of the VMX lab: nested VMX with all that Bochs emulates of it, events, BTF."""
import sys

from tap import Boot, Tap

# What the jobs of this lab are about must be on, or they would test nothing.
ON = "nested ept eptad vpid enable_shadow_vmcs unrestricted_guest pml flexpriority".split()
# Bochs has no posted interrupts.
OFF = "enable_apicv enable_ipiv".split()
EVENTS = ("kvm_exit kvm_entry kvm_nested_vmenter kvm_nested_vmexit kvm_nested_vmexit_inject "
          "kvm_nested_intr_vmexit kvm_msr kvm_hypercall kvm_apic kvm_apic_ipi kvm_pio kvm_mmio "
          "kvm_userspace_exit").split()
CPU_FLAGS = "ept vpid shadow_vmcs vapic_reg vid tsc_scaling invvpid".split()


def parameters(job, name):
    return dict(line.split(None, 1) for line in job.lines(name) if " " in line)


def main():
    tap = Tap()
    boot = Boot(sys.argv[1])
    boots = boot.report.get("boots", [])
    tap.equal([one["outcome"] for one in boots], ["done"], "the boot ended by itself")
    tap.equal(boot.report.get("missing"), [], "every job of the boot ran")
    tap.equal([text for one in boots for text in one["failures"]], [], "L0 had nothing to report")
    job = boot.job(tap, "02-vmx-host")
    if job:
        tap.equal(job.text("uname"), boot.kernel("release"), "the kernel that was fetched runs")
        tap.equal(job.lines("cpus"), ["2" if "2cpu" in boot.kind else "1"], "number of CPUs")
        given = parameters(job, "kvm_intel")
        tap.equal({name: given.get(name) for name in ON}, dict.fromkeys(ON, "Y"),
                  "kvm_intel uses what Bochs offers")
        tap.equal({name: given.get(name) for name in OFF}, dict.fromkeys(OFF, "N"),
                  "kvm_intel has no APIC virtualization with posted interrupts here")
        flags = (job.text("vmx-flags") or "").split()
        tap.equal([flag for flag in CPU_FLAGS if flag not in flags], [], "VMX features of the CPU")
        events = job.lines("events")
        tap.equal([event for event in EVENTS if event not in events], [],
                  "the kvm events are there")
        btf = job.lines("btf")
        tap.equal([name for name in ("vmlinux", "kvm", "kvm_intel") if name not in btf], [],
                  "vmlinux, kvm and kvm_intel have BTF")
        blob = job.path("blob")
        with open(blob, "rb") as file:
            tap.ok(file.read() == b"\xff" * 65543, "a file comes out as it was written")
    tap.done()


if __name__ == "__main__":
    main()
