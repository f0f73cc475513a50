// SPDX-License-Identifier: GPL-2.0-only
/* L1 on SVM. Layout and bits of the VMCB: APM vol. 2, appendix B. */
#include <asm/svm.h>
#include "l1.h"

/* control area */
#define INTERCEPT_EXCEPTIONS	0x008
#define INTERCEPT_MISC1		0x00c
#define INTERCEPT_MISC2		0x010
#define IOPM_BASE		0x040
#define MSRPM_BASE		0x048
#define GUEST_ASID		0x058
#define INT_CONTROL		0x060
#define EXITCODE		0x070
#define EXITINFO1		0x078
#define EXITINFO2		0x080
#define NP_ENABLE		0x090
#define N_CR3			0x0b0
/* state save area; ES, CS, SS, DS, FS, GS, GDTR, LDTR, IDTR, TR are 16 bytes each */
#define SAVE_SEG(n)		(0x400 + 16 * (n))
#define SAVE_EFER		0x4d0
#define SAVE_CR4		0x548
#define SAVE_CR3		0x550
#define SAVE_CR0		0x558
#define SAVE_DR7		0x560
#define SAVE_DR6		0x568
#define SAVE_RFLAGS		0x570
#define SAVE_RIP		0x578
#define SAVE_RSP		0x5d8
#define SAVE_RAX		0x5f8
#define SAVE_PAT		0x668

#define MISC1_INTR		(1u << 0)
#define MISC1_NMI		(1u << 1)
#define MISC1_SMI		(1u << 2)
#define MISC1_CPUID		(1u << 18)
#define MISC1_PAUSE		(1u << 23)
#define MISC1_HLT		(1u << 24)
#define MISC1_IOIO		(1u << 27)
#define MISC1_MSR		(1u << 28)
#define MISC1_SHUTDOWN		(1u << 31)
#define MISC2_VMRUN		(1u << 0)	/* must be set, APM vol. 2, 15.5.1 */
#define MISC2_VMMCALL		(1u << 1)
#define MISC2_WBINVD		(1u << 9)

#define V_INTR_MASKING		(1u << 24)
#define EXCEPTION_PF		14

#define EFER_SVME		(1u << 12)
#define MSR_VM_HSAVE_PA		0xc0010117

#define PTE_TABLE		0x7	/* present, writable, user: NPT walks are user accesses */
#define PTE_LARGE		0x87

#define IOIO_IN			1	/* EXITINFO1 of IOIO, APM vol. 2, 15.10.2 */

void svm_enter(u64 vmcb, struct hv_regs *regs);
extern const char svm_l2_start[];

static void set16(u8 *vmcb, u32 at, u16 v)
{
	*(volatile u16 *)(vmcb + at) = v;
}

static void set32(u8 *vmcb, u32 at, u32 v)
{
	*(volatile u32 *)(vmcb + at) = v;
}

static void set64(u8 *vmcb, u32 at, u64 v)
{
	*(volatile u64 *)(vmcb + at) = v;
}

static u64 get64(const u8 *vmcb, u32 at)
{
	return *(const volatile u64 *)(vmcb + at);
}

static void clgi(void)
{
	asm volatile("clgi" : : : "memory");
}

static void stgi(void)
{
	asm volatile("stgi" : : : "memory");
}

static void vmload(u64 pa)
{
	asm volatile("vmload %%rax" : : "a"(pa) : "memory");
}

static void vmsave(u64 pa)
{
	asm volatile("vmsave %%rax" : : "a"(pa) : "memory");
}

/* Where VMSAVE and VMLOAD of L1's own state go, one page a CPU; what Linux calls host_save. */
static u8 *host_save[LAB_MAX_CPUS];

void hv_init(struct lab_cpu *cpu)
{
	u32 r[4];

	cpuid(0x80000001, r);
	if (!(r[2] & 4))	/* SVM, APM vol. 3, appendix E */
		fault(LAB_FAULT_FEATURE, 0x80000001, 0, r[2]);
	wrmsr(MSR_EFER, rdmsr(MSR_EFER) | EFER_SVME);
	wrmsr(MSR_VM_HSAVE_PA, (u64)arena_pages(cpu, 1));
	host_save[cpu->id] = arena_pages(cpu, 1);
	for (u32 i = 0; i < cpu->nsteps; i++) {
		/* VMLOAD must not load zeroes: TR would have no segment */
		if (cpu->steps[i].code == LAB_STEP_VMLOAD) {
			vmsave((u64)host_save[cpu->id]);
			break;
		}
	}
	/* #VMEXIT leaves GIF at 0, and only hv_take_interrupt needs it to be 1 */
	clgi();
}

