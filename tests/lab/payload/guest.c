// SPDX-License-Identifier: GPL-2.0-only
/* Interrupts, memory and the way out, the same code in L1 and in L2. */
#include "guest.h"

struct idt_gate {
	u16 offset_low;
	u16 selector;
	u16 flags;
	u16 offset_mid;
	u32 offset_high;
	u32 reserved;
};

#define GATE_INTERRUPT	0x8e00

extern const char irq_stubs[];

static struct idt_gate idt[256];

/* gcc may call these for a structure copy; there is no library here. */
void *memcpy(void *to, const void *from, unsigned long n)
{
	void *ret = to;

	asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
	return ret;
}

void *memset(void *to, int c, unsigned long n)
{
	void *ret = to;

	asm volatile("rep stosb" : "+D"(to), "+c"(n) : "a"(c) : "memory");
	return ret;
}

struct desc_ptr irq_idt(void)
{
	return (struct desc_ptr){ .limit = sizeof(idt) - 1, .base = (u64)idt };
}

/* All CPUs write the same bytes, so that none has to wait for another. */
void irq_init(void)
{
	struct desc_ptr ptr = irq_idt();

	for (int i = 0; i < 256; i++) {
		u64 entry = (u64)irq_stubs + 16 * i;

		idt[i] = (struct idt_gate){
			.offset_low = entry, .selector = LAB_CS, .flags = GATE_INTERRUPT,
			.offset_mid = entry >> 16, .offset_high = entry >> 32,
		};
	}
	asm volatile("lidt %0" : : "m"(ptr) : "memory");
}

void apic_write(u32 reg, u32 value)
{
	if (params()->x2apic)
		wrmsr(0x800 + (reg >> 4), value);
	else
		*(volatile u32 *)(u64)(LAB_APIC_BASE + reg) = value;
}

void irq_handle(u64 vector, u64 error, u64 rip)
{
	if (vector < 32)
		fault(LAB_FAULT_EXCEPTION, vector << 32 | (u32)error, rip, read_cr2());
	__atomic_add_fetch(&params()->irqs[(u8)vector], 1, __ATOMIC_RELAXED);
	apic_write(APIC_EOI, 0);
}

void fault(u64 what, u64 detail, u64 rip, u64 address)
{
	struct lab_fault *f = &params()->fault;
	u64 none = 0;

	/* the first one counts: what follows it is mostly its consequence */
	if (__atomic_compare_exchange_n(&f->what, &none, what, 0, __ATOMIC_SEQ_CST,
					__ATOMIC_SEQ_CST)) {
		f->detail = detail;
		f->rip = rip;
		f->address = address;
	}
	for (;;)
		outb(LAB_PORT, LAB_FAULT);
}

void *arena_pages(struct lab_cpu *cpu, u64 n)
{
	u64 at = cpu->arena;

	if (at + n * 4096 > cpu->arena_end)
		fault(LAB_FAULT_MEMORY, n, 0, at);
	cpu->arena = at + n * 4096;
	memset((void *)at, 0, n * 4096);
	return (void *)at;
}
