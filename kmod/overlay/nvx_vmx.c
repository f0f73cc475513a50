// SPDX-License-Identifier: GPL-2.0-only
/* In kvm-intel.ko: switches between L1 and L2, flushes, and the other events of nested VMX. */
#include <linux/kvm_host.h>
#include "nvx_vmx.h"
#include "vmx/nested.h"
#include "nvx_core.h"
#include "nvx_compat.h"

/* Each feature knows its own switches and leaves the others alone. */
static void describe(struct kvm_vcpu *vcpu, struct nvx_switch_state *state)
{
	nvx_vpid_describe(vcpu, state);
	nvx_evmcs_describe(vcpu, state);
}

/* Before any VM exists, and after the last one is gone. */
int nvx_vmx_setup(void)
{
	nvx_ctl_vendor(describe);
	WRITE_ONCE(nvx_vcpu_offset, offsetof(struct vcpu_vmx, nested.nvx));
	return 0;
}

int nvx_vmx_unsetup(void)
{
	WRITE_ONCE(nvx_vcpu_offset, 0);
	nvx_ctl_vendor(NULL);
	return 0;
}

/* The VPID that the hardware runs this level with. */
static u16 hardware_vpid(struct kvm_vcpu *vcpu, struct vmcs12 *vmcs12)
{
	if (vmcs12 && nested_cpu_has_vpid(vmcs12))
		return nested_get_vpid02(vcpu);
	return to_vmx(vcpu)->vpid;
}

static u16 current_vpid(struct kvm_vcpu *vcpu)
{
	return hardware_vpid(vcpu, is_guest_mode(vcpu) ? get_vmcs12(vcpu) : NULL);
}

/* Whether the hook that is about to run does anything, and to which VPID. */
static bool flush_acts(struct kvm_vcpu *vcpu, enum nvx_flush_kind kind, u16 *vpid)
{
	*vpid = 0;
	switch (kind) {
	case NVX_FLUSH_ALL:
		return enable_ept || enable_vpid;
	case NVX_FLUSH_CURRENT:
		if (!VALID_PAGE(vcpu->arch.mmu->root.hpa))
			return false;
		if (enable_ept)
			return true;
		fallthrough;
	default:
		*vpid = current_vpid(vcpu);
		return *vpid;
	}
}

/* First thing in each of KVM's vmx_flush_tlb_*(). */
void nvx_flushing(struct kvm_vcpu *vcpu, enum nvx_flush_kind kind, gva_t address)
{
	struct nvx_vcpu *nv = &to_vmx(vcpu)->nested.nvx;
	enum nvx_cause cause = nvx_flush_cause(kind, READ_ONCE(nv->asked[kind]));
	u16 vpid;

	WRITE_ONCE(nv->asked[kind], NVX_CAUSE_NONE);
	/* "All" serves a request for "current" too: kvm_vcpu_flush_tlb_all(). */
	if (kind == NVX_FLUSH_ALL)
		WRITE_ONCE(nv->asked[NVX_FLUSH_CURRENT], NVX_CAUSE_NONE);
	if (nv->hyperv)
		cause = NVX_CAUSE_HYPERV;
	if (trace_nvx_tlb_flush_enabled() && flush_acts(vcpu, kind, &vpid))
		trace_nvx_tlb_flush(vcpu->kvm->userspace_pid, vcpu->vcpu_id, nvx_level(vcpu),
				    kind, cause, vpid, address);
}

/* A flush that handle_invvpid() made at once. */
void nvx_flushed_invvpid(struct kvm_vcpu *vcpu, enum nvx_flush_kind kind, u16 vpid,
			 gva_t address)
{
	to_vmx(vcpu)->nested.nvx.inv_hits++;
	if (vpid)
		trace_nvx_tlb_flush(vcpu->kvm->userspace_pid, vcpu->vcpu_id, nvx_level(vcpu),
				    kind, NVX_CAUSE_INVVPID, vpid, address);
}

/* The last thing of an INVVPID that succeeds. */
void nvx_invvpid_done(struct kvm_vcpu *vcpu, u32 type, u16 vpid12, u64 address)
{
	struct nvx_vcpu *nv = &to_vmx(vcpu)->nested.nvx;

	if (nvx_has_pool(vcpu))
		nvx_invvpid_pool(vcpu, type, vpid12, address);
	trace_nvx_invvpid(vcpu->kvm->userspace_pid, vcpu->vcpu_id, nvx_level(vcpu), type, vpid12,
			  address, nv->inv_hits, nv->inv_deferred);
	nv->inv_hits = 0;
	nv->inv_deferred = false;
}

