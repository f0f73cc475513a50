// SPDX-License-Identifier: GPL-2.0-only
/*
 * The operations. The same code runs as L2, as L1 around its L2s, and as a plain guest;
 * only the hypercall instruction differs between vendors.
 *
 * Instructions that L1 emulates have a fixed encoding (see l1.c): L1 cannot decode, and
 * SVM need not give it the length.
 */
#include "guest.h"

#define KVM_HC_SEND_IPI	10

static void check(struct lab_op *op, u64 got, u64 want)
{
	if (got == want) {
		op->checked++;
	} else {
		op->bad++;
		op->got = got;
	}
}

static int reflected(const struct lab_prog *p, const struct lab_op *op)
{
	return p->reflect >> op->code & 1;
}

static void do_cpuid(struct lab_prog *p, struct lab_op *op)
{
	u32 r[4];

	cpuid(op->arg, r);
	if (reflected(p, op))
		check(op, r[0], lab_answer(LAB_CLASS_CPUID, op->arg));
}

static void do_rdmsr(struct lab_prog *p, struct lab_op *op)
{
	u64 v = rdmsr(op->arg);
	u32 want = lab_answer(LAB_CLASS_RDMSR, op->arg);

	if (reflected(p, op))
		check(op, v, want | (u64)~want << 32);
}

static void do_wrmsr(struct lab_prog *p, struct lab_op *op)
{
	p->sum[LAB_CLASS_WRMSR] += op->value;
	wrmsr(op->arg, op->value);
}

/*
 * To an id that no CPU has, KVM does all the work of an IPI and delivers none: no
 * interrupt disturbs the count. Unicast, so it takes KVM's fast path where there is one.
 */
static void do_icr(struct lab_prog *p, struct lab_op *op)
{
	u64 v = LAB_VEC_IPI | op->value;

	if (op->arg == LAB_ICR_SELF)
		v |= APIC_DEST_SELF;
	else
		v |= (u64)op->arg << 32;
	p->sum[LAB_CLASS_ICR] += v;
	wrmsr(MSR_X2APIC_ICR, v);
}

static void do_selfipi(struct lab_prog *p)
{
	p->sum[LAB_CLASS_SELFIPI] += LAB_VEC_IPI;
	wrmsr(MSR_X2APIC_SELF, LAB_VEC_IPI);
}

/* MOV %eax, (%rdx): two bytes, as L1 expects */
static void mmio_write(u64 address, u32 value)
{
	asm volatile("movl %%eax, (%%rdx)" : : "a"(value), "d"(address) : "memory");
}

static u32 mmio_read(u64 address)
{
	u32 value;

	asm volatile("movl (%%rdx), %%eax" : "=a"(value) : "d"(address) : "memory");
	return value;
}

/* An IPI in xAPIC mode is two writes: the destination, then the command. */
static void do_xicr(struct lab_prog *p, struct lab_op *op)
{
	u32 high = op->arg == LAB_ICR_SELF ? 0 : op->arg << 24;
	u32 low = LAB_VEC_IPI | op->value | (op->arg == LAB_ICR_SELF ? APIC_DEST_SELF : 0);

	p->sum[LAB_CLASS_XICR] += (u64)high + low;
	mmio_write(LAB_APIC_BASE + APIC_ICR2, high);
	mmio_write(LAB_APIC_BASE + APIC_ICR, low);
}

static u64 hypercall(const struct lab_prog *p, u64 nr, u64 a0, u64 a1, u64 a2, u64 a3)
{
	if (p->vmmcall)
		asm volatile("vmmcall" : "+a"(nr) : "b"(a0), "c"(a1), "d"(a2), "S"(a3) : "memory");
	else
		asm volatile("vmcall" : "+a"(nr) : "b"(a0), "c"(a1), "d"(a2), "S"(a3) : "memory");
	return nr;
}

static void do_hypercall(struct lab_prog *p, struct lab_op *op)
{
	u64 got = hypercall(p, op->arg, 0, 0, 0, 0);

	if (reflected(p, op))
		check(op, got, lab_answer(LAB_CLASS_HYPERCALL, op->arg));
}

static void do_pvipi(struct lab_prog *p, struct lab_op *op)
{
	u64 got = hypercall(p, KVM_HC_SEND_IPI, op->value, 0, 0, LAB_VEC_IPI);

	if (reflected(p, op))
		check(op, got, lab_answer(LAB_CLASS_HYPERCALL, KVM_HC_SEND_IPI));
}

static void do_in(struct lab_op *op)
{
	u32 v;

	asm volatile("inb %%dx, %%al" : "=a"(v) : "d"((u16)op->arg), "a"(0) : "memory");
	check(op, v & 0xff, lab_answer(LAB_CLASS_IN, op->arg) & 0xff);
}

