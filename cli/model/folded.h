/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Exits as stacks, for flame graphs: an L2 exit, and below it the L1 exits of its chains; L1 exits
 * outside of chains stand by themselves.  Every exit is in one stack, so that counts add up to all.
 */
#ifndef NVX_MODEL_FOLDED_H
#define NVX_MODEL_FOLDED_H

#include <stdbool.h>

#include "model/rows.h"

struct nvx_stack {
	uint8_t level; /* enum nvx_level of the exit below */
	uint8_t isa;
	bool chain;	 /* there is an L1 exit above it */
	uint32_t reason; /* of the lower exit; in a chain the one that L1 saw */
	uint32_t l1_reason; /* chain: of the L1 exit */
	uint64_t count;
};

struct nvx_folded {
	size_t nr;
	struct nvx_stack *stack; /* by level, reason and L1 reason; single exits before chains */
	uint64_t total;
};

/* Fold the exits of a table, VMs and L2s summed up.  0 or -ENOMEM; free it in either case. */
int nvx_folded__make(const struct nvx_rows *rows, struct nvx_folded *f);
void nvx_folded__free(struct nvx_folded *f);

#endif
