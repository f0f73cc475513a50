#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""nvx import: what other tools recorded and printed, with the numbers that are in it.

The texts are tables and traces that people posted; perf script and trace-cmd report are the
oracles of the binary files.
"""
import collections
import json
import os
import random
import re
import subprocess
import sys
import tempfile

import replay
from tap import Tap

FIXTURES = os.path.join(replay.TOP, "tests", "fixtures")
TEXTS = os.path.join(FIXTURES, "import")
PERF = os.path.join(FIXTURES, "svm-6.1-nested-selftests.perf.data")
FLIPS = int(os.environ.get("FLIPS", "60"))

# Tables: options, and (reason, exits, time in ns where the table tells it).
TABLES = {
    "perf-kvm-text/hyperv-on-off-wrapped-rows.txt --table 1": [
        ("EXTERNAL_INTERRUPT", 471831, 471831 * 2340), ("MSR_WRITE", 238932, 238932 * 1560)],
    "perf-kvm-text/hyperv-on-off-wrapped-rows.txt --table 2": [
        ("APIC_WRITE", 255152, 255152 * 1420), ("EPT_MISCONFIG", 39967, 39967 * 7270),
        ("DR_ACCESS", 35003, 35003 * 950), ("EXTERNAL_INTERRUPT", 6622, 6622 * 2250)],
    "perf-kvm-text/ipi-fastpath-before-after.txt --table 1": [
        ("MSR_WRITE", 5417390, 5417390 * 1080)],
    "perf-kvm-text/ipi-fastpath-before-after.txt --table 4": [
        ("MSR_WRITE", 2953447, 2953447 * 400)],
    "perf-kvm-text/ipi-fastpath-before-after.txt --table 2": [
        ("MSR_WRITE", 6726109, 6726109 * 580)],
    "perf-kvm-text/ipi-fastpath-before-after.txt --table 3": [
        ("MSR_WRITE", 2681713, 2681713 * 730)],
    "perf-kvm-text/one-vcpu-wide-names.txt": [
        ("EXTERNAL_INTERRUPT", 370, 370 * 3230), ("PAUSE_INSTRUCTION", 14, 14 * 1390)],
    "perf-kvm-text/pvm-unknown-exit-codes.txt": [
        ("INVLPG", 18940, 18940 * 45880), ("0x20000", 3622, 3622 * 4765940),
        ("0x50000", 2057, 2057 * 502570), ("0x30000", 1401, 1401 * 72220),
        ("0x40000", 1233, 1233 * 625290), ("INVD", 181, 181 * 25100),
        ("0x10000", 115, 115 * 14540)],
    "perf-kvm-text/svm-live-wide-names.txt": [
        ("msr", 9, 9 * 56893840), ("npf", 6, 6 * 7570), ("vintr", 2, 2 * 255814510),
        ("interrupt", 1, 91510)],
}
KVM_STAT = {"kvm_stat-text/vcpu-spin.txt": 5198976, "kvm_stat-text/virtio.txt": 337787}
# Events: exits by (level, reason), switches L1 to L2 and back, by VM.
EVENTS = {
    "perf-script-text/l1-triple-fault.txt": ({("?", "TRIPLE_FAULT"): 1}, None),
    "perf-script-text/two-kvm-entry-formats.txt": ({("?", "EXTERNAL_INTERRUPT"): 1}, None),
    "trace-cmd-text/hyperv-l2-ept-violation.txt": ({("?", "EPT_VIOLATION"): 1}, None),
    "trace-cmd-text/nested-svm-smm-no-timestamps.txt": (
        {("?", "rsm"): 1, ("2", "npf"): 1, ("1", "GP excp"): 1}, (1, 1)),
}


def run(*args, stdin=None):
    try:
        done = subprocess.run([replay.NVX, "import", *args], capture_output=True, text=True,
                              errors="replace", timeout=60, check=False, stdin=stdin)
    except subprocess.TimeoutExpired:
        return "hangs", "", ""
    return done.returncode, done.stdout, done.stderr


def load(*args, stdin=None):
    code, out, err = run("--json", *args, stdin=stdin)
    try:
        return code, json.loads(out), err
    except ValueError:
        return code, None, err


def by_reason(data):
    out = collections.Counter()
    for row in data["exits"].get("exits", []):
        out[row["level"], row["reason"]] += row["count"]
    return dict(out)


def check_tables(tap):
    for args, want in TABLES.items():
        code, data, err = load(*(os.path.join(TEXTS, arg) if "/" in arg else arg
                                 for arg in args.split()))
        got = [(row["reason"], row["count"], row["time_ns"])
               for row in data["exits"]["exits"]] if data else None
        near = got and len(got) == len(want) and all(
            a[:2] == b[:2] and abs(a[2] - b[2]) <= 1000 for a, b in zip(got, want))
        tap.ok(code == 0 and near, args, "%s %s\ngot  %s\nwant %s" % (code, err, got, want))
        if data and got:
            row = data["exits"]["exits"][0]
            tap.equal((row["open"], row["reflected"], data["totals"][0]["l1_exits"],
                       sorted(data["lacks"])),
                      (None, None, None, ["drops", "hist", "open", "outcome", "switch"]),
                      args + ": what a table does not tell is null")
    for name, want in KVM_STAT.items():
        code, data, err = load(os.path.join(TEXTS, name))
        tap.equal((code, data and data["totals"][0]["unknown_exits"]), (0, want), name + " " + err)
    code, _, err = run(os.path.join(TEXTS, "perf-kvm-text/ipi-fastpath-before-after.txt"))
    tap.ok(code == 1 and "4 tables" in err and "After patch" in err, "several tables: which?", err)
    code, _, err = run(os.path.join(TEXTS, "perf-kvm-text/hyperv-on-off-wrapped-rows.txt"),
                       "--table", "1")
    tap.ok(code == 0 and "787803" in err and "710763" in err,
           "a table without all of its rows: its total is compared", err)


def check_events(tap):
    for name, (want, switches) in EVENTS.items():
        code, data, err = load(os.path.join(TEXTS, name))
        tap.equal((code, data and by_reason(data)), (0, want), name + " " + err)
        got = data and (data["totals"][0]["entries"], data["totals"][0]["leaves"])
        tap.equal(got, switches or (None, None), name + ": switches")
    code, data, err = load(os.path.join(TEXTS, "trace-cmd-text/nested-svm-two-formats.txt"))
    tap.equal((code, data and data["exits"].get("na")), (0, "the recording has no kvm_exit"),
              "only kvm_nested_vmexit, in the words of two tools: no exits are made up " + err)
    code, data, err = load(os.path.join(TEXTS, "trace-cmd-text/nested-vmenter-smm-wrapped.txt"))
    tap.equal((code, data and data["exits"].get("na"), data and data["totals"]),
              (0, "the recording has no kvm_exit", []),
              "wrapped lines of a vCPU that never exits: it is not seen, and said to be " + err)


def text_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def check_perf(tap):
    """perf script tells the same events."""
    lines = text_of("perf", "script", "-i", PERF, "-F", "comm,tid,cpu,time,event,trace", "--ns")
    want = len(re.findall(r"kvm:kvm_exit:", lines))
    code, data, err = load(PERF)
    got = data and sum(row["count"] for row in data["exits"]["exits"])
    tap.equal((code, got), (0, want), "perf.data: every kvm_exit of perf script " + err)
    want = [len(re.findall(r"kvm:%s:" % name, lines))
            for name in ("kvm_nested_vmenter", "kvm_nested_vmexit_inject")]
    got = data and [sum(row[key] for row in data["totals"]) for key in ("entries", "leaves")]
    tap.equal(got, want, "... and every switch")
    names = {"%s-%s" % pair for pair in re.findall(r"^ *(\S+) +(\d+) .*kvm:kvm_exit:", lines, re.M)
             if not pair[0].startswith(":")}
    tap.ok(data and names <= {vm["vm"] for vm in data["vms"]}, "VMs are called by their processes",
           "%s\n%s" % (sorted(names), data and sorted(vm["vm"] for vm in data["vms"])))
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(lines)
        file.flush()
        code, text, err = load(file.name)
    tap.equal(text and by_reason(text), data and by_reason(data),
              "the text of perf script gives the same exits " + err)


def check_trace_cmd(tap):
    """trace-cmd report of the recording, with its plugin and raw, and the recording itself."""
    _, data, _ = load(replay.RECORDING)
    want = data and by_reason(data)
    tap.ok(want and sum(want.values()) > 10000, "trace.dat")
    for options, what in (((), "its text"), (("-R",), "its raw text"), (("-N",), "without plugins")):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write(text_of("trace-cmd", "report", *options, "-t", replay.RECORDING))
            file.flush()
            code, text, err = load(file.name)
        tap.equal((code, text and by_reason(text)), (0, want),
                  "trace-cmd report: %s gives the same exits %s" % (what, err))
    with open(os.path.join(TEXTS, "perf-kvm-text/one-vcpu-wide-names.txt"), encoding="utf-8") as file:
        code, data, err = load("-", stdin=file)
    tap.equal((code, data and data["exits"]["exits"][0]["count"]), (0, 370), "standard input " + err)


def check_perf_table(tap):
    """perf's own table of a perf.data: what it counts are exits that a kvm_entry follows."""
    done = subprocess.run(["perf", "kvm", "-i", PERF, "stat", "report"], capture_output=True,
                          text=True, check=False)
    table = done.stdout + done.stderr
    want = {name.strip(): int(count) for name, count in
            re.findall(r"^ *(\S.*?) +(\d+) +[\d.]+% +[\d.]+% +[\d.]+us", table, re.M)}
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(table)
        file.flush()
        code, data, err = load(file.name)
    got = data and {row["reason"]: row["count"] for row in data["exits"]["exits"]}
    tap.ok(len(want) > 10, "perf kvm stat report of the recording", table[:500])
    tap.equal((code, got), (0, want), "its table says the same when it is imported " + err)
    # the columns of newer ones: other headings, times in ns without a unit
    rows = ["%20s %10d %8.2f%% %12d %8.2f%% %10d %10d %10d" % (name, count, 1, count * 1000, 1, 1000,
                                                             1000, 1000)
            for name, count in want.items()]
    head = "%20s %10s %9s %12s %9s %10s %10s %10s" % (
        "Event name", "Samples", "Sample%", "Time (ns)", "Time%", "Max Time (ns)", "Min Time (ns)",
        "Mean Time (ns)")
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("\n".join([head] + rows) + "\n")
        file.flush()
        code, data, err = load(file.name)
    got = data and {row["reason"]: (row["count"], row["time_ns"]) for row in data["exits"]["exits"]}
    tap.equal((code, got), (0, {name: (n, n * 1000) for name, n in want.items()}),
              "the layout in ns " + err)


