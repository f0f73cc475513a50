/* SPDX-License-Identifier: GPL-2.0-only */
/* Types that the semantic patches embed into the distribution's structs. */
#ifndef NVX_TYPES_H
#define NVX_TYPES_H
#include <linux/types.h>
#include "nvx_evmcs.h"
#include "nvx_roots.h"
#include "nvx_vpid.h"

struct nvx_vm;

/* Enlightened VMCS: of the vCPU, and of the entry to L2 that is under way. */
struct nvx_evmcs_state {
	struct nvx_evmcs_cache cache;
	u32 l1_clean;		/* hv_clean_fields as L1 left them, of another page or a launch */
	u32 clean02;		/* what vmcs02 holds already, by hv_clean_fields */
	u8 start;		/* enum nvx_evmcs_reason of an entry by another page; else 0 */
	bool own;		/* clean02 counts, and not hv_clean_fields */
};

/*
 * In struct nested_vmx, so one per vCPU of a VM of kvm-intel.  Written by the vCPU's
 * own thread, but for asked[], which other threads may set.
 */
struct nvx_vcpu {
	const struct nvx_vm *vm;	/* switches of the VM, since VMXON */
	struct nvx_vpid_pool pool;	/* VPIDs of L2s; its current pair is KVM's */
	struct nvx_roots kept;		/* nested EPT roots beyond KVM's own cache */
	struct nvx_evmcs_state evmcs;
	u64 eptp12;			/* of the last switch to L2 */
	u8 asked[NVX_FLUSH_GVA + 1];	/* by enum nvx_flush_kind: who asked (enum nvx_cause) */
	u8 switch_cause;		/* enum nvx_cause, of the switch under way */
	u8 inv_hits;			/* flushes of the INVVPID under way */
	bool inv_deferred;		/* the INVVPID under way waits for a switch to L2 */
	bool hyperv;			/* inside Hyper-V's list of flushes */
	bool exited;			/* a hardware exit that nvx_exit has not shown yet */
	bool msr_recalculated;
};

#endif
