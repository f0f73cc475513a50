#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The kernel's KVM selftests pass; on our modules they end as on the distribution's."""
import os
import sys

from tap import Boot, Job, Tap


def listed(top, two_cpus):
    """{name: exit code} of selftests.txt"""
    path = os.path.join(top, "tests", "lab", "vmx", "selftests.txt")
    with open(path, encoding="utf-8") as file:
        lines = [line.split() for line in file if line.strip() and not line.startswith("#")]
    return {words[0]: int(words[1]) for words in lines
            if (words[0] == "xapic_ipi_test") == two_cpus}


def results(job):
    """{name: exit code} of the run"""
    return {words[0]: int(words[2]) for words in map(str.split, job.lines("results"))}


def compare_with_stock(tap, boot, got):
    kind = boot.kind.replace("-nvx", "")
    directory = os.path.join(os.path.dirname(boot.directory), kind + "-" + boot.series)
    stock = results(Job(os.path.join(directory, "91-selftests-vmx"), "91-selftests-vmx"))
    if not stock:
        tap.skip("the same results as on the distribution's modules",
                 "no results of %s-%s to compare with" % (kind, boot.series))
        return
    tap.equal(got, stock, "the same results as on the distribution's modules")


def main():
    tap = Tap()
    boot = Boot(sys.argv[1])
    job = boot.job(tap, "91-selftests-vmx")
    if job:
        got = results(job)
        for name, want in listed(boot.top, "2cpu" in boot.kind).items():
            if not tap.equal(got.get(name), want, "%s ends with %d" % (name, want)):
                tap.note("\n".join(job.lines(name + ".log")[-10:]))
        if boot.kind.startswith("vmx-nvx"):
            compare_with_stock(tap, boot, got)
    tap.done()


if __name__ == "__main__":
    main()
