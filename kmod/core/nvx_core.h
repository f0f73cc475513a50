/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pure decisions of the feature module: no KVM type, no lock, no allocation.  The
 * same files are compiled into the module and into the unit tests of user space.
 */
#ifndef NVX_CORE_H
#define NVX_CORE_H

#ifdef __KERNEL__
#include <linux/compiler.h>
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
/* The kernel's names, so that the files read the same on both sides. */
#define u8 uint8_t
#define u16 uint16_t
#define u32 uint32_t
#define u64 uint64_t
#define READ_ONCE(x) __atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, v) __atomic_store_n(&(x), v, __ATOMIC_RELAXED)
#endif

#include "nvx_tp.h"

/* An interrupt command, SDM vol. 3 figures 11-12 and 11-28. */
struct nvx_icr {
	u32 dest;
	u8 vector;
	u8 mode;		/* delivery mode: 0 fixed, 1 lowest, 4 NMI, 5 INIT, 6 SIPI */
	u8 dest_mode;		/* enum nvx_dest_mode */
	u8 shorthand;		/* enum nvx_ipi_shorthand */
};

struct nvx_icr nvx_icr_decode(u32 low, u32 high, bool x2apic);
enum nvx_ipi_path nvx_ipi_path(enum nvx_isa isa, u32 reason, u32 rcx, bool x2apic);

/* What mainline's nested_vmx_transition_tlb_flush() decides on. */
struct nvx_transition {
	bool enter;		/* L1 to L2 */
	bool vpid;		/* vmcs12 runs L2 with VPID */
	bool tag;		/* L2's translations have a tag of their own */
	enum nvx_cause pending;	/* why last_vpid is 0, if that is known */
	u16 vpid12;
	u16 last_vpid;		/* the vpid12 whose translations vpid02 holds, 0: none */
};

enum nvx_cause nvx_switch_cause(const struct nvx_transition *t);
enum nvx_flush_kind nvx_switch_flush(enum nvx_cause cause);
enum nvx_cause nvx_flush_cause(enum nvx_flush_kind kind, enum nvx_cause asked);

struct nvx_msr_count {
	u32 reads;
	u32 writes;
};

struct nvx_msr_count nvx_msr_passed(const void *bitmap);

#endif
