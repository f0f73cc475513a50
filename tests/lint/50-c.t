#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""cppcheck and clang-tidy of our C, and the BPF programs without a warning.

How far the tree is from clang-format is told, and no test: tables of constants
and of expectations read better as they are.
"""
import concurrent.futures
import glob
import os
import re
import subprocess

from tree import TOP, Tap, files

INCLUDES = ["-Iinclude", "-Icli", "-I.", "-Ibpf", "-Ibuild/bpf", "-Ikmod/core", "-Itests/unit",
            "-Itests/bpf"]
SYSTEM = ["-isystem", "/usr/include/traceevent", "-isystem", "/usr/include/tracefs"]

# Macros that a checker cannot see through, and what the build passes.
CPPCHECK = ["cppcheck", "-j2", "--std=c11", "--enable=warning,performance,portability",
            "--inline-suppr", "--quiet", "-D__x86_64__", "-DSEC(x)=", "-D__uint(a,b)=int a",
            "-D__type(a,b)=int a", "-DLIBBPF_OPTS(t,n,...)=struct t n",
            "-Dbpf_object__for_each_program(p,o)=while ((p = next(o)))",
            "-DBPF_PROG(name,...)=name(void)", '-DNVX_VERSION="0"', '-DBPF_TEST_DIR="x"',
            '-DBPF_DIR="x"', '-DLAYOUT_H="layout_direct.h"', '-DLAYOUT_O="x"',
            "--suppress=missingIncludeSystem",
            # GNU C, as the kernel writes it
            "--suppress=arithOperationsOnVoidPointer",
            # two symbols of one image are no two objects
            "--suppress=comparePointers:tests/lab/payload/*",
            # fault() does not come back
            "--suppress=arrayIndexOutOfBoundsCond:tests/lab/payload/guest.c",
            "--template={file}:{line}: {severity}: {message} [{id}]"]

# Those that find faults rather than habits, and take seconds.
TIDY = ["argument-comment", "bool-pointer-implicit-conversion", "infinite-loop",
        "integer-division", "macro-repeated-side-effects", "misplaced-operator-in-strlen-in-alloc",
        "misplaced-pointer-arithmetic-in-alloc", "multiple-statement-macro",
        "not-null-terminated-result", "posix-return", "signed-char-misuse",
        "suspicious-memory-comparison", "suspicious-memset-usage", "suspicious-missing-comma",
        "suspicious-semicolon", "terminating-continue", "too-small-loop-variable",
        "undefined-memory-manipulation", "unused-return-value"]
CHECKS = "-checks=-*,misc-redundant-expression,misc-misplaced-const," + \
    ",".join("bugprone-" + name for name in TIDY)


def output(command):
    return subprocess.run(command, cwd=TOP, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          encoding="utf-8", errors="replace").stdout


def ours(pattern):
    return [name for name in files() if re.fullmatch(pattern, name)]


def cppcheck():
    directories = [name for name in ("cli", "bpf", "include", "kmod/core", "tests")
                   if os.path.isdir(os.path.join(TOP, name))]
    return output(CPPCHECK + INCLUDES + directories).splitlines()


def tidy(name):
    text = output(["clang-tidy", "-quiet", CHECKS, name, "--", "-std=gnu11", "-D_GNU_SOURCE",
                   '-DNVX_VERSION="0"'] + INCLUDES + SYSTEM)
    return [line for line in text.splitlines() if re.search(r": (warning|error):", line)]


def bpf(name):
    arch = [path for path in glob.glob("/usr/include/*-linux-gnu") if "x86_64" in path]
    return output(["clang", "-fsyntax-only", "-g", "-O2", "-target", "bpf", "-mcpu=v3", "-Wall",
                   "-Wextra", "-Werror", "-Wno-unused-parameter", "-Iinclude", "-Ibpf",
                   "-idirafter"] + arch[:1] + [name]).splitlines()


def format_note(names):
    far = [name for name in names
           if "[-Wclang-format-violations]" in output(["clang-format", "--dry-run", name])]
    print("# clang-format would change %d of %d files" % (len(far), len(names)))


tap = Tap()
tap.ok("cppcheck", cppcheck())
sources = ours(r"cli/.*\.c")
with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
    found = [fault for faults in pool.map(tidy, sources) for fault in faults]
tap.ok("clang-tidy of %d files" % len(sources), found)
for program in ours(r"(bpf|tests/bpf)/.*\.bpf\.c"):
    tap.ok("%s compiles without a warning" % program, bpf(program))
format_note(ours(r"(cli|bpf|include)/.*\.[ch]"))
tap.done()
