#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The tracepoints are what raw_tp programs and the documentation say they are."""
import os
import re
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEADER = ["vm_pid", "vcpu", "level"]
MAX_ARGS = 12     # bpf_trace_run12()
SCALARS = {"u8", "u16", "u32", "u64", "s32", "s64"}
count = 0
failed = False


def check(good, name, detail=""):
    global count, failed
    count += 1
    print("%s %d - %s" % ("ok" if good else "not ok", count, name))
    if not good:
        failed = True
        print("# " + detail)


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return file.read()


def split(text):
    return [" ".join(part.split()) for part in text.split(",")]


def events():
    """name -> (prototype, arguments, fields)"""
    found = {}
    for block in read("kmod/overlay/nvx_trace.h").split("TRACE_EVENT(")[1:]:
        name = block.split(",", 1)[0]
        proto = re.search(r"TP_PROTO\((.*?)\)", block, re.S).group(1)
        args = re.search(r"TP_ARGS\((.*?)\)", block, re.S).group(1)
        fields = re.findall(r"__field\((\w+), (\w+)\)", block)
        found[name] = (split(proto), split(args), fields)
    return found


def documented():
    """name -> list of fields in the order of the table's rows"""
    found = {}
    name = None
    for line in read("docs/tracepoints.md").splitlines():
        head = re.match(r"## (nvx_\w+)", line)
        row = re.match(r"\| *(\d+) *\| *`(\w+)` *\|", line)
        if head:
            name = head.group(1)
            found[name] = []
        elif line.startswith("## "):
            name = None
        elif row and name:
            found[name].append((int(row.group(1)), row.group(2)))
    return found


def enum_indices(prefix):
    text = read("include/nvx_tp.h")
    body = re.search(r"enum nvx_%s_arg \{(.*?)\}" % prefix, text, re.S).group(1)
    names = re.findall(r"NVX_%s_(\w+)" % prefix.upper(), body)
    return [name.lower() for name in names]


def enum_values(text, name):
    body = re.search(r"enum %s \{(.*?)\}" % name, text, re.S).group(1)
    return re.findall(r"^\t(NVX_\w+) =", body, re.M)


def main():
    code = events()
    docs = documented()
    check(len(code) == 10, "ten tracepoints", str(sorted(code)))
    for name, (proto, args, fields) in sorted(code.items()):
        types = [part.split()[0] for part in proto]
        names = [part.split()[-1] for part in proto]
        check(names[:3] == HEADER, name + ": begins with pid, vcpu, level", str(names))
        check(set(types) <= SCALARS, name + ": scalars only", str(types))
        check(len(names) <= MAX_ARGS, name + ": at most 12 arguments", str(len(names)))
        check(names == args == [field[1] for field in fields] and
              types == [field[0] for field in fields],
              name + ": prototype, arguments and record agree", "%s %s" % (names, args))
        check(docs.get(name) == list(enumerate(names)),
              name + ": docs/tracepoints.md lists the arguments in their order",
              "%s, documented %s" % (names, docs.get(name)))
    for prefix in ("exit", "switch"):
        names = [part.split()[-1] for part in code["nvx_" + prefix][0]]
        check(enum_indices(prefix) == names[3:], "nvx_tp.h has the indices of nvx_" + prefix,
              str(enum_indices(prefix)))
    text = read("include/nvx_tp.h")
    printed = re.findall(r"EMe?\((NVX_\w+), \"", read("kmod/overlay/nvx_trace_names.h"))
    for name in ("nvx_cause", "nvx_ipi_path", "nvx_flush_kind", "nvx_direction", "nvx_fastpath",
                 "nvx_ipi_shorthand", "nvx_evmcs_direction", "nvx_evmcs_reason", "nvx_pi_how"):
        values = enum_values(text, name)
        check(values and set(values) <= set(printed), name + ": every value has a printed name",
              str(set(values) - set(printed)))
    print("1..%d" % count)
    sys.exit(failed)


main()
