#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""What goes wrong is told in one line, and by the exit code; what was counted is printed."""
import sys

import nvxstat
from tap import Boot, Tap

# name: words of the one line on standard error
FAILS = {
    "no-vms": "no VM `nosuch`: no VM runs on this host",
    "no-vm": "no VM `nosuch`; there are 1 VMs, the first is `there`",
    "no-output": "cannot write /nosuch/file",
    "no-btf": "BTF",
    "no-vendor": "neither kvm_intel nor kvm_amd is loaded",
    "no-kvm": "KVM is not loaded",
    "no-kvm-command": "KVM is not loaded",
}
USAGE = ("usage", "usage-level", "usage-verb")
COMMANDS = {
    "command-missing": "cannot run /nosuch/program",
    "command-fails": "sh exited with 3",
}


def check_fails(tap, job):
    for name, words in FAILS.items():
        err = job.lines(name + ".err")
        tap.ok(job.text(name + ".rc") == "1\n" and len(err) == 1 and words in err[0] and
               job.text(name + ".out") == "", "%s: one line, exit code 1" % name,
               "%r\n%s" % (job.text(name + ".rc"), "\n".join(err)))
    tap.ok(not job.exists("touched"), "no command is run where nothing can be counted")


def check_usage(tap, job):
    for name in USAGE:
        tap.ok(job.text(name + ".rc") == "2\n" and job.lines(name + ".err"),
               "%s: exit code 2" % name, "%r\n%s" % (job.text(name + ".rc"),
                                                      job.text(name + ".err")))


def check_commands(tap, job):
    """nvx's own part was done, so the report is there; the exit code is the command's."""
    for name, words in COMMANDS.items():
        err = job.lines(name + ".err")
        data = job.json(name + ".out") or {}
        tap.ok(job.text(name + ".rc") == "1\n" and len(err) == 1 and words in err[0] and
               data.get("schema"), "%s: one line, exit code 1, and a report" % name,
               "%r\n%s" % (job.text(name + ".rc"), "\n".join(err)))
    stat = nvxstat.Stat(job.json("command-fails.out"))
    tap.equal(stat.total("exits", "count", level="2", reason="cpuid"), 103,
              "the report of a command that fails has its counts")


def check_interrupt(tap, job):
    tap.equal(job.text("interrupt.rc"), "0\n", "Ctrl-C: exit code 0")
    tap.equal(job.text("interrupt.err"), "", "Ctrl-C: no message")
    stat = nvxstat.load(tap, job, "interrupt.out")
    if stat:
        tap.equal(stat.total("exits", "count", vm="counted", level="2", reason="cpuid"), 211,
                  "Ctrl-C: what was counted is printed")


def main():
    tap = Tap()
    boot = Boot(sys.argv[1])
    job = boot.job(tap, "24-errors")
    if job:
        check_fails(tap, job)
        check_usage(tap, job)
        check_commands(tap, job)
        check_interrupt(tap, job)
    tap.done()


if __name__ == "__main__":
    main()
