/* SPDX-License-Identifier: GPL-2.0-only */
/* What live.c (load, attach) and live_read.c (map, sample) share. */
#ifndef NVX_SOURCE_LIVE_PRIV_H
#define NVX_SOURCE_LIVE_PRIV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/live.h"

#define NVX_LIVE_LINKS 32

struct bpf_link;
struct bpf_map;
struct bpf_object;

struct nvx_live {
	struct bpf_object *obj;
	struct bpf_map *vcpus, *free_slots, *gdrops;
	struct bpf_link *link[NVX_LIVE_LINKS];
	int nr_links;
	bool direct;  /* kvm_exit by tp_btf */
	bool flushes; /* a program counts TLB flushes */

	uint32_t max;		     /* slots 1..max */
	union nvx_vcpu_cell *cells;  /* mapped: cells[0..max] */
	struct nvx_snap **last;	     /* the latest snapshot of each slot, or NULL */
	const struct nvx_vm **vm_of; /* the VM of each slot in use, or NULL */

	struct nvx_vm **vms;
	size_t nr_vms;

	int stats_fd;
	struct nvx_cost cost_at; /* readings when the window opened */
};

/* Slots for the vCPUs that run now and as many again, at least 256, a power of two. */
uint32_t nvx_live_guess_vcpus(void);

/* Map the counters.  0 or -errno. */
int nvx_live_map(struct nvx_live *live);
void nvx_live_unmap(struct nvx_live *live);

#endif