static void msr_clear(void *msrpm, u32 msr, int write)
{
	u32 at = msr & 0x1fff;

	if (msr >= 0xc0000000 && msr <= 0xc0001fff)
		at += 0x2000;
	else if (msr >= 0xc0010000 && msr <= 0xc0011fff)
		at += 0x4000;
	else if (msr > 0x1fff)
		return;		/* always intercepted, APM vol. 2, 15.11 */
	((u8 *)msrpm)[at / 4] &= ~(1 << (at % 4 * 2 + write));
}

static void port_clear(void *iopm, u32 port)
{
	((u8 *)iopm)[port / 8] &= ~(1 << port % 8);
}

static void set_intercepts(struct hv_l2 *l2)
{
	const struct lab_prog *p = &l2->l2->prog;
	u32 misc1 = MISC1_INTR | MISC1_NMI | MISC1_SMI | MISC1_IOIO | MISC1_MSR | MISC1_SHUTDOWN;
	u8 *iopm = arena_pages(l2->cpu, 3), *msrpm = arena_pages(l2->cpu, 2);

	for (u32 i = 0; i < 3 * 4096; i++)
		iopm[i] = 0xff;
	for (u32 i = 0; i < 2 * 4096; i++)
		msrpm[i] = 0xff;
	passthrough(p, msrpm, msr_clear, iopm, port_clear);
	if (op_reflected(p, LAB_OP_CPUID))
		misc1 |= MISC1_CPUID;
	if (op_reflected(p, LAB_OP_PAUSE))
		misc1 |= MISC1_PAUSE;
	if (op_reflected(p, LAB_OP_HLT))
		misc1 |= MISC1_HLT;
	set32(l2->vmcb, INTERCEPT_MISC1, misc1);
	set32(l2->vmcb, INTERCEPT_MISC2, MISC2_VMRUN | MISC2_VMMCALL | MISC2_WBINVD);
	set64(l2->vmcb, IOPM_BASE, (u64)iopm);
	set64(l2->vmcb, MSRPM_BASE, (u64)msrpm);
}

static void set_paging(struct hv_l2 *l2)
{
	static const struct map_format format = { PTE_TABLE, PTE_LARGE };
	u64 root = map_build(l2, &format);

	if (l2->cpu->nested_paging) {
		set64(l2->vmcb, NP_ENABLE, 1);
		set64(l2->vmcb, N_CR3, root);
		set64(l2->vmcb, SAVE_CR3, read_cr3());
	} else {
		/* what L1 wants to see of L2's MMIO comes as a page fault then */
		set32(l2->vmcb, INTERCEPT_EXCEPTIONS, 1u << EXCEPTION_PF);
		set64(l2->vmcb, SAVE_CR3, root);
	}
}

static void set_segments(u8 *vmcb)
{
	struct desc_ptr idt = irq_idt();

	for (u32 i = 0; i < 6; i++) {
		int cs = i == 1;

		set16(vmcb, SAVE_SEG(i), cs ? LAB_CS : LAB_DS);
		set16(vmcb, SAVE_SEG(i) + 2, cs ? 0xa9b : 0xc93);
		set32(vmcb, SAVE_SEG(i) + 4, 0xffffffff);
	}
	set32(vmcb, SAVE_SEG(6) + 4, 0x27);
	set64(vmcb, SAVE_SEG(6) + 8, LAB_GDT);
	set32(vmcb, SAVE_SEG(8) + 4, idt.limit);
	set64(vmcb, SAVE_SEG(8) + 8, idt.base);
}

void hv_setup(struct hv_l2 *l2)
{
	u8 *vmcb = l2->vmcb;

	set_intercepts(l2);
	set_paging(l2);
	set_segments(vmcb);
	set32(vmcb, GUEST_ASID, l2->asid);
	set32(vmcb, INT_CONTROL, V_INTR_MASKING);
	set64(vmcb, SAVE_EFER, rdmsr(MSR_EFER));
	set64(vmcb, SAVE_CR0, read_cr0());
	set64(vmcb, SAVE_CR4, read_cr4());
	set64(vmcb, SAVE_DR6, 0xffff0ff0);
	set64(vmcb, SAVE_DR7, 0x400);
	set64(vmcb, SAVE_PAT, 0x0007040600070406ULL);
	set64(vmcb, SAVE_RFLAGS, X86_IF | 2);
	set64(vmcb, SAVE_RIP, (u64)svm_l2_start);
	set64(vmcb, SAVE_RSP, l2->stack);
}

/* VMRUN names its VMCB: there is nothing to select. */
void hv_select(struct hv_l2 *l2)
{
	(void)l2;
}

