/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sums since counting began, of a source that runs for months: VMs come and go, and those that
 * went leave nothing behind.
 *
 * A VM that had no exit for a while is hidden, and shown again with the sums that it had.  One
 * that has no vCPU any more is forgotten with its rows; what comes later under its name counts
 * from 0, and says since when.
 */
#ifndef NVX_MODEL_SUMS_H
#define NVX_MODEL_SUMS_H

#include "model/rows.h"

struct nvx_sums;

/* A VM as the sums know it. */
struct nvx_sums_vm {
	/*
	 * A copy whose name no other VM of its namespace has here: a later one has its process's
	 * number behind it.  It keeps that name as long as it is remembered.
	 */
	struct nvx_vm vm;
	uint64_t since_ns; /* CLOCK_REALTIME: its sums began */
	uint64_t seen_ns;  /* CLOCK_MONOTONIC: the last sample with new exits */
	uint64_t exits;
	bool here; /* has vCPUs in the last sample */
};

/*
 * Empty sums of what a filter takes; it is copied, its name is not.
 * @stale_ns: how long a VM stays without an exit, 0: always.  NULL without memory.
 */
struct nvx_sums *nvx_sums__new(const struct nvx_filter *filter, uint64_t stale_ns);
void nvx_sums__free(struct nvx_sums *s);

/*
 * Add what happened since the last sample, and forget who is gone.  The sample is the sums' from
 * here on.  @realtime_ns: its time as CLOCK_REALTIME.  0 or -ENOMEM.
 */
int nvx_sums__take(struct nvx_sums *s, struct nvx_sample *sample, uint64_t realtime_ns);

/* What the sums hold; L2s are summed up.  Rows of VMs that are hidden are among them. */
const struct nvx_rows *nvx_sums__rows(const struct nvx_sums *s);

/* By index of the source, NULL for those forgotten or never met; valid until the next sample. */
const struct nvx_sums_vm *const *nvx_sums__vms(const struct nvx_sums *s, size_t *nr);

/* Is a VM without an exit for long? */
bool nvx_sums__stale(const struct nvx_sums *s, const struct nvx_sums_vm *vm);

/* The last sample, for its drop counters; NULL before the first. */
const struct nvx_sample *nvx_sums__last(const struct nvx_sums *s);

/* Events of forgotten VMs that could not be counted: part of the host's total for ever. */
uint64_t nvx_sums__lost(const struct nvx_sums *s);

#endif
