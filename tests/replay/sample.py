#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""A recording of a Linux L1 reads as the events in it say, counted here from trace-cmd's text."""
import collections
import json
import os
import re
import signal
import subprocess
import time

import replay
from tap import Tap

GOLDEN = os.path.join(replay.TOP, "tests", "replay", "sample.json")
LINE = re.compile(r"^\s*.*-(\d+)\s+\[\d+\]\s+[\d.]+: (\w+):\s+(.*)$")


class Thread:
    """A vCPU, by the order of its events alone."""

    def __init__(self):
        self.level = "?"
        self.open = None            # (level, reason) of the exit before this event
        self.chain = None           # reason that L1 saw
        self.cells = 0
        self.entering = False


class Count:
    def __init__(self):
        self.exits = collections.Counter()      # (pid, level, reason)
        self.outcomes = collections.Counter()   # (pid, reason, how)
        self.chains = collections.Counter()     # (pid, reason)
        self.cells = collections.Counter()      # (pid, reason, L1's reason)
        self.lengths = collections.Counter()    # (pid, reason, length)
        self.entries = collections.Counter()    # (pid, L2)
        self.events = collections.Counter()
        self.threads = collections.defaultdict(Thread)
        self.interrupted = set()

    def on_exit(self, pid, t, text):
        reason = re.search(r" reason (.+?) rip ", text).group(1)
        self.exits[(pid, t.level, reason)] += 1
        t.open = (t.level, reason)
        if t.chain:
            self.cells[(pid, t.chain, reason)] += 1
            t.cells += 1

    def on_inject(self, pid, t, text):
        reason = re.search(r"reason: (.+?) ext_inf1", text).group(1)
        # KVM says that it is for an interrupt of L1 by an event of its own, just before
        how = "synthesised" if pid in self.interrupted else "reflected"
        self.interrupted.discard(pid)
        self.outcomes[(pid, t.open[1], how)] += 1
        self.chains[(pid, reason)] += 1
        t.chain, t.cells, t.level = reason, 0, "1"

    def on_event(self, pid, name, text):
        t = self.threads[pid]
        self.events[name] += 1
        if name == "kvm_exit":
            self.on_exit(pid, t, text)
        elif name == "kvm_nested_vmenter":
            self.entries[(pid, hex(int(re.search(r"vmcb: (\w+)", text).group(1), 16)))] += 1
            t.level, t.entering = "2", True
        elif name == "kvm_nested_intr_vmexit":
            self.interrupted.add(pid)
        elif name == "kvm_nested_vmexit_inject":
            self.on_inject(pid, t, text)
        elif name == "kvm_entry":
            if t.entering and t.chain:
                self.lengths[(pid, t.chain, 1 + t.cells)] += 1
                t.chain = None
            t.entering = False


def count_events():
    text = subprocess.run(["trace-cmd", "report", "-N", "-i", replay.RECORDING],
                          capture_output=True, text=True, check=True).stdout
    count = Count()
    for line in text.splitlines():
        found = LINE.match(line)
        if found:
            count.on_event(int(found.group(1)), found.group(2), found.group(3))
    return count


def check_exits(tap, data, count, pid_of):
    tap.equal({(pid_of[row["vm"]], row["level"], row["reason"]): row["count"]
               for row in data["exits"]["exits"]}, dict(count.exits), "exits by level and reason")
    outcomes = {}
    for row in data["exits"]["exits"]:
        for how in ("reflected", "synthesised"):
            if row[how]:
                outcomes[(pid_of[row["vm"]], row["reason"], how)] = row[how]
    tap.equal(outcomes, dict(count.outcomes), "exits of L2: reflected or synthesised")
    tap.equal({(pid_of[row["vm"]], row["l2"]): row["entries"] for row in data["exits"]["l2s"]},
              dict(count.entries), "L2s by address, and their entries")
    totals = data["totals"]
    for key, event, want in (("leaves", "kvm_nested_vmexit_inject", 1439),
                             ("entries", "kvm_nested_vmenter", 1439),
                             ("l2_exits", "kvm_nested_vmexit", 1446)):
        tap.equal((sum(row[key] for row in totals), count.events[event]), (want, want),
                  "%d %s, of %s" % (want, key, event))


