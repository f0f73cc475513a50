#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Cut and damaged recordings: an error that says how far, never a crash and never a hang.

FLIPS damaged copies are tried (150), the first of them number FLIP_FIRST (0); a copy is made
from its number alone, so that what is found can be found again.
"""
import os
import random
import re
import subprocess
import sys
import tempfile

import replay
from tap import Tap

FLIPS = int(os.environ.get("FLIPS", "150"))
FIRST = int(os.environ.get("FLIP_FIRST", "0"))
# The first table of contents, and the last: where one byte does most harm.
CONTENTS = (b"[local] global counter", b"local\0")


class Copy:
    """A file to change; it goes with its directory."""

    def __init__(self, directory):
        self.path = os.path.join(directory, "copy.dat")
        with open(replay.RECORDING, "rb") as file:
            self.data = file.read()

    def write(self, data):
        with open(self.path, "wb") as file:
            file.write(data)
        return self.path


def check_cut(tap, copy, data, what, events_at):
    """Every cut is an error that says how far the file is readable."""
    size = len(data)
    ends = sorted({0, 1, 9, 10, 16, 37, 1000, size // 3, events_at, events_at + 1, size - 200,
                   size - 118, size - 117, size - 116, size - 60, size - 1} |
                  {random.Random(7 * i).randrange(size) for i in range(24)})
    wrong = []
    for end in ends:
        code, out, err = replay.replay(copy.write(data[:end]), "--json")
        line = err.strip().splitlines()[-1] if err.strip() else ""
        says = re.search(r"ends at byte %d\b.*(no event is readable|events were readable)" % end, line)
        if code != 1 or not (says or end < 64 and re.search("not a trace.dat|no line of it|it is empty", line)):
            wrong.append("%d bytes: exit code %s, %r" % (end, code, line))
        if "no event" in line and out:
            wrong.append("%d bytes: nothing is readable, and yet there is a report" % end)
    tap.ok(not wrong, "%s cut at %d places: exit code 1, and how far it is readable" %
           (what, len(ends)), "\n".join(wrong))


def check_statistics(tap, copy):
    """The kernel's own count of the events is in the file; it is not believed blindly."""
    found = re.search(rb"entries: (\d+)\noverrun: 0\n", copy.data)
    if not tap.ok(found, "the recording has per-CPU statistics"):
        return
    entries = found.group(1)
    complaints = replay.replay_json(replay.RECORDING)[2]
    tap.equal(complaints, "", "the file holds as many events as they say")
    other = b"%d" % (int(entries) + 100)
    path = copy.write(copy.data.replace(b"entries: " + entries, b"entries: " + other))
    code, data, err = replay.replay_json(path)
    told = re.search(r"speak of (\d+) records, it holds (\d+)", err)
    tap.ok(code == 0 and data and told and int(told.group(1)) - int(told.group(2)) == 100,
           "100 more in the statistics than in the file: both numbers are shown", err)
    path = copy.write(copy.data.replace(b"\noverrun: 0\n", b"\noverrun: 9\n"))
    code, data, err = replay.replay_json(path)
    tap.ok(code == 0 and "9 events were lost" in err, "events lost: said", err)
    tap.equal(data and data["dropped"]["lost_by_recording"], 9, "... and in the report")
    _, text, _ = replay.replay(path)
    tap.ok(re.search(r"Dropped events: 9\b|lost.*\b9\b", text), "... for people too",
           text[:200])


def convert(copy, directory, *options):
    """The recording in another layout, by trace-cmd; its bytes, or None."""
    path = os.path.join(directory, "converted.dat")
    done = subprocess.run(["trace-cmd", "convert", "-i", replay.RECORDING, "-o", path, *options],
                          capture_output=True, check=False)
    if done.returncode:
        return None
    with open(path, "rb") as file:
        return file.read()


def check_layouts(tap, copy, directory):
    """Version 6 is that of trace-cmd before 3.0."""
    _, want, _ = replay.replay_json(replay.RECORDING)
    for what, options in (("version 6", ("--file-version", "6")),
                          ("not compressed", ("--file-version", "7", "--compression", "none"))):
        data = convert(copy, directory, *options)
        if not tap.ok(data, "%s: trace-cmd converts it" % what):
            continue
        code, got, err = replay.replay_json(copy.write(data))
        for report in (got, want):
            (report or {}).pop("source", None)
        tap.equal((code, err, got == want), (0, "", True), "%s: the same report" % what)
        check_cut(tap, copy, data, what, len(data) // 2)


def damage(data, number):
    """Copy `number`: some bytes anywhere, near the start, or in a table of contents."""
    rand = random.Random(number)
    copy = bytearray(data)
    at = [copy.find(text) for text in CONTENTS]
    low, high = ((0, len(copy)), (0, 4096), (at[0] - 120, at[0] + 320),
                 (len(copy) - 240, len(copy)))[number % 4]
    for _ in range(rand.choice((1, 1, 2, 8, 64))):
        copy[rand.randrange(max(low, 0), high)] = rand.randrange(256)
    return copy


def check_flips(tap, copy):
    codes, wrong = {}, []
    for number in range(FIRST, FIRST + FLIPS):
        path = copy.write(damage(copy.data, number))
        options = (("--json",), ("--json", "-i", "1s"), ("--csv",), ())[number // 4 % 4]
        code, _, err = replay.replay(path, *options)
        codes[code] = codes.get(code, 0) + 1
        if code not in (0, 1) or (code == 1 and not err.startswith("nvx: ")):
            wrong.append("copy %d: %s, %r" % (number, code, err[-200:]))
    tap.note("exit codes: %r" % codes)
    tap.ok(not wrong, "%d damaged copies: each is read, or refused with a reason" % FLIPS,
           "\n".join(wrong[:20]))
    tap.ok(FLIPS < 50 or (codes.get(0) and codes.get(1)), "... and there are both")


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as directory:
        copy = Copy(directory)
        if sys.argv[1:] == ["flips"] or FLIPS > 1000:
            check_flips(tap, copy)
        else:
            check_cut(tap, copy, copy.data, "the recording", len(copy.data) - 1000)
            check_statistics(tap, copy)
            check_layouts(tap, copy, directory)
            check_flips(tap, copy)
    tap.done()


if __name__ == "__main__":
    main()
