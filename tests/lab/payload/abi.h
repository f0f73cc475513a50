/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What labvmm (a Linux process), L1 and L2 (freestanding) share: the memory map
 * of the virtual machine, the programs that run in it and the results they leave.
 */
#ifndef LAB_ABI_H
#define LAB_ABI_H

#define LAB_MAGIC	0x3278766e62616cULL
#define LAB_MAX_CPUS	16
#define LAB_MAX_L2S	16
#define LAB_MAX_OPS	32
#define LAB_MAX_STEPS	16
#define LAB_MAX_CODES	24

/* Guest-physical map; everything is identity mapped with 2 MiB pages up to 4 GiB. */
#define LAB_GDT		0x1000
#define LAB_TSS		0x1800
#define LAB_PAGES	0x10000		/* PML4, PDPT, four PDs */
#define LAB_PARAMS	0x20000		/* struct lab_params */
#define LAB_IMAGE	0x100000
#define LAB_IMAGE_MAX	0x100000
#define LAB_BLOCKS	0x400000	/* struct lab_cpu of each CPU, then arenas and scratch */
#define LAB_APIC_BASE	0xfee00000u

#define LAB_CS		0x08
#define LAB_DS		0x10
#define LAB_TR		0x18

/* Guest to labvmm: OUT of one of these bytes. */
#define LAB_PORT	0xf4
#define LAB_DONE	1
#define LAB_FAULT	2

#define LAB_VEC_IPI	0xf1	/* icr:self, self-IPI, PV IPI, xicr */
#define LAB_VEC_TIMER	0xf2	/* wakes hlt */
#define LAB_VEC_SYNTH	0xf3	/* --synth */

/* name, enumerator. The order is the order of the bits in lab_prog.reflect. */
#define LAB_OPS(X) \
	X("cpuid", CPUID) X("rdmsr", RDMSR) X("wrmsr", WRMSR) X("icr", ICR) \
	X("selfipi", SELFIPI) X("xicr", XICR) X("hypercall", HYPERCALL) X("pvipi", PVIPI) \
	X("in", IN) X("out", OUT) X("ini", INI) X("outi", OUTI) \
	X("mmio", MMIO) X("mmior", MMIOR) X("mmiow", MMIOW) X("hlt", HLT) X("pause", PAUSE) \
	X("spin", SPIN) X("touch", TOUCH)

enum lab_opcode {
#define X(name, id) LAB_OP_##id,
	LAB_OPS(X)
#undef X
	LAB_NR_OPS
};

/* What an L2 exit that reaches L1 is about. One op can cause more than one of them. */
#define LAB_CLASSES(X) \
	X("cpuid", CPUID) X("rdmsr", RDMSR) X("wrmsr", WRMSR) X("icr", ICR) \
	X("selfipi", SELFIPI) X("xicr", XICR) X("hypercall", HYPERCALL) X("in", IN) \
	X("out", OUT) X("mmior", MMIOR) X("mmiow", MMIOW) X("hlt", HLT) X("pause", PAUSE) \
	X("interrupt", INTR) X("end", END) X("unknown", UNKNOWN)

enum lab_class {
#define X(name, id) LAB_CLASS_##id,
	LAB_CLASSES(X)
#undef X
	LAB_NR_CLASSES
};

/* Instructions that L1 can be told to execute at each exit. */
#define LAB_STEPS(X) \
	X("vmsave", VMSAVE) X("vmload", VMLOAD) X("stgi", STGI) X("clgi", CLGI) \
	X("vmread", VMREAD) X("vmwrite", VMWRITE) X("rdmsr", RDMSR) X("cpuid", CPUID)

enum lab_step_code {
#define X(name, id) LAB_STEP_##id,
	LAB_STEPS(X)
#undef X
	LAB_NR_STEPS
};

struct lab_step {
	unsigned int code;
	unsigned int arg;
	unsigned long long count;
};

/* Destination forms of icr; any other value is an x2APIC destination id. */
#define LAB_ICR_NOBODY	0x00fffffeu
#define LAB_ICR_SELF	0xffffffffu

/* The value of icr and xicr: bits of the ICR besides the vector (SDM vol. 3, 11.6.1). */
#define LAB_ICR_LOGICAL	0x800u
#define LAB_ICR_ALL	0x80000u
#define LAB_ICR_OTHERS	0xc0000u

struct lab_op {
	unsigned int code;
	unsigned int arg;
	unsigned long long value;
	unsigned long long count;
	/* results */
	unsigned long long done;
	unsigned long long checked;
	unsigned long long bad;
	unsigned long long got;		/* the last bad value */
};

struct lab_prog {
	unsigned int nops;
	unsigned int repeat;
	unsigned int reflect;		/* bit per lab_opcode: it goes to L1, who answers */
	unsigned int vmmcall;		/* 1: VMMCALL, 0: VMCALL */
	unsigned int x2apic;
	unsigned int cpu;
	unsigned long long scratch;	/* pages for touch */
	unsigned long long waiting;	/* the timer was set to this, and HLT comes next */
	unsigned long long rounds;	/* result: repetitions that ended */
	unsigned long long sum[LAB_NR_CLASSES];	/* result: of all values sent to the outside */
	struct lab_op ops[LAB_MAX_OPS];
};

struct lab_code {
	unsigned long long code;
	unsigned long long count;
};

struct lab_l2 {
	struct lab_prog prog;
	/* results, written by L1 */
	unsigned long long vmcb;	/* address of VMCB12 or vmcs12 */
	unsigned long long entries;
	unsigned long long ended;
	unsigned long long seen[LAB_NR_CLASSES];
	unsigned long long sum[LAB_NR_CLASSES];
	struct lab_code codes[LAB_MAX_CODES];	/* raw exit codes, on first use */
};

struct lab_cpu {
	unsigned int id;
	unsigned int nl2s;
	unsigned long long alternate;
	unsigned long long synth;
	unsigned long long arena;	/* L1's own memory: VMCBs, page tables, stacks */
	unsigned long long arena_end;
	unsigned int nested_paging;
	unsigned int nsteps;
	unsigned int vpid;
	unsigned int evmcs;		/* L1 uses an enlightened VMCS */
	struct lab_step steps[LAB_MAX_STEPS];
	struct lab_prog pre;		/* L1's own operations before and after the L2s */
	struct lab_prog post;
	/* results */
	unsigned long long synth_done;
	struct lab_l2 l2s[LAB_MAX_L2S];
};

struct lab_fault {
	unsigned long long what;	/* LAB_FAULT_* */
	unsigned long long detail;
	unsigned long long rip;
	unsigned long long address;
};

#define LAB_FAULT_EXCEPTION	1	/* detail: vector << 32 | error code; address: CR2 */
#define LAB_FAULT_ENTRY		2	/* detail: exit code or VM-instruction error */
#define LAB_FAULT_EXIT		3	/* detail: exit code that L1 does not expect */
#define LAB_FAULT_L2		4	/* an L2 reported a fault of its own */
#define LAB_FAULT_MEMORY	5
#define LAB_FAULT_FEATURE	6

struct lab_params {
	unsigned long long magic;
	unsigned long long version;
	unsigned int ncpus;
	unsigned int x2apic;
	/* results */
	struct lab_fault fault;
	unsigned long long irqs[256];
};

#define LAB_VERSION	1

/* The answer that L1 (to L2) and labvmm (to its guest) give, and that the asker checks. */
static inline unsigned int lab_answer(unsigned int class, unsigned int arg)
{
	return (arg ^ 0x5a5a5a5au) * 2654435761u + class;
}

#endif
