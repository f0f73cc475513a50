#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""With as many slots as L2s no switch flushes but the first to each; with fewer, or stock, all."""
import re
import sys

import nvxstat
from tap import Boot, Tap

ENTRIES = 60


def flushed(stat, vm):
    """{direction: switches that flushed}, {direction: switches}"""
    some, every = {}, {}
    for row in stat.data["tlb"]["switches"]:
        if row["vm"] != vm:
            continue
        way = row["direction"]
        every[way] = sum(count for _, count in row["hist"])
        some[way] = sum(count for n, count in row["hist"] if n != 0)
    return some, every


def expected(slots, keep, k, ept):
    """The least and the most entries that flush, of 60."""
    if k == 1:
        # one L2: no entry flushes but the first, on stock KVM too
        return 0, 1
    pooled = slots >= k
    kept = keep or not ept
    if pooled and kept:
        return 0, k
    return ENTRIES - 1, ENTRIES


def check_features(tap, job):
    data = job.json("features.json")
    tap.ok(data and data["module"], "nvx features answers", data)
    names = [switch["name"] for switch in data["switches"]]
    tap.equal(names[:3], ["nested-vpid.slots", "nested-vpid.keep-roots",
                          "nested-vpid.always-flush"], "the switches")
    tap.ok(all(switch["default"] == switch["stock"] for switch in data["switches"]),
           "each is as in stock KVM", data["switches"])
    refused = job.text("refused") or ""
    tap.ok("nested-vpid.slots takes 1 to 8, not `9`" in refused, "9 slots are refused", refused)
    tap.ok("no switch `nested-vpid.nothing`" in refused, "an unknown switch is refused", refused)
    live = job.json("live.json")
    switches = live["vms"][0]["switches"] if live and live["vms"] else {}
    slots = switches.get("nested-vpid.slots", {})
    tap.equal((slots.get("value"), slots.get("offered"), slots.get("negotiated")),
              (8, True, 1), "a VM that runs: set, offered, L1 in VMX operation")
    tap.equal(slots.get("in_use"), 2, "a VM that runs: two slots for two L2s")
    tap.between(switches.get("nested-vpid.keep-roots", {}).get("in_use", 0), 2, 3,
                "a VM that runs: roots of two L2s kept")
    flips = int(job.text("flips") or 0)
    tap.between(flips, 5, 40, "switches flipped under load")


def check_tune(tap, job):
    refused = job.text("tune.refused") or ""
    tap.ok("is a switch of one VM: which?" in refused, "tune asks of which VM", refused)
    per_entry = {}
    for side in "ab":
        stat = nvxstat.load(tap, job, "tune.%s.json" % side)
        if not stat:
            return
        some, every = flushed(stat, stat.names()[0])
        tap.ok(every.get("L1->L2", 0) > 20, "side %s of tune has entries" % side, every)
        per_entry[side] = some.get("L1->L2", 0) / max(every.get("L1->L2", 0), 1)
    tap.ok(per_entry["a"] > 0.9, "one slot for two L2s: entries flush", per_entry)
    tap.ok(per_entry["b"] < 0.1, "four slots: they do not", per_entry)
    tap.equal(job.json("tuned.json")["vms"][0]["switches"]["nested-vpid.slots"]["value"], 2,
              "the switch has the value that it had")


def main():
    tap = Tap()
    boot = Boot(sys.argv[1])
    job = boot.job(tap, "60-vpid")
    stat = job and nvxstat.load(tap, job, "stat.json")
    if stat:
        check_features(tap, job)
        check_tune(tap, job)
        tap.equal(job.text("splats") or "", "", "the kernel did not complain")
        # six L2s have more causes of flushes than a vCPU has rows for; switches lose nothing
        tap.equal({key: n for key, n in stat.data["dropped"].items()
                   if n and key not in ("total", "not_counted")}, {}, "nothing else is dropped")
        for vm in stat.names():
            found = re.fullmatch(r"p(\d)-keep(\d)-k(\d)-ept-(on|off)", vm)
            slots, keep, k = (int(n) for n in found.groups()[:3])
            some, every = flushed(stat, vm)
            low, high = expected(slots, keep, k, found.group(4) == "on")
            tap.equal(every.get("L1->L2"), ENTRIES, vm + ": 60 entries")
            tap.between(some.get("L1->L2", -1), low, high, vm + ": entries that flush")
            tap.between(some.get("L2->L1", -1), 0, 1, vm + ": ways back that flush")
        tap.equal(len(stat.names()), 32, "every VM was seen")
    tap.done()


if __name__ == "__main__":
    main()
