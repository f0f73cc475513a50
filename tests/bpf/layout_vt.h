/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel types as a kernel might lay them out; names and members are KVM's, what
 * lies between them is not.  This layout: what TDX shares in struct vcpu_vt, as
 * since 6.16; another order of members everywhere.
 */
#define LAYOUT_GUEST_MODE 1
#define LAYOUT_PROTECTED 1
#define vmx_exit_reason_of(x) ((x)->vt.exit_reason.full)
#define vmx_qualification_of(x) ((x)->vt.exit_qualification)

typedef struct {
	int counter;
} atomic_t;

struct kvm {
	unsigned long pad[5];
	atomic_t online_vcpus;
};

struct kvm_vcpu_arch {
	_Bool guest_state_protected;
	unsigned int hflags;
	unsigned long pad[2];
	unsigned long regs[17];
};

struct kvm_vcpu_stat {
	unsigned long long pad[3], guest_mode, pad1[9];
};

struct kvm_vcpu {
	unsigned long pad[4];
	int vcpu_id;
	struct kvm_vcpu_stat stat;
	struct kvm *kvm;
	struct kvm_vcpu_arch arch;
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

struct vcpu_vt {
	unsigned char pad[40];
	union vmx_exit_reason exit_reason;
	unsigned long exit_qualification;
};

struct vcpu_vmx {
	struct kvm_vcpu vcpu;
	struct vcpu_vt vt;
	unsigned char fail;
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
	struct svm_nested_state nested;
	struct vmcb *vmcb;
};
