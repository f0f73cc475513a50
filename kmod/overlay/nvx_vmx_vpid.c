// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kvm_host.h>
#include "nvx_vmx.h"
#include "vmx/nested.h"
#include "hyperv.h"
#include "nvx_compat.h"

/*
 * Without EPT in L0 the pool would be wrong: shadow roots are shared by all vpid12s, and a vCPU
 * that comes to another CPU invalidates vpid01 and one vpid02 only.  With Hyper-V's direct
 * flush L2s flush without an exit, and KVM relies on a full flush when another L2 comes.
 */
static bool pool_eligible(struct kvm_vcpu *vcpu)
{
	return enable_ept && enable_vpid && !nvx_hv_direct_flush(vcpu);
}

static struct nvx_vpid_pair mainlines_pair(const struct nested_vmx *nested)
{
	return (struct nvx_vpid_pair) { .vpid02 = nested->vpid02, .last = nested->last_vpid };
}

static void set_mainlines_pair(struct nested_vmx *nested, struct nvx_vpid_pair pair)
{
	nested->vpid02 = pair.vpid02;
	nested->last_vpid = pair.last;
}

/* After mainline allocated its vpid02. */
void nvx_vmxon(struct kvm_vcpu *vcpu)
{
	struct nested_vmx *nested = &to_vmx(vcpu)->nested;

	nested->nvx.vm = nvx_vm_find(vcpu->kvm);
	nvx_vpid_init(&nested->nvx.pool, nested->vpid02);
}

/* Before mainline frees its vpid02, which is the current slot's. */
void nvx_vmxoff(struct kvm_vcpu *vcpu)
{
	struct nested_vmx *nested = &to_vmx(vcpu)->nested;
	u16 mainlines = nested->vpid02;
	u16 vpid02;

	while ((vpid02 = nvx_vpid_shrink(&nested->nvx.pool, 0)))
		if (vpid02 != mainlines)
			free_vpid(vpid02);
	nvx_free_kept(vcpu);
	nvx_evmcs_vmxoff(vcpu);
}

/*
 * Before each entry to L2, vmcs02 being loaded.  nested.dirty_vmcs12 is not the way to have the
 * VPID written: that would put vmcs12's fields over newer ones of vmcs02.
 */
void nvx_entering_l2(struct kvm_vcpu *vcpu, struct vmcs12 *vmcs12)
{
	struct nested_vmx *nested = &to_vmx(vcpu)->nested;
	struct nvx_vcpu *nv = &nested->nvx;
	u16 vpid12 = nested_cpu_has_vpid(vmcs12) ? vmcs12->virtual_processor_id : 0;
	u32 slots = nvx_switch(nv->vm, NVX_SWITCH_VPID_SLOTS, 1);
	bool force = nvx_switch(nv->vm, NVX_SWITCH_VPID_ALWAYS_FLUSH, 0);
	u16 before = nested->vpid02;
	struct nvx_vpid_pair pair;

	if (!nv->pool.nr)
		return;
	pair = nvx_vpid_enter(&nv->pool, mainlines_pair(nested), vpid12,
			      nvx_vpid_limit(&nv->pool, slots, pool_eligible(vcpu)), force,
			      allocate_vpid, free_vpid);
	set_mainlines_pair(nested, pair);
	if (vpid12 && (nvx_has_pool(vcpu) || pair.vpid02 != before))
		vmcs_write16(VIRTUAL_PROCESSOR_ID, nested_get_vpid02(vcpu));
}

/* INVVPID of L1 where there is a pool: in place of what mainline does with its pair. */
void nvx_invvpid_pool(struct kvm_vcpu *vcpu, u32 type, u16 vpid12, u64 address)
{
	struct nested_vmx *nested = &to_vmx(vcpu)->nested;
	struct nvx_vpid_pool *pool = &nested->nvx.pool;
	bool here = get_cpu() == nested->vmcs02.cpu;
	u16 vpid02;
	u32 i;

	nvx_vpid_save(pool, mainlines_pair(nested));
	for (i = 0; i < pool->nr; i++) {
		switch (nvx_vpid_invalidate(pool, i, type, vpid12, here)) {
		case NVX_VPID_KEEP:
			break;
		case NVX_VPID_ADDRESS:
			vpid02 = pool->slot[i].pair.vpid02;
			vpid_sync_vcpu_addr(vpid02, address);
			nvx_flushed_invvpid(vcpu, NVX_FLUSH_GVA, vpid02, address);
			break;
		case NVX_VPID_LATER:
			nested->nvx.inv_deferred = true;
			break;
		}
	}
	set_mainlines_pair(nested, nvx_vpid_pair(pool));
	put_cpu();
}

