// SPDX-License-Identifier: GPL-2.0-only
/*
 * The frame of a trace.dat, as trace-cmd.dat.v7(5) lays it out: a header, then sections that
 * point to each other.  Read here for what libtracecmd does not give: where a cut file ends, and
 * the statistics of the kernel's buffers.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "source/tracedat_priv.h"

enum { OPTION_DONE = 0, OPTION_CPUSTAT = 2, OPTION_BUFFER = 3 };

#define SECTION_COMPRESSED 1
#define SECTION_STRINGS 15
#define MAX_SECTIONS 64
#define MAX_OPTIONS (1u << 20)

int tracedat_read_at(int fd, uint64_t at, void *buf, size_t size)
{
	while (size) {
		ssize_t n = pread(fd, buf, size, at);

		if (n <= 0)
			return n ? -errno : -ENODATA;
		buf = (char *)buf + n;
		at += n;
		size -= n;
	}
	return 0;
}

/* "CPU: 0\nentries: 165151\noverrun: 0\n..." of every CPU, one option each or all in one */
void tracedat_cpu_statistics(struct tracedat_file *f, const char *text, size_t size)
{
	char *copy = strndup(text, size);

	if (f->expected < 0)
		f->expected = 0;
	for (char *save = NULL, *line = copy ? strtok_r(copy, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save)) {
		unsigned long long n;

		if (sscanf(line, "entries: %llu", &n) == 1 ||
		    sscanf(line, "read events: %llu", &n) == 1)
			f->expected += n;
		else if (sscanf(line, "overrun: %llu", &n) == 1 ||
			 sscanf(line, "commit overrun: %llu", &n) == 1 ||
			 sscanf(line, "dropped events: %llu", &n) == 1)
			f->lost += n;
	}
	free(copy);
}

/* A buffer option: offset, name, clock, page size, CPUs, then id, offset, size of each. */
static void buffer(struct tracedat_file *f, const uint8_t *p, size_t size)
{
	const uint8_t *end = p + size;
	uint32_t cpus, page;
	uint64_t where[2];

	p += 8;
	for (int strings = 0; strings < 2; strings++) {
		const uint8_t *nul = p < end ? memchr(p, 0, end - p) : NULL;

		if (!nul)
			return;
		p = nul + 1;
	}
	if (end - p < 8)
		return;
	memcpy(&page, p, 4);
	memcpy(&cpus, p + 4, 4);
	p += 8;
	for (; cpus && end - p >= 20; cpus--, p += 20) {
		memcpy(where, p + 4, sizeof(where));
		if ((where[0] > f->size || where[1] > f->size - where[0]) && !f->cut) {
			f->cut = where[0] + where[1];
			f->cut_what = "events";
		}
	}
}

/* One options section; returns the offset of the next, 0 at the end. */
static uint64_t options(struct tracedat_file *f, const uint8_t *p, size_t size)
{
	const uint8_t *end = p + size;

	while (end - p >= 6) {
		uint16_t id;
		uint32_t len;
		uint64_t next = 0;

		memcpy(&id, p, 2);
		memcpy(&len, p + 2, 4);
		p += 6;
		if (len > (size_t)(end - p))
			return 0;
		if (id == OPTION_DONE) {
			if (len >= 8)
				memcpy(&next, p, 8);
			return next;
		}
		if (id == OPTION_CPUSTAT)
			tracedat_cpu_statistics(f, (const char *)p, len);
		else if (id == OPTION_BUFFER && len > 8)
			buffer(f, p, len);
		p += len;
	}
	return 0;
}

struct section {
	uint16_t id, flags;
	uint32_t description;
	uint64_t size; /* of what follows this header */
};

_Static_assert(sizeof(struct section) == 16, "as in the file");

/* The header at an offset, if the whole section is in the file; else f->cut and -ENODATA. */
static int section_at(int fd, struct tracedat_file *f, uint64_t at, struct section *s,
		      const char *what)
{
	if (at > f->size || f->size - at < sizeof(*s) || tracedat_read_at(fd, at, s, sizeof(*s)))
		f->cut = at + sizeof(*s);
	else if (s->size > f->size - at - sizeof(*s))
		f->cut = at + sizeof(*s) + s->size;
	else
		return 0;
	f->cut_what = what;
	return -ENODATA;
}

static uint64_t one_section(int fd, struct tracedat_file *f, uint64_t at)
{
	uint64_t size, next = 0;
	struct section s;
	uint8_t *body;

	if (section_at(fd, f, at, &s, "table of contents"))
		return 0;
	size = s.size;
	/* trace-cmd 3.1 does not compress them; one that did has statistics that we do not see */
	if (s.flags & SECTION_COMPRESSED || size > MAX_OPTIONS)
		return 0;
	body = malloc(size ? size : 1);
	if (body && !tracedat_read_at(fd, at + sizeof(s), body, size))
		next = options(f, body, size);
	free(body);
	return next;
}

/*
 * Sections lie one after the other, and the last holds their names.  No other points to it, and
 * the library does without, so a file that lacks it is otherwise not seen to be cut.
 */
static void to_the_end(int fd, struct tracedat_file *f, uint64_t at)
{
	bool names = false;
	struct section s;

	while (at < f->size) {
		if (section_at(fd, f, at, &s, "names"))
			return;
		names |= s.id == SECTION_STRINGS;
		at += sizeof(s) + s.size;
	}
	if (!names) {
		f->cut = f->size + sizeof(s);
		f->cut_what = "names";
	}
}

int tracedat_sections(int fd, struct tracedat_file *f)
{
	static const char magic[] = "\x17\x08\x44tracing";
	char head[256] = "";
	struct stat st;
	char *p, *end = head + sizeof(head) - 1;
	ssize_t got;
	uint64_t at;

	*f = (struct tracedat_file){ .expected = -1 };
	if (fstat(fd, &st))
		return -errno;
	f->size = st.st_size;
	got = pread(fd, head, sizeof(head) - 1, 0);
	if (got < (ssize_t)sizeof(magic) + 1 || memcmp(head, magic, sizeof(magic) - 1))
		return -EINVAL;
	p = head + sizeof(magic) - 1;
	f->version = atoi(p);
	if (f->version != 6 && f->version != 7)
		return -EINVAL;
	/* version\0, endianness, size of long, page size; 7: name and version of the compression */
	p += strlen(p) + 1 + 2 + 4;
	if (f->version == 6) {
		tracedat_v6(fd, f, p - head);
		return 0;
	}
	for (int strings = 0; strings < 2 && p < end; strings++)
		p += strnlen(p, end - p) + 1;
	if (p + 8 > end)
		return -EINVAL;
	if (p + 8 - head > got) {
		f->cut = p + 8 - head;
		f->cut_what = "table of contents";
		return 0;
	}
	memcpy(&at, p, 8);
	for (int n = 0;
	     at && n < MAX_SECTIONS && !(f->cut && !strncmp(f->cut_what, "table", 5)); n++)
		at = one_section(fd, f, at);
	if (!f->cut)
		to_the_end(fd, f, p + 8 - head);
	return 0;
}
