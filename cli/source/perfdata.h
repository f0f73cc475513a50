/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events of a perf.data (perf record -e kvm:*), in the order of time.  Its container is read
 * here: perf script takes many times as long.  docs of the format: perf.data-file-format.txt and
 * perf_event_open(2).
 */
#ifndef NVX_SOURCE_PERFDATA_H
#define NVX_SOURCE_PERFDATA_H

#include "source/events.h"

struct nvx_perfdata;

/*
 * Start reading a file.  0, or -errno with one line for the user in err (NVX_EVENTS_ERR);
 * -EOPNOTSUPP: a perf.data of a kind that only perf itself reads.
 */
int nvx_perfdata__open(const char *path, struct nvx_perfdata **out, char *err);

/* The next event: as nvx_events__next. */
int nvx_perfdata__next(struct nvx_perfdata *p, struct nvx_event *e, char *err);

const struct nvx_events_info *nvx_perfdata__info(const struct nvx_perfdata *p);

/* NULL is fine. */
void nvx_perfdata__close(struct nvx_perfdata *p);

#endif
