/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Rows: what a delta is made of, and the only thing a view sees.
 *
 * A row has labels and values.  Rows of equal labels add up, so the same table
 * serves a delta, the sum of deltas, and the sum over vCPUs, L2s or VMs.
 */
#ifndef NVX_MODEL_ROWS_H
#define NVX_MODEL_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <nvx_abi.h>

#include "model/sample.h"

/* What a row counts. */
enum nvx_set {
	NVX_SET_VMS,	    /* totals of a VM */
	NVX_SET_L2S,	    /* an L2: entries */
	NVX_SET_EXITS,	    /* exits by (level, reason) */
	NVX_SET_MSRS,	    /* ... by MSR */
	NVX_SET_HYPERCALLS, /* ... by hypercall number */
	NVX_SET_PIO,	    /* ... by I/O port */
	NVX_SET_MMIO,	    /* ... by page */
	NVX_SET_CHAINS,	    /* switches to L1 by the reason that L1 saw */
	NVX_SET_CELLS,	    /* L1 exits within chains */
	NVX_SET_IPIS,	    /* IPIs by path and kind */
	NVX_SET_TLB,	    /* TLB flushes by kind and cause */
	NVX_SET_FLUSHES,    /* ... by switch: how many each brings */
	NVX_SET_TIME,	    /* where the vCPUs' time goes */
	NVX_SET_COUNT
};

/* Level labels; the level of an L2 row has its identity beside it. */
enum nvx_level { NVX_LEVEL_UNKNOWN, NVX_LEVEL_1, NVX_LEVEL_2 };

/* Pseudo-addresses of L2s without identity. */
#define NVX_L2_NONE	0ULL
#define NVX_L2_OTHER	1ULL /* more L2s than a vCPU keeps apart */
#define NVX_L2_UNKNOWN	2ULL /* attached while L2 ran, before its first entry */

struct nvx_labels {
	uint8_t set;	/* enum nvx_set */
	uint8_t isa;	/* enum nvx_isa */
	uint8_t level;	/* enum nvx_level */
	uint8_t kind;	/* enum nvx_drill; IPIs: enum nvx_ipi_kind; 0 elsewhere */
	uint32_t vm;	/* index of the VM; NVX_VM_ALL: summed over VMs */
	uint32_t vcpu;	/* where vCPUs are kept apart: its number + 1; else 0 */
	uint64_t l2;	/* vmcs12 or VMCB12 address, or one of the pseudo-addresses */
	/*
	 * Exit reason, the reason that L1 saw, or a number (NVX_DRILL_OTHER: the rest); enum
	 * nvx_ipi_path, nvx_flush_kind, nvx_direction, nvx_phase
	 */
	uint64_t key;
	uint64_t key2; /* cells: the reason of the L1 exit; flushes: enum nvx_cause */
};

#define NVX_VM_ALL UINT32_MAX

enum nvx_value {
	NVX_V_COUNT,	   /* exits, switches, IPIs, flushes; vms: L1 exits */
	NVX_V_REFLECTED,
	NVX_V_SYNTHESISED,
	NVX_V_NOEXIT,	   /* switches to L1 without an L2 exit before them */
	NVX_V_TIME,	   /* ns until re-entry; chains: until L2 runs again */
	NVX_V_DONE,	   /* exits re-entered, chains closed: COUNT less those still open */
	NVX_V_L2_EXITS,	   /* vms: exits of L2 */
	NVX_V_UNKNOWN,	   /* vms: exits of unknown level */
	NVX_V_ENTRIES,	   /* vms: switches L1 to L2 */
	NVX_V_LEAVES,	   /* vms: switches L2 to L1 */
	NVX_V_FAILED,	   /* vms: nested entries that did not reach L2 */
	NVX_V_RESYNCS,	   /* vms: level changed without a switch event */
	NVX_V_VCPUS,	   /* vms: vCPUs seen */
	NVX_V_OPAQUE,	   /* vms: vCPUs whose registers are encrypted */
	NVX_V_DETAIL,	   /* vms: events kept without their detail */
	NVX_V_LOST,	   /* vms: events without a slot */
	NVX_V_DESTS,	   /* ipis: destinations, of those whose number is known */
	NVX_V_EXITS,	   /* ipis: exits they took */
	NVX_V_NODESTS,	   /* ipis: how many have an unknown number of destinations */
	NVX_V_NR
};

