// SPDX-License-Identifier: GPL-2.0-only
#include "nvx_vpid.h"

/* INVVPID types, SDM vol. 3, 31.3. */
#define INVVPID_ADDRESS		0
#define INVVPID_ALL_CONTEXTS	2

void nvx_vpid_init(struct nvx_vpid_pool *pool, u16 vpid02)
{
	*pool = (struct nvx_vpid_pool) { .nr = 1 };
	pool->slot[0].pair.vpid02 = vpid02;
	pool->slot[0].cause = NVX_CAUSE_VPID02_NEW;
}

/* Without a vpid02 of its own L2 runs with L1's: there is nothing to tell apart. */
u32 nvx_vpid_limit(const struct nvx_vpid_pool *pool, u32 slots, bool eligible)
{
	if (!eligible || !pool->slot[0].pair.vpid02 || slots < 1)
		return 1;
	if (slots > NVX_VPID_SLOTS)
		return NVX_VPID_SLOTS;
	return slots;
}

void nvx_vpid_save(struct nvx_vpid_pool *pool, struct nvx_vpid_pair now)
{
	struct nvx_vpid_slot *slot = &pool->slot[pool->cur];

	slot->pair.last = now.last;
	if (now.last)
		slot->vpid12 = now.last;
}

/*
 * A slot that goes takes its vpid02 with it: whoever gets that flushes before its first use.
 * The slot that becomes current may have missed flushes that mainline aims at one pair only.
 */
u16 nvx_vpid_shrink(struct nvx_vpid_pool *pool, u32 limit)
{
	u16 vpid02;

	if (pool->nr <= limit)
		return 0;
	vpid02 = pool->slot[--pool->nr].pair.vpid02;
	pool->slot[pool->nr] = (struct nvx_vpid_slot) { 0 };
	if (pool->cur == pool->nr) {
		pool->cur = 0;
		pool->slot[0].pair.last = 0;
		pool->slot[0].cause = NVX_CAUSE_VPID02_RECYCLED;
	}
	return vpid02;
}

static int find(const struct nvx_vpid_pool *pool, u16 vpid12)
{
	int i;

	for (i = 0; i < pool->nr; i++)
		if (pool->slot[i].vpid12 == vpid12)
			return i;
	return -1;
}

/* A slot that nobody owns yet, else one that must be flushed anyway, else the oldest. */
static u32 rank(const struct nvx_vpid_slot *slot)
{
	if (!slot->vpid12)
		return 0;
	return slot->pair.last ? 2 : 1;
}

static u32 victim(const struct nvx_vpid_pool *pool)
{
	const struct nvx_vpid_slot *slot = pool->slot;
	u32 best = 0;
	u32 i;

	for (i = 1; i < pool->nr; i++)
		if (rank(&slot[i]) < rank(&slot[best]) ||
		    (rank(&slot[i]) == rank(&slot[best]) && slot[i].used < slot[best].used))
			best = i;
	return best;
}

bool nvx_vpid_wants(const struct nvx_vpid_pool *pool, u32 limit, u16 vpid12)
{
	return pool->nr < limit && find(pool, vpid12) < 0 && pool->slot[victim(pool)].vpid12;
}

static u32 take_slot(struct nvx_vpid_pool *pool, u16 vpid12, u16 fresh)
{
	u32 i = fresh ? pool->nr++ : victim(pool);
	struct nvx_vpid_slot *slot = &pool->slot[i];

	if (fresh)
		slot->pair.vpid02 = fresh;
	slot->cause = slot->vpid12 ? NVX_CAUSE_VPID02_RECYCLED : NVX_CAUSE_VPID02_NEW;
	slot->pair.last = 0;
	slot->vpid12 = vpid12;
	return i;
}

void nvx_vpid_select(struct nvx_vpid_pool *pool, u16 vpid12, u16 fresh)
{
	int i = find(pool, vpid12);

	pool->cur = i < 0 ? take_slot(pool, vpid12, fresh) : (u32)i;
	pool->slot[pool->cur].used = ++pool->clock;
}

void nvx_vpid_force(struct nvx_vpid_pool *pool)
{
	struct nvx_vpid_slot *slot = &pool->slot[pool->cur];

	if (!slot->pair.last)
		return;
	slot->pair.last = 0;
	slot->cause = NVX_CAUSE_FORCED;
}

void nvx_vpid_deferred(struct nvx_vpid_pool *pool)
{
	pool->slot[pool->cur].cause = NVX_CAUSE_INVVPID;
}

struct nvx_vpid_pair nvx_vpid_pair(const struct nvx_vpid_pool *pool)
{
	return pool->slot[pool->cur].pair;
}

/*
 * A whole context is flushed when it is entered: that is on the right CPU, and costs nothing if
 * it never is.  An address is flushed at once, where its translations are.
 */
enum nvx_vpid_flush nvx_vpid_invalidate(struct nvx_vpid_pool *pool, u32 i, u32 type, u16 vpid12,
					bool here)
{
	struct nvx_vpid_slot *slot = &pool->slot[i];

	if (!slot->pair.last)
		return NVX_VPID_KEEP;
	if (type != INVVPID_ALL_CONTEXTS && slot->pair.last != vpid12)
		return NVX_VPID_KEEP;
	if (type == INVVPID_ADDRESS && here)
		return NVX_VPID_ADDRESS;
	slot->pair.last = 0;
	slot->cause = NVX_CAUSE_INVVPID;
	return NVX_VPID_LATER;
}

enum nvx_cause nvx_vpid_take_cause(struct nvx_vpid_pool *pool)
{
	struct nvx_vpid_slot *slot = &pool->slot[pool->cur];
	enum nvx_cause cause = slot->cause;

	slot->cause = NVX_CAUSE_NONE;
	return cause;
}
