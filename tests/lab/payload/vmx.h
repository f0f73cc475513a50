/* SPDX-License-Identifier: GPL-2.0-only */
/* Fields and control bits of the VMCS: SDM vol. 3, appendix B and chapter 25. */
#ifndef LAB_VMX_H
#define LAB_VMX_H

#define VPID			0x0000
#define GUEST_SELECTOR(n)	(0x0800 + 2 * (n))	/* ES CS SS DS FS GS LDTR TR */
#define HOST_SELECTOR(n)	(0x0c00 + 2 * (n))	/* ES CS SS DS FS GS TR */
#define IO_BITMAP_A		0x2000
#define IO_BITMAP_B		0x2002
#define MSR_BITMAP		0x2004
#define EPT_POINTER		0x201a
#define GUEST_PHYSICAL_ADDRESS	0x2400
#define VMCS_LINK_POINTER	0x2800
#define PIN_CONTROLS		0x4000
#define PROC_CONTROLS		0x4002
#define EXCEPTION_BITMAP	0x4004
#define PF_ERROR_MASK		0x4006
#define PF_ERROR_MATCH		0x4008
#define CR3_TARGET_COUNT	0x400a
#define EXIT_CONTROLS		0x400c
#define EXIT_MSR_STORE_COUNT	0x400e
#define EXIT_MSR_LOAD_COUNT	0x4010
#define ENTRY_CONTROLS		0x4012
#define ENTRY_MSR_LOAD_COUNT	0x4014
#define ENTRY_INTERRUPTION	0x4016
#define SECONDARY_CONTROLS	0x401e
#define INSTRUCTION_ERROR	0x4400
#define EXIT_REASON		0x4402
#define EXIT_INTERRUPTION	0x4404
#define EXIT_ERROR_CODE		0x4406
#define INSTRUCTION_LENGTH	0x440c
#define GUEST_LIMIT(n)		(0x4800 + 2 * (n))
#define GUEST_GDTR_LIMIT	0x4810
#define GUEST_IDTR_LIMIT	0x4812
#define GUEST_ACCESS(n)		(0x4814 + 2 * (n))
#define GUEST_INTERRUPTIBILITY	0x4824
#define GUEST_ACTIVITY		0x4826
#define GUEST_SYSENTER_CS	0x482a
#define HOST_SYSENTER_CS	0x4c00
#define CR0_MASK		0x6000
#define CR4_MASK		0x6002
#define EXIT_QUALIFICATION	0x6400
#define GUEST_CR0		0x6800
#define GUEST_CR3		0x6802
#define GUEST_CR4		0x6804
#define GUEST_BASE(n)		(0x6806 + 2 * (n))
#define GUEST_GDTR_BASE		0x6816
#define GUEST_IDTR_BASE		0x6818
#define GUEST_DR7		0x681a
#define GUEST_RSP		0x681c
#define GUEST_RIP		0x681e
#define GUEST_RFLAGS		0x6820
#define GUEST_PENDING_DEBUG	0x6822
#define GUEST_SYSENTER_ESP	0x6824
#define GUEST_SYSENTER_EIP	0x6826
#define HOST_CR0		0x6c00
#define HOST_CR3		0x6c02
#define HOST_CR4		0x6c04
#define HOST_FS_BASE		0x6c06
#define HOST_GS_BASE		0x6c08
#define HOST_TR_BASE		0x6c0a
#define HOST_GDTR_BASE		0x6c0c
#define HOST_IDTR_BASE		0x6c0e
#define HOST_SYSENTER_ESP	0x6c10
#define HOST_SYSENTER_EIP	0x6c12
#define HOST_RSP		0x6c14
#define HOST_RIP		0x6c16

#define PIN_INTERRUPT		(1u << 0)
#define PIN_NMI			(1u << 3)
#define PROC_HLT		(1u << 7)
#define PROC_IO_BITMAPS		(1u << 25)
#define PROC_MSR_BITMAPS	(1u << 28)
#define PROC_PAUSE		(1u << 30)
#define PROC_SECONDARY		(1u << 31)
#define SECONDARY_EPT		(1u << 1)
#define SECONDARY_VPID		(1u << 5)
#define EXIT_HOST_64		(1u << 9)
#define ENTRY_GUEST_64		(1u << 9)

#define MSR_VMX_BASIC		0x480
#define MSR_VMX_CR0_FIXED0	0x486
#define MSR_VMX_CR0_FIXED1	0x487
#define MSR_VMX_CR4_FIXED0	0x488
#define MSR_VMX_CR4_FIXED1	0x489
#define MSR_VMX_PROCBASED2	0x48b
/* the "true" ones if IA32_VMX_BASIC has bit 55, which KVM always shows */
#define MSR_VMX_TRUE_PIN	0x48d
#define MSR_VMX_TRUE_PROC	0x48e
#define MSR_VMX_TRUE_EXIT	0x48f
#define MSR_VMX_TRUE_ENTRY	0x490

#define CR4_VMXE		(1u << 13)
#define FEATURE_VMX		(1u << 5)	/* CPUID 1, ECX */

#endif
