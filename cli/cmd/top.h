/* SPDX-License-Identifier: GPL-2.0-only */
/* What nvx top is fed by: live events, or a recording. */
#ifndef NVX_CMD_TOP_H
#define NVX_CMD_TOP_H

#include "cmd/live_open.h"
#include "view/top.h"

struct top_opts {
	struct nvx_filter filter;
	struct live_opts how;
	uint64_t interval_ns;
	uint64_t count; /* intervals until the end; 0: no end */
	const char *view, *replay;
	bool plain, ascii, no_colour, since, fast, step;
};

struct top_run;

/* A source of samples.  Every function gets what its `open` made. */
struct top_source {
	/* 0, or 1 after a message; the first sample goes to nvx_top__start */
	int (*open)(const struct top_opts *o, struct nvx_top *t, void **self);
	/* what the screen says of it, as far as the source knows */
	void (*info)(void *self, struct nvx_top_info *info);
	/*
	 * Do what is due now.  1: an interval ended; 0: nothing to show; -errno.  *wait_ns: how
	 * long nothing will be due.
	 */
	int (*go)(void *self, struct nvx_top *t, uint64_t *wait_ns);
	void (*interval)(void *self, uint64_t ns);
	void (*step)(void *self); /* NULL: it does not go by steps */
	/* begin to record to a file, or end it (path NULL); what happened is told by ui */
	void (*record)(void *self, struct nvx_topui *ui, const char *path);
	void (*close)(void *self);
};

extern const struct top_source top_live, top_replay;

#endif
