#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Licence on the first line, no words of unfinished work, tidy ends of lines and files."""
import re

from tree import Tap, files, lines, shebang

# Spelt apart, so that this file does not hold them.
UNFINISHED = re.compile(
    r"\b(TO" + r"DO|FIX" + r"ME|XX" + r"X|HA" + r"CK)\b|\bnot (yet )?implem" + r"ented\b|"
    r"\bst" + r"ubbed\b|\ba st" + r"ub\b|\bplace" + r"holder\b|\bcoming so" + r"on\b", re.I)

SOURCE = re.compile(r"\.(c|h|S|py|sh|t|mk|ld|awk|cocci)$|(^|/)(Makefile|Kbuild[^/]*)$")
DATA = re.compile(r"(^|/)(fixtures|golden)/")


def is_source(name):
    return bool(SOURCE.search(name) or shebang(name)) and not DATA.search(name)


def licence_faults(name):
    text = lines(name)
    first = text[1] if text[0].startswith("#!") and len(text) > 1 else text[0]
    if "SPDX-License-Identifier: GPL-2.0-only" not in first:
        yield "%s: no SPDX line" % name


def text_faults(name):
    text = lines(name)
    for number, line in enumerate(text, 1):
        if UNFINISHED.search(line):
            yield "%s:%d: %s" % (name, number, line.strip())


def space_faults(name):
    text = lines(name)
    for number, line in enumerate(text, 1):
        if line != line.rstrip():
            yield "%s:%d: blanks at the end of the line" % (name, number)
    if text[-1] != "":
        yield "%s: no end of line at its end" % name
    elif len(text) > 1 and text[-2] == "":
        yield "%s: an empty line at its end" % name


sources = [name for name in files() if is_source(name)]
tap = Tap()
tap.ok("SPDX on the first line of %d sources" % len(sources),
       [fault for name in sources for fault in licence_faults(name)])
tap.ok("no words of unfinished work",
       [fault for name in files() if not DATA.search(name) and not name.startswith("kmod/hashes")
        for fault in text_faults(name)])
tap.ok("tidy ends of lines and files", [fault for name in sources for fault in space_faults(name)])
tap.done()
