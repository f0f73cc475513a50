/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events of several CPUs' buffers into the order of time.  perf record writes the buffers in
 * turn; at the end of a round all that is older than the newest event of the round before is
 * there (FINISHED_ROUND).  So no more than two rounds are kept.
 */
#ifndef NVX_SOURCE_PERFDATA_ORDER_H
#define NVX_SOURCE_PERFDATA_ORDER_H

#include <stdbool.h>
#include <stddef.h>

#include "model/feed.h"

struct perf_order {
	struct nvx_event *event; /* pending, as they came; those of `ready` are in order */
	size_t nr, room;
	struct nvx_event *ready;
	size_t nr_ready, next, room_ready;
	uint64_t newest, limit; /* of all; of the rounds that are complete */
	uint64_t taken;		/* time of the latest that was handed out */
	uint64_t late;		/* events that came after younger ones were handed out */
};

/* Keep an event.  0 or -ENOMEM. */
int perf_order__put(struct perf_order *o, const struct nvx_event *e);

/* A round is complete; the input is.  0 or -ENOMEM. */
int perf_order__round(struct perf_order *o);
int perf_order__end(struct perf_order *o);

/* The next event that nothing older can follow; false: none yet. */
bool perf_order__take(struct perf_order *o, struct nvx_event *e);

void perf_order__free(struct perf_order *o);

#endif
