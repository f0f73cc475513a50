/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * TLBs of a few CPUs that forget nothing by themselves: translations stay until something
 * invalidates their tags (SDM vol. 3, 29.4).  Each remembers what it was made of.
 */
#ifndef NVX_MODEL_TLB_H
#define NVX_MODEL_TLB_H

#include <stdbool.h>
#include <stdint.h>

enum { CPUS = 3, VPIDS = 40, ROOT_PAGES = 32, ADDRESSES = 2 };

struct made_of {
	uint16_t vcpu, vpid12, eptp12;	/* whose */
	uint32_t linear, ept, host;	/* versions of the tables that it came from */
};

/* What the CPU knows for these tags, or NULL. */
const struct made_of *tlb_find(int cpu, int vpid, int root, int address);

void tlb_fill(int cpu, int vpid, int root, int address, const struct made_of *m);

void tlb_invept_all(int cpu);
void tlb_invept(int cpu, int root);
void tlb_invvpid(int cpu, int vpid);
void tlb_invvpid_address(int cpu, int vpid, int address);

#endif
