/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Live events of this host: loads the BPF programs of a tier, attaches them and
 * takes samples of the mapped counters.  The only user of libbpf besides probe.
 */
#ifndef NVX_SOURCE_LIVE_H
#define NVX_SOURCE_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/probe.h"
#include "model/report.h"
#include "model/sample.h"

#define NVX_LIVE_ERR 400

struct nvx_live;

struct nvx_live_opts {
	enum nvx_tier tier;  /* as nvx_probe found, or what the user asked for */
	uint32_t pid;	     /* count only this process; 0: all */
	uint32_t max_vcpus;  /* slots, 16 KiB of locked memory each; 0: by the vCPUs running now */
	const char *btf;     /* BTF file instead of the kernel's own, for tests; or NULL */
};

/*
 * Load the programs of a tier, without attaching them.
 * 0, or -errno with one line for the user in err (NVX_LIVE_ERR bytes).
 */
int nvx_live__open(const struct nvx_live_opts *opts, const struct nvx_probe *probe,
		   struct nvx_live **out, char *err);

/* Attach all programs, kvm_exit last: the first exit of a vCPU is its first event.  As above. */
int nvx_live__attach(struct nvx_live *live, char *err);

/* Stop counting, in one moment for all programs; what was counted stays to be read. */
void nvx_live__stop(struct nvx_live *live);

/*
 * Notice new vCPUs and learn their VM's name while its process still lives.  Cheap; call often.
 * True: ended vCPUs hold so many slots that the next sample, which frees them, is urgent.
 */
bool nvx_live__poll(struct nvx_live *live);

/* Take a sample; free it with nvx_sample__free.  0 or -errno. */
int nvx_live__sample(struct nvx_live *live, struct nvx_sample **out);

/*
 * The VMs met so far; valid until close.  Index i is the VM with index i, NULL where that was
 * forgotten.
 */
const struct nvx_vm *const *nvx_live__vms(const struct nvx_live *live, size_t *nr);

/*
 * The caller holds nothing of a VM any more, no sample either that is still to be read: if it has
 * no vCPU, its index may become another's.
 */
void nvx_live__forget(struct nvx_live *live, uint32_t index);

/* Open, look into and close the window in which the cost is measured.  0 or -errno. */
int nvx_live__cost_begin(struct nvx_live *live);
int nvx_live__cost_read(struct nvx_live *live, struct nvx_cost *cost);
int nvx_live__cost_end(struct nvx_live *live, struct nvx_cost *cost);

/* Does this instance see TLB flushes?  Stock KVM has functions for it, not tracepoints. */
bool nvx_live__flushes(const struct nvx_live *live);

/* vCPU slots of this instance. */
uint32_t nvx_live__max_vcpus(const struct nvx_live *live);

/* Detach, unload, free.  NULL is fine. */
void nvx_live__close(struct nvx_live *live);

#endif
