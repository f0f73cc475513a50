// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stock KVM with BTF: CO-RE, so no VMREAD, no copy into a trace record, and one
 * program for every layout.
 *
 * kvm_exit comes twice.  tp_btf reads struct kvm_vcpu by plain loads, which spares
 * most of the probe reads that dominate the cost of an exit; raw_tp reads by helper,
 * for kernels with the old order of arguments, and for tests on fake vCPUs.  What
 * the vendor's struct around it holds takes a probe read either way.
 */
#include <stdbool.h>
#include <linux/types.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>
#include "kvm_types.h"
#include "vcpu.bpf.h"

static __noinline void nvx_identify(struct nvx_vcpu *v, __u64 addr)
{
	struct task_struct *t = (void *)bpf_get_current_task();
	struct kvm_vcpu *vcpu = (void *)addr;
	_Bool opaque = 0;

	v->kvm = (__u64)BPF_CORE_READ(vcpu, kvm);
	v->vcpu_id = BPF_CORE_READ(vcpu, vcpu_id);
	v->t_thread = BPF_CORE_READ(t, start_time);
	BPF_CORE_READ_INTO(&v->comm, t, group_leader, comm);
	if (bpf_core_field_exists(vcpu->arch.guest_state_protected))
		opaque = BPF_CORE_READ(vcpu, arch.guest_state_protected);
	if (opaque)
		v->marks |= NVX_M_OPAQUE;
	/* 0 means not read */
	if (bpf_core_field_exists(t->sched_info.run_delay))
		v->run_delay = BPF_CORE_READ(t, sched_info.run_delay) | 1;
}

/* 1 or 2; 0 where the read failed.  `direct`: the verifier knows vcpu's type. */
static __always_inline __u32 read_level(struct kvm_vcpu *vcpu, bool direct)
{
	__u64 gm = 0;
	__u32 hflags = 0;

	if (direct) {
		/* 0 or 1 */
		if (bpf_core_field_exists(vcpu->stat.guest_mode))
			return vcpu->stat.guest_mode + 1;
		return vcpu->arch.hflags & NVX_HF_GUEST_OLD ? 2 : 1;
	}
	if (bpf_core_field_exists(vcpu->stat.guest_mode)) {
		if (bpf_core_read(&gm, sizeof(gm), &vcpu->stat.guest_mode))
			return 0;
		return gm ? 2 : 1;
	}
	if (bpf_core_read(&hflags, sizeof(hflags), &vcpu->arch.hflags))
		return 0;
	return hflags & NVX_HF_GUEST_OLD ? 2 : 1;
}

/*
 * The array has another size in the kernel, and a load folded into its address would be
 * relocated as a load of all of it, which there is not: so the address first.
 */
static __always_inline __u64 read_reg(struct kvm_vcpu *vcpu, __u32 reg, bool direct)
{
	const unsigned long *regs = vcpu->arch.regs;

	nvx_opaque(regs);
	return direct ? regs[reg] : BPF_CORE_READ(vcpu, arch.regs[reg]);
}

static __always_inline __u64 read_l2_addr(struct kvm_vcpu *vcpu, __u32 isa)
{
	struct vcpu_svm *svm = (void *)vcpu;
	struct vcpu_vmx *vmx = (void *)vcpu;

	if (isa == NVX_ISA_SVM && bpf_core_field_exists(svm->nested.vmcb12_gpa))
		return BPF_CORE_READ(svm, nested.vmcb12_gpa);
	if (isa == NVX_ISA_VMX && bpf_core_field_exists(vmx->nested.current_vmptr))
		return BPF_CORE_READ(vmx, nested.current_vmptr);
	return 0;
}

static __always_inline __u64 read_vmx_qualification(struct kvm_vcpu *vcpu)
{
	struct vcpu_vmx___vt *vt = (void *)vcpu;
	struct vcpu_vmx *vmx = (void *)vcpu;

	if (bpf_core_field_exists(vmx->exit_qualification))
		return BPF_CORE_READ(vmx, exit_qualification);
	if (bpf_core_field_exists(vt->vt.exit_qualification))
		return BPF_CORE_READ(vt, vt.exit_qualification);
	return 0;
}

