#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""shellcheck of every shell script, and that every Python file compiles."""
import os
import re
import subprocess

from tree import TOP, Tap, files, shebang


def is_shell(name):
    return name.endswith(".sh") or bool(re.search(r"\b(ba|da)?sh\b", shebang(name)))


def is_python(name):
    return name.endswith(".py") or "python" in shebang(name)


def shellcheck(name):
    # -x with the directory of the script: it follows what the script sources
    done = subprocess.run(["shellcheck", "-x", "-P", "SCRIPTDIR", "-f", "gcc", name], cwd=TOP,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8")
    return done.stdout.splitlines() if done.returncode else []


def compiles(name):
    try:
        with open(os.path.join(TOP, name), encoding="utf-8") as file:
            compile(file.read(), name, "exec")
    except SyntaxError as fault:
        return ["%s:%s: %s" % (name, fault.lineno, fault.msg)]
    return []


tap = Tap()
names = files()
for script in filter(is_shell, names):
    tap.ok("shellcheck %s" % script, shellcheck(script))
tap.ok("every Python file compiles",
       [fault for name in filter(is_python, names) for fault in compiles(name)])
tap.done()
