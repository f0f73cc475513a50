/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Enlightened VMCS, version 1: the copies between L1's page and vmcs12, and a vmcs12 for each
 * of the pages that an L1 runs L2s with.  The page is guest memory, which may change meanwhile.
 */
#ifndef NVX_EVMCS_H
#define NVX_EVMCS_H

#include "nvx_core.h"

#define NVX_EVMCS_CLEAN_ALL 0xffffU
#define NVX_EVMCS_BIT(group) (1U << NVX_EVMCS_##group)

struct nvx_evmcs_field {
	u16 evmcs;
	u16 vmcs12;
	u8 width;
	u8 group;		/* enum nvx_evmcs_group */
	bool in;
	bool out;
};

#define NVX_EVMCS_FIELDS 126
extern const struct nvx_evmcs_field nvx_evmcs_fields[NVX_EVMCS_FIELDS];

/* What one copy did. */
struct nvx_evmcs_copied {
	u32 groups;		/* bit mask of enum nvx_evmcs_group: a field of it was copied */
	u32 fields;
	u32 skipped;		/* fields of this direction that were left alone */
};

/*
 * Fill @vmcs12 from @page, but for groups whose bit is set in @clean.  Every field of @page is
 * read at most once.
 */
void nvx_evmcs_in(void *vmcs12, const void *page, u32 clean);

/* What nvx_evmcs_in() copies, for who traces it. */
struct nvx_evmcs_copied nvx_evmcs_in_count(u32 clean);

/*
 * Bring what L1 reads in @page to what @vmcs12 holds; @all: write it even where it is the same
 * already.  Either way the page holds the same afterwards.
 */
struct nvx_evmcs_copied nvx_evmcs_out(void *page, const void *vmcs12, bool all);

/* What nvx_evmcs_out() does for @all, without doing it. */
struct nvx_evmcs_copied nvx_evmcs_out_count(void);

#define NVX_EVMCS_SLOTS 4
#define NVX_EVMCS_NOWHERE (~0ULL)

struct nvx_evmcs_slot {
	u64 address;		/* of L1's page */
	void *vmcs12;
	u32 used;		/* the higher, the later */
	bool warm;		/* vmcs12 holds what the page held when its L2 ran last */
};

/* The vmcs12s of a vCPU; zeroed, it is empty.  The current one is KVM's own. */
struct nvx_evmcs_cache {
	struct nvx_evmcs_slot slot[NVX_EVMCS_SLOTS];
	u32 clock;
	u8 nr;
	u8 current_slot;
};

/*
 * L1 goes from the page at @active, NVX_EVMCS_NOWHERE if it used none, to that at @address.
 * @vmcs12 is KVM's current buffer.  No more than @limit buffers are kept; @alloc may return
 * NULL.  Returns the buffer that is to be current.
 */
void *nvx_evmcs_select(struct nvx_evmcs_cache *cache, void *vmcs12, u64 active, u64 address,
		       u32 limit, void *(*alloc)(void), void (*release)(const void *vmcs12));

/* Whether the current vmcs12 is still what L1's clean bits speak of. */
static inline bool nvx_evmcs_warm(const struct nvx_evmcs_cache *cache)
{
	return cache->nr && cache->slot[cache->current_slot].warm;
}

static inline void nvx_evmcs_set_warm(struct nvx_evmcs_cache *cache, bool warm)
{
	if (cache->nr)
		cache->slot[cache->current_slot].warm = warm;
}

/* VMCLEAR of @address: its clean bits mean nothing any more. */
void nvx_evmcs_forget(struct nvx_evmcs_cache *cache, u64 address);

/* Give up all but the current buffer, and what is known of that one. */
void nvx_evmcs_drop(struct nvx_evmcs_cache *cache, void (*release)(const void *vmcs12));

#endif
