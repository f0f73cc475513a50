/* SPDX-License-Identifier: GPL-2.0-only */
/* A whole session, summed up: what `nvx report` shows and `nvx diff` compares. */
#ifndef NVX_CMD_SESSION_SUM_H
#define NVX_CMD_SESSION_SUM_H

#include "source/session.h"

struct session_sum {
	struct nvx_session_reader *reader; /* holds head, VMs and end */
	struct nvx_rows *rows;	/* of all deltas; L2s apart where the end tells them */
	struct nvx_drops drops;
	uint64_t duration_ns;
	uint64_t deltas;
	const char *trouble; /* NULL: whole */
};

/* Called with each delta, before it is freed.  0 or -errno, which ends the reading. */
typedef int (*session_delta_fn)(const struct nvx_session_delta *d, void *arg);

/*
 * Read a session to its end; rows that the filter leaves out are not summed.  fn may be NULL.
 * 0, or -errno after a message.  Free it in either case.
 */
int session_sum__read(const char *path, const struct nvx_filter *filter, session_delta_fn fn,
		      void *arg, struct session_sum *sum);

void session_sum__free(struct session_sum *sum);

/* Fill what a report takes from a session; the views' options are the caller's. */
void session_sum__report(const struct session_sum *sum, struct nvx_report *rep);

#endif
