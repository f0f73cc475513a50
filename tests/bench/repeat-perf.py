#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""repeat-perf.py IN OUT N: a perf.data with the samples of IN N times, one after the other in time."""
import struct
import sys

SAMPLE, ROUND = 9, 68
TIME_AT = 8 + 8 + 8 + 8  # behind header, identifier, ip, tid: as `perf record -e kvm:*` has them


def records(data):
    at = 0
    while at < len(data):
        size = struct.unpack_from("<H", data, at + 6)[0]
        yield struct.unpack_from("<I", data, at)[0], data[at:at + size]
        at += size


def main():
    with open(sys.argv[1], "rb") as file:
        whole = file.read()
    head = bytearray(whole[:104])
    at, size = struct.unpack_from("<QQ", head, 40)
    kept = list(records(whole[at:at + size]))
    times = [struct.unpack_from("<Q", data, TIME_AT)[0] for kind, data in kept if kind == SAMPLE]
    span = max(times) - min(times) + 1000
    body = bytearray(b"".join(data for kind, data in kept if kind not in (SAMPLE, ROUND)))
    for i in range(int(sys.argv[3])):
        for kind, data in kept:
            if kind == SAMPLE:
                copy = bytearray(data)
                struct.pack_into("<Q", copy, TIME_AT, struct.unpack_from("<Q", data, TIME_AT)[0] + i * span)
                body += copy
            elif kind == ROUND:
                body += data
    struct.pack_into("<Q", head, 48, len(body))
    # the sections of features stand behind the data, and point to what follows them
    tail = bytearray(whole[at + size:])
    features = sum(bin(word).count("1") for word in struct.unpack_from("<4Q", head, 72))
    for i in range(features):
        where = struct.unpack_from("<Q", tail, 16 * i)[0]
        struct.pack_into("<Q", tail, 16 * i, where + len(body) - size)
    with open(sys.argv[2], "wb") as file:
        file.write(head + whole[104:at] + body + tail)


if __name__ == "__main__":
    main()
