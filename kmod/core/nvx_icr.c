// SPDX-License-Identifier: GPL-2.0-only
/* What an IPI asks for, and on which path it came. */
#include <asm/svm.h>
#include <asm/vmx.h>
#include "nvx_core.h"

#define MSR_X2APIC_ICR		0x830
#define MSR_X2APIC_SELF_IPI	0x83f
#define MSR_HV_X64_ICR		0x40000071	/* TLFS 12.2.1 */

struct nvx_icr nvx_icr_decode(u32 low, u32 high, bool x2apic)
{
	return (struct nvx_icr) {
		/* xAPIC keeps an 8-bit destination in the top byte. */
		.dest = x2apic ? high : high >> 24,
		.vector = low & 0xff,
		.mode = low >> 8 & 7,
		.dest_mode = low >> 11 & 1,
		.shorthand = low >> 18 & 3,
	};
}

static enum nvx_ipi_path path_of_msr(u32 msr)
{
	switch (msr) {
	case MSR_X2APIC_ICR:
		return NVX_IPI_X2APIC;
	case MSR_X2APIC_SELF_IPI:
		return NVX_IPI_X2APIC_SELF;
	case MSR_HV_X64_ICR:
		return NVX_IPI_HV_ICR;
	}
	return NVX_IPI_OTHER;
}

static enum nvx_ipi_path path_of_vmx(u32 reason, u32 rcx, bool x2apic)
{
	switch (reason) {
	case EXIT_REASON_MSR_WRITE:
		return path_of_msr(rcx);
	case EXIT_REASON_APIC_WRITE:
		return NVX_IPI_APIC_WRITE;
	case EXIT_REASON_EXCEPTION_NMI:		/* page fault, where L0 has no EPT */
	case EXIT_REASON_APIC_ACCESS:
	case EXIT_REASON_EPT_VIOLATION:
	case EXIT_REASON_EPT_MISCONFIG:
		return x2apic ? NVX_IPI_OTHER : NVX_IPI_XAPIC;
	}
	return NVX_IPI_OTHER;
}

static enum nvx_ipi_path path_of_svm(u32 reason, u32 rcx, bool x2apic)
{
	switch (reason) {
	case SVM_EXIT_MSR:
		return path_of_msr(rcx);
	case SVM_EXIT_AVIC_INCOMPLETE_IPI:
		return NVX_IPI_AVIC_INCOMPLETE;
	case SVM_EXIT_AVIC_UNACCELERATED_ACCESS:
		return NVX_IPI_APIC_WRITE;
	case SVM_EXIT_EXCP_BASE + 14:		/* #PF, where L0 has no NPT */
	case SVM_EXIT_NPF:
		return x2apic ? NVX_IPI_OTHER : NVX_IPI_XAPIC;
	}
	return NVX_IPI_OTHER;
}

/* From the exit that is being handled: no caller has to say who it is. */
enum nvx_ipi_path nvx_ipi_path(enum nvx_isa isa, u32 reason, u32 rcx, bool x2apic)
{
	if (isa == NVX_ISA_VMX)
		return path_of_vmx(reason, rcx, x2apic);
	return path_of_svm(reason, rcx, x2apic);
}
