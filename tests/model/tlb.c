// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "tlb.h"

/* An invalidation makes a generation; what was filled in another one is gone. */
static struct {
	uint64_t all, root[ROOT_PAGES], vpid[VPIDS], address[VPIDS][ADDRESSES];
	struct {
		uint64_t generation;
		struct made_of m;
	} entry[VPIDS][ROOT_PAGES][ADDRESSES];
} tlb[CPUS];

static uint64_t clock_now = 1;

static uint64_t newest(int cpu, int vpid, int root, int address)
{
	uint64_t g = tlb[cpu].all;

	g = tlb[cpu].root[root] > g ? tlb[cpu].root[root] : g;
	g = tlb[cpu].vpid[vpid] > g ? tlb[cpu].vpid[vpid] : g;
	return tlb[cpu].address[vpid][address] > g ? tlb[cpu].address[vpid][address] : g;
}

const struct made_of *tlb_find(int cpu, int vpid, int root, int address)
{
	if (tlb[cpu].entry[vpid][root][address].generation <= newest(cpu, vpid, root, address))
		return NULL;
	return &tlb[cpu].entry[vpid][root][address].m;
}

void tlb_fill(int cpu, int vpid, int root, int address, const struct made_of *m)
{
	tlb[cpu].entry[vpid][root][address].generation = ++clock_now;
	tlb[cpu].entry[vpid][root][address].m = *m;
}

void tlb_invept_all(int cpu)
{
	tlb[cpu].all = ++clock_now;
}

void tlb_invept(int cpu, int root)
{
	tlb[cpu].root[root] = ++clock_now;
}

void tlb_invvpid(int cpu, int vpid)
{
	tlb[cpu].vpid[vpid] = ++clock_now;
}

void tlb_invvpid_address(int cpu, int vpid, int address)
{
	tlb[cpu].address[vpid][address] = ++clock_now;
}
