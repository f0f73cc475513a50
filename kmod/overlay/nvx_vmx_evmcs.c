// SPDX-License-Identifier: GPL-2.0-only
#include <linux/kvm_host.h>
#include "nvx_vmx.h"
#include "vmx/nested.h"
#include "hyperv.h"
#include "nvx_compat.h"

#if NVX_HAVE_EVMCS

#define FIELD(group, in, out, evmcs, to, width, name)				\
	static_assert(offsetof(struct hv_enlightened_vmcs, name) == (evmcs));	\
	static_assert(sizeof_field(struct hv_enlightened_vmcs, name) == (width)); \
	static_assert(offsetof(struct vmcs12, name) == (to));			\
	static_assert(sizeof_field(struct vmcs12, name) == (width));
#include "nvx_evmcs_fields.h"
#undef FIELD

static_assert(HV_VMX_ENLIGHTENED_CLEAN_FIELD_ALL == NVX_EVMCS_CLEAN_ALL);
static_assert(EVMPTR_INVALID == NVX_EVMCS_NOWHERE);

static struct nvx_evmcs_state *state_of(struct vcpu_vmx *vmx)
{
	return &vmx->nested.nvx.evmcs;
}

static bool all_dirty(struct vcpu_vmx *vmx)
{
	return nvx_switch(vmx->nested.nvx.vm, NVX_SWITCH_EVMCS_ALL_DIRTY, 0);
}

static bool copy_all_out(struct vcpu_vmx *vmx)
{
	return nvx_switch(vmx->nested.nvx.vm, NVX_SWITCH_EVMCS_COPY_ALL_OUT, 1);
}

static u32 cached_limit(struct vcpu_vmx *vmx)
{
	return nvx_switch(vmx->nested.nvx.vm, NVX_SWITCH_EVMCS_CACHED, 1);
}

static void *new_vmcs12(void)
{
	return kzalloc(VMCS12_SIZE, GFP_KERNEL_ACCOUNT);
}

/*
 * L1 goes to another page; mainline has not left the one before.  A state that user space
 * restores is in the current vmcs12 already, which then must stay.
 */
void nvx_evmcs_switch(struct kvm_vcpu *vcpu, u64 address)
{
	struct vcpu_vmx *vmx = to_vmx(vcpu);
	struct nested_vmx *nested = &vmx->nested;
	u32 limit = nested->hv_evmcs_vmptr == EVMPTR_MAP_PENDING ? 1 : cached_limit(vmx);

	nested->cached_vmcs12 = nvx_evmcs_select(&state_of(vmx)->cache, nested->cached_vmcs12,
						 nested->hv_evmcs_vmptr, address, limit,
						 new_vmcs12, kfree);
}

/*
 * VMLAUNCH, or the first entry by this page: before mainline clears hv_clean_fields, so that
 * vmcs02, which all L2s share, is written anew.  What L1 meant by them is kept for vmcs12.
 */
void nvx_evmcs_start(struct kvm_vcpu *vcpu, bool launch)
{
	struct vcpu_vmx *vmx = to_vmx(vcpu);
	struct nvx_evmcs_state *state = state_of(vmx);

	if (launch)
		nvx_evmcs_set_warm(&state->cache, false);
	state->l1_clean = 0;
	if (nvx_evmcs_warm(&state->cache)) {
		state->l1_clean = READ_ONCE(vmx->nested.hv_evmcs->hv_clean_fields);
		state->start = NVX_EVMCS_CACHED_PAGE;
	} else {
		state->start = launch ? NVX_EVMCS_LAUNCH : NVX_EVMCS_OTHER_PAGE;
	}
	state->clean02 = 0;
}

void nvx_evmcs_cleared(struct kvm_vcpu *vcpu, gpa_t vmptr)
{
	nvx_evmcs_forget(&state_of(to_vmx(vcpu))->cache, vmptr);
}

/* Before mainline frees its vmcs12, which is the current one. */
void nvx_evmcs_vmxoff(struct kvm_vcpu *vcpu)
{
	struct nvx_evmcs_state *state = state_of(to_vmx(vcpu));

	nvx_evmcs_drop(&state->cache, kfree);
	state->start = 0;
	state->own = false;
}

static void trace_copy(struct vcpu_vmx *vmx, enum nvx_evmcs_direction direction, u32 clean,
		       struct nvx_evmcs_copied n, enum nvx_evmcs_reason reason)
{
	struct kvm_vcpu *vcpu = &vmx->vcpu;
	u32 groups = hweight32(n.groups & NVX_EVMCS_GROUPS);

	trace_nvx_evmcs(vcpu->kvm->userspace_pid, vcpu->vcpu_id, nvx_level(vcpu), direction,
			clean, groups, hweight32(NVX_EVMCS_GROUPS) - groups, n.groups, n.fields,
			n.skipped, reason);
}

