/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Programs of raw tracepoints whose arguments are scalars, or need none: the
 * same for stock KVM and for the feature module.
 *
 * The including program defines before:
 * before_close(v)	called before an open exit is closed or handed to L1
 * run_delay(v, now)	tells the engine the thread's run delay, where it can be read
 * read_nr_vcpus(v)	reads how many vCPUs the VM has, where it can be read
 * entry_failed(v)	did the nested entry just seen not reach L2?
 */
#ifndef NVX_RAW_TP_BPF_H
#define NVX_RAW_TP_BPF_H

SEC("raw_tp/kvm_entry")
int nvx_entry(struct bpf_raw_tracepoint_args *ctx)
{
	struct nvx_vcpu *v = nvx_current();
	__u64 now;

	if (!v)
		return 0;
	now = bpf_ktime_get_ns();
	before_close(v);
	if (v->flags & NVX_F_ENTERING && entry_failed(v))
		nvx_on_nested_failed(v);
	run_delay(v, now);
	nvx_on_entry(v, now);
	return 0;
}

static __always_inline int do_enter(__u64 addr)
{
	struct nvx_vcpu *v = nvx_current();

	if (!v)
		return 0;
	/* L2's VMCB may be another page from now on */
	v->vmcb[1] = 0;
	nvx_on_nested_enter(v, bpf_ktime_get_ns(), addr);
	return 0;
}

SEC("raw_tp/kvm_nested_vmenter")
int nvx_enter(struct bpf_raw_tracepoint_args *ctx)
{
	return do_enter(ctx->args[1]);
}

SEC("raw_tp/kvm_nested_vmrun")
int nvx_vmrun(struct bpf_raw_tracepoint_args *ctx)
{
	return do_enter(ctx->args[1]);
}

SEC("raw_tp/kvm_nested_vmexit_inject")
int nvx_inject(struct bpf_raw_tracepoint_args *ctx)
{
	struct nvx_vcpu *v = nvx_current();

	if (!v)
		return 0;
	before_close(v);
	nvx_on_nested_exit(v, bpf_ktime_get_ns(), ctx->args[5], ctx->args[0],
			   ctx->args[3]);
	return 0;
}

SEC("raw_tp/kvm_mmio")
int nvx_mmio(struct bpf_raw_tracepoint_args *ctx)
{
	struct nvx_vcpu *v = nvx_current();

	if (v)
		nvx_on_mmio(v, ctx->args[2]);
	return 0;
}

SEC("raw_tp/kvm_fast_mmio")
int nvx_fast_mmio(struct bpf_raw_tracepoint_args *ctx)
{
	struct nvx_vcpu *v = nvx_current();

	if (v)
		nvx_on_mmio(v, ctx->args[0]);
	return 0;
}

/* VMX: the address of an EPT violation, which the vCPU does not cache. */
SEC("raw_tp/kvm_page_fault")
int nvx_page_fault(struct bpf_raw_tracepoint_args *ctx)
{
	struct nvx_vcpu *v = nvx_current();

	if (v && v->isa == NVX_ISA_VMX && v->exit)
		v->gpa = ctx->args[1];
	return 0;
}

SEC("raw_tp/kvm_apic")
int nvx_apic(struct bpf_raw_tracepoint_args *ctx)
{
	struct nvx_vcpu *v;

	if (!ctx->args[0] || (ctx->args[1] != NVX_APIC_ICR && ctx->args[1] != NVX_APIC_ICR2))
		return 0;
	v = nvx_current();
	if (!v)
		return 0;
	if (ctx->args[1] == NVX_APIC_ICR && nvx_may_broadcast(ctx->args[2], v->icr2))
		read_nr_vcpus(v);
	nvx_on_apic_write(v, ctx->args[1], ctx->args[2]);
	return 0;
}

SEC("raw_tp/kvm_hv_send_ipi")
int nvx_hv_send_ipi(struct bpf_raw_tracepoint_args *ctx)
{
	struct nvx_vcpu *v = nvx_current();

	if (v && v->exit)
		nvx_on_hv_ipi(v, nvx_popcount(ctx->args[1]));
	return 0;
}

SEC("raw_tp/kvm_hv_send_ipi_ex")
int nvx_hv_send_ipi_ex(struct bpf_raw_tracepoint_args *ctx)
{
	struct nvx_vcpu *v = nvx_current();

	if (v && v->exit)
		nvx_on_hv_ipi(v, 0);
	return 0;
}

SEC("raw_tp/kvm_vcpu_wakeup")
int nvx_wakeup(struct bpf_raw_tracepoint_args *ctx)
{
	struct nvx_vcpu *v = nvx_current();

	if (v)
		nvx_on_wakeup(v, bpf_ktime_get_ns(), ctx->args[0], ctx->args[1] & 1);
	return 0;
}

SEC("raw_tp/kvm_userspace_exit")
int nvx_userspace(struct bpf_raw_tracepoint_args *ctx)
{
	struct nvx_vcpu *v = nvx_current();
	__u64 now;

	if (!v)
		return 0;
	now = bpf_ktime_get_ns();
	run_delay(v, now);
	nvx_on_userspace(v, now);
	return 0;
}

SEC("raw_tp/sched_process_exit")
int nvx_thread(struct bpf_raw_tracepoint_args *ctx)
{
	nvx_thread_end();
	return 0;
}

#endif
