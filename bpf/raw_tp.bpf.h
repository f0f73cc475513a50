/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Programs of raw tracepoints whose arguments are scalars, or need none: the
 * same for every source.
 *
 * The including program defines before:
 * before_close(v)	called before an open exit is closed or handed to L1
 * run_delay(v, now)	tells the engine the thread's run delay, where it can be read
 * NVX_MIN_WAIT		exits shorter than that are not asked for it at their entry
 * entry_failed(v)	did the nested entry just seen not reach L2?
 */
#ifndef NVX_RAW_TP_BPF_H
#define NVX_RAW_TP_BPF_H

SEC("raw_tp/kvm_entry")
int nvx_entry(struct bpf_raw_tracepoint_args *ctx)
{
	struct nvx_vcpu *v = nvx_current();
	__u64 now, dt;

	if (!v)
		return 0;
	now = bpf_ktime_get_ns();
	dt = now - v->t_exit;
	if (v->flags) {
		before_close(v);
		if (v->flags & NVX_F_ENTERING && entry_failed(v))
			nvx_on_nested_failed(v);
	}
	/* who waited for a CPU was switched out and in again */
	if (dt > NVX_MIN_WAIT)
		run_delay(v, now);
	nvx_on_entry_after(v, now, dt);
	return 0;
}

static __always_inline int do_enter(__u64 addr)
{
	struct nvx_vcpu *v = nvx_current();

	if (!v)
		return 0;
	/* L2's VMCB may be another page from now on */
	v->vmcb = 0;
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
	v->vmcb = v->vmcb01;
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
