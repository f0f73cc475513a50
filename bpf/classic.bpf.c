// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stock KVM without BTF.  The exit's reason comes from the classic kvm_exit's record, whose
 * field offsets userspace took from tracefs; everything else from raw tracepoints, which spare
 * the kernel the record.  The record carries no registers, so MSR and hypercall numbers are
 * not to be had; and no level, which is known from the first nested event on.  A vCPU is known
 * by its number and thread.
 */
#include <linux/types.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "vcpu.bpf.h"

static __noinline void nvx_identify(struct nvx_vcpu *v, __u64 vcpu)
{
	v->vcpu_id = vcpu;
	bpf_get_current_comm(&v->comm, sizeof(v->comm));
}

/* Volatile: merged or moved, the load would not be the instruction that userspace looks for. */
#define field(ctx, type, nr) \
	(*(const volatile type *)((const char *)(ctx) + NVX_FIELD_MARK + 8 * (nr)))

static __always_inline void exit_detail(struct nvx_vcpu *v, void *ctx, __u32 isa, __u32 class)
{
	__u64 info1;

	if (class & NVX_C_HLT)
		nvx_exit_halts(v);
	if (cfg.no_info)
		return;
	info1 = field(ctx, __u64, NVX_FIELD_INFO1);
	if (class & NVX_C_PIO) {
		nvx_drill_count(v, nvx_pio_drill(isa, info1));
	} else if (class & NVX_C_NPF && isa == NVX_ISA_SVM) {
		__u64 gpa = field(ctx, __u64, NVX_FIELD_INFO2);

		if (info1 & NVX_NPF_RSVD)
			nvx_drill_count(v, nvx_mmio_drill(gpa));
		nvx_on_fault(v, gpa);
	}
}

SEC("tp/kvm/kvm_exit")
int nvx_exit(void *ctx)
{
	__u32 isa = field(ctx, __u32, NVX_FIELD_ISA), class;
	struct nvx_vcpu *v = nvx_vcpu_of(field(ctx, __u32, NVX_FIELD_VCPU));

	if (!v)
		return 0;
	class = nvx_exit_open(v, bpf_ktime_get_ns(), isa,
			      nvx_reason(isa, field(ctx, __u32, NVX_FIELD_REASON)));
	if (class)
		exit_detail(v, ctx, isa, class);
	return 0;
}

static __always_inline void before_close(struct nvx_vcpu *v)
{
}

/* sched_info is not reached without BTF; `nvx stat` says so. */
#define NVX_MIN_WAIT ~0ULL

static __always_inline void run_delay(struct nvx_vcpu *v, __u64 now)
{
}

/* kvm_nested_vmenter_failed has told it before the entry. */
static __always_inline int entry_failed(struct nvx_vcpu *v)
{
	return 0;
}

#include "raw_tp.bpf.h"

SEC("raw_tp/kvm_nested_vmenter_failed")
int nvx_enter_failed(void *ctx)
{
	struct nvx_vcpu *v = nvx_current();

	if (v)
		nvx_on_nested_failed(v);
	return 0;
}

/* Follows the kvm_exit of every L2 exit: the level, where no switch has told it yet. */
SEC("raw_tp/kvm_nested_vmexit")
int nvx_nested_vmexit(void *ctx)
{
	struct nvx_vcpu *v = nvx_current();

	if (v && v->level != 2)
		nvx_on_level(v, 2, 0);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
