/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Events as text, a line each: `perf script`, `trace-cmd report` (with its plugin or -N), the
 * `trace` file of tracefs; also as mailed: wrapped, without times, without threads.
 */
#ifndef NVX_SOURCE_EVENTTEXT_H
#define NVX_SOURCE_EVENTTEXT_H

#include <stdio.h>

#include "source/events.h"

struct nvx_eventtext;

/* Start reading a file ("-": standard input).  0, or -errno with one line in err. */
int nvx_eventtext__open(const char *path, struct nvx_eventtext **out, char *err);

/* The same from an open stream, which the reader closes; `name` is for messages. */
int nvx_eventtext__from(FILE *in, const char *name, struct nvx_eventtext **out, char *err);

/* The next event: as nvx_events__next.  -EINVAL: the line, by its number, is no such text. */
int nvx_eventtext__next(struct nvx_eventtext *t, struct nvx_event *e, char *err);

const struct nvx_events_info *nvx_eventtext__info(const struct nvx_eventtext *t);

/* NULL is fine. */
void nvx_eventtext__close(struct nvx_eventtext *t);

/*
 * The fields of one event from the text behind its name ("vcpu 0 reason npf rip 0x1 info1 0x4").
 * Sets what the type has; isa stays 0 where no spelling tells it.  *no_info: an exit came without
 * its information fields.  0, -ENOENT: an event that nvx does not use, -EINVAL: what it needs is
 * not there.
 */
int nvx_eventtext_fields(const char *name, const char *text, struct nvx_event *e, bool *no_info);

#endif
