/* SPDX-License-Identifier: GPL-2.0-only */
/* One session being recorded: samples in, deltas to its file, totals for its end. */
#ifndef NVX_CMD_TRACK_H
#define NVX_CMD_TRACK_H

#include "cmd/live_open.h"
#include "source/session.h"

struct track;

/* Who records, and what of it. */
struct track_opts {
	const char *path;
	bool replace; /* a file that is there */
	const char *by, *note; /* "record", "tune"; note may be NULL */
	uint64_t interval_ns;
	const struct nvx_filter *filter;
};

/* Create the file with a head of this host.  0, or 1 after a message. */
int track__open(const struct track_opts *o, const struct live_source *src, struct track **out);

/*
 * The difference of two samples is the next delta; `period` is that of nvx tune, else 0; `last`:
 * its last delta.  `from` may be NULL: since the start.  0 or -errno.
 */
int track__delta(struct track *t, const struct nvx_sample *from, const struct nvx_sample *to,
		 uint64_t duration_ns, uint32_t period, bool last);

/* Write the end.  0, or -errno. */
int track__end(struct track *t, const struct nvx_cost *cost);

/* Deltas and bytes written, time and exits in them. */
struct track_state {
	uint64_t deltas, bytes, duration_ns, exits;
};
void track__state(const struct track *t, struct track_state *s);

/* Free it; without __end before, the file stays as far as it was written.  NULL is fine. */
void track__close(struct track *t);

#endif
