// SPDX-License-Identifier: GPL-2.0-only
/*
 * labout NAME < DATA: append a record to the lab's second disk.
 *
 * Bochs has neither 9p nor virtio, and its serial port is slow.  The kernel of
 * the lab has no ATA driver loaded, so this program drives the disk itself, by
 * PIO.  A record is a header sector (magic, length, name), then the data.  The
 * header is written last, so that a run that is killed leaves whole records.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/io.h>
#include <unistd.h>

#define ATA_DATA 0x1f0
#define ATA_COUNT 0x1f2
#define ATA_LBA0 0x1f3
#define ATA_LBA1 0x1f4
#define ATA_LBA2 0x1f5
#define ATA_DRIVE 0x1f6
#define ATA_STATUS 0x1f7
#define ATA_COMMAND 0x1f7
#define ATA_CONTROL 0x3f6

#define ATA_NIEN 0x02
#define ATA_BSY 0x80
#define ATA_DRQ 0x08
#define ATA_ERR 0x01
#define ATA_LBA_SLAVE 0xf0
#define ATA_WRITE_MULTIPLE 0xc5
#define ATA_SET_MULTIPLE 0xc6

#define SECTOR 512
#define MULTIPLE 16
#define STATE "/run/labout"

struct header {
	char magic[8];
	uint64_t length;
	char name[SECTOR - 16];
};

static void die(const char *what)
{
	fprintf(stderr, "labout: %s: %s\n", what, strerror(errno));
	exit(1);
}

static void wait_status(uint8_t mask, uint8_t value)
{
	uint8_t status;

	do {
		status = inb(ATA_STATUS);
		if (!(status & ATA_BSY) && status & ATA_ERR) {
			fprintf(stderr, "labout: the disk refuses the write (is it full?)\n");
			exit(1);
		}
	} while ((status & mask) != value);
}

static void set_multiple(void)
{
	if (ioperm(ATA_DATA, 8, 1) || ioperm(ATA_CONTROL, 1, 1))
		die("ioperm");
	outb(ATA_LBA_SLAVE, ATA_DRIVE);
	outb(ATA_NIEN, ATA_CONTROL);
	wait_status(ATA_BSY, 0);
	outb(MULTIPLE, ATA_COUNT);
	outb(ATA_SET_MULTIPLE, ATA_COMMAND);
	wait_status(ATA_BSY, 0);
}

static void write_sectors(uint32_t lba, const void *data, unsigned int sectors)
{
	wait_status(ATA_BSY, 0);
	outb(ATA_LBA_SLAVE | ((lba >> 24) & 0xf), ATA_DRIVE);
	outb(sectors, ATA_COUNT);
	outb(lba, ATA_LBA0);
	outb(lba >> 8, ATA_LBA1);
	outb(lba >> 16, ATA_LBA2);
	outb(ATA_WRITE_MULTIPLE, ATA_COMMAND);
	wait_status(ATA_BSY | ATA_DRQ, ATA_DRQ);
	outsl(ATA_DATA, data, sectors * SECTOR / 4);
	wait_status(ATA_BSY, 0);
}

/* Returns how many sectors of data were written. */
static uint32_t write_data(uint32_t lba, struct header *h)
{
	static char buf[MULTIPLE * SECTOR];
	uint32_t start = lba;
	size_t n;

	while ((n = fread(buf, 1, sizeof(buf), stdin)) > 0) {
		unsigned int sectors = (n + SECTOR - 1) / SECTOR;

		memset(buf + n, 0, sectors * SECTOR - n);
		write_sectors(lba, buf, sectors);
		lba += sectors;
		h->length += n;
	}
	if (ferror(stdin))
		die("read");
	return lba - start;
}

int main(int argc, char **argv)
{
	struct header h = {.magic = "NVXLAB1"};
	uint32_t lba = 0;
	FILE *state;

	_Static_assert(sizeof(struct header) == SECTOR, "a header is one sector");
	if (argc != 2 || strlen(argv[1]) >= sizeof(h.name)) {
		fprintf(stderr, "usage: labout NAME < DATA\n");
		return 2;
	}
	strcpy(h.name, argv[1]);
	state = fopen(STATE, "a+");
	if (!state || flock(fileno(state), LOCK_EX))
		die(STATE);
	rewind(state);
	if (fread(&lba, sizeof(lba), 1, state) != 1)
		lba = 0;
	set_multiple();
	uint32_t sectors = write_data(lba + 1, &h);

	write_sectors(lba, &h, 1);
	lba += 1 + sectors;
	if (ftruncate(fileno(state), 0) || fwrite(&lba, sizeof(lba), 1, state) != 1 ||
	    fclose(state))
		die(STATE);
	return 0;
}