/* What copy_enlightened_to_vmcs12() does besides copying. */
static void enlightenments(struct vcpu_vmx *vmx, u32 clean)
{
	const u32 controls = NVX_EVMCS_BIT(CONTROL_GRP1) | NVX_EVMCS_BIT(CONTROL_GRP2) |
			     NVX_EVMCS_BIT(CONTROL_PROC);
#if NVX_HAVE_EVMCS_ENL
	struct hv_enlightened_vmcs *page = vmx->nested.hv_evmcs;
	struct kvm_vcpu_hv *hv = to_hv_vcpu(&vmx->vcpu);

	if (!(clean & NVX_EVMCS_BIT(CONTROL_ENL))) {
		hv->nested.pa_page_gpa = READ_ONCE(page->partition_assist_page);
		hv->nested.vm_id = READ_ONCE(page->hv_vm_id);
		hv->nested.vp_id = READ_ONCE(page->hv_vp_id);
	}
#endif
	if ((clean & controls) != controls)
		vmx->nested.force_msr_bitmap_recalc = true;
}

/* True: the copy is made, @clean having been read from the page, and read only once. */
bool nvx_evmcs_enter(struct vcpu_vmx *vmx, u32 clean)
{
	struct nvx_evmcs_state *state = state_of(vmx);
	enum nvx_evmcs_reason reason = state->start ?: NVX_EVMCS_CLEAN_FIELDS;
	bool dirty = all_dirty(vmx);

	state->own = dirty || !copy_all_out(vmx) || cached_limit(vmx) > 1 || state->cache.nr > 1;
	if (!state->own) {
		nvx_evmcs_set_warm(&state->cache, true);
		return false;
	}
	if (dirty) {
		clean = 0;
		reason = NVX_EVMCS_FORCED;
	}
	/* The page was another: it says nothing about vmcs02. */
	state->clean02 = state->start ? 0 : clean;
	if (state->start && !dirty)
		clean = state->l1_clean;
	state->start = 0;
	enlightenments(vmx, state->clean02);
	nvx_evmcs_in(get_vmcs12(&vmx->vcpu), vmx->nested.hv_evmcs, clean);
	nvx_evmcs_set_warm(&state->cache, true);
	if (trace_nvx_evmcs_enabled())
		nvx_trace_evmcs_in(vmx, clean, reason);
	return true;
}

/* True: what has changed is in the page. */
bool nvx_evmcs_leave(struct vcpu_vmx *vmx)
{
	struct nvx_evmcs_copied n;

	if (copy_all_out(vmx))
		return false;
	n = nvx_evmcs_out(vmx->nested.hv_evmcs, get_vmcs12(&vmx->vcpu), false);
	if (trace_nvx_evmcs_enabled())
		trace_copy(vmx, NVX_EVMCS_OUT, 0, n, NVX_EVMCS_CHANGED);
	return true;
}

/* A copy that mainline made. */
void nvx_trace_evmcs_in(struct vcpu_vmx *vmx, u32 clean, enum nvx_evmcs_reason reason)
{
	struct nvx_evmcs_copied n = nvx_evmcs_in_count(clean);

	trace_copy(vmx, NVX_EVMCS_IN, clean, n, reason ?: NVX_EVMCS_CLEAN_FIELDS);
}

void nvx_trace_evmcs_all(struct vcpu_vmx *vmx)
{
	trace_copy(vmx, NVX_EVMCS_OUT, 0, nvx_evmcs_out_count(), NVX_EVMCS_COPY_ALL);
}

/* Another thread asks: a snapshot that nobody acts on. */
void nvx_evmcs_describe(struct kvm_vcpu *vcpu, struct nvx_switch_state *state)
{
	struct vcpu_vmx *vmx = to_vmx(vcpu);
	u64 page = READ_ONCE(vmx->nested.hv_evmcs_vmptr);
	bool used = page != EVMPTR_INVALID && page != EVMPTR_MAP_PENDING;
	u32 in_use;

	switch (state->id) {
	case NVX_SWITCH_EVMCS_CACHED:
		in_use = READ_ONCE(state_of(vmx)->cache.nr);
		break;
	case NVX_SWITCH_EVMCS_COPY_ALL_OUT:
	case NVX_SWITCH_EVMCS_ALL_DIRTY:
		in_use = state->value;
		break;
	default:
		return;
	}
	state->offered |= guest_cpuid_has_evmcs(vcpu);
	state->negotiated += used;
	state->in_use = max(state->in_use, used ? in_use : 0);
}

#else

void nvx_evmcs_vmxoff(struct kvm_vcpu *vcpu)
{
}

void nvx_evmcs_cleared(struct kvm_vcpu *vcpu, gpa_t vmptr)
{
}

void nvx_evmcs_describe(struct kvm_vcpu *vcpu, struct nvx_switch_state *state)
{
}

bool nvx_evmcs_enter(struct vcpu_vmx *vmx, u32 clean)
{
	return false;
}

bool nvx_evmcs_leave(struct vcpu_vmx *vmx)
{
	return false;
}

void nvx_trace_evmcs_in(struct vcpu_vmx *vmx, u32 clean, enum nvx_evmcs_reason reason)
{
}

void nvx_trace_evmcs_all(struct vcpu_vmx *vmx)
{
}

#endif
