// SPDX-License-Identifier: GPL-2.0-only
/*
 * The frame of a version 6 file (trace-cmd before 3.0), as trace-cmd.dat.v6(5) lays it out: one
 * part after the other, the events last.  libtracecmd crashes on one that is cut.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "source/tracedat_priv.h"

enum { OPTION_DONE = 0, OPTION_CPUSTAT = 2 };

#define MAX_STATISTICS (1u << 20)
#define TAG 10 /* "options  ", "flyrecord" */

struct walk {
	int fd;
	struct tracedat_file *f;
	uint64_t at;
	bool cut;
};

/* So much is next; if not all of it is in the file, nothing more is read. */
static bool need(struct walk *w, uint64_t size)
{
	if (!w->cut && (w->at > w->f->size || size > w->f->size - w->at)) {
		w->cut = true;
		w->f->cut = w->at + size;
		w->f->cut_what = "table of contents";
	}
	return !w->cut;
}

static void skip(struct walk *w, uint64_t size)
{
	if (need(w, size))
		w->at += size;
}

static void bytes(struct walk *w, void *buf, size_t size)
{
	memset(buf, 0, size);
	if (need(w, size) && tracedat_read_at(w->fd, w->at, buf, size))
		w->cut = true;
	skip(w, size);
}

static uint64_t number(struct walk *w, size_t size)
{
	uint64_t v = 0;

	bytes(w, &v, size);
	return w->cut ? 0 : v;
}

/* So many files, each with its size before it. */
static void files(struct walk *w, uint64_t nr)
{
	while (nr-- && !w->cut)
		skip(w, number(w, 8));
}

static void formats(struct walk *w)
{
	skip(w, sizeof("header_page"));
	files(w, 1);
	skip(w, sizeof("header_event"));
	files(w, 1);
	files(w, number(w, 4));
	for (uint64_t systems = number(w, 4); systems && !w->cut; systems--) {
		while (number(w, 1) && !w->cut)
			;
		files(w, number(w, 4));
	}
	/* kallsyms, printk formats, names of threads */
	skip(w, number(w, 4));
	skip(w, number(w, 4));
	skip(w, number(w, 8));
}

static void statistics(struct walk *w, uint64_t size)
{
	char *text = size <= MAX_STATISTICS ? malloc(size + 1) : NULL;

	if (text && need(w, size) && !tracedat_read_at(w->fd, w->at, text, size))
		tracedat_cpu_statistics(w->f, text, size);
	free(text);
}

static void options(struct walk *w)
{
	uint64_t id, size;

	while ((id = number(w, 2)) != OPTION_DONE && !w->cut) {
		size = number(w, 4);
		if (id == OPTION_CPUSTAT)
			statistics(w, size);
		skip(w, size);
	}
}

static void events(struct walk *w, uint64_t cpus)
{
	for (; cpus && !w->cut; cpus--) {
		uint64_t at = number(w, 8), size = number(w, 8);

		if (!w->cut && (at > w->f->size || size > w->f->size - at)) {
			w->f->cut = at + size;
			w->f->cut_what = "events";
			return;
		}
	}
}

void tracedat_v6(int fd, struct tracedat_file *f, uint64_t at)
{
	struct walk w = { .fd = fd, .f = f, .at = at };
	char tag[TAG + 1] = "";
	uint64_t cpus;

	formats(&w);
	cpus = number(&w, 4);
	bytes(&w, tag, TAG);
	if (!strncmp(tag, "options", 7)) {
		options(&w);
		bytes(&w, tag, TAG);
	}
	/* the rest is a latency trace: text, of no use here */
	if (!strcmp(tag, "flyrecord"))
		events(&w, cpus);
}