static void decode_msr(struct hv_l2 *l2, struct hv_exit *e, int write)
{
	e->arg = l2->regs.rcx;
	e->length = 2;
	if (!write)
		e->class = LAB_CLASS_RDMSR;
	else if (e->arg == MSR_X2APIC_ICR)
		e->class = LAB_CLASS_ICR;
	else if (e->arg == MSR_X2APIC_SELF)
		e->class = LAB_CLASS_SELFIPI;
	else
		e->class = LAB_CLASS_WRMSR;
}

/* Both of ops.c's accesses are two bytes long: 8b 02 reads, 89 02 writes. */
static void decode_mmio(struct hv_exit *e, u64 address, int write)
{
	e->arg = address;
	e->length = 2;
	if (e->arg >> 12 == LAB_APIC_BASE >> 12)
		e->class = LAB_CLASS_XICR;
	else
		e->class = write ? LAB_CLASS_MMIOW : LAB_CLASS_MMIOR;
}

static void decode(struct hv_l2 *l2, struct hv_exit *e)
{
	u64 info1 = get64(l2->vmcb, EXITINFO1), info2 = get64(l2->vmcb, EXITINFO2);

	e->class = LAB_CLASS_UNKNOWN;
	e->arg = info2;
	switch (e->code) {
	case SVM_EXIT_CPUID:
		e->class = LAB_CLASS_CPUID;
		e->arg = l2->regs.rax;
		e->length = 2;
		break;
	case SVM_EXIT_MSR:
		decode_msr(l2, e, info1 & 1);
		break;
	case SVM_EXIT_VMMCALL:
		e->class = LAB_CLASS_HYPERCALL;
		e->arg = l2->regs.rax;
		e->length = 3;
		break;
	case SVM_EXIT_IOIO:
		e->class = info1 & IOIO_IN ? LAB_CLASS_IN : LAB_CLASS_OUT;
		e->arg = info1 >> 16 & 0xffff;
		e->length = info2 - e->rip;
		break;
	case SVM_EXIT_NPF:
	case SVM_EXIT_EXCP_BASE + EXCEPTION_PF:
		/* a page that is not present, else it is a fault of L1's own making */
		if (!(info1 & 1))
			decode_mmio(e, info2, info1 & 2);
		break;
	case SVM_EXIT_HLT:
		e->class = LAB_CLASS_HLT;
		e->length = 1;
		break;
	case SVM_EXIT_PAUSE:
		e->class = LAB_CLASS_PAUSE;
		e->length = 2;
		break;
	case SVM_EXIT_INTR:
		e->class = LAB_CLASS_INTR;
		break;
	case SVM_EXIT_WBINVD:
		e->class = LAB_CLASS_END;
		break;
	}
}

void hv_enter(struct hv_l2 *l2, struct hv_exit *exit)
{
	set64(l2->vmcb, SAVE_RAX, l2->regs.rax);
	svm_enter((u64)l2->vmcb, &l2->regs);
	l2->regs.rax = get64(l2->vmcb, SAVE_RAX);
	exit->code = get64(l2->vmcb, EXITCODE);
	exit->rip = get64(l2->vmcb, SAVE_RIP);
	/* the high half of VMEXIT_INVALID is all ones or, from some, all zeroes */
	if ((u32)exit->code == (u32)SVM_EXIT_ERR)
		fault(LAB_FAULT_ENTRY, exit->code, exit->rip, (u64)l2->vmcb);
	decode(l2, exit);
}

void hv_skip(struct hv_l2 *l2, const struct hv_exit *exit)
{
	set64(l2->vmcb, SAVE_RIP, exit->rip + exit->length);
}

void hv_take_interrupt(struct hv_l2 *l2)
{
	(void)l2;
	stgi();
	irq_window();
	clgi();
}

void hv_step(struct hv_l2 *l2, u32 i, const struct hv_exit *exit)
{
	const struct lab_step *step = &l2->cpu->steps[i];
	u64 host = (u64)host_save[l2->cpu->id];
	u32 r[4];

	(void)exit;
	switch (step->code) {
	case LAB_STEP_VMSAVE:
		vmsave(step->arg ? host : (u64)l2->vmcb);
		break;
	case LAB_STEP_VMLOAD:
		vmload(step->arg ? host : (u64)l2->vmcb);
		break;
	case LAB_STEP_STGI:
		stgi();
		break;
	case LAB_STEP_CLGI:
		clgi();
		break;
	case LAB_STEP_RDMSR:
		rdmsr(step->arg);
		break;
	case LAB_STEP_CPUID:
		cpuid(step->arg, r);
		break;
	}
}
