/* SPDX-License-Identifier: GPL-2.0-only */
/* What the distribution's kvm.ko calls.  Everything here is a no-op but for a static branch. */
#ifndef NVX_H
#define NVX_H
#include <linux/kvm_host.h>
#include "nvx_types.h"
#include "nvx_trace.h"

/*
 * A hook that may stand among declarations: KVM is built with
 * -Wdeclaration-after-statement.
 */
#define NVX_HOOK(call) int __maybe_unused __UNIQUE_ID(nvx_hook) = ((call), 0)

/* Where struct nvx_vcpu lies in the vendor module's vCPU; 0: not ours, e.g. kvm-amd. */
extern unsigned long nvx_vcpu_offset;

static inline struct nvx_vcpu *nvx_vcpu(struct kvm_vcpu *vcpu)
{
	unsigned long offset = READ_ONCE(nvx_vcpu_offset);

	return offset ? (struct nvx_vcpu *)((char *)vcpu + offset) : NULL;
}

static inline u32 nvx_level(struct kvm_vcpu *vcpu)
{
	return vcpu->arch.hflags & HF_GUEST_MASK ? 2 : 1;
}

void nvx_trace_exit(struct kvm_vcpu *vcpu, u32 fastpath);
void nvx_trace_ipi(struct kvm_vcpu *vcpu, u32 icr_low, u32 icr_high, bool x2apic);
void nvx_trace_hv_ipi(struct kvm_vcpu *vcpu, u32 vector, u32 destinations);
void nvx_trace_apicv(struct kvm_vcpu *vcpu);
void nvx_trace_pv_ipi(struct kvm_vcpu *vcpu, unsigned long low, unsigned long high, u32 min,
		      unsigned long icr, bool long_mode, int sent);

/* Kept roots are freed through KVM's own cache, as which they are dressed up for that. */
void nvx_free_root(struct kvm_vcpu *vcpu, struct nvx_root root);
bool nvx_flushes_by_root(void);
void nvx_free_kept(struct kvm_vcpu *vcpu);
void nvx_free_obsolete(struct kvm_vcpu *vcpu,
		       void (*distro)(struct kvm *kvm, struct kvm_mmu *mmu));

/* Notes who asked for a flush; the flush itself is traced when it reaches the hardware. */
static inline void nvx_flush_asked(struct kvm_vcpu *vcpu, enum nvx_flush_kind kind,
				   enum nvx_cause cause)
{
	struct nvx_vcpu *nv = nvx_vcpu(vcpu);

	if (nv)
		WRITE_ONCE(nv->asked[kind], cause);
}

static inline void nvx_exited(struct kvm_vcpu *vcpu, u32 fastpath)
{
	if (trace_nvx_exit_enabled())
		nvx_trace_exit(vcpu, fastpath);
}

static inline void nvx_ipi(struct kvm_vcpu *vcpu, u32 icr_low, u32 icr_high, bool x2apic)
{
	if (trace_nvx_ipi_enabled())
		nvx_trace_ipi(vcpu, icr_low, icr_high, x2apic);
}

static inline void nvx_apicv(struct kvm_vcpu *vcpu)
{
	if (trace_nvx_apicv_enabled())
		nvx_trace_apicv(vcpu);
}

static __always_inline int
nvx_pv_ipi(struct kvm_vcpu *vcpu, unsigned long low, unsigned long high, u32 min,
	   unsigned long icr, int long_mode,
	   int (*distro)(struct kvm *, unsigned long, unsigned long, u32, unsigned long, int))
{
	int sent = distro(vcpu->kvm, low, high, min, icr, long_mode);

	if (trace_nvx_pv_ipi_enabled())
		nvx_trace_pv_ipi(vcpu, low, high, min, icr, long_mode, sent);
	return sent;
}

/* HVCALL_SEND_IPI: to the vCPUs of a mask, or to the virtual processors of banks; NULL: all. */
static inline void nvx_hv_ipi_mask(struct kvm_vcpu *vcpu, u32 vector, const unsigned long *mask)
{
	if (trace_nvx_ipi_enabled())
		nvx_trace_hv_ipi(vcpu, vector, mask ? bitmap_weight(mask, KVM_MAX_VCPUS) :
				 atomic_read(&vcpu->kvm->online_vcpus));
}

static inline void nvx_hv_ipi_banks(struct kvm_vcpu *vcpu, u32 vector, const u64 *banks, u64 valid)
{
	u32 i, n = 0;

	if (!trace_nvx_ipi_enabled())
		return;
	for (i = 0; banks && i < hweight64(valid); i++)
		n += hweight64(banks[i]);
	nvx_trace_hv_ipi(vcpu, vector, banks ? n : atomic_read(&vcpu->kvm->online_vcpus));
}

/* KVM_REQ_HV_TLB_FLUSH: one address after the other, or all when that did not work. */
static __always_inline int nvx_hv_flush(struct kvm_vcpu *vcpu, int (*distro)(struct kvm_vcpu *))
{
	struct nvx_vcpu *nv = nvx_vcpu(vcpu);
	int r;

	if (nv)
		nv->hyperv = true;
	r = distro(vcpu);
	if (nv)
		nv->hyperv = false;
	if (r)
		nvx_flush_asked(vcpu, NVX_FLUSH_GUEST, NVX_CAUSE_HYPERV);
	return r;
}

/* Hyper-V flushes of 6.1: a request to the vCPUs of @mask, to all without one. */
static inline void nvx_hv_flush_asked(struct kvm *kvm, const unsigned long *mask)
{
	struct kvm_vcpu *vcpu;
	unsigned long i;

	if (!READ_ONCE(nvx_vcpu_offset))
		return;
	kvm_for_each_vcpu(i, vcpu, kvm)
		if (!mask || test_bit(i, mask))
			nvx_flush_asked(vcpu, NVX_FLUSH_GUEST, NVX_CAUSE_HYPERV);
}

#endif
