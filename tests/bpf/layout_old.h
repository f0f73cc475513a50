/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel types as a kernel might lay them out; names and members are KVM's, what
 * lies between them is not.  This layout: the level in arch.hflags, as before
 * 5.14; kvm_exit(exit_reason, vcpu, isa), as before 5.16.
 */
#define LAYOUT_OLD_ORDER 1
#define vmx_exit_reason_of(x) ((x)->exit_reason.full)
#define vmx_qualification_of(x) ((x)->exit_qualification)

typedef struct {
	int counter;
} atomic_t;

struct kvm {
	unsigned long pad[2];
	atomic_t online_vcpus;
};

struct kvm_vcpu_arch {
	unsigned long regs[17];
	unsigned long pad0[3];
	unsigned int regs_avail, hflags;
	_Bool pad1;
};

struct kvm_vcpu_stat {
	unsigned long long pad[39];
};

struct kvm_vcpu {
	struct kvm *kvm;
	int cpu, vcpu_id;
	struct kvm_vcpu_arch arch;
	struct kvm_vcpu_stat stat;
	unsigned long pad[7];
};

union vmx_exit_reason {
	struct {
		unsigned int basic : 16;
		unsigned int pad : 16;
	};
	unsigned int full;
};

struct nested_vmx {
	_Bool vmxon;
	unsigned long long vmxon_ptr, current_vmptr;
};

struct vcpu_vmx {
	struct kvm_vcpu vcpu;
	unsigned char fail;
	unsigned long exit_qualification;
	unsigned int exit_intr_info;
	union vmx_exit_reason exit_reason;
	struct nested_vmx nested;
};

struct vmcb_control_area {
	unsigned int intercepts[28];
	unsigned int exit_code, exit_code_hi;
	unsigned long long exit_info_1, exit_info_2;
};

struct vmcb {
	struct vmcb_control_area control;
};

struct svm_nested_state {
	unsigned long pad[2];
	unsigned long long vmcb12_gpa;
};

struct vcpu_svm {
	struct kvm_vcpu vcpu;
	unsigned int pad;
	struct vmcb *vmcb;
	struct svm_nested_state nested;
};
