// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads a kernel and an initramfs off the first ATA disk by PIO and enters the
 * kernel at its PVH entry.  Neither is compressed: decompression would cost
 * most of an emulated boot.  Structures: Linux, xen/interface/hvm/start_info.h.
 */
#include <stdint.h>

#include "layout.h"

#define ATA_DATA 0x1f0
#define ATA_COUNT 0x1f2
#define ATA_LBA0 0x1f3
#define ATA_LBA1 0x1f4
#define ATA_LBA2 0x1f5
#define ATA_DRIVE 0x1f6
#define ATA_COMMAND 0x1f7
#define ATA_STATUS 0x1f7
#define ATA_CONTROL 0x3f6

#define ATA_NIEN 0x02
#define ATA_BSY 0x80
#define ATA_DRQ 0x08
#define ATA_ERR 0x01
#define ATA_LBA_MASTER 0xe0
#define ATA_READ_MULTIPLE 0xc4
#define ATA_SET_MULTIPLE 0xc6

#define MULTIPLE 16
#define MAX_TRANSFER 256
#define SECTOR_WORDS 128

#define PVH_MAGIC 0x336ec578

struct extent {
	uint32_t lba;
	uint32_t sectors;
	uint32_t addr;
};

struct params {
	uint32_t magic;
	uint32_t entry;
	uint32_t initrd_addr;
	uint32_t initrd_size;
	uint32_t cmdline;
	uint32_t nr_extents;
	struct extent extents[];
};

struct e820_entry {
	uint64_t addr;
	uint64_t size;
	uint32_t type;
} __attribute__((packed));

struct pvh_memory {
	uint64_t addr;
	uint64_t size;
	uint32_t type;
	uint32_t reserved;
};

struct pvh_module {
	uint64_t addr;
	uint64_t size;
	uint64_t cmdline;
	uint64_t reserved;
};

struct pvh_start_info {
	uint32_t magic;
	uint32_t version;
	uint32_t flags;
	uint32_t nr_modules;
	uint64_t modules;
	uint64_t cmdline;
	uint64_t rsdp;
	uint64_t memory;
	uint32_t nr_memory;
	uint32_t reserved;
};

static inline void outb(uint16_t port, uint8_t value)
{
	asm volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static inline uint8_t inb(uint16_t port)
{
	uint8_t value;

	asm volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
	return value;
}

/* Bochs prints on its standard output what port 0xe9 gets. */
static void die(const char *why)
{
	while (*why)
		outb(0xe9, *why++);
	for (;;)
		asm volatile("cli; hlt");
}

static void wait_idle(void)
{
	while (inb(ATA_STATUS) & ATA_BSY)
		;
}

static void wait_data(void)
{
	uint8_t status;

	do {
		status = inb(ATA_STATUS);
		if (!(status & ATA_BSY) && status & ATA_ERR)
			die("loader: disk read error\n");
	} while ((status & (ATA_BSY | ATA_DRQ)) != ATA_DRQ);
}

static void set_multiple(void)
{
	wait_idle();
	outb(ATA_CONTROL, ATA_NIEN);
	outb(ATA_DRIVE, ATA_LBA_MASTER);
	outb(ATA_COUNT, MULTIPLE);
	outb(ATA_COMMAND, ATA_SET_MULTIPLE);
	wait_idle();
}

/* Returns the address behind what was read. */
static uint32_t read_sectors(uint32_t lba, uint32_t sectors, uint32_t addr)
{
	wait_idle();
	outb(ATA_DRIVE, ATA_LBA_MASTER | ((lba >> 24) & 0xf));
	outb(ATA_COUNT, (uint8_t)sectors); /* 0 means 256 */
	outb(ATA_LBA0, (uint8_t)lba);
	outb(ATA_LBA1, (uint8_t)(lba >> 8));
	outb(ATA_LBA2, (uint8_t)(lba >> 16));
	outb(ATA_COMMAND, ATA_READ_MULTIPLE);
	while (sectors) {
		uint32_t block = sectors < MULTIPLE ? sectors : MULTIPLE;
		uint32_t words = block * SECTOR_WORDS;

		wait_data();
		asm volatile("cld; rep insl" : "+D"(addr), "+c"(words) : "d"(ATA_DATA) : "memory");
		sectors -= block;
	}
	return addr;
}

static void load(const struct extent *e)
{
	uint32_t lba = e->lba, left = e->sectors, addr = e->addr;

	while (left) {
		uint32_t n = left < MAX_TRANSFER ? left : MAX_TRANSFER;

		addr = read_sectors(lba, n, addr);
		lba += n;
		left -= n;
	}
}

static uint32_t memory_map(struct pvh_memory *to)
{
	const struct e820_entry *from = (const void *)E820_MAP;
	uint32_t n = *(const volatile uint16_t *)E820_COUNT;

	for (uint32_t i = 0; i < n; i++) {
		to[i].addr = from[i].addr;
		to[i].size = from[i].size;
		to[i].type = from[i].type;
		to[i].reserved = 0;
	}
	return n;
}

static struct pvh_start_info *start_info(const struct params *p)
{
	struct pvh_start_info *info = (void *)START_INFO;
	struct pvh_module *initrd = (void *)MODULE_LIST;

	initrd->addr = p->initrd_addr;
	initrd->size = p->initrd_size;
	initrd->cmdline = 0;
	initrd->reserved = 0;

	info->magic = PVH_MAGIC;
	info->version = 1;
	info->flags = 0;
	info->nr_modules = 1;
	info->modules = MODULE_LIST;
	info->cmdline = p->cmdline;
	info->rsdp = 0; /* the kernel finds it by scanning the BIOS area */
	info->memory = MEMORY_MAP;
	info->nr_memory = memory_map((struct pvh_memory *)MEMORY_MAP);
	info->reserved = 0;
	return info;
}

/* loader.ld puts this section first: the boot sector jumps to LOADER. */
__attribute__((section(".text.start"), noreturn)) void loader(void)
{
	const struct params *p = (const void *)PARAMS;

	if (p->magic != PARAM_MAGIC)
		die("loader: no parameters\n");
	set_multiple();
	for (uint32_t i = 0; i < p->nr_extents; i++)
		load(&p->extents[i]);
	outb(ATA_CONTROL, 0);
	asm volatile("cli; jmp *%0" : : "r"(p->entry), "b"(start_info(p)) : "memory");
	__builtin_unreachable();
}
