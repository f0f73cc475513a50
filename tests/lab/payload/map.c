// SPDX-License-Identifier: GPL-2.0-only
/* What of its L2 L1 maps and lets through. */
#include "l1.h"

#define ENTRIES		512
#define LARGE		0x200000ULL

int op_reflected(const struct lab_prog *p, u32 code)
{
	return p->reflect >> code & 1;
}

static int is_hole(const struct lab_prog *p, u64 page)
{
	for (u32 i = 0; i < p->nops; i++) {
		const struct lab_op *op = &p->ops[i];

		if (!op_reflected(p, op->code))
			continue;
		switch (op->code) {
		case LAB_OP_MMIO:
		case LAB_OP_MMIOR:
		case LAB_OP_MMIOW:
			if (op->arg / LARGE == page)
				return 1;
			break;
		case LAB_OP_XICR:
			if (LAB_APIC_BASE / LARGE == page)
				return 1;
			break;
		}
	}
	return 0;
}

u64 map_build(struct hv_l2 *l2, const struct map_format *format)
{
	u64 *root = arena_pages(l2->cpu, 6);
	u64 *pdpt = root + ENTRIES, *pds = pdpt + ENTRIES;

	root[0] = (u64)pdpt | format->table;
	for (u64 i = 0; i < 4; i++)
		pdpt[i] = (u64)(pds + i * ENTRIES) | format->table;
	for (u64 i = 0; i < 4 * ENTRIES; i++) {
		if (!is_hole(&l2->l2->prog, i))
			pds[i] = i * LARGE | format->leaf;
	}
	return (u64)root;
}

void passthrough(const struct lab_prog *p, void *msrs, void (*msr)(void *, u32 msr, int write),
		 void *ports, void (*port)(void *, u32 port))
{
	for (u32 i = 0; i < p->nops; i++) {
		const struct lab_op *op = &p->ops[i];

		if (op_reflected(p, op->code))
			continue;
		switch (op->code) {
		case LAB_OP_RDMSR:
			msr(msrs, op->arg, 0);
			break;
		case LAB_OP_WRMSR:
			msr(msrs, op->arg, 1);
			break;
		case LAB_OP_ICR:
			msr(msrs, MSR_X2APIC_ICR, 1);
			break;
		case LAB_OP_SELFIPI:
			msr(msrs, MSR_X2APIC_SELF, 1);
			break;
		case LAB_OP_HLT:
			/* L2 arms L1's own timer, which then wakes it: see ops.c */
			msr(msrs, MSR_X2APIC_LVTT, 1);
			msr(msrs, MSR_X2APIC_TDCR, 1);
			msr(msrs, MSR_X2APIC_TMICT, 1);
			break;
		case LAB_OP_IN:
		case LAB_OP_INI:
		case LAB_OP_OUT:
		case LAB_OP_OUTI:
			port(ports, op->arg);
			break;
		}
	}
}
