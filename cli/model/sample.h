/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A sample: a cumulative reading of all counters at one time.
 *
 * Snapshots of vCPUs that did not change between two samples are shared, not
 * copied.  A vCPU whose thread has ended appears with its final values in the
 * first sample after its end and in no later one; so whoever takes every delta
 * of one series of samples loses no count.
 */
#ifndef NVX_MODEL_SAMPLE_H
#define NVX_MODEL_SAMPLE_H

#include <stddef.h>
#include <stdint.h>
#include <nvx_abi.h>

#include "model/vmname.h"

/* One virtual machine, for as long as the profiler runs. */
struct nvx_vm {
	uint32_t index; /* position in the series' list, from 0 */
	uint32_t pid;	/* of the process that runs it */
	uint64_t kvm;	/* struct kvm's address, 0 where not read */
	struct nvx_vmname id;
};

/* Counters of one vCPU at one time. */
struct nvx_snap {
	unsigned int refs;
	const struct nvx_vm *vm;
	uint32_t slot; /* with v.t_first and v.tid: the vCPU's identity over samples */
	struct nvx_vcpu v;
};

struct nvx_sample {
	uint64_t t_ns; /* CLOCK_MONOTONIC */
	size_t nr;
	struct nvx_snap **snap; /* ascending by slot */
	uint64_t gdrops[NVX_GDROP_KINDS];
	uint64_t misses; /* events that a BPF program missed (recursion) */
};

/* A snapshot with one reference and everything else 0; NULL without memory. */
struct nvx_snap *nvx_snap__new(void);

/* Take and drop a reference; put(NULL) is fine. */
struct nvx_snap *nvx_snap__get(struct nvx_snap *snap);
void nvx_snap__put(struct nvx_snap *snap);

/* An empty sample with room for `room` snapshots; NULL without memory. */
struct nvx_sample *nvx_sample__new(size_t room);

/* Drops the snapshots and frees the sample; NULL is fine. */
void nvx_sample__free(struct nvx_sample *s);

/* The snapshot of the same vCPU in another sample, or NULL. */
const struct nvx_snap *nvx_sample__find(const struct nvx_sample *s, const struct nvx_snap *like);

#endif
