# SPDX-License-Identifier: GPL-2.0-only
"""What the lint tests share: the files of the tree, and TAP, one test a file or rule."""
import os
import subprocess
import sys

TOP = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))


def files():
    """Every file that is or would be committed, in order."""
    names = subprocess.run(
        ["git", "-c", "safe.directory=*", "-C", TOP, "ls-files", "-z", "--cached", "--others",
         "--exclude-standard"],
        check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout.split("\0")
    return [name for name in sorted(names) if os.path.isfile(os.path.join(TOP, name))]


def lines(name):
    with open(os.path.join(TOP, name), encoding="utf-8", errors="replace") as file:
        return file.read().split("\n")


def shebang(name):
    with open(os.path.join(TOP, name), "rb") as file:
        first = file.readline(200)
    return first.decode("utf-8", "replace").strip() if first.startswith(b"#!") else ""


class Tap:
    def __init__(self):
        self.count = 0
        self.failed = 0

    def ok(self, name, faults):
        """Passes where the list of faults is empty."""
        self.count += 1
        self.failed += bool(faults)
        print("%sok %d - %s" % ("not " if faults else "", self.count, name))
        for fault in faults:
            print("# " + fault)

    def done(self):
        if not self.count:
            self.ok("there is something to check", ["nothing found"])
        print("1..%d" % self.count)
        sys.exit(1 if self.failed else 0)
