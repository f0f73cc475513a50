#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""unpack.py DIR < STREAM: unpack the results that L0 sends over its second serial line.

A record is a line "NAME SIZE" and a tar.gz of that size.  Each is unpacked as it
arrives, so that a boot that is killed keeps what came before.
"""
import io
import sys
import tarfile


def main():
    stream = sys.stdin.buffer
    for header in iter(stream.readline, b""):
        name, size = header.decode("ascii", "replace").rsplit(None, 1)
        data = stream.read(int(size))
        if len(data) < int(size):
            sys.exit("unpack: %s was cut off" % name)
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:gz") as archive:
            archive.extractall(sys.argv[1])


if __name__ == "__main__":
    main()
