/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the engine must know of an exit reason: its canonical form, whether L0
 * can have handed it to L1 unchanged, and what kind of number it class.
 * Codes come from the kernel's uapi headers.
 */
#ifndef NVX_ENGINE_ISA_H
#define NVX_ENGINE_ISA_H

#include <asm/svm.h>
#include <asm/vmx.h>
#include <nvx_abi.h>

/* SDM vol. 3, 25.9.2: interruption type in bits 10:8, 2 is NMI. */
#define NVX_INTR_TYPE(info)	(((info) >> 8) & 7)
#define NVX_INTR_TYPE_NMI	2

/* APM vol. 2, 15.25.6: a nested page fault's error code has RSVD in bit 3 (KVM's MMIO entries). */
#define NVX_NPF_RSVD		(1ULL << 3)

/*
 * nvx_reason - canonical form of an exit reason
 * @isa: enum nvx_isa
 * @raw: exit_reason of VMX (with its modifier bits) or exit code of SVM
 *
 * VMX keeps the basic reason and the VM-entry-failure bit (SDM vol. 3, 25.9.1);
 * the other modifiers (enclave, bus lock) would split one row into several.
 */
static inline __attribute__((always_inline)) __u32 nvx_reason(__u32 isa, __u32 raw)
{
	return isa == NVX_ISA_VMX ? raw & (VMX_EXIT_REASONS_FAILED_VMENTRY | 0xffff) : raw;
}

/*
 * nvx_may_reflect - can L0 have handed this very exit to L1?
 * @isa: enum nvx_isa
 * @reason: what the hardware said, equal to what L1 saw
 * @int_info: what L1 saw as interruption information
 *
 * Interrupts, NMIs, SMIs, INIT and the preemption timer that leave L2 belong to
 * L0 (nested_vmx_l0_wants_exit(), nested_svm_exit_special()); when L1 then sees
 * the same reason, it is for an event of its own and the equality is chance.
 */
static inline __attribute__((always_inline)) int nvx_may_reflect(__u32 isa, __u32 reason,
								   __u32 int_info)
{
	if (isa == NVX_ISA_VMX) {
		if (reason == EXIT_REASON_EXCEPTION_NMI)
			return NVX_INTR_TYPE(int_info) != NVX_INTR_TYPE_NMI;
		return reason != EXIT_REASON_EXTERNAL_INTERRUPT &&
		       reason != EXIT_REASON_PREEMPTION_TIMER;
	}
	return reason < SVM_EXIT_INTR || reason > SVM_EXIT_INIT;
}

/* nvx_is_msr - does @reason access an MSR?  SVM says read or write in exit_info_1 bit 0. */
static inline __attribute__((always_inline)) int nvx_is_msr(__u32 isa, __u32 reason)
{
	return isa == NVX_ISA_VMX ?
		       reason == EXIT_REASON_MSR_READ || reason == EXIT_REASON_MSR_WRITE :
		       reason == SVM_EXIT_MSR;
}

/* nvx_is_hypercall - VMCALL or VMMCALL? */
static inline __attribute__((always_inline)) int nvx_is_hypercall(__u32 isa, __u32 reason)
{
	return isa == NVX_ISA_VMX ? reason == EXIT_REASON_VMCALL : reason == SVM_EXIT_VMMCALL;
}

/* nvx_is_hlt - HLT? */
static inline __attribute__((always_inline)) int nvx_is_hlt(__u32 isa, __u32 reason)
{
	return isa == NVX_ISA_VMX ? reason == EXIT_REASON_HLT : reason == SVM_EXIT_HLT;
}

/* nvx_is_pio - an I/O instruction? */
static inline __attribute__((always_inline)) int nvx_is_pio(__u32 isa, __u32 reason)
{
	return isa == NVX_ISA_VMX ? reason == EXIT_REASON_IO_INSTRUCTION :
				    reason == SVM_EXIT_IOIO;
}

/* nvx_is_npf - a fault in the nested page tables, of which MMIO is one cause? */
static inline __attribute__((always_inline)) int nvx_is_npf(__u32 isa, __u32 reason)
{
	return isa == NVX_ISA_VMX ?
		       reason == EXIT_REASON_EPT_MISCONFIG || reason == EXIT_REASON_EPT_VIOLATION :
		       reason == SVM_EXIT_NPF;
}

/* nvx_class_of - enum nvx_class of a canonical reason */
static inline __attribute__((always_inline)) __u32 nvx_class_of(__u32 isa, __u32 reason)
{
	if (nvx_is_hlt(isa, reason))
		return NVX_C_HLT;
	if (nvx_is_msr(isa, reason))
		return NVX_C_MSR;
	if (nvx_is_hypercall(isa, reason))
		return NVX_C_HYPERCALL;
	if (nvx_is_pio(isa, reason))
		return NVX_C_PIO;
	if (nvx_is_npf(isa, reason))
		return NVX_C_NPF;
	if (isa == NVX_ISA_SVM && reason == SVM_EXIT_AVIC_INCOMPLETE_IPI)
		return NVX_C_AVIC;
	return NVX_C_PLAIN;
}

/*
 * nvx_pio_drill - drill-down key of an I/O instruction, without its `who`
 * @isa: enum nvx_isa
 * @info: exit qualification (SDM vol. 3, table 28-5: bit 3 is IN) or exit_info_1
 *        (APM vol. 2, 15.10.2: bit 0 is IN); both have the port in bits 31:16
 */
static inline __attribute__((always_inline)) __u64 nvx_pio_drill(__u32 isa, __u64 info)
{
	__u64 in = isa == NVX_ISA_VMX ? info & 8 : info & 1;
	__u64 kind = in ? NVX_DRILL_PIO_IN : NVX_DRILL_PIO_OUT;

	return kind << 48 | ((info >> 16) & 0xffff);
}

/* nvx_mmio_drill - drill-down key of an access to the guest-physical address @gpa */
static inline __attribute__((always_inline)) __u64 nvx_mmio_drill(__u64 gpa)
{
	return (__u64)NVX_DRILL_MMIO << 48 | ((gpa >> 12) & 0xffffffffffULL);
}

#endif
