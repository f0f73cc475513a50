#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The module is pinned while it is used, says by whom, and leaves nothing behind."""
import sys

from tap import Boot, Tap


def number(job, name):
    text = (job.text(name) or "").strip()
    return int(text) if text.lstrip("-").isdigit() else None


def slabs(job, name):
    return {line.split()[0]: int(line.split()[1]) for line in job.lines(name)}


def main():
    tap = Tap()
    boot = Boot(sys.argv[1])
    job = boot.job(tap, "41-kmod-life")
    if job:
        wanted = number(job, "wanted")
        tap.ok(wanted == (40 if "vmx-nvx-6.12" in sys.argv[1] else 200) and
               number(job, "cycles") == wanted, "%s VMs came and went" % wanted)
        first, last = slabs(job, "slabs.first"), slabs(job, "slabs.last")
        tap.ok(bool(first), "there are slabs to look at")
        grown = {name: (first.get(name), count) for name, count in last.items()
                 if count > first.get(name, 0)}
        tap.equal(grown, {}, "199 more VMs leave no object behind")
        tap.equal(number(job, "vms.after"), number(job, "vms.before"), "nor a directory")
        for what, title in (("vm", "under a VM"), ("bpf", "under a program")):
            tap.ok(number(job, "rmmod.%s.rc" % what) not in (0, None),
                   "unloading is refused " + title, job.text("rmmod." + what))
            pid = (job.text("holders.%s.pid" % what) or "").strip()
            tap.ok(any(line.startswith("pid %s (" % pid) for line in job.lines("holders." + what)),
                   "and its process is named", job.text("holders." + what))
        tap.equal(number(job, "rmmod.rc"), 0, "then it is unloaded")
        tap.equal((number(job, "events.left"), number(job, "symbols.left")), (0, 0),
                  "without a trace")
        tap.equal(job.text("holders.none"), "", "and nobody is accused")
        tap.equal(job.text("splats"), "", "the kernel has nothing to complain about")
    tap.done()


main()