struct nvx_row {
	struct nvx_labels l;
	uint64_t v[NVX_V_NR];
	/* times; chains: lengths (NVX_LEN_SLOTS); flushes: of a switch (NVX_FLUSH_SLOTS) */
	uint64_t hist[NVX_HIST_SLOTS];
};

_Static_assert(NVX_LEN_SLOTS <= NVX_HIST_SLOTS, "one array serves both");

struct nvx_rows {
	size_t nr;
	struct nvx_row **row; /* in order of first appearance */
	/* private: hash of labels -> row; where the next one asked for may be */
	size_t room, mask, next;
	uint32_t *bucket;
};

/* An empty table; NULL without memory. */
struct nvx_rows *nvx_rows__new(void);
void nvx_rows__free(struct nvx_rows *rows);

/* Make room for so many rows at once; 0 or -ENOMEM. */
int nvx_rows__reserve(struct nvx_rows *rows, size_t nr);

/* The row of these labels, made with zeroes if it is new; NULL without memory. */
struct nvx_row *nvx_rows__at(struct nvx_rows *rows, const struct nvx_labels *l);

/* The row of these labels, or NULL. */
const struct nvx_row *nvx_rows__find(const struct nvx_rows *rows, const struct nvx_labels *l);

/* Are these the same labels? */
bool nvx_labels__same(const struct nvx_labels *a, const struct nvx_labels *b);

/* Where the row of these labels stands in rows->row; -1: there is none. */
long nvx_rows__index(const struct nvx_rows *rows, const struct nvx_labels *l);

/* Add every row of `from`; labels in `drop` are set to "all" first.  0 or -ENOMEM. */
int nvx_rows__add(struct nvx_rows *to, const struct nvx_rows *from, unsigned int drop);

struct nvx_filter;

/*
 * Add the rows that a filter takes; the VM of a row is vms[its index].  A row has no vCPU: that
 * part of the filter is the caller's.  0 or -ENOMEM.
 */
int nvx_rows__add_some(struct nvx_rows *to, const struct nvx_rows *from,
		       const struct nvx_vm *const *vms, const struct nvx_filter *filter);

#define NVX_DROP_LABEL_VM 1u /* sum over VMs */
#define NVX_DROP_LABEL_L2 2u /* sum over L2s of a VM */

/*
 * Sum one value over a set.
 * @level: enum nvx_level, or -1 for all; @vm: an index, or NVX_VM_ALL for all
 */
uint64_t nvx_rows__sum(const struct nvx_rows *rows, enum nvx_set set, enum nvx_value value,
		       int level, uint32_t vm);

/* What to take into a roll-up, and how; members 0, NULL or negative take everything. */
struct nvx_filter {
	uint32_t pid;
	const char *vm_name;
	int vcpu;  /* -1: all */
	int level; /* enum nvx_level, -1: all */
	bool by_vcpu; /* keep vCPUs apart */
	bool sum_l2s; /* L2s of a VM are one */
};

/*
 * Add the delta of two samples (`from` may be NULL: since the start) to a table.
 * 0 or -ENOMEM.
 */
int nvx_rollup(struct nvx_rows *rows, const struct nvx_sample *from, const struct nvx_sample *to,
	       const struct nvx_filter *filter);

/*
 * An upper bound of the q-quantile (0 < q <= 1) of a histogram of durations: the bound of the
 * slot in which it lies.  0 where the histogram is empty, UINT64_MAX for the open slot.
 */
uint64_t nvx_hist__quantile(const uint64_t *hist, double q);

/* Upper bound of a duration slot in ns; UINT64_MAX for the last. */
uint64_t nvx_hist__bound(unsigned int slot);

/* Largest length that a length slot holds; UINT64_MAX for the last. */
uint64_t nvx_len__bound(unsigned int slot);

#endif
