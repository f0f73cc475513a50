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

#include "source/events.h"

struct nvx_tracedat;

/* Start reading a file.  0, or -errno with one line for the user in err. */
int nvx_tracedat__open(const char *path, struct nvx_tracedat **out, char *err);

/*
 * The next event.  1; 0 at the end; -errno with one line in err, saying how far the file is
 * readable: what was read until then is good.
 */
int nvx_tracedat__next(struct nvx_tracedat *t, struct nvx_event *e, char *err);

/* Valid at the end, or after an error as far as known. */
const struct nvx_events_info *nvx_tracedat__info(const struct nvx_tracedat *t);

/* Ends the reader; NULL is fine. */
void nvx_tracedat__close(struct nvx_tracedat *t);

/* In the reader's process, for fuzzing: parse fd and write messages to out.  0 or -errno. */
int nvx_tracedat_parse(int fd, const char *path, int out);

#endif