/* On VMX more than the reason would take a VMREAD. */
union exit_info {
	struct nvx_vmcb_exit svm;
	__u32 reason;
};

/*
 * L1's VMCB is one page for the vCPU's life.  L2's is asked for again after each
 * nested entry, since KVM frees it with the nested state.
 */
static __always_inline int read_svm_exit(struct nvx_vcpu *v, struct kvm_vcpu *vcpu, __u32 level,
					 union exit_info *x)
{
	struct vcpu_svm *svm = (void *)vcpu;
	struct vmcb *vmcb = (void *)v->vmcb, *now;

	if (!vmcb) {
		if (!bpf_core_type_exists(struct vcpu_svm) ||
		    bpf_core_read(&now, sizeof(now), &svm->vmcb))
			return -1;
		vmcb = now;
		if (level)
			v->vmcb = (__u64)vmcb;
		if (level == 1)
			v->vmcb01 = (__u64)vmcb;
	}
	return bpf_probe_read_kernel(&x->svm, sizeof(x->svm), (char *)vmcb + NVX_VMCB_EXIT);
}

static __always_inline int read_vmx_exit(struct kvm_vcpu *vcpu, union exit_info *x)
{
	struct vcpu_vmx___vt *vt = (void *)vcpu;
	struct vcpu_vmx *vmx = (void *)vcpu;

	if (bpf_core_field_exists(vmx->exit_reason))
		return bpf_core_read(&x->reason, sizeof(x->reason), &vmx->exit_reason.full);
	if (bpf_core_field_exists(vt->vt.exit_reason))
		return bpf_core_read(&x->reason, sizeof(x->reason), &vt->vt.exit_reason.full);
	return -1;
}

/* Whom a broadcast reaches. */
static __always_inline void read_nr_vcpus(struct nvx_vcpu *v)
{
	struct kvm_vcpu *vcpu = (void *)v->vcpu;

	v->nr_vcpus = BPF_CORE_READ(vcpu, kvm, online_vcpus.counter);
}

static __always_inline void exit_msr(struct nvx_vcpu *v, struct kvm_vcpu *vcpu, __u64 write,
				     bool direct)
{
	__u64 kind = write ? NVX_DRILL_WRMSR : NVX_DRILL_RDMSR;
	__u32 msr = read_reg(vcpu, NVX_RCX, direct), low, high;

	nvx_drill_count(v, kind << 48 | msr);
	if (!write || !nvx_is_icr_msr(msr))
		return;
	low = read_reg(vcpu, NVX_RAX, direct);
	high = read_reg(vcpu, NVX_RDX, direct);
	if (v->exit_who == NVX_WHO_L1 && nvx_may_broadcast(low, high))
		read_nr_vcpus(v);
	nvx_on_icr_msr(v, msr, low, high);
}

static __always_inline void exit_hypercall(struct nvx_vcpu *v, struct kvm_vcpu *vcpu, bool direct)
{
	__u32 number = read_reg(vcpu, NVX_RAX, direct);

	nvx_drill_count(v, (__u64)NVX_DRILL_HYPERCALL << 48 | number);
	if (number == NVX_HC_SEND_IPI)
		nvx_on_pv_ipi(v, read_reg(vcpu, NVX_RBX, direct),
			      read_reg(vcpu, NVX_RCX, direct));
}

