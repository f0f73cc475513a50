/* SPDX-License-Identifier: GPL-2.0-only */
/* What the freestanding code needs of the CPU: instructions, interrupts, its own memory. */
#ifndef LAB_GUEST_H
#define LAB_GUEST_H

#include "abi.h"

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#define MSR_EFER	0xc0000080
#define MSR_X2APIC_TPR	0x808
#define MSR_X2APIC_EOI	0x80b
#define MSR_X2APIC_ICR	0x830
#define MSR_X2APIC_LVTT	0x832
#define MSR_X2APIC_TMICT 0x838
#define MSR_X2APIC_TDCR	0x83e
#define MSR_X2APIC_SELF	0x83f

#define APIC_EOI	0xb0
#define APIC_ICR	0x300
#define APIC_ICR2	0x310
#define APIC_LVTT	0x320
#define APIC_TMICT	0x380
#define APIC_TDCR	0x3e0
#define APIC_DIVIDE_BY_1 0xb
#define APIC_DEST_SELF	0x40000

#define X86_IF		0x200

static inline u64 rdmsr(u32 msr)
{
	u32 lo, hi;

	asm volatile("rdmsr" : "=a"(lo), "=d"(hi) : "c"(msr) : "memory");
	return lo | (u64)hi << 32;
}

static inline void wrmsr(u32 msr, u64 value)
{
	asm volatile("wrmsr" : : "c"(msr), "a"((u32)value), "d"((u32)(value >> 32)) : "memory");
}

static inline void cpuid(u32 leaf, u32 r[4])
{
	asm volatile("cpuid" : "=a"(r[0]), "=b"(r[1]), "=c"(r[2]), "=d"(r[3])
			     : "a"(leaf), "c"(0) : "memory");
}

static inline void outb(u16 port, u8 value)
{
	asm volatile("outb %%al, %%dx" : : "a"(value), "d"(port) : "memory");
}

#define DEFINE_CR(n)						\
static inline u64 read_cr##n(void)				\
{								\
	u64 v;							\
								\
	asm volatile("mov %%cr" #n ", %0" : "=r"(v) : : "memory");	\
	return v;						\
}								\
								\
static inline void write_cr##n(u64 v)				\
{								\
	asm volatile("mov %0, %%cr" #n : : "r"(v) : "memory");	\
}
DEFINE_CR(0)
DEFINE_CR(2)
DEFINE_CR(3)
DEFINE_CR(4)

/* 16-byte descriptor table register, SGDT/SIDT */
struct desc_ptr {
	u16 limit;
	u64 base;
} __attribute__((packed));

static inline struct lab_params *params(void)
{
	return (struct lab_params *)LAB_PARAMS;
}

void irq_init(void);
struct desc_ptr irq_idt(void);

/* Take whatever is pending, then turn interrupts off again. */
static inline void irq_window(void)
{
	asm volatile("sti; nop; cli" : : : "memory");
}

void *arena_pages(struct lab_cpu *cpu, u64 n);
void __attribute__((noreturn)) fault(u64 what, u64 detail, u64 rip, u64 address);

void apic_write(u32 reg, u32 value);

/* ops.c: run a program at whatever level this is. Interrupts must be on for icr:self and hlt. */
void ops_run(struct lab_prog *prog);

#endif
