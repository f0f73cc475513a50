/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Roots of nested EPT that KVM's own cache (one current, three previous) has no room for.  A root
 * that is here was taken out of there, and its reference with it: nothing is counted twice.
 * What kvm.ko needs as well as kvm-intel.ko stands in this header.
 */
#ifndef NVX_ROOTS_H
#define NVX_ROOTS_H

#include "nvx_core.h"

#define NVX_ROOTS 6
#define NVX_NO_ROOT (~0ULL)	/* the kernel's INVALID_PAGE */

struct nvx_root {
	u64 hpa;		/* NVX_NO_ROOT: none */
	u64 pgd;		/* EPTP that L1 gave */
};

/* The one that was used last stands first. */
struct nvx_roots {
	struct nvx_root root[NVX_ROOTS];
	u8 nr;
};

/*
 * L2 is about to run with EPTP @pgd, which KVM's cache does not hold.  *@oldest is the root that
 * KVM would give up; it is taken in, and what is known of @pgd, if anything, put in its place.
 * Returns the root that is given up instead, to be freed.
 */
struct nvx_root nvx_roots_exchange(struct nvx_roots *roots, u64 pgd, struct nvx_root *oldest);

/* Take out the first root of L1's table at EPTP @eptp, for INVEPT; hpa NVX_NO_ROOT: none. */
struct nvx_root nvx_roots_take(struct nvx_roots *roots, u64 eptp);

/* Take out any root; hpa NVX_NO_ROOT: none is left. */
static inline struct nvx_root nvx_roots_take_any(struct nvx_roots *roots)
{
	if (!roots->nr)
		return (struct nvx_root) { .hpa = NVX_NO_ROOT };
	return roots->root[--roots->nr];
}

/* Close the gaps that roots without hpa left. */
static inline void nvx_roots_pack(struct nvx_roots *roots)
{
	u8 nr = 0;
	u8 i;

	for (i = 0; i < roots->nr; i++)
		if (roots->root[i].hpa != NVX_NO_ROOT)
			roots->root[nr++] = roots->root[i];
	roots->nr = nr;
}

#endif