/* What the exit just counted was about. */
static __always_inline void exit_detail(struct nvx_vcpu *v, struct kvm_vcpu *vcpu, __u32 class,
					 __u32 isa, const union exit_info *x, bool direct)
{
	bool svm = isa == NVX_ISA_SVM, plain = !(v->marks & NVX_M_OPAQUE);

	if (class & NVX_C_HLT) {
		nvx_exit_halts(v);
	} else if (class & NVX_C_MSR && plain) {
		exit_msr(v, vcpu, svm ? x->svm.info1 & 1 : x->reason == EXIT_REASON_MSR_WRITE,
			 direct);
	} else if (class & NVX_C_HYPERCALL && plain) {
		exit_hypercall(v, vcpu, direct);
	} else if (class & NVX_C_PIO && svm && plain) {
		nvx_drill_count(v, nvx_pio_drill(isa, x->svm.info1));
	} else if (class & NVX_C_PIO && !svm) {
		v->flags |= NVX_F_LATE_PIO;
	} else if (class & NVX_C_NPF && svm) {
		if (x->svm.info1 & NVX_NPF_RSVD && plain)
			nvx_drill_count(v, nvx_mmio_drill(x->svm.info2));
		nvx_on_fault(v, x->svm.info2);
	} else if (class & NVX_C_AVIC) {
		read_nr_vcpus(v);
		nvx_on_avic_ipi(v, x->svm.info1);
	}
}

static __always_inline int do_exit(struct kvm_vcpu *vcpu, __u32 isa, bool direct)
{
	struct nvx_vcpu *v = nvx_vcpu_of((__u64)vcpu);
	__u32 level, reason, class;
	union exit_info x;
	__u64 now;

	if (!v)
		return 0;
	now = bpf_ktime_get_ns();
	level = read_level(vcpu, direct);
	if ((direct || level) && level != v->level) {
		v->vmcb = 0;
		nvx_on_level(v, level, level == 2 ? read_l2_addr(vcpu, isa) : 0);
	}
	if (isa == NVX_ISA_SVM ? read_svm_exit(v, vcpu, level, &x) : read_vmx_exit(vcpu, &x)) {
		v->events++;
		v->drops[NVX_DROP_READ]++;
		return 0;
	}
	reason = isa == NVX_ISA_SVM ? x.svm.code : nvx_reason(NVX_ISA_VMX, x.reason);
	class = nvx_exit_open(v, now, isa, reason);
	if (class)
		exit_detail(v, vcpu, class, isa, &x, direct);
	return 0;
}

/*
 * VMX reads the exit qualification lazily, after kvm_exit, but always before the
 * next entry or the switch to L1 (handle_io(), nested_vmx_reflect_vmexit()); then
 * it lies in the vCPU's cache and costs no VMREAD of ours.
 */
static __always_inline void before_close(struct nvx_vcpu *v)
{
	if (!(v->flags & NVX_F_LATE_PIO))
		return;
	v->flags &= ~NVX_F_LATE_PIO;
	nvx_drill_count(v, nvx_pio_drill(NVX_ISA_VMX,
					 read_vmx_qualification((struct kvm_vcpu *)v->vcpu)));
}

SEC("tp_btf/kvm_exit")
int nvx_exit_direct(__u64 *ctx)
{
	struct kvm_vcpu *vcpu = (void *)ctx[0];

	/* since 6.4 an argument is trusted only once it is known not to be NULL */
	return vcpu ? do_exit(vcpu, ctx[1], true) : 0;
}

SEC("raw_tp/kvm_exit")
int nvx_exit(struct bpf_raw_tracepoint_args *ctx)
{
	if (cfg.old_order)
		return do_exit((void *)ctx->args[1], ctx->args[2], false);
	return do_exit((void *)ctx->args[0], ctx->args[1], false);
}

/*
 * How long the thread waited for a CPU, from its own statistics: no hook on the
 * scheduler.  Two switches of threads take longer than this; what a wait this short
 * adds is found by the next reading.
 */
#define NVX_MIN_WAIT 4096

static __always_inline void run_delay(struct nvx_vcpu *v, __u64 now)
{
	struct task_struct *t = bpf_get_current_task_btf();

	if (bpf_core_field_exists(t->sched_info.run_delay))
		nvx_on_run_delay(v, now, t->sched_info.run_delay);
}

/* An entry that fails its checks returns to L1 without any event on VMX. */
static __always_inline int entry_failed(struct nvx_vcpu *v)
{
	return read_level((struct kvm_vcpu *)v->vcpu, false) == 1;
}

#include "raw_tp.bpf.h"
#include "raw_tp_ipi.bpf.h"
#include "flush.bpf.h"

char LICENSE[] SEC("license") = "GPL";
