/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Nested VPID: a pool of VPIDs for the L2s of one vCPU, each slot keyed by the vpid12 that L1
 * gave.  Mainline has one pair (vpid02, last_vpid) and flushes when vpid12 is not last_vpid.
 * The pool does not replace that rule, it switches the pair: last_vpid == vpid12 means that the
 * slot holds translations of nothing else, 0 that it must be flushed at the next entry.
 *
 * Right only where every arrival of the vCPU on a CPU invalidates all of its tags there, which
 * KVM does with EPT (INVEPT of all contexts): a slot that is not current may have left
 * translations on any CPU.
 */
#ifndef NVX_VPID_H
#define NVX_VPID_H

#include "nvx_core.h"

#define NVX_VPID_SLOTS 8

/* The pair of the current slot, which is mainline's and changes behind the pool's back. */
struct nvx_vpid_pair {
	u16 vpid02;
	u16 last;		/* vpid12 whose translations vpid02 holds, 0: flush before use */
};

struct nvx_vpid_slot {
	struct nvx_vpid_pair pair;
	u16 vpid12;		/* whose slot this is, 0: nobody's yet */
	u8 cause;		/* why the next entry flushes, where last is 0 (enum nvx_cause) */
	u64 used;		/* when it was entered last */
};

struct nvx_vpid_pool {
	struct nvx_vpid_slot slot[NVX_VPID_SLOTS];
	u64 clock;
	u8 nr;			/* slots with a vpid02 */
	u8 cur;			/* the one whose pair is mainline's */
};

/* What an INVVPID asks of one slot. */
enum nvx_vpid_flush {
	NVX_VPID_KEEP,
	NVX_VPID_ADDRESS,	/* flush the address at once */
	NVX_VPID_LATER,		/* will be flushed when it is entered: already marked */
};

/* One slot, with the vpid02 that mainline allocated (0: it got none). */
void nvx_vpid_init(struct nvx_vpid_pool *pool, u16 vpid02);

/* How many slots there may be: @slots as set, where the pool is right at all. */
u32 nvx_vpid_limit(const struct nvx_vpid_pool *pool, u32 slots, bool eligible);

/* Take the pair back from mainline; first of all when the pool is asked for anything. */
void nvx_vpid_save(struct nvx_vpid_pool *pool, struct nvx_vpid_pair now);

/* Give up one slot beyond @limit and return its vpid02 to be freed; 0: none is left. */
u16 nvx_vpid_shrink(struct nvx_vpid_pool *pool, u32 limit);

/* Whether an entry with @vpid12 could do with one more vpid02. */
bool nvx_vpid_wants(const struct nvx_vpid_pool *pool, u32 limit, u16 vpid12);

/*
 * Make the slot of @vpid12 current: a new one with vpid02 @fresh if that is not 0, else, if it
 * has none, the one that costs least.  Only for a limit of several slots.
 */
void nvx_vpid_select(struct nvx_vpid_pool *pool, u16 vpid12, u16 fresh);

/* The next entry to the current slot is to flush, whatever it holds. */
void nvx_vpid_force(struct nvx_vpid_pool *pool);

/* Mainline put an INVVPID off to the next entry. */
void nvx_vpid_deferred(struct nvx_vpid_pool *pool);

/* The pair to give to mainline; last of all. */
struct nvx_vpid_pair nvx_vpid_pair(const struct nvx_vpid_pool *pool);

/*
 * INVVPID of L1 (SDM vol. 3, 31.3): what becomes of slot @i.  @here: the vCPU is on the CPU where
 * L2 ran last.  Only for a pool of several slots; with one, mainline's own code is right.
 */
enum nvx_vpid_flush nvx_vpid_invalidate(struct nvx_vpid_pool *pool, u32 i, u32 type, u16 vpid12,
					bool here);

/* Why the entry under way flushes, when last_vpid is 0; asked once an entry. */
enum nvx_cause nvx_vpid_take_cause(struct nvx_vpid_pool *pool);

/*
 * All of the above for one entry with @vpid12 (0: L2 has no VPID), mainline's pair being @now:
 * returns the pair to go on with.  @get and @put allocate and free a VPID.
 */
static inline struct nvx_vpid_pair
nvx_vpid_enter(struct nvx_vpid_pool *pool, struct nvx_vpid_pair now, u16 vpid12, u32 limit,
	       bool force, int (*get)(void), void (*put)(int))
{
	u16 vpid02;

	nvx_vpid_save(pool, now);
	while ((vpid02 = nvx_vpid_shrink(pool, limit)))
		put(vpid02);
	if (limit > 1 && vpid12)
		nvx_vpid_select(pool, vpid12, nvx_vpid_wants(pool, limit, vpid12) ? get() : 0);
	if (force && vpid12)
		nvx_vpid_force(pool);
	return nvx_vpid_pair(pool);
}

#endif
