#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A Linux boots as L1 and its guest's exits are all nested exits of L0."""
import json
import re
import sys

from tap import Boot, Tap

SVM_EXIT_IOIO = 0x7b
SVM_EXIT_CPUID = 0x72


def histogram(text):
    """{key: hits} of a tracefs hist file."""
    return {int(key): int(hits) for key, hits in
            re.findall(r"exit_(?:reason|code):\s*(\d+) .*hitcount:\s*(\d+)", text or "")}


def marked(job, word):
    found = re.search(r"@%s (.*)" % word, job.text("console") or "")
    return found.group(1) if found else None


def main():
    tap = Tap()
    boot = Boot(sys.argv[1])
    job = boot.job(tap, "80-l1-linux")
    if job:
        tap.equal((marked(job, "l1 up") or "?").split()[0], boot.kernel("release").strip(),
                  "L1 runs the same kernel")
        tap.equal(marked(job, "cpus"), "1", "L1 has the CPU that it was to get")
        tap.equal(marked(job, "nested"), "1", "L1 itself offers nesting")
        tap.equal(job.text("l1-rc"), "3\n", "l1-linux hands on the exit code of L1's job")
        tap.equal(marked(job, "labvmm"), "0", "labvmm in L1 is content with its guest")
        guest = json.loads(marked(job, "json") or "{}")
        tap.ok(guest, "labvmm in L1 reports")
        exits = histogram(job.text("nested_vmexit"))
        injected = histogram(job.text("nested_vmexit_inject"))
        for code, count, name in ((SVM_EXIT_CPUID, 503, "CPUID"), (SVM_EXIT_IOIO, 102, "I/O")):
            tap.equal(exits.get(code), count, "L0 sees every %s exit of L2" % name)
            tap.equal(injected.get(code), count, "and reflects each of them to L1")
    tap.done()


if __name__ == "__main__":
    main()
