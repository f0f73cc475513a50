/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a live screen is made of: samples in; the last interval, the sums since a baseline, and
 * the recent past of every row out.  It keeps no more of the past than a screen can show, so it
 * may run for weeks.
 */
#ifndef NVX_MODEL_TOP_H
#define NVX_MODEL_TOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/compare.h"
#include "model/rows.h"

#define NVX_TOP_PAST   48 /* intervals that a row remembers */
#define NVX_TOP_BEFORE 30 /* of them, those before a mark that are compared with what follows */

/* Rows whose past is kept, at most: 30 MB of it.  The others are shown without one. */
#define NVX_TOP_SERIES_MAX 32768

/* Which figures of a row have a past. */
enum nvx_top_value {
	NVX_TOP_COUNT,	/* NVX_V_COUNT; time: ns */
	NVX_TOP_SECOND, /* exits, chains, ...: NVX_V_TIME; vms: exits of L2; ipis: exits;
			   flushes: their number */
	NVX_TOP_THIRD,	/* vms: switches, both directions */
	NVX_TOP_VALUES
};

/* Sums of a VM, or of all, over one window. */
struct nvx_top_sum {
	uint64_t l1_exits, l2_exits, unknown, entries, leaves;
	uint64_t flushes, flush_switches; /* switches whose flushes are known */
	uint64_t ipis, ipi_exits;
	uint64_t lost; /* events without a slot */
	uint64_t time[NVX_PHASES];
};

/* Part of what is counted: all, a VM, one of its vCPUs. */
struct nvx_top_scope {
	uint32_t vm;   /* index; NVX_VM_ALL: all of them */
	uint32_t slot; /* of a vCPU; NVX_TOP_NO_SLOT: all of the VM's */
};

#define NVX_TOP_NO_SLOT UINT32_MAX

/* The time that figures stand for. */
enum nvx_top_window { NVX_TOP_LAST, NVX_TOP_SINCE };

struct nvx_top;

/* NULL without memory.  The filter's VM name stays the caller's; NULL takes all. */
struct nvx_top *nvx_top__new(const struct nvx_filter *filter);
void nvx_top__free(struct nvx_top *t);

/* The first reading: what was before it is not counted.  Takes the sample, also when it fails. */
int nvx_top__start(struct nvx_top *t, struct nvx_sample *s);

/* The next reading, which ends an interval; takes the sample, also when it fails.  0 or -ENOMEM. */
int nvx_top__sample(struct nvx_top *t, struct nvx_sample *s);

/* While it is held, readings are added up; the interval ends when it is let go.  0 or -ENOMEM. */
int nvx_top__hold(struct nvx_top *t, bool hold);
bool nvx_top__held(const struct nvx_top *t);

/* From now on "since" means now.  0 or -ENOMEM. */
int nvx_top__reset(struct nvx_top *t);

/* What comes now is compared with what was; again: from here on; off: no longer. */
void nvx_top__mark(struct nvx_top *t, bool on);

/* Is there a mark, and how many intervals there are before and after it that count? */
bool nvx_top__marked(const struct nvx_top *t, size_t *before, size_t *after);

/* ns since the mark */
uint64_t nvx_top__mark_age(const struct nvx_top *t);

/*
 * The rows of a scope over a window, L2s summed up.  *owner is NULL where
 * the rows belong to t, else free it with nvx_rows__free.  NULL without memory.
 */
const struct nvx_rows *nvx_top__rows(const struct nvx_top *t, enum nvx_top_window w,
				     struct nvx_top_scope scope, struct nvx_rows **owner);
/* All rows since the baseline, of VMs that still run: which labels there are. */
const struct nvx_rows *nvx_top__all(const struct nvx_top *t);

/* How long a window is. */
uint64_t nvx_top__ns(const struct nvx_top *t, enum nvx_top_window w);

/* Sums of rows, which are those of one scope. */
void nvx_top__sum(const struct nvx_rows *rows, uint32_t vm, struct nvx_top_sum *sum);

/* The sums of all VMs, and of one; zeroes where nothing was counted. */
const struct nvx_top_sum *nvx_top__host(const struct nvx_top *t, enum nvx_top_window w);
const struct nvx_top_sum *nvx_top__vm(const struct nvx_top *t, enum nvx_top_window w, uint32_t vm);

/* vCPUs of the latest sample, in the order of their slots. */
const struct nvx_sample *nvx_top__latest(const struct nvx_top *t);

/* The sample that was given last; another than that only while the interval is held. */
const struct nvx_sample *nvx_top__newest(const struct nvx_top *t);

/* How many vCPUs of a VM there are now; 0: it is gone. */
unsigned int nvx_top__vcpus(const struct nvx_top *t, uint32_t vm);

/*
 * The recent past of a figure, per second, oldest first: at most NVX_TOP_PAST values.
 * Returns how many; 0: the row has none.
 */
size_t nvx_top__past(const struct nvx_top *t, const struct nvx_labels *l, enum nvx_top_value v,
		     float *out);

/*
 * Compare a figure's values before the mark with those since (both per second), in blocks that
 * are longer than they stay alike.  False: there is nothing to compare.
 */
bool nvx_top__change(const struct nvx_top *t, const struct nvx_labels *l, enum nvx_top_value v,
		     struct nvx_comparison *c);

/* Intervals so far. */
uint64_t nvx_top__intervals(const struct nvx_top *t);

#endif
