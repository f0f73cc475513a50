/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * KVM's rules around kmod/core/nvx_vpid.c and nvx_roots.c: several vCPUs of one VM, a VPID
 * allocator, a shadow MMU.  What a vCPU's L2 finds in the TLB is checked when it runs.
 */
#ifndef NVX_MODEL_KVM_H
#define NVX_MODEL_KVM_H

#include <stdio.h>
#include <stdlib.h>

#include "nvx_roots.h"
#include "nvx_vpid.h"
#include "tlb.h"

enum { VCPUS = 3, VPID12S = 12, TABLES = 8, PREVIOUS = 3 };

#define EPTP(table, ad) ((uint64_t)(table) << 12 | (uint64_t)(ad) << 6)
#define TABLE(eptp) ((int)((eptp) >> 12))
#define PLAIN_ROOT 0 /* L0's own EPT root, for an L2 that L1 runs without EPT */

#define CHECK(good, ...)                                                                          \
	do {                                                                                      \
		if (!(good)) {                                                                    \
			printf("FAIL: seed %lu: ", (unsigned long)world.seed);                    \
			printf(__VA_ARGS__);                                                      \
			printf("\n");                                                             \
			exit(1);                                                                  \
		}                                                                                 \
	} while (0)

struct vcpu {
	int id, cpu, cpu01, cpu02; /* where it is, and where each VMCS was loaded last */
	bool in_l2, dirty;
	bool all, guest, obsolete; /* requests */
	uint16_t vpid01, vmcs02_vpid, vpid12;
	uint64_t eptp12; /* 0: L1 runs L2 without EPT */
	struct nvx_vpid_pool pool;
	struct nvx_vpid_pair pair;
	struct nvx_roots kept;
	struct nvx_root root[1 + PREVIOUS]; /* KVM's cache, the current one first */
	uint32_t linear[VPID12S][ADDRESSES], linear_min[VPID12S][ADDRESSES];
	uint32_t ept_min[TABLES];
	uint64_t flushes, stock_flushes; /* at switches and by INVVPID */
	uint16_t stock_last;
};

struct world {
	uint64_t seed, random;
	bool steady;   /* nobody flips switches */
	bool defers;   /* mainline puts INVVPID off, as 6.12 does */
	bool eligible; /* EPT, no direct flush of Hyper-V */
	bool keep, force;
	uint32_t slots;
	uint32_t calm; /* how seldom switches are flipped */
	bool vpid_used[VPIDS], vpid_lent[VPIDS]; /* lent: to another VM */
	uint32_t ept[TABLES], host, host_min;
	struct {
		uint64_t eptp;
		uint32_t synced;
		int refs;
		bool obsolete;
	} page[ROOT_PAGES];
	struct vcpu vcpu[VCPUS];
};

extern struct world world;


extern uint64_t entries, touches, hits;

/* A random number below @below. */
uint32_t any(uint32_t below);

/* 0: none is left */
int get_vpid(void);
void put_vpid(int vpid);

/* Load the VMCS that was loaded on *where last. */
void load_vmcs(struct vcpu *v, int *where);

/* L1 to L2, perhaps another one; now and then straight back. */
void enter(struct vcpu *v);
void leave(struct vcpu *v);

/* The vCPU runs: requests are served, and L2 touches an address. */
void run(struct vcpu *v);

/* Random instructions of L1. */
void invvpid(struct vcpu *v);
void invept(struct vcpu *v);

/* L0 takes pages away: of the whole VM (memslot gone, zap all), or some. */
void zap(bool whole);

/* VMXOFF; VMXON or KVM_SET_NESTED_STATE: nothing of before may be seen. */
void nested_off(struct vcpu *v);
void nested_on(struct vcpu *v);

#endif