static void do_out(struct lab_prog *p, struct lab_op *op, u64 i)
{
	p->sum[LAB_CLASS_OUT] += i & 0xff;
	outb(op->arg, i);
}

/* The port is part of the instruction, so it is written here, per program, then called. */
static void do_imm(struct lab_prog *p, struct lab_op *op, u64 i)
{
	volatile u8 *code = (u8 *)p->scratch + 16 * (op - p->ops);
	int in = op->code == LAB_OP_INI;
	u32 v = in ? 0 : i & 0xff;

	if (!op->done) {
		code[0] = in ? 0xe4 : 0xe6;
		code[1] = op->arg;
		code[2] = 0xc3;
	}
	asm volatile("call *%1" : "+a"(v) : "r"(code) : "memory");
	if (in)
		check(op, v & 0xff, lab_answer(LAB_CLASS_IN, op->arg) & 0xff);
	else
		p->sum[LAB_CLASS_OUT] += i & 0xff;
}

static void do_mmio(struct lab_prog *p, struct lab_op *op, u64 i)
{
	if (op->code == LAB_OP_MMIOW || (op->code == LAB_OP_MMIO && (i & 1))) {
		p->sum[LAB_CLASS_MMIOW] += (u32)i;
		mmio_write(op->arg, i);
	} else {
		check(op, mmio_read(op->arg), lab_answer(LAB_CLASS_MMIOR, op->arg));
	}
}

/*
 * Nothing but the timer wakes the CPU, and it is armed with interrupts off: the interrupt
 * comes after HLT. KVM's APIC timer counts nanoseconds. When L1 takes the HLT, nothing has
 * to be woken.
 */
static void do_hlt(struct lab_prog *p, struct lab_op *op)
{
	if (reflected(p, op)) {
		asm volatile("hlt" : : : "memory");
		return;
	}
	asm volatile("cli" : : : "memory");
	if (!op->done) {
		apic_write(APIC_LVTT, LAB_VEC_TIMER);
		apic_write(APIC_TDCR, APIC_DIVIDE_BY_1);
	}
	p->waiting = op->value * 1000;
	apic_write(APIC_TMICT, p->waiting);
	asm volatile("sti; hlt" : : : "memory");
	*(volatile u64 *)&p->waiting = 0;
}

static void do_spin(struct lab_op *op)
{
	u64 n = op->value;

	asm volatile("1: dec %0; jnz 1b" : "+r"(n) : : "cc");
}

/* Each pass finds what the pass before left there. */
static void do_touch(struct lab_prog *p, struct lab_op *op)
{
	for (u64 i = 0; i < op->value; i++) {
		volatile u64 *word = (u64 *)(p->scratch + 4096 * (op->arg + i));

		if (!op->done)
			*word = i;
		check(op, *word, i + op->done);
		*word = i + op->done + 1;
	}
}

static void do_once(struct lab_prog *p, struct lab_op *op, u64 i)
{
	switch (op->code) {
	case LAB_OP_CPUID:
		do_cpuid(p, op);
		break;
	case LAB_OP_RDMSR:
		do_rdmsr(p, op);
		break;
	case LAB_OP_WRMSR:
		do_wrmsr(p, op);
		break;
	case LAB_OP_ICR:
		do_icr(p, op);
		break;
	case LAB_OP_SELFIPI:
		do_selfipi(p);
		break;
	case LAB_OP_XICR:
		do_xicr(p, op);
		break;
	case LAB_OP_HYPERCALL:
		do_hypercall(p, op);
		break;
	case LAB_OP_PVIPI:
		do_pvipi(p, op);
		break;
	case LAB_OP_IN:
		do_in(op);
		break;
	case LAB_OP_OUT:
		do_out(p, op, i);
		break;
	case LAB_OP_INI:
	case LAB_OP_OUTI:
		do_imm(p, op, i);
		break;
	case LAB_OP_MMIO:
	case LAB_OP_MMIOR:
	case LAB_OP_MMIOW:
		do_mmio(p, op, i);
		break;
	case LAB_OP_HLT:
		do_hlt(p, op);
		break;
	case LAB_OP_PAUSE:
		asm volatile("pause" : : : "memory");
		break;
	case LAB_OP_SPIN:
		do_spin(op);
		break;
	case LAB_OP_TOUCH:
		do_touch(p, op);
		break;
	}
	op->done++;
}

void ops_run(struct lab_prog *p)
{
	for (u32 r = 0; r < p->repeat; r++) {
		for (u32 n = 0; n < p->nops; n++) {
			struct lab_op *op = &p->ops[n];

			for (u64 i = 0; i < op->count; i++)
				do_once(p, op, i);
		}
		p->rounds++;
	}
}
