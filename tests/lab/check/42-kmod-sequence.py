#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""With every switch at its default the feature module does what the distribution's
KVM does: the same events in the same order with the same fields.

Left out: timestamps (the trace has none) and exits for the host's interrupts,
which come when they come; with them goes the second injection of an event whose
first was cancelled because a host's interrupt came before the entry.  A VMREAD's or
VMWRITE's qualification is the displacement of its memory operand (SDM vol. 3, table
28-1); with a register for operand, as the payload has it, Bochs leaves in it what was
there.
"""
import re
import sys

from tap import Boot, Tap

RUNS = ("guest", "ept", "noept", "novpid", "handled")
CONTEXT = 3
UNDEFINED = re.compile(r"^(kvm_(?:exit|nested_vmexit): .* reason VM(?:READ|WRITE) .* info1 )0x[0-9a-f]+")


def sequence(job, path):
    """Event lines without what depends on the host's interrupts."""
    lines = [line.strip() for line in job.lines(path) if line.strip() and line[0] != "#"]
    out = []
    skipping = False
    for line in lines:
        event = line.split(":", 1)[0]
        if event == "kvm_exit":
            skipping = "EXTERNAL_INTERRUPT" in line
        if not skipping and not line.endswith("[reinjected]"):
            out.append(UNDEFINED.sub(r"\1?", line))
        elif event == "kvm_entry":
            skipping = False
    return out


def difference(ours, stock):
    for i in range(max(len(ours), len(stock))):
        if i >= len(ours) or i >= len(stock) or ours[i] != stock[i]:
            low = max(0, i - CONTEXT)
            return "event %d of %d and %d\nours:\n%s\nstock:\n%s" % (
                i, len(ours), len(stock), "\n".join(ours[low:i + CONTEXT]),
                "\n".join(stock[low:i + CONTEXT]))
    return None


def lost(job, path):
    """Events that the ring buffer could not hold."""
    return [line for line in job.lines(path)
            if line.startswith(("overrun", "commit overrun", "dropped events"))
            and line.split()[-1] != "0"]


def main():
    tap = Tap()
    boot = Boot(sys.argv[1])
    job = boot.job(tap, "42-kmod-sequence")
    if job:
        modules = [line.split() for line in job.lines("modules")]
        sizes = {name: {size for other, size in modules if other == name}
                 for name in ("kvm", "kvm_intel")}
        tap.ok(all(len(size) == 2 for size in sizes.values()), "two pairs of modules were loaded",
               sizes)
    for run in RUNS if job else ():
        ours, stock = (sequence(job, "%s/%s.trace" % (who, run)) for who in ("ours", "stock"))
        tap.equal(lost(job, "ours/%s.stats" % run) + lost(job, "stock/%s.stats" % run), [],
                  "%s: no event is lost" % run)
        tap.ok(sum(line.startswith("kvm_exit:") for line in stock) > 100,
               "%s: stock KVM has events" % run, "%d lines" % len(stock))
        why = difference(ours, stock)
        tap.ok(why is None, "%s: the same %d events on both modules" % (run, len(stock)), why)
    tap.done()


if __name__ == "__main__":
    main()
