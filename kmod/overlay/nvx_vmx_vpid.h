/* SPDX-License-Identifier: GPL-2.0-only */
/* In kvm-intel.ko: the pool of VPIDs for L2s, and nested EPT roots that are kept. */
#ifndef NVX_VMX_VPID_H
#define NVX_VMX_VPID_H
#include "nvx.h"
#include "nvx_ctl.h"
#include "vmx/vmx.h"

void nvx_vmxon(struct kvm_vcpu *vcpu);
void nvx_vmxoff(struct kvm_vcpu *vcpu);
void nvx_entering_l2(struct kvm_vcpu *vcpu, struct vmcs12 *vmcs12);
void nvx_invvpid_pool(struct kvm_vcpu *vcpu, u32 type, u16 vpid12, u64 address);

bool nvx_keeps_roots(struct kvm_vcpu *vcpu);
void nvx_new_eptp(struct kvm_vcpu *vcpu);
void nvx_drop_roots(struct kvm_vcpu *vcpu, u64 eptp);
void nvx_invept_done(struct kvm_vcpu *vcpu, unsigned long type, u64 eptp);

void nvx_vpid_describe(struct kvm_vcpu *vcpu, struct nvx_switch_state *state);

/* By the slots that there are, not by the switch, which may have been flipped since. */
static inline bool nvx_has_pool(struct kvm_vcpu *vcpu)
{
	return to_vmx(vcpu)->nested.nvx.pool.nr > 1;
}

/* L1 makes another VMCS current. */
static __always_inline void
nvx_release_roots(struct kvm_vcpu *vcpu, void (*distro)(struct kvm *, struct kvm_mmu *, ulong))
{
	if (nvx_keeps_roots(vcpu))
		return;
	distro(vcpu->kvm, &vcpu->arch.guest_mmu, KVM_MMU_ROOTS_ALL);
	nvx_free_kept(vcpu);
}

#endif
