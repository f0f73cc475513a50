/* SPDX-License-Identifier: GPL-2.0-only */
/* Between L1's vendor-neutral part (l1.c) and svm.c or vmx.c. */
#ifndef LAB_L1_H
#define LAB_L1_H

#include "guest.h"

/* Offsets are known to svm-enter.S and vmx-enter.S. */
struct hv_regs {
	u64 rax, rcx, rdx, rbx, rbp, rsi, rdi;
	u64 r8, r9, r10, r11, r12, r13, r14, r15;
};

struct hv_l2 {
	/* VMX: HOST_RSP points at entry 6, which holds &regs; entry 7 holds L1's RSP */
	u64 exit_stack[8];
	struct hv_regs regs;
	struct lab_cpu *cpu;
	struct lab_l2 *l2;
	u8 *vmcb;		/* VMCB12 or vmcs12 */
	u64 stack;
	u32 asid;		/* or VPID */
	u32 launched;
	u64 step_values[LAB_MAX_STEPS];	/* what VMWRITE steps write */
};

struct hv_exit {
	u64 code;		/* as the hardware gives it */
	u64 rip;
	u32 class;		/* enum lab_class */
	u32 arg;		/* leaf, MSR, port, address or number */
	u32 length;		/* of the instruction */
};

void hv_init(struct lab_cpu *cpu);
void hv_setup(struct hv_l2 *l2);
/* Make it the one that hv_enter enters. */
void hv_select(struct hv_l2 *l2);
/* Run L2 until it exits to L1, and say why it did. */
void hv_enter(struct hv_l2 *l2, struct hv_exit *exit);
void hv_skip(struct hv_l2 *l2, const struct hv_exit *exit);
void hv_take_interrupt(struct hv_l2 *l2);
/* Step i of --per-exit, once. */
void hv_step(struct hv_l2 *l2, u32 i, const struct hv_exit *exit);

/* How the entries of an identity map look: page tables, NPT and EPT differ. */
struct map_format {
	u64 table;
	u64 leaf;
};

/* Identity map of 4 GiB without the pages whose MMIO L1 wants to see; its root. */
u64 map_build(struct hv_l2 *l2, const struct map_format *format);

/* Bits of a permission map that L1 leaves clear, so that L0 handles the access. */
void passthrough(const struct lab_prog *p, void *msrs, void (*msr)(void *, u32 msr, int write),
		 void *ports, void (*port)(void *, u32 port));
int op_reflected(const struct lab_prog *p, u32 code);

#endif
