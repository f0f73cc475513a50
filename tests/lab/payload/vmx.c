// SPDX-License-Identifier: GPL-2.0-only
/*
 * L1 on VMX. Every VMREAD and VMWRITE may be an exit of L1 (without shadow VMCS), so that
 * what is done per exit is fixed and no less than an exit needs: see decode.
 */
#include <asm/vmx.h>
#include "l1.h"
#include "vmx.h"
#include "evmcs.h"

#define EPT_TABLE	0x7		/* read, write, execute */
#define EPT_LARGE	(0x87 | 6 << 3)	/* write-back */
#define EPTP_FORMAT	(6 | 3 << 3)	/* write-back, four levels */
#define PTE_TABLE	0x7
#define PTE_LARGE	0x87
#define EXCEPTION_PF	14
#define ACCESS_CODE	0xa09b
#define ACCESS_DATA	0xc093
#define ACCESS_TSS	0x8b
#define ACCESS_UNUSABLE	0x10000

/* Exit qualification: I/O instructions, EPT violations (SDM vol. 3, tables 28-5 and 28-7) */
#define QUAL_IO_IN	(1 << 3)
#define QUAL_EPT_WRITE	(1 << 1)
#define QUAL_EPT_MAPPED	(7 << 3)
#define PF_PRESENT	1
#define PF_WRITE	2

int vmx_enter(u64 *exit_stack, struct hv_regs *regs, int launched);
extern const char vmx_exit[], vmx_l2_start[];

static int enlightened;

static u64 vmread(u64 field)
{
	u64 v;

	if (enlightened)
		return evmcs_read(field);
	asm volatile("vmread %1, %0" : "=r"(v) : "r"(field) : "cc", "memory");
	return v;
}

static void vmwrite(u64 field, u64 value)
{
	u8 failed;

	if (enlightened) {
		evmcs_write(field, value);
		return;
	}
	asm volatile("vmwrite %2, %1; setna %0" : "=qm"(failed) : "r"(field), "r"(value)
		     : "cc", "memory");
	if (failed)
		fault(LAB_FAULT_ENTRY, field, 0, value);
}

/* VMXON, VMCLEAR and VMPTRLD take the address of a physical address. */
#define DEFINE_POINTER_OP(op)						\
static void op(const void *region)					\
{									\
	u64 pa = (u64)region;						\
	u8 failed;							\
									\
	asm volatile(#op " %1; setna %0" : "=qm"(failed) : "m"(pa)	\
		     : "cc", "memory");					\
	if (failed)							\
		fault(LAB_FAULT_ENTRY, 0, 0, pa);			\
}
DEFINE_POINTER_OP(vmxon)
DEFINE_POINTER_OP(vmclear)
DEFINE_POINTER_OP(vmptrld)

static void *new_region(struct lab_cpu *cpu)
{
	u32 *region = arena_pages(cpu, 1);

	region[0] = rdmsr(MSR_VMX_BASIC) & 0x7fffffff;
	return region;
}

void hv_init(struct lab_cpu *cpu)
{
	u32 r[4];

	cpuid(1, r);
	if (!(r[2] & FEATURE_VMX))
		fault(LAB_FAULT_FEATURE, 1, 0, r[2]);
	write_cr0((read_cr0() | rdmsr(MSR_VMX_CR0_FIXED0)) & rdmsr(MSR_VMX_CR0_FIXED1));
	write_cr4((read_cr4() | CR4_VMXE | rdmsr(MSR_VMX_CR4_FIXED0)) &
		  rdmsr(MSR_VMX_CR4_FIXED1));
	vmxon(new_region(cpu));
	enlightened = cpu->evmcs;
	if (enlightened)
		evmcs_init(arena_pages(cpu, 1));
}

/* Low half of the MSR: bits that must be 1; high half: bits that may be 1. */
static u32 adjust(u32 msr, u32 want)
{
	u64 v = rdmsr(msr);
	u32 got = (want | (u32)v) & (u32)(v >> 32);

	if ((got & want) != want)
		fault(LAB_FAULT_FEATURE, msr, 0, want);
	return got;
}

