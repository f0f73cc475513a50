/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Two sides of sessions compared, figure by figure.
 *
 *	d = nvx_diff__new(totals of A, totals of B, top)    chooses the figures
 *	nvx_diff__file(d, side), nvx_diff__delta(d, ...)    each session, delta by delta
 *	nvx_diff__finish(d)                                 units, tests, Holm's correction
 */
#ifndef NVX_MODEL_DIFF_H
#define NVX_MODEL_DIFF_H

#include "model/compare.h"
#include "model/session.h"

enum nvx_side { NVX_SIDE_A, NVX_SIDE_B, NVX_SIDES };

/* The tables of a diff. */
enum nvx_diff_group {
	NVX_DIFF_RATES,	  /* events a second */
	NVX_DIFF_PER_L2,  /* events an exit of L2 */
	NVX_DIFF_TIMES,	  /* mean times: of an exit, of a chain */
	NVX_DIFF_QUANTILES, /* of times of exits */
	NVX_DIFF_CHAINS,  /* exits of a chain */
	NVX_DIFF_SHARES,  /* of vCPU time */
	NVX_DIFF_GROUPS
};

/* What a unit of replication is. */
enum nvx_diff_unit {
	NVX_UNIT_PERIODS, /* of nvx tune */
	NVX_UNIT_RUNS,	  /* sessions: four a side or more */
	NVX_UNIT_BLOCKS,  /* blocks of deltas: one run a side, or a few */
};

struct nvx_figure {
	enum nvx_diff_group group;
	struct nvx_labels labels; /* of the row that it is about; VM and L2 summed up */
	const char *what;	  /* what of the row: "", "P50" */
	size_t block; /* deltas of a unit, NVX_UNIT_BLOCKS; not less than ten for histograms */
	struct nvx_comparison cmp; /* values: events, ns, shares of 1 */
};

struct nvx_diff {
	enum nvx_diff_unit unit;
	size_t block; /* deltas that stay alike, of the figure that does so for longest */
	size_t files[NVX_SIDES], deltas[NVX_SIDES];
	size_t nr;
	struct nvx_figure *figure; /* by group */
	size_t differ, too_few; /* of them */
	struct nvx_diff_data *data; /* private */
};

/*
 * Choose the figures: of each set the `top` rows with most events on either side.  `lacks` are
 * bits 1 << enum nvx_lack that either side has.  NULL without memory.
 */
struct nvx_diff *nvx_diff__new(const struct nvx_rows *a, const struct nvx_rows *b, size_t top,
			       unsigned int lacks);

/* The deltas that follow are of another session of that side. */
void nvx_diff__file(struct nvx_diff *d, enum nvx_side side);

/* The next delta of that session; VMs and L2s are summed up, unless they are.  0 or -ENOMEM. */
int nvx_diff__delta(struct nvx_diff *d, const struct nvx_session_delta *delta);

/* Compare.  Figures that neither side has a value of are dropped.  0 or -ENOMEM. */
int nvx_diff__finish(struct nvx_diff *d);

void nvx_diff__free(struct nvx_diff *d);

#endif
