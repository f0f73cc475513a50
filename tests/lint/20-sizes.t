#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Files of at most 600 lines, functions of at most 100, lines of C of at most 100 columns."""
import ast
import os
import re

from tree import TOP, Tap, files, lines, shebang

FILE_LINES = 600
FUNCTION_LINES = 100
COLUMNS = 100


def c_functions(name):
    """(line, name, length); the kernel's style has both braces in column 0."""
    start, title = None, ""
    text = lines(name)
    for number, line in enumerate(text, 1):
        if line == "{":
            back = number - 2
            while back > 0 and re.match(r"[\s})]", text[back]):
                back -= 1
            match = re.search(r"(\w+)\s*\(", text[back])
            start, title = number, match[1] if match else "?"
        elif line.startswith("}") and start:
            yield start, title, number - start + 1
            start = None


def shell_functions(name):
    start, title = None, ""
    for number, line in enumerate(lines(name), 1):
        match = re.match(r"(\w+)\s*\(\)", line)
        if match and start is None:
            start, title = number, match[1]
        elif line.startswith("}") and start:
            yield start, title, number - start + 1
            start = None


def python_functions(name):
    for node in ast.walk(ast.parse("\n".join(lines(name)))):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield node.lineno, node.name, node.end_lineno - node.lineno + 1


def kind(name):
    first = shebang(name)
    if name.endswith((".c", ".h")):
        return "c"
    if name.endswith(".py") or "python" in first:
        return "python"
    if name.endswith(".sh") or re.search(r"\b(ba|da)?sh\b", first):
        return "shell"
    return None


FUNCTIONS = {"c": c_functions, "python": python_functions, "shell": shell_functions}


def faults(name):
    text = lines(name)
    if len(text) - 1 > FILE_LINES:
        yield "%s: %d lines" % (name, len(text) - 1)
    if kind(name) == "c":
        for number, line in enumerate(text, 1):
            # a text that the user reads is not broken, so that grep finds it
            if len(line.expandtabs(8)) > COLUMNS and '"' not in line:
                yield "%s:%d: %d columns" % (name, number, len(line.expandtabs(8)))
    if kind(name):
        for start, title, length in FUNCTIONS[kind(name)](name):
            if length > FUNCTION_LINES:
                yield "%s:%d: %s has %d lines" % (name, start, title, length)


# What comes with data rather than code has no size: fixtures, golden files, recorded output.
DATA = re.compile(r"(^|/)(fixtures|golden)/|\.(tsv|txt|md|json|svg)$|^kmod/Documentation")

tap = Tap()
by_directory = {}
for file in files():
    if not DATA.search(file) and os.path.getsize(os.path.join(TOP, file)):
        by_directory.setdefault(os.path.dirname(file) or ".", []).append(file)
for directory, names in sorted(by_directory.items()):
    tap.ok("sizes in %s" % directory, [fault for name in names for fault in faults(name)])
tap.done()
