#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""seeds.py fuzz_feed|fuzz_tracedat|fuzz_session|fuzz_import DIRECTORY: inputs to start from, which chance finds late."""
import json
import os
import struct
import sys

# As fuzz_feed.c takes them: type and flags, thread and vCPU, time, reason, a, b.
EXIT, ENTRY, NESTED_ENTER, INJECT, USERSPACE, WAKEUP, THREAD_END = 0, 1, 2, 5, 11, 12, 13
HAS_A, HAS_B = 32, 64
SAMPLE = bytes((0xf0, 0))
# indices into its table of numbers
ZERO, ONE, INTERRUPT, CPUID, HLT, VMRUN, PAGE = 0, 1, 2, 3, 4, 7, 37


def event(kind, reason=ZERO, a=None, b=None, who=0, ns=4096):
    out = bytes((kind | (HAS_A if a is not None else 0) | (HAS_B if b is not None else 0), who))
    out += struct.pack("<HB", ns, reason)
    return out + bytes(n for n in (a, b) if n is not None)


def enter(who=0):
    return event(EXIT, VMRUN, who=who) + event(NESTED_ENTER, a=PAGE, who=who) + event(ENTRY, who=who)


def feeds():
    yield enter() + (event(EXIT, CPUID) + event(INJECT, CPUID) + event(ENTRY) + enter()) * 3
    # a halt of L2, looked at while it lasts
    yield enter() + event(EXIT, HLT) + event(EXIT, HLT, who=1) + SAMPLE + event(ENTRY) + SAMPLE
    yield event(EXIT, HLT) + event(EXIT, HLT, who=1) + SAMPLE + event(WAKEUP, a=ONE, b=ZERO) + \
        event(ENTRY) + SAMPLE + event(USERSPACE) + SAMPLE
    # one thread runs two vCPUs, and ends
    yield event(EXIT, CPUID) + event(EXIT, CPUID, who=8) + event(EXIT, CPUID, who=1) + \
        event(ENTRY) + SAMPLE + event(THREAD_END) + SAMPLE + event(EXIT, CPUID) + SAMPLE


def option(number, data):
    return struct.pack("<HI", number, len(data)) + data


def section(number, data, flags=0):
    return struct.pack("<HHIQ", number, flags, 0, len(data)) + data


STATISTICS = b"CPU: 0\nentries: 11\noverrun: 2\ndropped events: 3\nread events: 5\n"


def version7():
    head = b"\x17\x08\x44tracing7\0\0\x08" + struct.pack("<I", 4096) + b"none\0\0"
    at = len(head) + 8
    buffer = struct.pack("<Q", 0) + b"\0local\0" + struct.pack("<IIIQQ", 4096, 1, 0, 0, 64)
    last = section(0, option(3, buffer) + option(0, struct.pack("<Q", 0)))
    size = len(section(0, option(2, STATISTICS) + option(0, bytes(8))))
    first = section(0, option(2, STATISTICS) + option(0, struct.pack("<Q", at + size)))
    yield head + struct.pack("<Q", at) + first + last + section(15, b"names\0")


def version6():
    head = b"\x17\x08\x44tracing6\0\0\x08" + struct.pack("<I", 4096)
    files = struct.pack("<Q", 3) + b"abc"
    head += b"header_page\0" + files + b"header_event\0" + files + struct.pack("<I", 1) + files
    head += struct.pack("<I", 1) + b"kvm\0" + struct.pack("<I", 2) + files + files
    head += struct.pack("<I", 1) + b"k" + struct.pack("<I", 0) + files + struct.pack("<I", 1)
    head += b"options  \0" + option(2, STATISTICS) + b"\0\0" + b"flyrecord\0"
    yield head + struct.pack("<QQ", len(head) + 16, 5) + b"event"


