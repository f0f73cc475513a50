/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recorded events, whatever tool wrote them: one reader for a file's format, one kind of event
 * for the engine.
 */
#ifndef NVX_SOURCE_EVENTS_H
#define NVX_SOURCE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/feed.h"

#define NVX_EVENTS_ERR 400

enum nvx_events_format {
	NVX_EVENTS_AUTO,
	NVX_EVENTS_TRACE_DAT, /* trace-cmd record */
	NVX_EVENTS_PERF_DATA, /* perf record */
	NVX_EVENTS_TEXT,      /* perf script, trace-cmd report, tracefs's trace: a line an event */
};

/* What the file says of itself, and what was read. */
struct nvx_events_info {
	uint64_t records;     /* read, of all kinds */
	uint64_t events;      /* of kinds that nvx uses */
	int64_t expected;     /* by the statistics of the file; -1: it has none */
	uint64_t lost;	      /* overwritten or dropped before they were recorded, by the same */
	uint64_t missed;      /* gaps that the reader met */
	uint64_t foreign;     /* lines of text that are no event */
	unsigned int present; /* bits 1 << enum nvx_event_type: kinds that were recorded at all */
	bool timeless;	      /* events without a time: they are 1 ns apart */
	bool numberless;      /* some exits came without their information fields */
};

struct nvx_events;

/*
 * Start reading a file ("-": standard input, as text).  AUTO goes by the content.  A perf.data
 * that nvx does not read itself (a pipe's, a compressed one, one of another byte order) goes
 * through `perf script`.  0, or -errno with one line for the user in err (NVX_EVENTS_ERR).
 */
int nvx_events__open(const char *path, enum nvx_events_format format, struct nvx_events **out,
		     char *err);

/*
 * The next event, in the order of time.  1; 0 at the end; -errno with one line in err, saying
 * how far the file is readable: what was read until then is good.
 */
int nvx_events__next(struct nvx_events *r, struct nvx_event *e, char *err);

/* Valid at the end, or after an error as far as known. */
const struct nvx_events_info *nvx_events__info(const struct nvx_events *r);

/* "trace.dat", "perf.data", "text": the format that is read */
const char *nvx_events__format(const struct nvx_events *r);

/* NULL is fine. */
void nvx_events__close(struct nvx_events *r);

#endif
