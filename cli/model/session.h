/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session: a saved series of deltas with what host and VMs looked like; the thing that is
 * compared before/after.  Pure data; cli/source/session.h reads and writes it, docs/session.md
 * describes the file.
 */
#ifndef NVX_MODEL_SESSION_H
#define NVX_MODEL_SESSION_H

#include <stddef.h>
#include <stdint.h>

#include "model/probe.h"
#include "model/report.h"
#include "model/rows.h"

#define NVX_SESSION_VERSION 1

/* What a host or VM looked like: keys and values, in order.  Keys are unique. */
struct nvx_config_item {
	char *key, *value;
};

struct nvx_config {
	size_t nr;
	struct nvx_config_item *item;
};

/* Append, or replace the value of a key that is there; both are copied.  0 or -ENOMEM. */
int nvx_config__set(struct nvx_config *c, const char *key, const char *value);

/* The value of a key, or NULL. */
const char *nvx_config__get(const struct nvx_config *c, const char *key);

/* Frees the items and empties the list. */
void nvx_config__free(struct nvx_config *c);

/*
 * Events that could not be counted, within a delta or since the start: see struct nvx_report.
 * Those of one VM are values of its row.
 */
struct nvx_drops {
	uint64_t g[NVX_GDROP_KINDS];
	uint64_t misses;
	uint64_t lost;
};

/* The first line: who recorded what, where. */
struct nvx_session_head {
	uint64_t created_ns; /* CLOCK_REALTIME at the start; 0: unknown */
	uint64_t interval_ns; /* what was asked for; 0: none */
	enum nvx_tier tier; /* NVX_TIER_NONE: a recording of another tool */
	char by[16];	     /* "record", "tune", "top", "import" */
	char program[32];    /* "nvx 0.1.0" */
	char host[65];	     /* "" where unknown, as all that follows */
	char release[65];
	char source[80];     /* where the events came from, for people */
	char source_reason[200]; /* why not from a better source */
	char filter[200];    /* the options that left out a part: "--vm web1 --level 2" */
	char note[400];
	struct nvx_probe_section section[NVX_SECTION_COUNT]; /* what the source can fill */
	char lacks[NVX_LACK_COUNT][NVX_LACK_MAX]; /* what it cannot tell, why; "": it can */
	struct nvx_config config; /* of the host */
};

/* A VM and what it looked like (QEMU's options). */
struct nvx_session_vm {
	struct nvx_vm vm;
	struct nvx_config config;
};

/* One reading less the one before. */
struct nvx_session_delta {
	uint64_t t_ns;	      /* its end, in ns since the session's start */
	uint64_t duration_ns; /* 0: unknown */
	uint32_t period;      /* of `nvx tune`: 1, 2, ...; 0: none */
	/*
	 * Reading: the rows have histograms, of all deltas since the last that had them.
	 * Writing: tell them now; else the writer does with each tenth delta.
	 */
	bool hist;
	struct nvx_drops drops; /* within this delta */
	struct nvx_rows *rows;	/* L2s summed up: l2 is NVX_L2_NONE */
};

/* Totals of one vCPU. */
struct nvx_session_vcpu {
	uint32_t vm; /* index */
	uint32_t vcpu;
	struct nvx_rows *rows; /* sets vms, exits, time; L2s summed up */
};

/* The last line: what stands in no delta, and the proof that the session is whole. */
struct nvx_session_end {
	uint64_t duration_ns; /* 0: unknown */
	uint64_t deltas;
	struct nvx_drops drops;
	struct nvx_cost cost;
	struct nvx_rows *rows; /* the sum of all deltas, L2s apart; writing, NULL: not apart */
	size_t nr_vcpus;
	struct nvx_session_vcpu *vcpu;
};

/* Frees what a delta or an end holds and empties it. */
void nvx_session_delta__free(struct nvx_session_delta *d);
void nvx_session_end__free(struct nvx_session_end *e);

/* Names of columns in the file: enum nvx_value <-> "count", ... ; NULL, NVX_V_NR: no such. */
const char *nvx_value__name(enum nvx_value value);
enum nvx_value nvx_value__find(const char *name);

/* "time", "hist", ...: names of enum nvx_lack in the file */
const char *nvx_lack__name(enum nvx_lack lack);

/*
 * The values that a set has, in the order of the file: at most NVX_V_NR, *nr of them.
 * nvx_set__hist: slots of its histogram; 0: it has none.
 */
const enum nvx_value *nvx_set__values(enum nvx_set set, unsigned int *nr);
unsigned int nvx_set__hist(enum nvx_set set);

#endif
