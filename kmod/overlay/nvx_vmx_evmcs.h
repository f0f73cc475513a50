/* SPDX-License-Identifier: GPL-2.0-only */
/* In kvm-intel.ko: enlightened VMCS, copies and the vmcs12s that are cached. */
#ifndef NVX_VMX_EVMCS_H
#define NVX_VMX_EVMCS_H
#include "nvx.h"
#include "nvx_ctl.h"
#include "vmx/vmx.h"

void nvx_evmcs_switch(struct kvm_vcpu *vcpu, u64 address);
void nvx_evmcs_start(struct kvm_vcpu *vcpu, bool launch);
void nvx_evmcs_cleared(struct kvm_vcpu *vcpu, gpa_t vmptr);
void nvx_evmcs_vmxoff(struct kvm_vcpu *vcpu);
bool nvx_evmcs_enter(struct vcpu_vmx *vmx, u32 clean);
bool nvx_evmcs_leave(struct vcpu_vmx *vmx);
void nvx_trace_evmcs_in(struct vcpu_vmx *vmx, u32 clean, enum nvx_evmcs_reason reason);
void nvx_trace_evmcs_all(struct vcpu_vmx *vmx);
void nvx_evmcs_describe(struct kvm_vcpu *vcpu, struct nvx_switch_state *state);

/* In place of each look at hv_clean_fields that decides what vmcs02 still holds. */
#define nvx_evmcs_clean(vmx, page)					\
({									\
	struct nvx_evmcs_state *__state = &(vmx)->nested.nvx.evmcs;	\
	__state->own ? __state->clean02 : (page);			\
})

/* An entry to L2. */
static __always_inline void
nvx_evmcs_to_vmcs12(struct vcpu_vmx *vmx, u32 clean, void (*distro)(struct vcpu_vmx *, u32))
{
	if (nvx_evmcs_enter(vmx, clean))
		return;
	distro(vmx, clean);
	if (trace_nvx_evmcs_enabled())
		nvx_trace_evmcs_in(vmx, clean, vmx->nested.nvx.evmcs.start);
	vmx->nested.nvx.evmcs.start = 0;
}

/* User space saves the nested state; L1's page is taken whole, whatever is on. */
static __always_inline void
nvx_evmcs_save(struct vcpu_vmx *vmx, void (*distro)(struct vcpu_vmx *, u32))
{
	distro(vmx, 0);
	if (trace_nvx_evmcs_enabled())
		nvx_trace_evmcs_in(vmx, 0, NVX_EVMCS_SAVED);
}

/* Mainline writes every field, whether L1 knows it already or not. */
static __always_inline void
nvx_vmcs12_to_evmcs(struct vcpu_vmx *vmx, void (*distro)(struct vcpu_vmx *))
{
	if (nvx_evmcs_leave(vmx))
		return;
	distro(vmx);
	if (trace_nvx_evmcs_enabled())
		nvx_trace_evmcs_all(vmx);
}

#endif
