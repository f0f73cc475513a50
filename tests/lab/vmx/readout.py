#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""readout.py DISK DIRECTORY PID: unpack what labout writes, as it comes.

Each record is a tar file that unpacks into DIRECTORY.  Ends with process PID.
"""
import io
import os
import struct
import sys
import tarfile
import time

SECTOR = 512
MAGIC = b"NVXLAB1\0"


def record(f, pos):
    """The record at pos and the place behind it, None when it is not written yet."""
    f.seek(pos)
    header = f.read(SECTOR)
    if header[:8] != MAGIC:
        return None
    length, = struct.unpack_from("<Q", header, 8)
    data = f.read(length)
    if len(data) != length:
        sys.exit("readout: the record %s is cut off" % header[16:].rstrip(b"\0"))
    return data, f.tell() + -length % SECTOR


def unpack_new(f, pos, directory):
    while True:
        found = record(f, pos)
        if not found:
            return pos
        data, pos = found
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as tar:
            tar.extractall(directory)


def alive(pid):
    """A zombie waits for its parent, which waits for this program."""
    try:
        with open("/proc/%d/stat" % pid, encoding="ascii", errors="replace") as f:
            return f.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def main():
    disk, directory, pid = sys.argv[1], sys.argv[2], int(sys.argv[3])
    os.makedirs(directory, exist_ok=True)
    pos = 0
    with open(disk, "rb", buffering=0) as f:
        running = True
        while running:
            # What was written before the end must still be seen after it.
            running = alive(pid)
            pos = unpack_new(f, pos, directory)
            time.sleep(0.2 if running else 0)


if __name__ == "__main__":
    main()