/* Before nested_vmx_transition_tlb_flush() makes its requests. */
void nvx_switching(struct kvm_vcpu *vcpu, struct vmcs12 *vmcs12, bool enter, bool tag)
{
	struct nested_vmx *nested = &to_vmx(vcpu)->nested;
	bool vpid = nested_cpu_has_vpid(vmcs12);
	struct nvx_transition t = {
		.enter = enter,
		.vpid = vpid,
		.tag = tag,
		.pending = enter && vpid ? nvx_vpid_take_cause(&nested->nvx.pool) : NVX_CAUSE_NONE,
		.vpid12 = vmcs12->virtual_processor_id,
		.last_vpid = nested->last_vpid,
	};
	enum nvx_cause cause = nvx_switch_cause(&t);
	enum nvx_flush_kind kind = nvx_switch_flush(cause);

	nested->nvx.switch_cause = cause;
	if (kind)
		WRITE_ONCE(nested->nvx.asked[kind], cause);
}

/* What L1 calls its L2: the address of the VMCS, enlightened or not. */
static u64 vmcs12_address(struct nested_vmx *nested)
{
#if NVX_HAVE_EVMCS
	if (nested->hv_evmcs)
		return nested->hv_evmcs_vmptr;
#endif
	return nested->current_vmptr;
}

void nvx_entered_l2(struct kvm_vcpu *vcpu, struct vmcs12 *vmcs12, bool by_vmentry)
{
	struct vcpu_vmx *vmx = to_vmx(vcpu);
	struct nvx_vcpu *nv = &vmx->nested.nvx;
	u64 eptp12 = nested_cpu_has_ept(vmcs12) ? vmcs12->ept_pointer : 0;
	bool changed = eptp12 != nv->eptp12;

	nv->eptp12 = eptp12;
	trace_nvx_switch(vcpu->kvm->userspace_pid, vcpu->vcpu_id, nvx_level(vcpu), NVX_L1_TO_L2,
			 by_vmentry ? vmx->exit_reason.basic : 0, vmcs12->virtual_processor_id,
			 hardware_vpid(vcpu, vmcs12), nv->switch_cause, changed,
			 vmcs12_address(&vmx->nested));
	nv->switch_cause = NVX_CAUSE_NONE;
}

void nvx_left_l2(struct kvm_vcpu *vcpu, struct vmcs12 *vmcs12, u32 reason)
{
	struct vcpu_vmx *vmx = to_vmx(vcpu);
	struct nvx_vcpu *nv = &vmx->nested.nvx;

	trace_nvx_switch(vcpu->kvm->userspace_pid, vcpu->vcpu_id, nvx_level(vcpu), NVX_L2_TO_L1,
			 reason, vmcs12->virtual_processor_id, hardware_vpid(vcpu, vmcs12),
			 nv->switch_cause, 0, vmcs12_address(&vmx->nested));
	nv->switch_cause = NVX_CAUSE_NONE;
}

void nvx_trace_msr_bitmap(struct kvm_vcpu *vcpu, bool used)
{
	struct nested_vmx *nested = &to_vmx(vcpu)->nested;
	struct nvx_msr_count n = { 0 };
	bool recalculated = used && nested->nvx.msr_recalculated;

	if (used)
		n = nvx_msr_passed(nested->vmcs02.msr_bitmap);
	trace_nvx_msr_bitmap(vcpu->kvm->userspace_pid, vcpu->vcpu_id, nvx_level(vcpu), used,
			     recalculated, used && !recalculated, n.reads, n.writes);
}

/* Vectors that vmx_complete_nested_posted_interrupt() is about to move; it tests the same. */
u32 nvx_pi_waiting(struct vcpu_vmx *vmx)
{
	struct pi_desc *desc = vmx->nested.pi_desc;

	if (!vmx->nested.pi_pending || !desc || !pi_test_on(desc))
		return 0;
	return bitmap_weight((unsigned long *)desc->pir, 256);
}

/* RVI is in the VMCS that is loaded on the target's CPU: only a merge can read it. */
void nvx_trace_pi(struct kvm_vcpu *vcpu, enum nvx_pi_how how, u32 vector, u32 vectors)
{
	s32 rvi = how == NVX_PI_MERGED ? vmcs_read16(GUEST_INTR_STATUS) & 0xff : -1;

	trace_nvx_posted_intr(vcpu->kvm->userspace_pid, vcpu->vcpu_id, nvx_level(vcpu), how,
			      vector, vectors, rvi);
}
