#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""any.py BOOT JOB: the check of a job that has none of its own."""
import sys

from tap import Boot, Tap

tap = Tap()
Boot(sys.argv[1]).job(tap, sys.argv[2])
tap.done()
