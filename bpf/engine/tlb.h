/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The TLB ledger: flushes by level, kind and cause, and how many each switch
 * brings.  Stock KVM does not tell a cause; what it was doing does.
 */
#ifndef NVX_ENGINE_TLB_H
#define NVX_ENGINE_TLB_H

#include "isa.h"
#include "slots.h"

/* What the open exit says about a flush outside of a switch. */
nvx_inline __u32 nvx_vmx_cause(__u32 reason)
{
	switch (reason) {
	case EXIT_REASON_INVVPID:
		return NVX_CAUSE_INVVPID;
	case EXIT_REASON_INVEPT:
		return NVX_CAUSE_INVEPT;
	case EXIT_REASON_INVLPG:
		return NVX_CAUSE_INVLPG;
	case EXIT_REASON_CR_ACCESS:
	case EXIT_REASON_INVPCID:
		return NVX_CAUSE_GUEST;
	default:
		return NVX_CAUSE_OTHER;
	}
}

nvx_inline __u32 nvx_svm_cause(__u32 reason)
{
	if (reason == SVM_EXIT_INVLPG || reason == SVM_EXIT_INVLPGA)
		return NVX_CAUSE_INVLPG;
	if (reason == SVM_EXIT_INVPCID ||
	    (reason >= SVM_EXIT_WRITE_CR0 && reason < SVM_EXIT_READ_DR0))
		return NVX_CAUSE_GUEST;
	return NVX_CAUSE_OTHER;
}

nvx_inline __u32 nvx_flush_cause(struct nvx_vcpu *v)
{
	__u64 i = v->exit;
	__u32 cause = v->flush_cause;

	v->flush_cause = NVX_CAUSE_NONE;
	if (cause)
		return cause;
	if (v->flags & (NVX_F_ENTERING | NVX_F_LEAVING))
		return NVX_CAUSE_SWITCH;
	nvx_opaque(i);
	if (i - 1 >= NVX_EXIT_SLOTS)
		return NVX_CAUSE_OTHER;
	return v->isa == NVX_ISA_VMX ? nvx_vmx_cause(NVX_KEY_REASON(v->exits[i - 1].key)) :
				       nvx_svm_cause(NVX_KEY_REASON(v->exits[i - 1].key));
}

/* nvx_tlb_slow - slot + 1 of a ledger key; 0: full */
nvx_slow int nvx_tlb_slow(struct nvx_vcpu *v, __u64 key)
{
	__u64 n, i;

	if (!v)
		return 0;
	n = v->n_tlb;
	for (i = 0; i < NVX_TLB_SLOTS; i++) {
		if (i >= n)
			break;
		if (v->tlb[i].key == key)
			break;
	}
	if (i >= NVX_TLB_SLOTS)
		return 0;
	if (i >= n) {
		v->tlb[i].key = key;
		v->n_tlb = i + 1;
	}
	return i + 1;
}

/*
 * nvx_on_flush - a flush reaches the hardware
 * @v: the vCPU
 * @kind: enum nvx_flush_kind
 * @cause: enum nvx_cause, or NVX_CAUSE_NONE: by what the vCPU is doing
 * @cpu: where, for NVX_FLUSH_ALL of a vCPU that came from elsewhere; ~0: not known
 */
nvx_inline void nvx_on_flush(struct nvx_vcpu *v, __u32 kind, __u32 cause, __u32 cpu)
{
	__u64 i;

	if (!cause) {
		cause = nvx_flush_cause(v);
		if (kind == NVX_FLUSH_ALL && v->isa == NVX_ISA_VMX && v->cpu && v->cpu != cpu + 1)
			cause = NVX_CAUSE_MIGRATED;
	}
	if (kind == NVX_FLUSH_ALL)
		v->cpu = cpu + 1;
	v->events++;
	if (v->flushes < NVX_FLUSH_SLOTS - 1)
		v->flushes++;
	i = (__u32)nvx_tlb_slow(v, (__u64)v->who << 56 | NVX_KEY_USED | kind << 8 | cause);
	nvx_opaque(i);
	if (i - 1 < NVX_TLB_SLOTS)
		v->tlb[i - 1].count++;
	else
		v->drops[NVX_DROP_TLB_SLOTS]++;
}

/* nvx_flush_expect - an event told the cause of the flush that follows */
nvx_inline void nvx_flush_expect(struct nvx_vcpu *v, __u32 cause)
{
	v->flush_cause = cause;
}

/* nvx_switch_flushes - the guest of the level just switched to is entered */
nvx_inline void nvx_switch_flushes(struct nvx_vcpu *v, __u64 direction)
{
	__u64 n = v->flushes;

	nvx_opaque(n);
	nvx_opaque(direction);
	if (n < NVX_FLUSH_SLOTS && direction < 2)
		v->switch_flushes[direction][n]++;
}

#endif