def check_tracefs(tap):
    """The same events as the kernel's own trace file prints them: flags between CPU and time."""
    lines = text_of("trace-cmd", "report", "-t", replay.RECORDING)
    text = re.sub(r"^( *\S+-\d+) +\[(\d+)\] +(\d+\.\d+): +(\S+:) +",
                  r"\1   [\2] d..1. \3: \4 ", lines, flags=re.M)
    text = "# tracer: nop\n#\n# entries-in-buffer/entries-written: 9/9   #P:1\n#\n" + \
        text.split("\n", 1)[1]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(text)
        file.flush()
        code, data, err = load(file.name)
    tap.equal((code, data and by_reason(data)), (0, by_reason(load(replay.RECORDING)[1])),
              "the layout of tracefs " + err)


def check_session(tap):
    """A session of it says what the view says."""
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "out.nvx")
        code, _, err = run(PERF, "-o", path)
        tap.equal((code, err), (0, ""), "a session is written")
        out = text_of(replay.NVX, "report", "--json", path)
        tap.equal(by_reason(json.loads(out)), by_reason(load(PERF)[1]),
                  "nvx report shows the exits of the import")
        code, _, err = run(PERF, "-o", path)
        tap.ok(code == 1 and "out.nvx" in err, "a session that is there is left alone", err)