def check_chains(tap, data, count, pid_of):
    chains, lengths = {}, {}
    for row in data["chains"]["chains"]:
        key = (pid_of[row["vm"]], row["l2_reason"])
        chains[key] = row["count"]
        for bound, n in row["length"]:
            if bound is not None and bound <= 16:
                lengths[key + (bound,)] = n
    tap.equal(chains, dict(count.chains), "chains by the reason that L1 saw")
    tap.equal(lengths, {key: n for key, n in count.lengths.items() if key[2] <= 16},
              "chains by their length, as far as it is exact")
    tap.equal({(pid_of[row["vm"]], row["l2_reason"], row["l1_reason"]): row["count"]
               for row in data["chains"]["cells"]}, dict(count.cells), "L1's exits in chains")


def check_known(tap, data):
    """What is known of the recording from the lab that made it."""
    rows = data["exits"]["exits"]
    cpuid = [row for row in rows if row["level"] == "2" and row["reason"] == "cpuid"]
    tap.equal([(row["count"], row["reflected"]) for row in cpuid], [(1000, 1000)],
              "L2's 1,000 CPUIDs")
    tap.equal(sum(row["synthesised"] for row in rows), 135, "135 switches to L1 are synthesised")


def check_views(tap):
    """Parts add up to the whole."""
    code, out, _ = replay.replay(replay.RECORDING, "--json", "-i", "3s")
    parts = [json.loads(line) for line in out.splitlines()]
    total = parts.pop() if parts else None
    tap.ok(code == 0 and len(parts) > 5, "-i 3s: parts and a total", len(parts))
    for key in ("l1_exits", "l2_exits", "unknown_exits", "entries", "leaves"):
        tap.equal(sum(row[key] for part in parts for row in part["totals"]),
                  sum(row[key] for row in total["totals"]), "-i: %s add up" % key)
    wrong = []
    for part in parts[1:-1]:
        for vm in {row["vm"] for row in part["time"]["time"]}:
            got = sum(row["time_ns"] for row in part["time"]["time"] if row["vm"] == vm)
            if abs(got - 3e9) > 3e6:
                wrong.append("part %d: %s: %d ns" % (part["interval"], vm, got))
    tap.ok(not wrong, "-i: a vCPU's time in each part is 3 s within 0.1 %", "\n".join(wrong))


def check_pace(tap):
    """Without --fast a recording takes its time; Ctrl-C shows what came until then."""
    start = time.monotonic()
    with subprocess.Popen([replay.NVX, "replay", "--json", replay.RECORDING],
                          stdout=subprocess.PIPE, text=True) as nvx:
        time.sleep(6)
        nvx.send_signal(signal.SIGINT)
        out = nvx.communicate(timeout=replay.PATIENCE)[0]
        took = time.monotonic() - start
    tap.equal(nvx.returncode, 0, "at its own pace, ended by Ctrl-C")
    shown = json.loads(out)["duration_ns"] / 1e9 if out else None
    tap.between(shown, 1, took, "... after %.1f s of wall time: what happened in as much" % took)


def main():
    tap = Tap()
    code, data, err = replay.replay_json(replay.RECORDING)
    if tap.equal((code, err), (0, ""), "the recording is read without complaint") and data:
        pid_of = {vm["vm"]: vm["pid"] for vm in data["vms"]}
        count = count_events()
        tap.equal(sum(count.events.values()) > 150000, True, "trace-cmd reads it too")
        check_exits(tap, data, count, pid_of)
        check_chains(tap, data, count, pid_of)
        check_known(tap, data)
        data["source"] = os.path.basename(data["source"])
        if os.environ.get("GOLDEN_WRITE"):
            with open(GOLDEN, "w", encoding="utf-8") as file:
                json.dump(data, file, indent=1)
                file.write("\n")
        with open(GOLDEN, encoding="utf-8") as file:
            golden = json.load(file)
        for key in sorted(set(data) | set(golden)):
            tap.ok(data.get(key) == golden.get(key), "%s as in sample.json" % key)
        check_views(tap)
        check_pace(tap)
    tap.done()


if __name__ == "__main__":
    main()
