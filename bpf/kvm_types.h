/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The few kernel types that the programs read, for CO-RE relocation: only the
 * members read, so that layouts may change around them.  A name with ___ is a
 * flavour of the type before it, for kernels where the member moved.
 */
#ifndef NVX_KVM_TYPES_H
#define NVX_KVM_TYPES_H

#define nvx_core __attribute__((preserve_access_index))

/* Indexes of kvm_vcpu_arch.regs. */
enum { NVX_RAX, NVX_RCX, NVX_RDX, NVX_RBX };

typedef struct {
	int counter;
} nvx_core atomic_t;

struct kvm {
	atomic_t online_vcpus;
} nvx_core;

struct kvm_vcpu_stat {
	__u64 guest_mode; /* since 5.14, "KVM: stats: Add VM and VCPU guest_mode statistics" */
} nvx_core;

struct kvm_vcpu_arch {
	unsigned long regs[8]; /* RAX, RCX, RDX, RBX, ...: enum kvm_reg is the encoding's order */
	__u32 hflags;
	_Bool guest_state_protected; /* since 5.11, SEV-ES */
} nvx_core;

struct kvm_vcpu {
	struct kvm *kvm;
	int vcpu_id;
	struct kvm_vcpu_arch arch;
	struct kvm_vcpu_stat stat;
} nvx_core;

/* HF_GUEST_MASK before stat.guest_mode existed; the bit has another meaning since 6.4. */
#define NVX_HF_GUEST_OLD (1 << 5)

union vmx_exit_reason {
	__u32 full;
} nvx_core;

struct nested_vmx {
	__u64 current_vmptr;
} nvx_core;

struct vcpu_vmx {
	struct kvm_vcpu vcpu;
	union vmx_exit_reason exit_reason;
	unsigned long exit_qualification;
	struct nested_vmx nested;
} nvx_core;

/* Since 6.15 what TDX shares lies in struct vcpu_vt ("KVM: VMX: Move common fields ..."). */
struct vcpu_vt {
	union vmx_exit_reason exit_reason;
	unsigned long exit_qualification;
} nvx_core;

struct vcpu_vmx___vt {
	struct kvm_vcpu vcpu;
	struct vcpu_vt vt;
} nvx_core;

struct vmcb;

struct svm_nested_state {
	__u64 vmcb12_gpa;
} nvx_core;

struct vcpu_svm {
	struct kvm_vcpu vcpu;
	struct vmcb *vmcb;
	struct svm_nested_state nested;
} nvx_core;

struct sched_info {
	unsigned long long run_delay; /* CONFIG_SCHED_INFO */
} nvx_core;

struct task_struct {
	struct sched_info sched_info;
	__u64 start_time;
	struct task_struct *group_leader;
	char comm[16];
} nvx_core;

/* APM vol. 2, app. B: EXITCODE, EXITINFO1, EXITINFO2 at 70h, 78h, 80h: one read for three. */
#define NVX_VMCB_EXIT 0x70

struct nvx_vmcb_exit {
	__u32 code, code_hi;
	__u64 info1, info2;
};

#endif
