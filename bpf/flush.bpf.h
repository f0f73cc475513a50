/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fentry programs on stock KVM's functions: TLB flushes, which have no tracepoint,
 * and the return into KVM_RUN.  Which of them exist depends on the vendor module
 * loaded; userspace switches the others off before it loads the object.
 *
 * On SVM every flush ends in svm_flush_tlb_asid(), which is also flush_tlb_guest
 * itself: the outer functions only say what kind it is.
 */
#ifndef NVX_FLUSH_BPF_H
#define NVX_FLUSH_BPF_H

static __always_inline int flush(struct kvm_vcpu *vcpu, __u32 kind)
{
	struct nvx_vcpu *v = nvx_current();

	/* another vCPU's thread may flush for a vCPU that does not run */
	if (v && v->vcpu == (__u64)vcpu)
		nvx_on_flush(v, kind, NVX_CAUSE_NONE, bpf_get_smp_processor_id());
	return 0;
}

static __always_inline int outer(struct kvm_vcpu *vcpu, __u32 kind)
{
	struct nvx_vcpu *v = nvx_current();

	if (v && v->vcpu == (__u64)vcpu)
		v->flush_kind = kind;
	return 0;
}

SEC("fentry/svm_flush_tlb_all")
int BPF_PROG(nvx_svm_all, struct kvm_vcpu *vcpu)
{
	return outer(vcpu, NVX_FLUSH_ALL);
}

SEC("fentry/svm_flush_tlb_current")
int BPF_PROG(nvx_svm_current, struct kvm_vcpu *vcpu)
{
	return outer(vcpu, NVX_FLUSH_CURRENT);
}

SEC("fentry/svm_flush_tlb_asid")
int BPF_PROG(nvx_svm_asid, struct kvm_vcpu *vcpu)
{
	struct nvx_vcpu *v = nvx_current();
	__u32 kind;

	if (!v || v->vcpu != (__u64)vcpu)
		return 0;
	kind = v->flush_kind ? v->flush_kind : NVX_FLUSH_GUEST;
	v->flush_kind = 0;
	return flush(vcpu, kind);
}

SEC("fentry/svm_flush_tlb_gva")
int BPF_PROG(nvx_svm_gva, struct kvm_vcpu *vcpu)
{
	return flush(vcpu, NVX_FLUSH_GVA);
}

SEC("fentry/vmx_flush_tlb_all")
int BPF_PROG(nvx_vmx_all, struct kvm_vcpu *vcpu)
{
	return flush(vcpu, NVX_FLUSH_ALL);
}

SEC("fentry/vmx_flush_tlb_current")
int BPF_PROG(nvx_vmx_current, struct kvm_vcpu *vcpu)
{
	return flush(vcpu, NVX_FLUSH_CURRENT);
}

SEC("fentry/vmx_flush_tlb_guest")
int BPF_PROG(nvx_vmx_guest, struct kvm_vcpu *vcpu)
{
	return flush(vcpu, NVX_FLUSH_GUEST);
}

SEC("fentry/vmx_flush_tlb_gva")
int BPF_PROG(nvx_vmx_gva, struct kvm_vcpu *vcpu)
{
	return flush(vcpu, NVX_FLUSH_GVA);
}

/* Hyper-V's flush, served by its target (6.2 and later; before, a request like any other). */
SEC("fentry/kvm_hv_vcpu_flush_tlb")
int BPF_PROG(nvx_hv_flush, struct kvm_vcpu *vcpu)
{
	struct nvx_vcpu *v = nvx_current();

	if (v)
		nvx_flush_expect(v, NVX_CAUSE_HYPERV);
	return 0;
}

SEC("fentry/kvm_arch_vcpu_ioctl_run")
int BPF_PROG(nvx_run, struct kvm_vcpu *vcpu)
{
	struct nvx_vcpu *v = nvx_current();
	__u64 now;

	if (!v || v->vcpu != (__u64)vcpu)
		return 0;
	now = bpf_ktime_get_ns();
	run_delay(v, now);
	nvx_on_run(v, now);
	return 0;
}

/* KVM's paravirtual flush is done by its target when it runs again. */
SEC("raw_tp/kvm_pv_tlb_flush")
int nvx_pv_flush(struct bpf_raw_tracepoint_args *ctx)
{
	struct nvx_vcpu *v = nvx_current();

	if (v && ctx->args[1] & 1)
		nvx_flush_expect(v, NVX_CAUSE_PV);
	return 0;
}

#endif