/* Four bitmaps: read 0.., read 0xc0000000.., write 0.., write 0xc0000000.. */
static void msr_clear(void *bitmap, u32 msr, int write)
{
	u8 *at = (u8 *)bitmap + (write ? 2048 : 0);

	if (msr >= 0xc0000000 && msr <= 0xc0001fff)
		at += 1024;
	else if (msr > 0x1fff)
		return;		/* always exits, SDM vol. 3, 25.6.9 */
	msr &= 0x1fff;
	at[msr / 8] &= ~(1 << msr % 8);
}

static void port_clear(void *bitmap, u32 port)
{
	((u8 *)bitmap)[port / 8] &= ~(1 << port % 8);
}

static void set_controls(struct hv_l2 *l2)
{
	const struct lab_prog *p = &l2->l2->prog;
	u32 proc = PROC_IO_BITMAPS | PROC_MSR_BITMAPS, secondary = 0;
	u8 *ports = arena_pages(l2->cpu, 2), *msrs = arena_pages(l2->cpu, 1);

	for (u32 i = 0; i < 2 * 4096; i++)
		ports[i] = 0xff;
	for (u32 i = 0; i < 4096; i++)
		msrs[i] = 0xff;
	passthrough(p, msrs, msr_clear, ports, port_clear);
	if (op_reflected(p, LAB_OP_HLT))
		proc |= PROC_HLT;
	if (op_reflected(p, LAB_OP_PAUSE))
		proc |= PROC_PAUSE;
	if (l2->cpu->nested_paging)
		secondary |= SECONDARY_EPT;
	if (l2->cpu->vpid)
		secondary |= SECONDARY_VPID;
	if (secondary)
		proc |= PROC_SECONDARY;
	vmwrite(PIN_CONTROLS, adjust(MSR_VMX_TRUE_PIN, PIN_INTERRUPT | PIN_NMI));
	vmwrite(PROC_CONTROLS, adjust(MSR_VMX_TRUE_PROC, proc));
	if (secondary)
		vmwrite(SECONDARY_CONTROLS, adjust(MSR_VMX_PROCBASED2, secondary));
	if (l2->cpu->vpid)
		vmwrite(VPID, l2->asid);
	vmwrite(EXIT_CONTROLS, adjust(MSR_VMX_TRUE_EXIT, EXIT_HOST_64));
	vmwrite(ENTRY_CONTROLS, adjust(MSR_VMX_TRUE_ENTRY, ENTRY_GUEST_64));
	vmwrite(IO_BITMAP_A, (u64)ports);
	vmwrite(IO_BITMAP_B, (u64)ports + 4096);
	vmwrite(MSR_BITMAP, (u64)msrs);
	vmwrite(VMCS_LINK_POINTER, ~0ULL);
}

static void set_paging(struct hv_l2 *l2)
{
	static const struct map_format ept = { EPT_TABLE, EPT_LARGE };
	static const struct map_format cr3 = { PTE_TABLE, PTE_LARGE };

	if (l2->cpu->nested_paging) {
		vmwrite(EPT_POINTER, map_build(l2, &ept) | EPTP_FORMAT);
		vmwrite(GUEST_CR3, read_cr3());
	} else {
		/* what L1 wants to see of L2's MMIO comes as a page fault then */
		vmwrite(EXCEPTION_BITMAP, 1 << EXCEPTION_PF);
		vmwrite(GUEST_CR3, map_build(l2, &cr3));
	}
}

