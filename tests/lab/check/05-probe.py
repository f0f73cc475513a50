#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""nvx probe says what is there, and what follows when a part of it is taken away."""
import sys

from tap import Boot, Tap

# Condition: source now, source as root, which sections are there (n/a: absent).
ALL = {"exits", "msrs", "io", "chains", "ipis", "tlb", "time"}
TIERS = {
    "root": ("btf", "btf", ALL),
    "user": ("none", "btf", ALL),
    "no-btf": ("classic", "classic", ALL - {"msrs", "ipis", "tlb"}),
    "no-events": ("btf", "btf", ALL),
    "nothing": ("none", "none", set()),
    "no-kvm": ("none", "none", set()),
}
# What fails, and a word of the one line that says why.
FAILS = {
    "stat-user": "root",
    "stat-nothing": "BTF",
    "stat-no-kvm": "KVM is not loaded",
    "stat-no-pid": "no process",
    "stat-no-vm": "runs no VM",
    "stat-no-name": "no VM `nobody-has-this-name`",
}
WORKS = {"stat-no-btf": "stock KVM without BTF", "stat-no-events": "stock KVM with BTF"}


def rows(probe):
    return {row["id"]: row for row in probe["rows"]}


def check_tier(tap, job, name):
    probe = job.json(name + ".out")
    tap.equal(job.lines(name + ".status"), ["0"], "%s: the probe exits with 0" % name)
    if not tap.ok(probe, "%s: the probe prints JSON" % name, job.text(name + ".err")):
        return
    now, root, sections = TIERS[name]
    tap.equal((probe["tier"], probe["tier_root"]), (now, root), "%s: source of events" % name)
    have = {key for key, value in probe["sections"].items() if value["available"]}
    tap.equal(have, sections, "%s: sections" % name)
    silent = [key for key, value in probe["sections"].items()
              if not value["available"] and not value["reason"]]
    tap.equal(silent, [], "%s: what is not there says why" % name)


def check_root(tap, boot, probe):
    vmx = boot.kind.startswith("vmx")
    vendor = "kvm_intel" if vmx else "kvm_amd"
    tap.equal(probe["kernel"] + "\n", boot.kernel("release"), "the kernel's release")
    tap.equal(probe["vendor_module"], vendor, "the vendor module")
    fields = ["kvm_vcpu.stat.guest_mode", "kvm_vcpu.arch.regs", "btf_vmlinux", "btf_kvm",
              "btf_vendor", "nested", "dev_kvm", "tracefs", "CAP_SYS_ADMIN"]
    fields += ["vcpu_vmx.exit_reason", "ept", "vpid"] if vmx else ["vcpu_svm.vmcb", "npt"]
    row = rows(probe)
    tap.equal([name for name in fields if row.get(name, {}).get("status") != "yes"], [],
              "every field that this host has reads yes")
    tap.equal(row["exit_args"]["detail"], "(vcpu, isa)", "the order of kvm_exit's arguments")
    missing = [name for name, one in row.items()
               if one["group"] == "Tracepoints" and one["status"] != "yes"]
    tap.equal(sorted(missing), ["kvm_nested_vmrun", "nvx"],
              "of the tracepoints only the old name and those of the module are missing")


def check_user(tap, probe, root):
    row, seen = rows(probe), rows(root)
    tap.equal(row["tracefs"]["status"], "unknown", "a user cannot see tracefs")
    differ = [name for name, one in row.items() if name.startswith("kvm_") and
              one["group"] == "Tracepoints" and one["status"] != seen[name]["status"]]
    tap.equal(differ, [], "a user learns from BTF which tracepoints there are")
    tap.equal(row["CAP_BPF"]["status"], "no", "a user has no CAP_BPF")


def check_failures(tap, job):
    for name, word in FAILS.items():
        tap.equal(job.lines(name + ".status"), ["1"], "%s: exit code 1" % name)
        err = job.lines(name + ".err")
        tap.ok(len(err) == 1 and err[0].startswith("nvx: ") and word in err[0],
               "%s: one clear line" % name, "\n".join(err))
        tap.equal(job.text(name + ".out"), "", "%s: nothing on standard output" % name)
    tap.equal(job.lines("stat-usage.status"), ["2"], "wrong usage exits with 2")
    for name, source in WORKS.items():
        tap.equal(job.lines(name + ".status"), ["0"], "%s: exit code 0" % name)
        tap.equal((job.json(name + ".out") or {}).get("source"), source, "%s: source" % name)
        tap.note("\n".join(job.lines(name + ".err")))


def main():
    tap = Tap()
    boot = Boot(sys.argv[1])
    job = boot.job(tap, "05-probe")
    if job:
        vmx = boot.kind.startswith("vmx")
        for name in ("root", "user") if vmx else TIERS:
            check_tier(tap, job, name)
        root, user = job.json("root.out"), job.json("user.out")
        if root:
            check_root(tap, boot, root)
        if root and user:
            check_user(tap, user, root)
        tap.ok("Conclusion" in (job.text("text.out") or ""), "the text has a conclusion")
        if not vmx:
            check_failures(tap, job)
    tap.done()


if __name__ == "__main__":
    main()
