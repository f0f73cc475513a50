#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A vCPU thread that ends loses no count; a vCPU without a slot is told of."""
import json
import sys

import nvxstat
from tap import Boot, Tap

VMS = 40
SLOTS = 8
ALL_CPUS = 12


def documents(text):
    """The JSON objects of a file that has one after the other."""
    decoder, out = json.JSONDecoder(), []
    text = (text or "").strip()
    while text:
        value, end = decoder.raw_decode(text)
        out.append(value)
        text = text[end:].strip()
    return out


def check_many(tap, job):
    stat = nvxstat.load(tap, job, "many.json")
    if not stat:
        return
    vmms = documents(job.text("many.vmm"))
    tap.equal(len(vmms), VMS, "%d VMs ran, one after another" % VMS)
    tap.equal(stat.total("totals", "vcpus"), VMS, "each was seen, with %d slots" % SLOTS)
    nvxstat.laws(tap, stat, "many.json")
    # all of them are one row by --by host, as if one VM had had all these CPUs
    together = {"cpus": [cpu for vmm in vmms for cpu in vmm["cpus"]]}
    nvxstat.l1_agrees(tap, stat, "all", together, ["vmrun"], "%d VMs together" % VMS)
    tap.equal(stat.total("exits", "reflected", level="2", reason="cpuid"), VMS * 101,
              "CPUID of L2")
    tap.equal(stat.total("pio", "count", level="2", port="0x80"), VMS * 7, "OUT of L2")


def check_full(tap, job):
    stat = nvxstat.load(tap, job, "full.json")
    if not stat:
        return
    dropped = stat.data["dropped"]
    vmm = job.json("full.vmm")
    entries = {cpu["l2s"][0]["vmcb"]: cpu["l2s"][0]["entries"] for cpu in vmm["cpus"]}
    tap.equal(len(entries), ALL_CPUS, "%d vCPUs ran at once" % ALL_CPUS)
    tap.equal(stat.total("totals", "vcpus"), SLOTS, "%d of them have a slot" % SLOTS)
    # each VM exit of the other ones is an event that found no slot: 104 of L1, 104 of L2 at least
    tap.ok(dropped["no_vcpu_slot"] >= (ALL_CPUS - SLOTS) * 208 and
           dropped["total"] == dropped["no_vcpu_slot"], "and the others are told of", dropped)
    faults = nvxstat.Faults()
    nvxstat.exit_laws(faults, stat, "full")
    nvxstat.switch_laws(faults, stat, "full")
    got = {row["l2"]: row["entries"] for row in stat.rows("l2s")}
    faults.equal({l2: n for l2, n in got.items() if entries.get(l2) != n}, {},
                 "L2s that differ from L1's own count")
    faults.equal(len(got), SLOTS, "L2s")
    tap.ok(not faults, "what has a slot is counted to the last exit", "\n".join(faults))


def main():
    tap = Tap()
    boot = Boot(sys.argv[1])
    job = boot.job(tap, "23-recycle")
    if job:
        check_many(tap, job)
        check_full(tap, job)
    tap.done()


if __name__ == "__main__":
    main()
