// SPDX-License-Identifier: GPL-2.0-only
/*
 * L1: runs its L2s to their end and does for each exit the least that an exit needs, in a
 * fixed order, so that L0 sees the same L1 exits in every chain (README.md lists them).
 */
#include "l1.h"

#define OPCODE_HLT	0xf4

static void record(struct lab_l2 *l2, u64 code)
{
	for (int i = 0; i < LAB_MAX_CODES; i++) {
		if (!l2->codes[i].count)
			l2->codes[i].code = code;
		if (l2->codes[i].code == code) {
			l2->codes[i].count++;
			return;
		}
	}
}

/* What L2 sent out with this exit; ops.c keeps the same sums. */
static u64 sent(const struct hv_regs *r, const struct hv_exit *e)
{
	switch (e->class) {
	case LAB_CLASS_WRMSR:
	case LAB_CLASS_ICR:
	case LAB_CLASS_SELFIPI:
		return (u32)r->rax | r->rdx << 32;
	case LAB_CLASS_OUT:
		return r->rax & 0xff;
	case LAB_CLASS_XICR:
	case LAB_CLASS_MMIOW:
		return (u32)r->rax;
	default:
		return 0;
	}
}

static void answer(struct hv_regs *r, const struct hv_exit *e)
{
	u32 v = lab_answer(e->class, e->arg);

	switch (e->class) {
	case LAB_CLASS_CPUID:
		r->rax = v;
		r->rbx = 0;
		r->rcx = 0;
		r->rdx = 0;
		break;
	case LAB_CLASS_RDMSR:
		r->rax = v;
		r->rdx = (u32)~v;
		break;
	case LAB_CLASS_HYPERCALL:
	case LAB_CLASS_MMIOR:
		r->rax = v;
		break;
	case LAB_CLASS_IN:
		r->rax = (r->rax & ~0xffULL) | (v & 0xff);
		break;
	}
}

/*
 * The timer that is to end L2's HLT can come before it, when L0 is slow: then once more, and
 * later each time, or on a slow L0 it would always come first.
 */
static void rearm(struct hv_l2 *l2, const struct hv_exit *e)
{
	struct lab_prog *p = &l2->l2->prog;
	const u8 *last = (const u8 *)e->rip - 1;

	if (p->waiting && *last != OPCODE_HLT) {
		p->waiting *= 2;
		apic_write(APIC_TMICT, p->waiting);
	}
}

static void handle(struct hv_l2 *l2, const struct hv_exit *e)
{
	struct lab_l2 *res = l2->l2;

	res->seen[e->class]++;
	record(res, e->code);
	switch (e->class) {
	case LAB_CLASS_INTR:
		hv_take_interrupt(l2);
		rearm(l2, e);
		return;
	case LAB_CLASS_END:
		res->ended = 1;
		return;
	case LAB_CLASS_UNKNOWN:
		fault(LAB_FAULT_EXIT, e->code, e->rip, e->arg);
	case LAB_CLASS_OUT:
		if (e->arg == LAB_PORT)
			fault(LAB_FAULT_L2, e->code, e->rip, 0);
		break;
	}
	res->sum[e->class] += sent(&l2->regs, e);
	answer(&l2->regs, e);
	hv_skip(l2, e);
}

/* One exit and all that L1 does for it. */
static u32 run_one(struct hv_l2 *l2, int synth)
{
	struct lab_cpu *cpu = l2->cpu;
	struct hv_exit exit;

	if (synth) {
		if (params()->x2apic)
			wrmsr(MSR_X2APIC_SELF, LAB_VEC_SYNTH);
		else
			apic_write(APIC_ICR, LAB_VEC_SYNTH | APIC_DEST_SELF);
	}
	l2->l2->entries++;
	hv_enter(l2, &exit);
	for (u32 i = 0; i < cpu->nsteps; i++) {
		for (u64 n = 0; n < cpu->steps[i].count; n++)
			hv_step(l2, i, &exit);
	}
	handle(l2, &exit);
	if (synth && exit.class == LAB_CLASS_INTR)
		cpu->synth_done++;
	return exit.class;
}

static struct hv_l2 *next(struct hv_l2 *all, struct hv_l2 *now)
{
	u32 n = now->cpu->nl2s;

	for (u32 i = 1; i <= n; i++) {
		struct hv_l2 *l2 = &all[(now - all + i) % n];

		if (!l2->l2->ended)
			return l2;
	}
	return 0;
}

static void run_all(struct lab_cpu *cpu, struct hv_l2 *all)
{
	struct hv_l2 *l2 = all;
	u64 exits = 0;
	u32 class = LAB_CLASS_UNKNOWN;

	hv_select(l2);
	while (l2) {
		struct hv_l2 *was = l2;
		/* after an interrupt L2 must get on, or it would never do an operation */
		int synth = cpu->synth_done < cpu->synth && class != LAB_CLASS_INTR;

		class = run_one(l2, synth);
		exits++;
		if (l2->l2->ended || (cpu->alternate && exits % cpu->alternate == 0))
			l2 = next(all, l2);
		if (l2 && l2 != was)
			hv_select(l2);
	}
}

static void setup(struct lab_cpu *cpu, struct hv_l2 *l2, u32 i)
{
	l2->cpu = cpu;
	l2->l2 = &cpu->l2s[i];
	l2->asid = i + 1;
	l2->vmcb = arena_pages(cpu, 1);
	l2->stack = (u64)arena_pages(cpu, 2) + 2 * 4096;
	l2->l2->vmcb = (u64)l2->vmcb;
	/* L2 starts in C with its program as the argument; see the vendor's l2_start */
	l2->regs.rdi = (u64)&l2->l2->prog;
	hv_setup(l2);
}

void l1_main(struct lab_cpu *cpu)
{
	struct lab_params *p = params();

	irq_init();
	if (p->magic != LAB_MAGIC || p->version != LAB_VERSION)
		fault(LAB_FAULT_FEATURE, p->version, 0, p->magic);
	asm volatile("sti" : : : "memory");
	ops_run(&cpu->pre);
	if (cpu->nl2s) {
		struct hv_l2 *all = arena_pages(cpu, 2);

		_Static_assert(sizeof(*all) * LAB_MAX_L2S <= 2 * 4096, "two pages hold all");
		asm volatile("cli" : : : "memory");
		hv_init(cpu);
		for (u32 i = 0; i < cpu->nl2s; i++)
			setup(cpu, &all[i], i);
		run_all(cpu, all);
		asm volatile("sti" : : : "memory");
	}
	ops_run(&cpu->post);
	outb(LAB_PORT, LAB_DONE);
	/* labvmm --hold: an idle virtual machine */
	for (;;)
		asm volatile("hlt" : : : "memory");
}
