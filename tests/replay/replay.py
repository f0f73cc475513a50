# SPDX-License-Identifier: GPL-2.0-only
"""What the tests of nvx replay share."""
import json
import os
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(TOP, "tests", "lab", "check"))
NVX = os.path.join(TOP, "build", "nvx")
# A Linux L1 with a tiny L2 that runs 1,000 CPUIDs, recorded by trace-cmd 3.1 on SVM and 6.1.
RECORDING = os.path.join(TOP, "tests", "fixtures", "svm-6.1-l1-linux.trace.dat")
PATIENCE = 120


def replay(path, *options):
    """(exit code or "hangs", stdout, stderr)"""
    try:
        done = subprocess.run([NVX, "replay", "--fast", *options, path], capture_output=True,
                              text=True, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return "hangs", "", ""
    return done.returncode, done.stdout, done.stderr


def replay_json(path, *options):
    code, out, err = replay(path, "--json", *options)
    try:
        return code, json.loads(out), err
    except ValueError:
        return code, None, err
