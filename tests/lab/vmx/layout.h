/* SPDX-License-Identifier: GPL-2.0-only */
/* Where the boot sector and the loader keep what; mkdisk.py reads it too. */
#ifndef LAB_VMX_LAYOUT_H
#define LAB_VMX_LAYOUT_H

#define BOOT_SECTOR	0x7c00
#define E820_COUNT	0x7e00
#define E820_MAP	0x7e10
#define E820_ENTRY	20

/* On the disk right after the boot sector, in memory at LOADER. */
#define LOADER		0x10000
#define LOADER_SECTORS	8
#define PARAMS		0x11000
#define PARAM_SECTORS	24
#define PARAM_MAGIC	0x4c56584e

/* The PVH structures that the loader builds. */
#define START_INFO	0x8000
#define MODULE_LIST	0x8100
#define MEMORY_MAP	0x8200

#endif