def sessions():
    """Lines; an empty one ends a group, whose checksum the target makes."""
    columns = {"exits": ["count", "time_ns", "reflected", "synthesised", "open"],
               "msrs": ["count", "time_ns"], "vms": ["count", "l2_exits"], "time": ["time_ns"]}
    head = {"nvx": "session", "version": 1, "created_ns": 5, "by": "record", "tier": "btf",
            "sections": {"exits": {"have": "yes"}, "tlb": {"have": "no", "reason": "n"}},
            "lacks": {"hist": "why"}, "columns": columns, "config": [["a", "b"]]}
    rows = [{"row": i, "set": name, "isa": "svm", "vm": 0, "level": 2, "l2": "0x1", "key": 114,
             "kind": i} for i, name in enumerate(("exits", "msrs", "vms", "time", "chains", "new"))]
    values = [[0, [7, 700, 3, 0, -1], [3, 4, 0, 3]], [1, [-2]], [2, [9, 1]], [3, [5]], [4, []]]
    lines = [head, None, {"vm": 0, "name": "v", "pid": 1, "vmm": "qemu", "config": [["m", "2"]]}] + \
        rows + [{"delta": 1, "t_ns": 9, "ns": 9, "hist": True, "period": 1, "rows": values,
                 "drops": {"bpf_missed": 1, "no_slot": [2]}}, None,
                {"end": 1, "ns": 9, "rows": values, "cost": {"events": 1, "run_ns": 2},
                 "vcpus": [{"vm": 0, "vcpu": 0, "rows": values[:1]}]}]
    yield b"".join((json.dumps(line, separators=(",", ":")) if line else "").encode() + b"\n"
                   for line in lines)
    yield b"[]\n"


FORMATS = (b"name: kvm_exit\nID: 7\nformat:\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
           b"\n\tfield:unsigned int exit_reason;\toffset:8;\tsize:4;\tsigned:0;\n"
           b"\tfield:u32 isa;\toffset:12;\tsize:4;\tsigned:0;\n", b"name: kvm_entry\nID: 8\nformat:\n")
IP, TID, TIME, RAW = 1, 2, 4, 1 << 10


def record(kind, data):
    return struct.pack("<IHH", kind, 0, 8 + len(data)) + data


def sample(ts, raw):
    return record(9, struct.pack("<QIIQI", 0, 10, 11, ts, len(raw)) + raw)


def perf_data():
    sized = [struct.pack("<Q", len(text)) + text for text in FORMATS]
    tracing = b"\x17\x08\x44tracing0.6\0\0\x08" + struct.pack("<I", 4096)
    tracing += b"header_page\0" + struct.pack("<Q", 0) + b"header_event\0" + struct.pack("<QII", 0, 0, 1)
    tracing += b"kvm\0" + struct.pack("<I", 2) + b"".join(sized)
    attr = struct.pack("<IIQQQ", 2, 128, 7, 1, IP | TID | TIME | RAW).ljust(144, b"\0")
    data = record(3, struct.pack("<II", 10, 11) + b"qemu\0\0\0\0")
    for ts in (5, 9, 7):
        data += sample(ts, struct.pack("<HHIII", 7, 0, 0, 0x72, 2)) + sample(ts + 1, struct.pack("<Q", 8))
        data += record(68, b"")
    data += record(2, struct.pack("<QQ", 1, 3)) + record(4, struct.pack("<IIIIQ", 10, 1, 11, 1, 20))
    at = 104 + len(attr)
    head = b"PERFILE2" + struct.pack("<QQQQQQQQ", 104, 144, 104, len(attr), at, len(data), 0, 0)
    head += struct.pack("<QQQQ", 2, 0, 0, 0)
    end = at + len(data)
    yield b"\2" + head + attr + data + struct.pack("<QQ", end + 16, len(tracing)) + tracing


def texts():
    """The fixtures of nvx import, for the reader of events and that of tables."""
    top = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "fixtures", "import")
    for directory, _, names in sorted(os.walk(top)):
        for name in sorted(names):
            with open(os.path.join(directory, name), "rb") as file:
                yield (b"\0" if "script" in directory or "trace" in directory else b"\1") + file.read()


MAKERS = {"fuzz_feed": (feeds,), "fuzz_tracedat": (version7, version6),
          "fuzz_session": (sessions,), "fuzz_import": (perf_data, texts)}


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in MAKERS:
        sys.exit(__doc__)
    makers = MAKERS[sys.argv[1]]
    os.makedirs(sys.argv[2], exist_ok=True)
    seeds = [seed for maker in makers for seed in maker()]
    for number, seed in enumerate(seeds):
        with open(os.path.join(sys.argv[2], "seed-%d" % number), "wb") as file:
            file.write(seed)


if __name__ == "__main__":
    main()
