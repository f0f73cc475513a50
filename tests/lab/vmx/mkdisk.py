#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""mkdisk.py DISK BOOT LOADER VMLINUX INITRAMFS COMMAND-LINE

Write the raw disk that the VMX lab boots from: boot sector, loader, its
parameters, then the kernel's segments and the initramfs, uncompressed.
"""
import os
import re
import struct
import sys

SECTOR = 512
GRANULE = 64 * SECTOR
CYLINDER = 16 * 63 * SECTOR
INITRAMFS_ADDR = 0x10000000
PT_LOAD, PT_NOTE = 1, 4
XEN_ELFNOTE_PHYS32_ENTRY = 18


def layout():
    """The constants of layout.h, which boot.S and loader.c include."""
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "layout.h")
    with open(path) as f:
        found = re.findall(r"^#define\s+(\w+)\s+(0x[0-9a-f]+|\d+)$", f.read(), re.M)
    return {name: int(value, 0) for name, value in found}


def program_headers(elf):
    offset, = struct.unpack_from("<Q", elf, 32)
    size, count = struct.unpack_from("<HH", elf, 54)
    for i in range(count):
        kind, _, where, _, paddr, filesz, memsz, _ = \
            struct.unpack_from("<IIQQQQQQ", elf, offset + i * size)
        yield kind, where, paddr, filesz, memsz


def notes(data):
    pos = 0
    while pos + 12 <= len(data):
        namesz, descsz, kind = struct.unpack_from("<III", data, pos)
        name = data[pos + 12:pos + 12 + namesz].rstrip(b"\0")
        desc = pos + 12 + (namesz + 3 & ~3)
        yield name, kind, data[desc:desc + descsz]
        pos = desc + (descsz + 3 & ~3)


def pvh_entry(elf):
    for kind, where, _, filesz, _ in program_headers(elf):
        if kind != PT_NOTE:
            continue
        for name, note, desc in notes(elf[where:where + filesz]):
            if name == b"Xen" and note == XEN_ELFNOTE_PHYS32_ENTRY:
                return int.from_bytes(desc, "little")
    sys.exit("mkdisk: the kernel has no PVH entry (CONFIG_PVH)")


class Disk:
    def __init__(self, reserved):
        self.data = bytearray(reserved * SECTOR)
        self.extents = []

    def put(self, sector, data, sectors):
        if len(data) > sectors * SECTOR:
            sys.exit("mkdisk: %d bytes do not fit %d sectors" % (len(data), sectors))
        self.data[sector * SECTOR:sector * SECTOR + len(data)] = data

    def add(self, data, addr):
        """Append data for physical address addr; zeroes are in RAM already."""
        for pos in range(0, len(data), GRANULE):
            piece = data[pos:pos + GRANULE]
            if piece.count(0) == len(piece):
                continue
            lba = len(self.data) // SECTOR
            self.data += piece + bytes(-len(piece) % SECTOR)
            sectors = len(self.data) // SECTOR - lba
            last = self.extents[-1] if self.extents else None
            if last and last[2] + last[1] * SECTOR == addr + pos:
                last[1] += sectors
            else:
                self.extents.append([lba, sectors, addr + pos])


def main():
    out, boot, loader, vmlinux, initramfs, cmdline = sys.argv[1:7]
    c = layout()
    params_lba = 1 + c["LOADER_SECTORS"]
    if c["PARAMS"] != c["LOADER"] + c["LOADER_SECTORS"] * SECTOR:
        sys.exit("mkdisk: layout.h: PARAMS is not behind the loader")
    disk = Disk(params_lba + c["PARAM_SECTORS"])
    with open(boot, "rb") as f:
        disk.put(0, f.read(), 1)
    with open(loader, "rb") as f:
        disk.put(1, f.read(), c["LOADER_SECTORS"])

    with open(vmlinux, "rb") as f:
        elf = f.read()
    top = 0
    for kind, where, paddr, filesz, memsz in program_headers(elf):
        if kind == PT_LOAD:
            disk.add(elf[where:where + filesz], paddr)
            top = max(top, paddr + memsz)
    if top > INITRAMFS_ADDR:
        sys.exit("mkdisk: kernel and initramfs overlap")
    with open(initramfs, "rb") as f:
        initrd = f.read()
    disk.add(initrd, INITRAMFS_ADDR)

    params = struct.pack("<4I", c["PARAM_MAGIC"], pvh_entry(elf), INITRAMFS_ADDR, len(initrd))
    extents = b"".join(struct.pack("<3I", *e) for e in disk.extents)
    text = c["PARAMS"] + len(params) + 8 + len(extents)
    params += struct.pack("<2I", text, len(disk.extents)) + extents
    disk.put(params_lba, params + cmdline.encode() + b"\0", c["PARAM_SECTORS"])

    disk.data += bytes(-len(disk.data) % CYLINDER)
    with open(out, "wb") as f:
        f.write(disk.data)


if __name__ == "__main__":
    main()
