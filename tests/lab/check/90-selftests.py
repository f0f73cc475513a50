#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The kernel's KVM selftests end as tests/lab/svm/selftests.txt says."""
import re
import sys

from tap import Boot, Tap


def output_of(job, name):
    found = re.search(r"^== %s\n(.*?)(?=^== |\Z)" % re.escape(name), job.text("log"), re.M | re.S)
    return found.group(1) if found else ""


def main():
    tap = Tap()
    boot = Boot(sys.argv[1])
    job = boot.job(tap, "90-selftests")
    if job:
        listed = [line.split()[0] for line in job.lines("list")]
        tap.ok(len(listed) > 0, "the list names tests")
        results = {line.split()[0]: line.split()[1:] for line in job.lines("results")}
        for name in listed:
            want, got = results.get(name, ("0", "not run"))
            if not tap.equal(got, want, "%s ends with %s" % (name, want)):
                tap.note("\n".join(output_of(job, name).splitlines()[-12:]))
    tap.done()


if __name__ == "__main__":
    main()