/*
 * Under Hyper-V a flush of guest-physical translations names the root that a vCPU has loaded, so
 * that a root which is kept might miss one.
 */
bool nvx_keeps_roots(struct kvm_vcpu *vcpu)
{
	return nvx_switch(to_vmx(vcpu)->nested.nvx.vm, NVX_SWITCH_VPID_KEEP_ROOTS, 0) &&
	       enable_ept && !nvx_flushes_by_root();
}

static bool cached(const struct kvm_mmu *mmu, u64 eptp)
{
	u32 i;

	if (VALID_PAGE(mmu->root.hpa) && mmu->root.pgd == eptp)
		return true;
	for (i = 0; i < KVM_MMU_NUM_PREV_ROOTS; i++)
		if (VALID_PAGE(mmu->prev_roots[i].hpa) && mmu->prev_roots[i].pgd == eptp)
			return true;
	return false;
}

/* Before KVM looks for a root for L2's EPTP in its own cache, whose oldest entry it gives up. */
void nvx_new_eptp(struct kvm_vcpu *vcpu)
{
	struct kvm_mmu *mmu = &vcpu->arch.guest_mmu;
	struct kvm_mmu_root_info *last = &mmu->prev_roots[KVM_MMU_NUM_PREV_ROOTS - 1];
	u64 eptp = get_vmcs12(vcpu)->ept_pointer;
	struct nvx_root oldest, fallen;

	BUILD_BUG_ON(NVX_NO_ROOT != INVALID_PAGE);
	if (!nvx_keeps_roots(vcpu)) {
		nvx_free_kept(vcpu);
		return;
	}
	if (cached(mmu, eptp))
		return;
	oldest = (struct nvx_root) { .hpa = last->hpa, .pgd = last->pgd };
	fallen = nvx_roots_exchange(&to_vmx(vcpu)->nested.nvx.kept, eptp, &oldest);
	*last = (struct kvm_mmu_root_info) { .hpa = oldest.hpa, .pgd = oldest.pgd };
	nvx_free_root(vcpu, fallen);
}

/* Also L1's EPT violation: it invalidates what the CPU knows of the address (SDM 29.4.3.1). */
void nvx_drop_roots(struct kvm_vcpu *vcpu, u64 eptp)
{
	struct nvx_roots *kept = &to_vmx(vcpu)->nested.nvx.kept;
	struct nvx_root root;

	while ((root = nvx_roots_take(kept, eptp)).hpa != NVX_NO_ROOT)
		nvx_free_root(vcpu, root);
}

void nvx_invept_done(struct kvm_vcpu *vcpu, unsigned long type, u64 eptp)
{
	if (type == VMX_EPT_EXTENT_CONTEXT)
		nvx_drop_roots(vcpu, eptp);
	else
		nvx_free_kept(vcpu);
}

static u32 roots_of(struct kvm_vcpu *vcpu)
{
	const struct kvm_mmu *mmu = &vcpu->arch.guest_mmu;
	u32 nr = READ_ONCE(to_vmx(vcpu)->nested.nvx.kept.nr);
	u32 i;

	nr += VALID_PAGE(READ_ONCE(mmu->root.hpa));
	for (i = 0; i < KVM_MMU_NUM_PREV_ROOTS; i++)
		nr += VALID_PAGE(READ_ONCE(mmu->prev_roots[i].hpa));
	return nr;
}

/* Another thread asks, while the vCPU may run: a snapshot that nobody acts on. */
void nvx_vpid_describe(struct kvm_vcpu *vcpu, struct nvx_switch_state *state)
{
	struct nested_vmx *nested = &to_vmx(vcpu)->nested;
	bool vmxon = READ_ONCE(nested->vmxon);
	u32 in_use = 0;
	bool offered;

	switch (state->id) {
	case NVX_SWITCH_VPID_SLOTS:
		offered = pool_eligible(vcpu);
		in_use = vmxon ? READ_ONCE(nested->nvx.pool.nr) : 0;
		break;
	case NVX_SWITCH_VPID_KEEP_ROOTS:
		offered = enable_ept && !nvx_flushes_by_root();
		in_use = vmxon ? roots_of(vcpu) : 0;
		break;
	case NVX_SWITCH_VPID_ALWAYS_FLUSH:
		offered = enable_vpid;
		in_use = vmxon && state->value;
		break;
	default:
		return;
	}
	/* L1 may use VMX: its own bit in FEATURE_CONTROL is there. */
	offered &= !!(READ_ONCE(to_vmx(vcpu)->msr_ia32_feature_control_valid_bits) &
		      FEAT_CTL_VMX_ENABLED_OUTSIDE_SMX);
	state->offered |= offered;
	state->negotiated += vmxon;
	state->in_use = max(state->in_use, in_use);
}
