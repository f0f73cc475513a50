/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the distribution's kvm-intel.ko calls.  A wrapper takes the distribution's own
 * function as a constant pointer, so that its code stays inlined and in charge.
 */
#ifndef NVX_VMX_H
#define NVX_VMX_H
#include "nvx.h"
#include "vmx/vmx.h"
#include "nvx_vmx_evmcs.h"
#include "nvx_vmx_vpid.h"

int nvx_vmx_setup(void);
int nvx_vmx_unsetup(void);

void nvx_flushing(struct kvm_vcpu *vcpu, enum nvx_flush_kind kind, gva_t address);
void nvx_flushed_invvpid(struct kvm_vcpu *vcpu, enum nvx_flush_kind kind, u16 vpid,
			 gva_t address);
void nvx_invvpid_done(struct kvm_vcpu *vcpu, u32 type, u16 vpid12, u64 address);

void nvx_switching(struct kvm_vcpu *vcpu, struct vmcs12 *vmcs12, bool enter, bool tag);
void nvx_entered_l2(struct kvm_vcpu *vcpu, struct vmcs12 *vmcs12, bool by_vmentry);
void nvx_left_l2(struct kvm_vcpu *vcpu, struct vmcs12 *vmcs12, u32 reason);

void nvx_trace_msr_bitmap(struct kvm_vcpu *vcpu, bool used);
u32 nvx_pi_waiting(struct vcpu_vmx *vmx);
void nvx_trace_pi(struct kvm_vcpu *vcpu, enum nvx_pi_how how, u32 vector, u32 vectors);

/* kvm.ko shows the exit when it knows about the fast path. */
static inline void nvx_vmx_exited(struct kvm_vcpu *vcpu)
{
	if (trace_nvx_exit_enabled())
		to_vmx(vcpu)->nested.nvx.exited = true;
}

/* In place of mainline's flushes for INVVPID: where there is a pool, it makes them at the end. */
static __always_inline void
nvx_invvpid_addr(struct kvm_vcpu *vcpu, int vpid, gva_t address, void (*distro)(int, gva_t))
{
	if (nvx_has_pool(vcpu))
		return;
	distro(vpid, address);
	nvx_flushed_invvpid(vcpu, NVX_FLUSH_GVA, vpid, address);
}

static __always_inline void
nvx_invvpid_context(struct kvm_vcpu *vcpu, int vpid, void (*distro)(int))
{
	if (nvx_has_pool(vcpu))
		return;
	distro(vpid);
	nvx_flushed_invvpid(vcpu, NVX_FLUSH_GUEST, vpid, 0);
}

/* 6.12 puts the flush off when vmcs02 last ran on another CPU. */
static inline void nvx_invvpid_defer(struct kvm_vcpu *vcpu)
{
	struct nested_vmx *nested = &to_vmx(vcpu)->nested;

	if (nvx_has_pool(vcpu))
		return;
	nested->last_vpid = 0;
	nested->nvx.inv_deferred = true;
	nvx_vpid_deferred(&nested->nvx.pool);
}

static __always_inline void
nvx_transition_tlb_flush(struct kvm_vcpu *vcpu, struct vmcs12 *vmcs12, bool enter, bool tag,
			 void (*distro)(struct kvm_vcpu *, struct vmcs12 *, bool))
{
	nvx_switching(vcpu, vmcs12, enter, tag);
	distro(vcpu, vmcs12, enter);
}

static __always_inline bool
nvx_prepare_msr_bitmap(struct kvm_vcpu *vcpu, struct vmcs12 *vmcs12,
		       bool (*distro)(struct kvm_vcpu *, struct vmcs12 *))
{
	bool used;

	to_vmx(vcpu)->nested.nvx.msr_recalculated = false;
	used = distro(vcpu, vmcs12);
	if (trace_nvx_msr_bitmap_enabled())
		nvx_trace_msr_bitmap(vcpu, used);
	return used;
}

static inline void nvx_msr_recalculating(struct vcpu_vmx *vmx)
{
	vmx->nested.nvx.msr_recalculated = true;
}

static __always_inline int
nvx_complete_pi(struct kvm_vcpu *vcpu, int (*distro)(struct kvm_vcpu *))
{
	struct vcpu_vmx *vmx = to_vmx(vcpu);
	u32 vectors = trace_nvx_posted_intr_enabled() ? nvx_pi_waiting(vmx) : 0;
	int r = distro(vcpu);

	if (vectors && !r)
		nvx_trace_pi(vcpu, NVX_PI_MERGED, vmx->nested.posted_intr_nv, vectors);
	return r;
}

static __always_inline int
nvx_deliver_pi(struct kvm_vcpu *vcpu, int vector, int (*distro)(struct kvm_vcpu *, int))
{
	int r = distro(vcpu, vector);

	if (!r && trace_nvx_posted_intr_enabled())
		nvx_trace_pi(vcpu, NVX_PI_NOTIFIED, vector, 0);
	return r;
}

#endif
