// SPDX-License-Identifier: GPL-2.0-only
/*
 * The readers of nvx import: an end in time, and nothing out of bounds, whatever the bytes.  The
 * first byte picks the reader.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "source/eventtext.h"
#include "source/exittable.h"
#include "source/perfdata.h"

static void need(bool x, const char *what)
{
	if (x)
		return;
	fprintf(stderr, "does not hold: %s\n", what);
	abort();
}

static FILE *stream(const uint8_t *data, size_t len)
{
	FILE *in = fmemopen((void *)data, len, "r");

	if (!in)
		abort();
	return in;
}

/* What holds for events of any reader. */
static void check(const struct nvx_event *e, uint64_t *last)
{
	need(e->ts >= *last, "events come in the order of time");
	need(memchr(e->comm, 0, sizeof(e->comm)), "a name ends");
	*last = e->ts;
}

static void text(const uint8_t *data, size_t len)
{
	char err[NVX_EVENTS_ERR] = "";
	struct nvx_eventtext *t;
	struct nvx_event e;
	uint64_t last = 0;
	int ret;

	if (nvx_eventtext__from(stream(data, len), "fuzz", &t, err))
		abort();
	while ((ret = nvx_eventtext__next(t, &e, err)) == 1)
		check(&e, &last);
	need(!ret || *err, "an error has its line");
	nvx_eventtext__close(t);
}

static void table(const uint8_t *data, size_t len)
{
	char err[NVX_EXITTABLE_ERR] = "";
	struct nvx_exittables all;
	FILE *in = stream(data, len);
	int ret = nvx_exittables__read(in, "fuzz", &all, err);

	need(!ret || *err, "an error has its line");
	for (size_t i = 0; i < all.nr; i++)
		need(nvx_rows__sum(all.table[i].rows, NVX_SET_VMS, NVX_V_UNKNOWN, -1, NVX_VM_ALL) ==
			     all.table[i].samples || ret,
		     "rows add up");
	fclose(in);
	nvx_exittables__free(&all);
}

static void perf(const uint8_t *data, size_t len)
{
	char err[NVX_EVENTS_ERR] = "", path[40];
	int fd = memfd_create("fuzz", 0);
	struct nvx_perfdata *p;
	struct nvx_event e;
	uint64_t last = 0;

	if (fd < 0 || write(fd, data, len) != (ssize_t)len)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!nvx_perfdata__open(path, &p, err)) {
		while (nvx_perfdata__next(p, &e, err) == 1)
			check(&e, &last);
		nvx_perfdata__close(p);
	} else {
		need(*err, "an error has its line");
	}
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	if (len < 2)
		return 0;
	if (data[0] % 3 == 0)
		text(data + 1, len - 1);
	else if (data[0] % 3 == 1)
		table(data + 1, len - 1);
	else
		perf(data + 1, len - 1);
	return 0;
}
