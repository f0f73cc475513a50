// SPDX-License-Identifier: GPL-2.0-only
/*
 * The feature module's tracepoints: scalars only, so no BTF and no read of kernel
 * memory.  The switches come from KVM's own nested tracepoints, which carry
 * scalars too and fire for kvm-amd as well as for kvm-intel.
 */
#include <linux/types.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <nvx_tp.h>
#include "vcpu.bpf.h"

static __noinline void nvx_identify(struct nvx_vcpu *v, __u64 vcpu)
{
	v->vcpu_id = (__u32)vcpu;
	v->kvm = vcpu >> 32;
	bpf_get_current_comm(&v->comm, sizeof(v->comm));
}

static __always_inline void msr_exit(struct nvx_vcpu *v, const __u64 *arg, __u32 isa, __u32 reason)
{
	__u64 write = isa == NVX_ISA_SVM ? arg[NVX_EXIT_QUALIFICATION] & 1 :
					   reason == EXIT_REASON_MSR_WRITE;
	__u32 msr = arg[NVX_EXIT_RCX];

	nvx_drill_count(v, (write ? (__u64)NVX_DRILL_WRMSR : (__u64)NVX_DRILL_RDMSR) << 48 | msr);
	if (write && nvx_is_icr_msr(msr))
		nvx_on_icr_msr(v, msr, arg[NVX_EXIT_RAX], arg[NVX_EXIT_RDX]);
}

/* What an exit is about, beyond its reason. */
static __always_inline void exit_detail(struct nvx_vcpu *v, const __u64 *arg, __u32 isa,
					__u32 reason, __u32 class)
{
	__u64 qual = arg[NVX_EXIT_QUALIFICATION];

	if (class & NVX_C_HLT) {
		nvx_exit_halts(v);
	} else if (class & NVX_C_MSR) {
		msr_exit(v, arg, isa, reason);
	} else if (class & NVX_C_HYPERCALL) {
		nvx_drill_count(v, (__u64)NVX_DRILL_HYPERCALL << 48 | (__u32)arg[NVX_EXIT_RAX]);
	} else if (class & NVX_C_PIO) {
		nvx_drill_count(v, nvx_pio_drill(isa, qual));
	} else if (class & NVX_C_AVIC) {
		nvx_on_avic_ipi(v, qual);
	} else if (isa == NVX_ISA_SVM) {
		if (qual & NVX_NPF_RSVD)
			nvx_drill_count(v, nvx_mmio_drill(arg[NVX_EXIT_INFO2]));
		nvx_on_fault(v, arg[NVX_EXIT_INFO2]);
	}
}

SEC("raw_tp/nvx_exit")
int nvx_exit(struct bpf_raw_tracepoint_args *ctx)
{
	const __u64 *arg = ctx->args;
	__u32 isa = arg[NVX_EXIT_ISA], reason = nvx_reason(isa, arg[NVX_EXIT_REASON]);
	__u32 level = arg[NVX_TP_LEVEL], class;
	struct nvx_vcpu *v = nvx_vcpu_of(arg[NVX_TP_VM_PID] << 32 | (__u32)arg[NVX_TP_VCPU]);

	if (!v)
		return 0;
	if (level != v->level)
		nvx_on_level(v, level, 0);
	class = nvx_exit_open(v, bpf_ktime_get_ns(), isa, reason);
	if (class)
		exit_detail(v, arg, isa, reason, class);
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

/* The tracepoints do not tell it. */
static __always_inline void read_nr_vcpus(struct nvx_vcpu *v)
{
}

/* kvm_nested_vmenter_failed has told it before the entry. */
static __always_inline int entry_failed(struct nvx_vcpu *v)
{
	return 0;
}

SEC("raw_tp/kvm_nested_vmenter_failed")
int nvx_enter_failed(struct bpf_raw_tracepoint_args *ctx)
{
	struct nvx_vcpu *v = nvx_current();

	if (v)
		nvx_on_nested_failed(v);
	return 0;
}

#include "raw_tp.bpf.h"
#include "raw_tp_ipi.bpf.h"

SEC("raw_tp/nvx_tlb_flush")
int nvx_tlb_flush(struct bpf_raw_tracepoint_args *ctx)
{
	struct nvx_vcpu *v = nvx_current();

	if (v)
		nvx_on_flush(v, ctx->args[NVX_TLB_KIND], ctx->args[NVX_TLB_CAUSE], ~0u);
	return 0;
}

SEC("raw_tp/nvx_pv_ipi")
int nvx_pv_ipi(struct bpf_raw_tracepoint_args *ctx)
{
	struct nvx_vcpu *v = nvx_current();
	struct nvx_ipi ipi = { .path = NVX_IPI_PV, .dests = ctx->args[NVX_PV_ASKED] };

	if (!v)
		return 0;
	ipi.kind = nvx_kind_of(ipi.dests);
	nvx_ipi_count(v, &ipi, 1);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
