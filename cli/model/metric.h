/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The one registry: every figure that nvx shows or exports is named here once, with its type,
 * unit, help and labels.  stat's text, JSON and CSV read it; so does whatever exports metrics.
 */
#ifndef NVX_MODEL_METRIC_H
#define NVX_MODEL_METRIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/probe.h"
#include "model/rows.h"

enum nvx_label {
	NVX_LABEL_VM,	     /* name of the VM */
	NVX_LABEL_VCPU,	     /* its number, in rows that keep vCPUs apart; in no set's list */
	NVX_LABEL_LEVEL,     /* "1", "2", "?" */
	NVX_LABEL_L2,	     /* "0x..." (vmcs12 or VMCB12), "other", "?" */
	NVX_LABEL_REASON,    /* exit reason */
	NVX_LABEL_L2_REASON, /* chains: the reason that L1 saw */
	NVX_LABEL_L1_REASON, /* cells: the reason of the L1 exit */
	NVX_LABEL_MSR,
	NVX_LABEL_HYPERCALL,
	NVX_LABEL_PORT,
	NVX_LABEL_PAGE,
	NVX_LABEL_ACCESS, /* "read", "write" */
	NVX_LABEL_PATH,	  /* where an IPI was asked for */
	NVX_LABEL_DEST,	  /* whom it is for */
	NVX_LABEL_FLUSH,  /* kind of TLB flush */
	NVX_LABEL_CAUSE,
	NVX_LABEL_DIRECTION,
	NVX_LABEL_PHASE,
	NVX_LABEL_COUNT
};

enum nvx_metric_type { NVX_COUNTER, NVX_GAUGE, NVX_HISTOGRAM };
enum nvx_unit { NVX_UNIT_NONE, NVX_UNIT_NS, NVX_UNIT_EXITS, NVX_UNIT_FLUSHES };

struct nvx_metric {
	const char *name; /* full name: "nvx_exits_total" */
	const char *key;  /* in JSON and CSV, where the set is known: "count" */
	enum nvx_set set;
	enum nvx_metric_type type;
	enum nvx_unit unit; /* of what `get` returns, or of the histogram's bounds */
	const char *help;
	uint64_t (*get)(const struct nvx_row *row); /* NULL for histograms: row->hist */
};

struct nvx_set_info {
	const char *name;	  /* "exits", "cells" */
	enum nvx_section section; /* of `nvx stat` that shows it */
	unsigned int labels;	  /* bits 1 << enum nvx_label */
};

/* All metrics, grouped by set. */
extern const struct nvx_metric nvx_metrics[];
extern const size_t nvx_nr_metrics;

/* Name, section and labels of a set. */
const struct nvx_set_info *nvx_set__info(enum nvx_set set);

/* "vm", "level", "l2_reason", ... */
const char *nvx_label__name(enum nvx_label label);

/* A buffer of this size holds every label's text. */
#define NVX_LABEL_MAX 160

/*
 * The text of a label of a row.  vms is the series' list, by index.
 * Returns buf or a constant; "all" for a VM that was summed over.
 */
const char *nvx_label__text(enum nvx_label label, const struct nvx_row *row,
			    const struct nvx_vm *const *vms, char *buf, size_t size);

/* Upper bound of a histogram's slot in the metric's unit; UINT64_MAX for the open one. */
uint64_t nvx_metric__bound(const struct nvx_metric *m, unsigned int slot);

/* Slots of a metric's histogram. */
unsigned int nvx_metric__slots(const struct nvx_metric *m);

/* L2 exits that L0 handled without a switch: the rest after reflected and synthesised. */
uint64_t nvx_row__handled(const struct nvx_row *row);

/* Exits never followed by an entry, chains still open. */
uint64_t nvx_row__open(const struct nvx_row *row);

#endif
