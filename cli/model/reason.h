/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Names of exit reasons, MSRs and hypercalls.
 *
 * Exit reasons carry the names of the kernel's uapi headers <asm/vmx.h> and <asm/svm.h>, spelled
 * as perf kvm prints them: `CPUID`, `EPT_VIOLATION` on VMX; `cpuid`, `npf`, `vmrun` on SVM.
 * One spelling is printed; every other spelling people type is accepted.
 *
 * isa is KVM's own number: 1 VMX, 2 SVM (KVM_ISA_VMX, KVM_ISA_SVM of arch/x86/kvm/trace.h).
 */
#ifndef NVX_MODEL_REASON_H
#define NVX_MODEL_REASON_H

#include <stddef.h>
#include <stdint.h>

/* A buffer of this size holds every name of this file. */
#define NVX_NAME_MAX 64

/*
 * The printed name of an exit code.  A code without a name is written into buf as `0x1ff`; VMX
 * flag bits above bit 15 are appended as in the kvm_exit trace: `INVALID_STATE|FAILED_VMENTRY`.
 * An unknown isa gives the number.  Returns buf or a constant string, never NULL.
 */
const char *nvx_reason__name(unsigned int isa, uint32_t code, char *buf, size_t size);

/*
 * The exit code that a name stands for: case, blanks, `-` and `_` make no difference, and the
 * prefixes SVM_EXIT_, EXIT_REASON_ and EXIT_ may be there or not.  Accepted are the printed name,
 * the constant's name (SVM_EXIT_VMMCALL is printed as `hypercall`), older spellings
 * (PENDING_INTERRUPT) and plain numbers (0x72, 114).  0, or -ENOENT.
 */
int nvx_reason__code(unsigned int isa, const char *name, uint32_t *code);

/*
 * The i-th known exit code of an isa in ascending order, for listings and shell completion.
 * 0, or -ENOENT past the end.
 */
int nvx_reason__at(unsigned int isa, size_t i, uint32_t *code, const char **name);

/*
 * The name of an MSR: `X2APIC_ICR` for 0x830, `IA32_TSC_DEADLINE` for 0x6e0,
 * `HV_X64_MSR_EOI` for 0x40000070; unknown ones as `0xc0011029`.  Never NULL.
 */
const char *nvx_msr__name(uint32_t msr, char *buf, size_t size);

/* The MSR that a name (case and the prefixes MSR_ and IA32_ make no difference) or number means. */
int nvx_msr__code(const char *name, uint32_t *msr);

/* Which interface a hypercall number belongs to: the caller knows from the guest's registers. */
enum nvx_hypercall_abi {
	NVX_HYPERCALL_KVM,    /* KVM_HC_* of <linux/kvm_para.h>, number in RAX */
	NVX_HYPERCALL_HYPERV, /* call code, bits 15:0 of the input value (TLFS 3.7), in RCX */
};

/* The name of a hypercall: `SEND_IPI` (KVM), `HvCallSendSyntheticClusterIpi`; else `0x1234`. */
const char *nvx_hypercall__name(enum nvx_hypercall_abi abi, uint64_t nr, char *buf, size_t size);

#endif
