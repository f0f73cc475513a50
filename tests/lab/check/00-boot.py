#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""L0 is the kernel that was fetched, with nested KVM, its events and its BTF."""
import sys

from tap import Boot, Tap

# What nvx reads or needs to tell levels apart; others may come and go.
EVENTS = ("kvm_exit kvm_entry kvm_nested_vmenter kvm_nested_vmexit kvm_nested_vmexit_inject "
          "kvm_nested_intr_vmexit kvm_msr kvm_hypercall kvm_apic kvm_apic_ipi kvm_pio kvm_mmio "
          "kvm_userspace_exit").split()


def check_host(tap, boot, job):
    tap.equal(job.text("uname"), boot.kernel("release"), "the kernel that was fetched runs")
    tap.equal(job.text("nested"), "1\n", "kvm_amd has nested=1")
    tap.ok(job.text("npt") in ("Y\n", "1\n"), "kvm_amd has npt", job.text("npt"))
    events = job.lines("events")
    missing = [event for event in EVENTS if event not in events]
    tap.equal(missing, [], "the kvm events are there")
    btf = [line.split()[-1] for line in job.lines("btf") if line.startswith("-")]
    missing = [name for name in ("vmlinux", "kvm", "kvm_amd") if name not in btf]
    tap.equal(missing, [], "vmlinux, kvm and kvm_amd have BTF")
    mounts = {tuple(line.split()[1:3]) for line in job.lines("mounts")}
    wanted = {("/sys/kernel/tracing", "tracefs"), ("/sys/kernel/debug", "debugfs"),
              ("/sys/fs/bpf", "bpf")}
    # svm-icount sends its results over a serial line.
    if boot.kind == "svm-linux":
        wanted.add(("/out", "9p"))
    tap.equal(wanted - mounts, set(), "what jobs count on is mounted")


def check_tools(tap, boot, job):
    for tool, word in (("perf", "perf version"), ("trace-cmd", "trace-cmd"),
                       ("bpftool", "bpftool v")):
        tap.ok(word in (job.text(tool) or ""), "%s runs" % tool, job.text(tool))
    tap.equal(job.exists("has-qemu-system-x86_64") and
              bool(job.text("has-qemu-system-x86_64")), boot.kind == "svm-linux",
              "QEMU is there exactly where a Linux L1 is run")


def main():
    tap = Tap()
    boot = Boot(sys.argv[1])
    boots = boot.report.get("boots", [])
    tap.equal([one["outcome"] for one in boots][-1:], ["done"], "the boot ended by itself")
    tap.equal(boot.report.get("missing"), [], "every job of the boot ran")
    tap.equal([text for one in boots for text in one["failures"]], [], "L0 had nothing to report")
    job = boot.job(tap, "00-boot")
    if job:
        check_host(tap, boot, job)
        check_tools(tap, boot, job)
        with open(job.path("blob"), "rb") as file:
            tap.ok(file.read() == b"\xff" * 65536, "a file comes out as it was written")
    tap.done()


if __name__ == "__main__":
    main()
