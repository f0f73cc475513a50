#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Chains on VMX have exactly the L1 exits that the payload's source causes, and
the kernel's own histograms of its events count the same exits as nvx.

At each exit the payload's L1 (decode() in vmx.c) reads EXIT_REASON,
EXIT_QUALIFICATION, GUEST_RIP and the instruction's length, writes GUEST_RIP
and does a VMRESUME.  KVM shadows these fields (vmcs_shadow_fields.h): with
shadow VMCS only the VMRESUME exits.
"""
import os
import re
import subprocess
import sys

import nvxstat
from tap import Boot, Tap

CPUID, VMCALL, IO, MSR_READ, INVD = 10, 18, 30, 31, 13
# L0's own: its timer, and pages that are touched first.
L0_OWN = ("EXTERNAL_INTERRUPT", "EPT_VIOLATION")
MANY = {"shadow": 10007, "noshadow": 2003}
COUNTS = {
    "ept": {},  # MANY
    "noept": {CPUID: 1009},
    "ops": {CPUID: 307, VMCALL: 101, IO: 53, MSR_READ: 31},
    "fields": {CPUID: 503},
}
SHADOWED = {"VMREAD": 4, "VMWRITE": 1}
# Of a field that is never shadowed, by --per-exit.
MORE = {"fields": {"VMREAD": 2, "VMWRITE": 1}}


def per_exit(vm, shadow):
    """The L1 exits of one chain."""
    cells = {"VMRESUME": 1}
    for source in (MORE.get(vm, {}), {} if shadow else SHADOWED):
        for name, count in source.items():
            cells[name] = cells.get(name, 0) + count
    return cells


def check_chain(faults, stat, vm, code, count, cells):
    rows = stat.rows("chains", vm=vm, code=code)
    what = "%s: chain of exit %d" % (vm, code)
    if len(rows) != 1:
        faults.append(what + " is missing")
        return
    row = rows[0]
    faults.equal((row["count"], row["reflected"], row["open"]), (count, count, 0), what)
    got = {cell["l1_reason"].upper(): cell["count"]
           for cell in stat.rows("cells", vm=vm, l2_reason=row["l2_reason"])}
    extra = sum(got.pop(own, 0) for own in L0_OWN)
    faults.equal(got, {name: n * count for name, n in cells.items()}, what + ": L1 exits")
    usual = 1 + sum(cells.values())
    other = [(bound, n) for bound, n in row["length"] if bound != usual]
    faults.equal([bound for bound, _ in other if bound and bound < usual], [],
                 what + ": chains that are too short")
    if sum(n for _, n in other) > extra:
        faults.append("%s: %r, of length %d %d exits that L0 caused" % (what, other, usual, extra))


def check_vm(tap, stat, vm, shadow, vmm, state):
    faults = nvxstat.Faults()
    counts = COUNTS[vm] or {CPUID: MANY[state]}
    for code, count in counts.items():
        rows = stat.rows("exits", vm=vm, level="2", code=code)
        faults.equal([(row["count"], row["reflected"]) for row in rows], [(count, count)],
                     "%s: L2 exits %d" % (vm, code))
        check_chain(faults, stat, vm, code, count, per_exit(vm, shadow))
    faults.equal(sorted(row["code"] for row in stat.rows("chains", vm=vm)),
                 sorted([*counts, INVD]), vm + ": reasons that L1 saw")
    tap.ok(not faults, "%s, VM %s: every exit and every chain as the source says" % (state, vm),
           "\n".join(faults))
    nvxstat.l1_agrees(tap, stat, vm, vmm, ["VMLAUNCH", "VMRESUME"], "%s, VM %s" % (state, vm))


def kernel_counts(job, path):
    """A hist trigger's lines, e.g. { exit_reason:         10 } hitcount:       1009"""
    found = re.findall(r"^\{ \w+: +(\d+) \} hitcount: +(\d+)$", job.text(path) or "", re.M)
    return {int(key): int(count) for key, count in found}


def nvx_counts(stat, key, **labels):
    counts = {}
    for row in stat.rows("exits", **labels):
        counts[row["code"]] = counts.get(row["code"], 0) + row[key]
    return {code: n for code, n in counts.items() if n}


def check_kernel(tap, job, stat, state):
    tap.equal(nvx_counts(stat, "count"), kernel_counts(job, state + "/kvm_exit"),
              state + ": the kernel counted the same exits")
    tap.equal(nvx_counts(stat, "count", level="2"),
              kernel_counts(job, state + "/kvm_nested_vmexit"),
              state + ": the kernel counted the same exits of L2")
    tap.equal(nvx_counts(stat, "reflected", level="2"),
              kernel_counts(job, state + "/kvm_nested_vmexit_inject"),
              state + ": the kernel counted the same reflected exits")


def check_readme(tap, boot, job):
    lab = os.path.join(boot.top, "tests", "lab", "vmx")
    run = subprocess.run([os.path.join(lab, "chains-table"), job.directory], check=False,
                         stdout=subprocess.PIPE, encoding="utf-8")
    with open(os.path.join(lab, "README.md"), encoding="utf-8") as file:
        tap.ok(run.returncode == 0 and run.stdout in file.read(),
               "the table in README.md is what was counted here", run.stdout)


def main():
    tap = Tap()
    boot = Boot(sys.argv[1])
    job = boot.job(tap, "21-vmx-chains")
    if job:
        tap.equal(job.text("enable_shadow_vmcs"), "Y\n", "shadow VMCS is on at the end")
    for state in ("shadow", "noshadow") if job else ():
        stat = nvxstat.load(tap, job, state + "/stat.json")
        if stat:
            nvxstat.laws(tap, stat, state)
            for vm in COUNTS:
                check_vm(tap, stat, vm, state == "shadow", job.json("%s/%s.vmm" % (state, vm)),
                         state)
            check_kernel(tap, job, stat, state)
    if job:
        check_readme(tap, boot, job)
    tap.done()


if __name__ == "__main__":
    main()
