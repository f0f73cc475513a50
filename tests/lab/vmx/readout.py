#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""readout.py DISK DIRECTORY: unpack what labout wrote.

Each record is a tar file that unpacks into DIRECTORY.  Prints the names.
"""
import io
import struct
import sys
import tarfile

SECTOR = 512
MAGIC = b"NVXLAB1\0"


def records(f):
    while True:
        header = f.read(SECTOR)
        if header[:8] != MAGIC:
            return
        length, = struct.unpack_from("<Q", header, 8)
        data = f.read(length)
        if len(data) != length:
            sys.exit("readout: record is cut off")
        f.seek(-length % SECTOR, io.SEEK_CUR)
        yield header[16:].rstrip(b"\0").decode(), data


def main():
    with open(sys.argv[1], "rb") as f:
        for name, data in records(f):
            with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as tar:
                tar.extractall(sys.argv[2])
            print(name)


if __name__ == "__main__":
    main()