def check_errors(tap):
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "copy")

        def given(data):
            with open(path, "wb") as file:
                file.write(data)
            return run(path)

        with open(os.path.join(TEXTS, "perf-kvm-text/one-vcpu-wide-names.txt"), "rb") as file:
            table = file.read()
        code, _, err = given(table[:table.index(b"14     3.65%") + 8])
        tap.ok(code == 1 and "line 6" in err, "a cut row: its line", err)
        with open(PERF, "rb") as file:
            perf = file.read()
        for size in (0, 7, 50, 300, len(perf) // 4, len(perf) - 200000):
            code, _, err = given(perf[:size])
            tap.ok(code == 1 and len(err.strip().splitlines()) == 1 and "copy" in err,
                   "perf.data cut at %d bytes: one line" % size, err)
        code, _, err = given(b"nothing of ours\n" * 10)
        tap.ok(code == 1 and "no line of it is an event of KVM" in err, "another text", err)
        code, _, err = given(b"kvm_exit: reason EXIT_NPF rip 0x1 info 4 1\nkvm_exit: reason NOSUCH rip 0\n")
        tap.ok(code == 1 and "line 2" in err and "1 usable events" in err, "an unknown reason", err)


def check_flips(tap):
    """Damaged copies of each input: an end, in time, by itself."""
    sources = [PERF] + [os.path.join(TEXTS, *name.split()[0].split("/"))
                        for name in list(TABLES) + list(EVENTS) + list(KVM_STAT)]
    wrong = []
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "copy")
        for i in range(FLIPS):
            source = sources[i % len(sources)] if i % 2 else PERF
            rand = random.Random(i)
            with open(source, "rb") as file:
                data = bytearray(file.read())
            for _ in range(rand.choice((1, 3, 20))):
                data[rand.randrange(len(data))] = rand.randrange(256)
            with open(path, "wb") as file:
                file.write(data)
            code, _, err = run(path, "--json")
            if code not in (0, 1) or code == 1 and not err:
                wrong.append("copy %d of %s: %s %s" % (i, source, code, err[:200]))
    tap.ok(not wrong, "%d damaged copies end by themselves" % FLIPS, "\n".join(wrong))


def main():
    tap = Tap()
    check_tables(tap)
    check_events(tap)
    check_perf(tap)
    check_trace_cmd(tap)
    check_perf_table(tap)
    check_tracefs(tap)
    check_session(tap)
    check_errors(tap)
    check_flips(tap)
    tap.done()


if __name__ == "__main__":
    sys.exit(main())