/* A new VMCS holds anything at all, so what must be zero is written too. */
static void clear_fields(void)
{
	static const u16 fields[] = {
		EXCEPTION_BITMAP, PF_ERROR_MASK, PF_ERROR_MATCH, CR3_TARGET_COUNT,
		EXIT_MSR_STORE_COUNT, EXIT_MSR_LOAD_COUNT, ENTRY_MSR_LOAD_COUNT,
		ENTRY_INTERRUPTION, GUEST_INTERRUPTIBILITY, GUEST_ACTIVITY, GUEST_SYSENTER_CS,
		HOST_SYSENTER_CS, CR0_MASK, CR4_MASK, GUEST_PENDING_DEBUG, GUEST_SYSENTER_ESP,
		GUEST_SYSENTER_EIP, HOST_FS_BASE, HOST_GS_BASE, HOST_SYSENTER_ESP,
		HOST_SYSENTER_EIP,
	};

	for (u32 i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		vmwrite(fields[i], 0);
}

static void set_guest(struct hv_l2 *l2)
{
	static const struct {
		u16 selector;
		u32 access;
	} seg[8] = {
		{ LAB_DS, ACCESS_DATA }, { LAB_CS, ACCESS_CODE }, { LAB_DS, ACCESS_DATA },
		{ LAB_DS, ACCESS_DATA }, { LAB_DS, ACCESS_DATA }, { LAB_DS, ACCESS_DATA },
		{ 0, ACCESS_UNUSABLE }, { LAB_TR, ACCESS_TSS },
	};
	struct desc_ptr idt = irq_idt();

	for (u32 i = 0; i < 8; i++) {
		int tss = seg[i].access == ACCESS_TSS;

		vmwrite(GUEST_SELECTOR(i), seg[i].selector);
		vmwrite(GUEST_LIMIT(i), tss ? 0x67 : 0xffffffff);
		vmwrite(GUEST_ACCESS(i), seg[i].access);
		vmwrite(GUEST_BASE(i), tss ? LAB_TSS : 0);
	}
	vmwrite(GUEST_GDTR_LIMIT, LAB_TR + 15);
	vmwrite(GUEST_GDTR_BASE, LAB_GDT);
	vmwrite(GUEST_IDTR_LIMIT, idt.limit);
	vmwrite(GUEST_IDTR_BASE, idt.base);
	vmwrite(GUEST_CR0, read_cr0());
	vmwrite(GUEST_CR4, read_cr4());
	vmwrite(GUEST_DR7, 0x400);
	vmwrite(GUEST_RFLAGS, X86_IF | 2);
	vmwrite(GUEST_RSP, l2->stack);
	vmwrite(GUEST_RIP, (u64)vmx_l2_start);
}

static void set_host(struct hv_l2 *l2)
{
	for (u32 i = 0; i < 7; i++)
		vmwrite(HOST_SELECTOR(i), i == 1 ? LAB_CS : i == 6 ? LAB_TR : LAB_DS);
	vmwrite(HOST_CR0, read_cr0());
	vmwrite(HOST_CR3, read_cr3());
	vmwrite(HOST_CR4, read_cr4());
	vmwrite(HOST_TR_BASE, LAB_TSS);
	vmwrite(HOST_GDTR_BASE, LAB_GDT);
	vmwrite(HOST_IDTR_BASE, irq_idt().base);
	vmwrite(HOST_RSP, (u64)&l2->exit_stack[6]);
	vmwrite(HOST_RIP, (u64)vmx_exit);
}

void hv_setup(struct hv_l2 *l2)
{
	if (enlightened) {
		evmcs_new(l2->vmcb);
	} else {
		*(u32 *)l2->vmcb = rdmsr(MSR_VMX_BASIC) & 0x7fffffff;
		vmclear(l2->vmcb);
	}
	hv_select(l2);
	clear_fields();
	set_controls(l2);
	set_paging(l2);
	set_guest(l2);
	set_host(l2);
	for (u32 i = 0; i < l2->cpu->nsteps; i++) {
		if (l2->cpu->steps[i].code == LAB_STEP_VMWRITE)
			l2->step_values[i] = vmread(l2->cpu->steps[i].arg);
	}
}

void hv_select(struct hv_l2 *l2)
{
	if (enlightened)
		evmcs_select(l2->vmcb);
	else
		vmptrld(l2->vmcb);
}

static void decode_msr(struct hv_l2 *l2, struct hv_exit *e, int write)
{
	e->arg = l2->regs.rcx;
	if (!write)
		e->class = LAB_CLASS_RDMSR;
	else if (e->arg == MSR_X2APIC_ICR)
		e->class = LAB_CLASS_ICR;
	else if (e->arg == MSR_X2APIC_SELF)
		e->class = LAB_CLASS_SELFIPI;
	else
		e->class = LAB_CLASS_WRMSR;
}

/* The length is not defined for these exits; both of ops.c's accesses are two bytes long. */
static void decode_mmio(struct hv_exit *e, u64 address, int write)
{
	e->arg = address;
	e->length = 2;
	if (e->arg >> 12 == LAB_APIC_BASE >> 12)
		e->class = LAB_CLASS_XICR;
	else
		e->class = write ? LAB_CLASS_MMIOW : LAB_CLASS_MMIOR;
}

static void decode_fault(struct hv_exit *e, u64 address)
{
	u64 error = vmread(EXIT_ERROR_CODE);

	e->arg = address;
	if (!(error & PF_PRESENT))
		decode_mmio(e, address, error & PF_WRITE);
}

/* Four VMREADs always, one more for MMIO; with hv_skip's VMWRITE that is all of an exit. */
static void decode(struct hv_l2 *l2, struct hv_exit *e)
{
	u64 qualification;

	e->code = vmread(EXIT_REASON);
	qualification = vmread(EXIT_QUALIFICATION);
	e->rip = vmread(GUEST_RIP);
	e->length = vmread(INSTRUCTION_LENGTH);
	e->class = LAB_CLASS_UNKNOWN;
	e->arg = qualification;
	switch (e->code) {
	case EXIT_REASON_CPUID:
		e->class = LAB_CLASS_CPUID;
		e->arg = l2->regs.rax;
		break;
	case EXIT_REASON_MSR_READ:
	case EXIT_REASON_MSR_WRITE:
		decode_msr(l2, e, e->code == EXIT_REASON_MSR_WRITE);
		break;
	case EXIT_REASON_VMCALL:
		e->class = LAB_CLASS_HYPERCALL;
		e->arg = l2->regs.rax;
		break;
	case EXIT_REASON_IO_INSTRUCTION:
		e->class = qualification & QUAL_IO_IN ? LAB_CLASS_IN : LAB_CLASS_OUT;
		e->arg = qualification >> 16 & 0xffff;
		break;
	case EXIT_REASON_EPT_VIOLATION:
		/* a page that is not mapped, else it is a fault of L1's own making */
		if (!(qualification & QUAL_EPT_MAPPED))
			decode_mmio(e, vmread(GUEST_PHYSICAL_ADDRESS),
				    qualification & QUAL_EPT_WRITE);
		break;
	case EXIT_REASON_EXCEPTION_NMI:
		/* the exception bitmap has nothing but #PF */
		decode_fault(e, qualification);
		break;
	case EXIT_REASON_HLT:
		e->class = LAB_CLASS_HLT;
		break;
	case EXIT_REASON_PAUSE_INSTRUCTION:
		e->class = LAB_CLASS_PAUSE;
		break;
	case EXIT_REASON_EXTERNAL_INTERRUPT:
		e->class = LAB_CLASS_INTR;
		break;
	case EXIT_REASON_INVD:
		e->class = LAB_CLASS_END;
		break;
	}
}

void hv_enter(struct hv_l2 *l2, struct hv_exit *exit)
{
	if (vmx_enter(l2->exit_stack, &l2->regs, l2->launched))
		fault(LAB_FAULT_ENTRY, vmread(INSTRUCTION_ERROR), 0, (u64)l2->vmcb);
	l2->launched = 1;
	decode(l2, exit);
	if (exit->code & VMX_EXIT_REASONS_FAILED_VMENTRY)
		fault(LAB_FAULT_ENTRY, exit->code, exit->rip, (u64)l2->vmcb);
}

void hv_skip(struct hv_l2 *l2, const struct hv_exit *exit)
{
	(void)l2;
	vmwrite(GUEST_RIP, exit->rip + exit->length);
}

void hv_take_interrupt(struct hv_l2 *l2)
{
	irq_window();
	/* an L2 that L0 has put to sleep stays so: SDM vol. 3, 25.4.2, activity state */
	if (!op_reflected(&l2->l2->prog, LAB_OP_HLT))
		vmwrite(GUEST_ACTIVITY, 0);
}

void hv_step(struct hv_l2 *l2, u32 i, const struct hv_exit *exit)
{
	const struct lab_step *step = &l2->cpu->steps[i];
	u32 r[4];

	switch (step->code) {
	case LAB_STEP_VMREAD:
		vmread(step->arg);
		break;
	case LAB_STEP_VMWRITE:
		/* back what is there, so that nothing changes */
		vmwrite(step->arg, step->arg == GUEST_RIP ? exit->rip : l2->step_values[i]);
		break;
	case LAB_STEP_RDMSR:
		rdmsr(step->arg);
		break;
	case LAB_STEP_CPUID:
		cpuid(step->arg, r);
		break;
	}
}
