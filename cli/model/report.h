/* SPDX-License-Identifier: GPL-2.0-only */
/* Everything that a view of one delta needs: rows, and what to say about them. */
#ifndef NVX_MODEL_REPORT_H
#define NVX_MODEL_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/metric.h"
#include "model/probe.h"
#include "model/rows.h"

/* What nvx costs this host, measured in a window of BPF run-time statistics. */
struct nvx_cost {
	uint64_t events; /* program runs in the window; 0: not measured, or nothing ran */
	uint64_t run_ns;
	uint64_t window_ns;
};

/* What an input of another tool may be unable to tell; such figures read n/a, never 0. */
enum nvx_lack {
	NVX_LACK_TIME,	  /* times of exits and chains */
	NVX_LACK_HIST,	  /* their distribution */
	NVX_LACK_OUTCOME, /* reflected, synthesised, handled */
	NVX_LACK_SWITCH,  /* entries and leaves of L2, failed ones, chains */
	NVX_LACK_OPEN,	  /* exits that no entry followed */
	NVX_LACK_DROPS,	  /* events that the tool lost */
	NVX_LACK_COUNT
};

#define NVX_LACK_MAX 160 /* bytes of a reason */

enum nvx_sort { NVX_SORT_COUNT, NVX_SORT_TIME, NVX_SORT_AVG, NVX_SORT_NAME };

struct nvx_report {
	const struct nvx_rows *rows;
	const struct nvx_vm *const *vms;
	size_t nr_vms;

	const char *host, *release;
	enum nvx_tier tier;	   /* NVX_TIER_NONE: a recording */
	const char *source;	   /* where the events came from, for people */
	const char *source_reason; /* why not from a better source; "" */
	const struct nvx_probe_section *section; /* NVX_SECTION_COUNT, what the tier can fill */

	const char (*lacks)[NVX_LACK_MAX]; /* by enum nvx_lack, why; "": it is there; NULL: all are */

	uint64_t duration_ns; /* 0: unknown */
	uint64_t interval; /* 1, 2, ... for a part; 0 for the whole */
	struct nvx_cost cost;
	uint64_t gdrops[NVX_GDROP_KINDS];
	uint64_t misses;
	uint64_t lost; /* events that a recording says it lost */

	/* what the user asked to see */
	unsigned int sections; /* bits 1 << enum nvx_section */
	enum nvx_sort sort;
	size_t top;    /* rows a table; 0: all */
	bool by_l2;    /* keep L2s apart */
	bool by_host;  /* sum over VMs */
};

/* Why this report lacks something; NULL where it does not. */
const char *nvx_report__lacks(const struct nvx_report *r, enum nvx_lack lack);

/* The same of a metric of a row. */
const char *nvx_report__lacks_metric(const struct nvx_report *r, const struct nvx_metric *m);

/* All events that could not be counted: the sum of every drop counter. */
uint64_t nvx_report__dropped(const struct nvx_report *r);

/*
 * The rows of a set, sorted and cut as asked; rows of equal labels after dropping are summed.
 * The array and the rows belong to *owner: free it with nvx_rows__free.
 * Returns the number of rows that stand before the cut, or -ENOMEM; *nr are those to show.
 */
long nvx_report__rows(const struct nvx_report *r, enum nvx_set set, struct nvx_rows **owner,
		      const struct nvx_row ***out, size_t *nr);

#endif
