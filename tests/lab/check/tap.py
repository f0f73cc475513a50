# SPDX-License-Identifier: GPL-2.0-only
"""What the lab's checks share: TAP output, and the results of one boot.

    tap = Tap()
    boot = Boot(sys.argv[1])
    job = boot.job(tap, "10-cpuid")     # not ok when it did not run or failed
    if job:
        tap.equal(job.json("stat.json")["exits"], 10007, "exits of L2")
    tap.done()
"""
import json
import os
import sys


class Tap:
    def __init__(self):
        self.count = 0
        self.failed = 0

    def ok(self, condition, name, why=None):
        """Returns the condition, so that what depends on it can be left out."""
        self.count += 1
        self.failed += not condition
        print("%sok %d - %s" % ("" if condition else "not ", self.count, name))
        if not condition and why is not None:
            self.note(why)
        return bool(condition)

    def equal(self, got, want, name):
        return self.ok(got == want, name, "got  %r\nwant %r" % (got, want))

    def between(self, got, low, high, name):
        inside = isinstance(got, (int, float)) and low <= got <= high
        return self.ok(inside, name, "got %r, want %r to %r" % (got, low, high))

    def skip(self, name, reason):
        self.count += 1
        print("ok %d - %s # SKIP %s" % (self.count, name, reason))

    @staticmethod
    def note(text):
        for line in str(text).splitlines():
            print("# " + line)

    def done(self):
        if not self.count:
            self.ok(False, "the check checks something")
        print("1..%d" % self.count)
        sys.exit(1 if self.failed else 0)


class Job:
    def __init__(self, directory, name):
        self.directory = directory
        self.name = name

    def path(self, name):
        return os.path.join(self.directory, name)

    def exists(self, name):
        return os.path.exists(self.path(name))

    def text(self, name):
        """The text of a file; None when it is not there, never an empty text."""
        try:
            with open(self.path(name), encoding="utf-8", errors="replace") as file:
                return file.read()
        except OSError:
            return None

    def lines(self, name):
        return (self.text(name) or "").splitlines()

    def json(self, name):
        """The parsed file, None when it is missing or no JSON."""
        text = self.text(name)
        try:
            return None if text is None else json.loads(text)
        except ValueError:
            return None

    def rc(self):
        text = self.text("rc")
        return int(text) if text else None


class Boot:
    """The directory KIND-SERIES of one boot (kind: svm-icount, svm-linux, vmx)."""

    def __init__(self, directory):
        self.directory = os.path.abspath(directory)
        self.kind, _, self.series = os.path.basename(self.directory).rpartition("-")
        self.top = os.path.abspath(__file__).rsplit("/tests/lab/", 1)[0]
        # A boot that never was leaves no report.
        self.report = Job(self.directory, "").json("boot.json") or {}

    def kernel(self, name):
        """Text of a file of the kernel that was to boot."""
        path = os.path.join(self.top, "build", "cache", "kernel", self.series, name)
        with open(path, encoding="utf-8") as file:
            return file.read()

    def job(self, tap, name, rc=0):
        """The job's results; None, and a failed test, when it did not run to its end."""
        job = Job(os.path.join(self.directory, name), name)
        got = job.rc()
        if got is None:
            outcome = [boot["outcome"] for boot in self.report.get("boots", [])]
            tap.ok(False, "%s ran" % name, "no result; boot: %s" % (", ".join(outcome) or "none"))
            return None
        if not tap.equal(got, rc, "%s exited with %d" % (name, rc)):
            tap.note("\n".join(job.lines("log")[-20:]))
            return None
        return job
