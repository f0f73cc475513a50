#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""extract-vmlinux.py BZIMAGE VMLINUX: the ELF kernel packed inside a bzImage.

Offsets are those of the x86 boot protocol (Documentation/arch/x86/boot.rst).
"""
import lzma
import struct
import subprocess
import sys


def payload(image):
    if image[0x202:0x206] != b"HdrS":
        raise ValueError("no x86 boot protocol header")
    setup_sects = image[0x1F1] or 4
    offset, length = struct.unpack_from("<II", image, 0x248)
    start = (setup_sects + 1) * 512 + offset
    return image[start:start + length]


def unpack(data):
    """The last four bytes of the payload are the unpacked size."""
    if data.startswith(b"\xfd7zXZ\0"):
        return lzma.LZMADecompressor().decompress(data)
    if data.startswith(b"\x28\xb5\x2f\xfd"):
        run = subprocess.run(["zstd", "-dc"], input=data, stdout=subprocess.PIPE,
                             stderr=subprocess.DEVNULL, check=False)
        return run.stdout
    raise ValueError("kernel packed by an unknown method: %s" % data[:6].hex())


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], "rb") as file:
        data = payload(file.read())
    kernel = unpack(data)
    size = struct.unpack("<I", data[-4:])[0]
    if kernel[:4] != b"\x7fELF" or len(kernel) != size:
        sys.exit("extract-vmlinux: %s: %d bytes of kernel, %d expected" %
                 (sys.argv[1], len(kernel), size))
    with open(sys.argv[2], "wb") as file:
        file.write(kernel)


if __name__ == "__main__":
    main()
