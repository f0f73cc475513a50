/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events of a trace.dat (trace-cmd), in the order of time.
 *
 * The file is parsed by libtracecmd in a process of its own: a damaged file that makes the
 * library crash or loop ends that process, not nvx.
 */
#ifndef NVX_SOURCE_TRACEDAT_H
#define NVX_SOURCE_TRACEDAT_H

#include <stdint.h>
#include <sys/types.h>

#include "model/feed.h"

struct nvx_tracedat;

#define NVX_TRACEDAT_ERR 400

/* What the file says of itself, and what was read. */
struct nvx_tracedat_info {
	uint64_t records;     /* read, of all kinds */
	uint64_t events;      /* of kinds that nvx uses */
	int64_t expected;     /* by the per-CPU statistics of the file; -1: it has none */
	uint64_t lost;	      /* overwritten or dropped before they were recorded, by the same */
	uint64_t missed;      /* gaps that the reader met */
	unsigned int present; /* bits 1 << enum nvx_event_type: kinds that were recorded at all */
};

/* Start reading a file.  0, or -errno with one line for the user in err. */
int nvx_tracedat__open(const char *path, struct nvx_tracedat **out, char *err);

/*
 * The next event.  1; 0 at the end; -errno with one line in err, saying how far the file is
 * readable: what was read until then is good.
 */
int nvx_tracedat__next(struct nvx_tracedat *t, struct nvx_event *e, char *err);

/* Valid at the end, or after an error as far as known. */
const struct nvx_tracedat_info *nvx_tracedat__info(const struct nvx_tracedat *t);

/* Ends the reader; NULL is fine. */
void nvx_tracedat__close(struct nvx_tracedat *t);

/* In the reader's process, for fuzzing: parse fd and write messages to out.  0 or -errno. */
int nvx_tracedat_parse(int fd, const char *path, int out);

#endif
