/* SPDX-License-Identifier: GPL-2.0-only */
/* Options of `nvx stat`. */
#ifndef NVX_CMD_STAT_OPTS_H
#define NVX_CMD_STAT_OPTS_H

#include "cmd/live_open.h"
#include "cmd/view_opts.h"

struct stat_opts {
	struct view_opts view;
	uint64_t duration_ns; /* 0: until Ctrl-C, or the command's end */
	uint64_t interval_ns; /* 0: one report at the end */
	struct live_opts how;
	char **command;	      /* NULL: none */
};

/* Parse; prints usage errors itself and exits with 2 as argp does.  0. */
int stat_opts__parse(int argc, char **argv, struct stat_opts *o);

#endif
