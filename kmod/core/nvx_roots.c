// SPDX-License-Identifier: GPL-2.0-only
#include "nvx_roots.h"

/*
 * The TLB knows a table by its address alone (EP4TA, SDM vol. 3, 29.4.1); the other bits of EPTP
 * make another root, which an INVEPT hits as well.
 */
#define EPTP_ADDRESS 0x000ffffffffff000ULL

static const struct nvx_root none = { .hpa = NVX_NO_ROOT };

static struct nvx_root take_at(struct nvx_roots *roots, u32 i)
{
	struct nvx_root taken = roots->root[i];

	for (roots->nr--; i < roots->nr; i++)
		roots->root[i] = roots->root[i + 1];
	return taken;
}

static struct nvx_root take_match(struct nvx_roots *roots, u64 pgd, u64 mask)
{
	u32 i;

	for (i = 0; i < roots->nr; i++)
		if (!((roots->root[i].pgd ^ pgd) & mask))
			return take_at(roots, i);
	return none;
}

/* Returns what fell out at the end. */
static struct nvx_root push(struct nvx_roots *roots, struct nvx_root root)
{
	struct nvx_root fallen = none;
	u32 i;

	if (roots->nr == NVX_ROOTS)
		fallen = roots->root[--roots->nr];
	for (i = roots->nr++; i > 0; i--)
		roots->root[i] = roots->root[i - 1];
	roots->root[0] = root;
	return fallen;
}

struct nvx_root nvx_roots_exchange(struct nvx_roots *roots, u64 pgd, struct nvx_root *oldest)
{
	struct nvx_root found = take_match(roots, pgd, ~0ULL);
	struct nvx_root fallen = none;

	if (oldest->hpa != NVX_NO_ROOT)
		fallen = push(roots, *oldest);
	*oldest = found;
	return fallen;
}

struct nvx_root nvx_roots_take(struct nvx_roots *roots, u64 eptp)
{
	return take_match(roots, eptp, EPTP_ADDRESS);
}
