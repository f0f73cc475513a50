/* SPDX-License-Identifier: GPL-2.0-only */
/* The live source as every command opens it: probe, choose a tier, load, attach. */
#ifndef NVX_CMD_LIVE_OPEN_H
#define NVX_CMD_LIVE_OPEN_H

#include <argp.h>
#include <signal.h>
#include <stdbool.h>

#include "source/live.h"

/* What a user may say of how to count. */
struct live_opts {
	enum nvx_tier source; /* NVX_TIER_NONE: the best there is */
	uint32_t max_vcpus;   /* 0: by what runs */
};

/* A child parser, with -v: its input is a struct live_opts, which it fills with defaults first. */
extern const struct argp live_argp;

struct live_want {
	const struct nvx_filter *filter;
	struct live_opts how;
	bool starts_vms; /* the VM asked for may come later */
};

struct live_source {
	struct nvx_probe *probe;
	struct nvx_live *live;
	char host[65];
};

/*
 * Load the programs; what the host lacks is in probe->section then.  Nothing is counted before
 * nvx_live__attach.  0, or 1 after a message.  Close it in either case.
 */
int live_source__open(const struct live_want *want, struct live_source *s);

/* Attach.  0, or 1 after a message. */
int live_source__attach(struct live_source *s);

void live_source__close(struct live_source *s);

/*
 * Block the signals that end a command, for sigtimedwait; also where a script's shell had them
 * ignored for what it runs in the background.
 */
void live_block_signals(sigset_t *set);

/* CLOCK_MONOTONIC in ns. */
uint64_t live_now_ns(void);

#endif
