// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stock KVM without BTF: classic tracepoints, with field offsets that userspace
 * took from the tracefs format files.  They carry no registers, so MSR and
 * hypercall numbers are not to be had; and no level, which is known from the
 * first nested event on.  A vCPU is known by its number and thread.
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

/* The record at an offset that is a constant of this host, not of this program. */
#define field(ctx, type, off)                                                             \
	({                                                                                \
		type __v = 0;                                                             \
		if ((off) >= 0)                                                           \
			bpf_probe_read_kernel(&__v, sizeof(__v), (void *)(ctx) + (off));  \
		__v;                                                                      \
	})

/*
 * kvm_exit is read as a whole: a probe read costs more than a clock, and this event
 * has five fields of interest.
 */
#define RECORD 64

#define part(record, type, off)                                                           \
	({                                                                                \
		type __v = 0;                                                             \
		if ((off) >= 0 && (off) <= RECORD - (int)sizeof(__v))                     \
			__builtin_memcpy(&__v, (record) + (off), sizeof(__v));            \
		__v;                                                                      \
	})

static __always_inline __u64 exit_drill(const char *rec, __u32 isa, __u32 reason)
{
	__u64 info1;

	if (cfg.tp.exit_info1 < 0)
		return 0;
	info1 = part(rec, __u64, cfg.tp.exit_info1);
	if (nvx_is_pio(isa, reason))
		return nvx_pio_drill(isa, info1);
	if (isa == NVX_ISA_SVM && nvx_is_npf(isa, reason) && info1 & NVX_NPF_RSVD)
		return nvx_mmio_drill(part(rec, __u64, cfg.tp.exit_info2));
	return 0;
}

SEC("tp/kvm/kvm_exit")
int nvx_exit(void *ctx)
{
	__u32 isa, reason, id;
	struct nvx_vcpu *v;
	char rec[RECORD] __attribute__((aligned(8)));

	if (bpf_probe_read_kernel(rec, sizeof(rec), ctx))
		return 0;
	isa = part(rec, __u32, cfg.tp.exit_isa);
	reason = nvx_reason(isa, part(rec, __u32, cfg.tp.exit_reason));
	id = part(rec, __u32, cfg.tp.exit_vcpu);
	v = nvx_vcpu_of(id);
	if (!v)
		return 0;
	nvx_on_exit(v, bpf_ktime_get_ns(), isa, reason, exit_drill(rec, isa, reason));
	if (isa == NVX_ISA_SVM && nvx_is_npf(isa, reason))
		v->gpa = part(rec, __u64, cfg.tp.exit_info2);
	return 0;
}

SEC("tp/kvm/kvm_entry")
int nvx_entry(void *ctx)
{
	struct nvx_vcpu *v = nvx_current();

	if (v)
		nvx_on_entry(v, bpf_ktime_get_ns());
	return 0;
}

static __always_inline int do_enter(void *ctx)
{
	struct nvx_vcpu *v = nvx_current();

	if (v)
		nvx_on_nested_enter(v, bpf_ktime_get_ns(), field(ctx, __u64, cfg.tp.enter_addr));
	return 0;
}

SEC("tp/kvm/kvm_nested_vmenter")
int nvx_enter(void *ctx)
{
	return do_enter(ctx);
}

SEC("tp/kvm/kvm_nested_vmrun")
int nvx_vmrun(void *ctx)
{
	return do_enter(ctx);
}

SEC("tp/kvm/kvm_nested_vmenter_failed")
int nvx_enter_failed(void *ctx)
{
	struct nvx_vcpu *v = nvx_current();

	if (v)
		nvx_on_nested_failed(v);
	return 0;
}

SEC("tp/kvm/kvm_nested_vmexit_inject")
int nvx_inject(void *ctx)
{
	struct nvx_vcpu *v = nvx_current();

	if (v)
		nvx_on_nested_exit(v, bpf_ktime_get_ns(),
				   field(ctx, __u32, cfg.tp.inject_isa),
				   field(ctx, __u32, cfg.tp.inject_reason),
				   field(ctx, __u32, cfg.tp.inject_int_info));
	return 0;
}

/* Follows the kvm_exit of every L2 exit: the level, where no switch has told it yet. */
SEC("tp/kvm/kvm_nested_vmexit")
int nvx_nested_vmexit(void *ctx)
{
	struct nvx_vcpu *v = nvx_current();

	if (v && v->level != 2)
		nvx_on_level(v, 2, 0);
	return 0;
}

SEC("tp/kvm/kvm_mmio")
int nvx_mmio(void *ctx)
{
	struct nvx_vcpu *v = nvx_current();

	if (v)
		nvx_on_mmio(v, field(ctx, __u64, cfg.tp.mmio_gpa));
	return 0;
}

SEC("tp/kvm/kvm_vcpu_wakeup")
int nvx_wakeup(void *ctx)
{
	struct nvx_vcpu *v = nvx_current();

	if (v)
		nvx_on_wakeup(v, bpf_ktime_get_ns(), field(ctx, __u64, cfg.tp.wakeup_ns),
			      field(ctx, __u8, cfg.tp.wakeup_waited));
	return 0;
}

SEC("tp/kvm/kvm_userspace_exit")
int nvx_userspace(void *ctx)
{
	struct nvx_vcpu *v = nvx_current();

	if (v)
		nvx_on_userspace(v, bpf_ktime_get_ns());
	return 0;
}

SEC("tp/sched/sched_process_exit")
int nvx_thread(void *ctx)
{
	nvx_thread_end();
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
