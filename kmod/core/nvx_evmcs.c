// SPDX-License-Identifier: GPL-2.0-only
/* All copies are made of the rows of nvx_evmcs_fields.h, each a load and a store. */
#include "nvx_evmcs.h"

const struct nvx_evmcs_field nvx_evmcs_fields[NVX_EVMCS_FIELDS] = {
#define FIELD(group, in, out, evmcs, vmcs12, width, name) \
	{ evmcs, vmcs12, width, NVX_EVMCS_##group, in, out },
#include "nvx_evmcs_fields.h"
#undef FIELD
};

/* One access of the whole width, whatever the compiler thinks of the others. */
static __always_inline u64 load(const void *base, u32 offset, u32 width)
{
	const void *at = (const char *)base + offset;

	switch (width) {
	case 2:
		return READ_ONCE(*(const u16 *)at);
	case 4:
		return READ_ONCE(*(const u32 *)at);
	default:
		return READ_ONCE(*(const u64 *)at);
	}
}

static __always_inline void store(void *base, u32 offset, u32 width, u64 value)
{
	void *at = (char *)base + offset;

	switch (width) {
	case 2:
		WRITE_ONCE(*(u16 *)at, value);
		break;
	case 4:
		WRITE_ONCE(*(u32 *)at, value);
		break;
	default:
		WRITE_ONCE(*(u64 *)at, value);
	}
}

void nvx_evmcs_in(void *vmcs12, const void *page, u32 clean)
{
	clean &= NVX_EVMCS_CLEAN_ALL;
#define FIELD(group, in, out, evmcs, to, width, name)				\
	if ((in) && !(clean & NVX_EVMCS_BIT(group)))				\
		store(vmcs12, to, width, load(page, evmcs, width));
#include "nvx_evmcs_fields.h"
#undef FIELD
}

struct nvx_evmcs_copied nvx_evmcs_in_count(u32 clean)
{
	struct nvx_evmcs_copied n = { 0 };

	clean &= NVX_EVMCS_CLEAN_ALL;
	n.groups = ~clean & (NVX_EVMCS_CLEAN_ALL | NVX_EVMCS_BIT(ALWAYS));
#define FIELD(group, in, out, evmcs, vmcs12, width, name)	\
	n.fields += (in) && !(clean & NVX_EVMCS_BIT(group));	\
	n.skipped += (in) && (clean & NVX_EVMCS_BIT(group));
#include "nvx_evmcs_fields.h"
#undef FIELD
	return n;
}

enum {
	FIELDS_OUT =
#define FIELD(group, in, out, evmcs, vmcs12, width, name) (out) +
#include "nvx_evmcs_fields.h"
#undef FIELD
	0
};

struct nvx_evmcs_copied nvx_evmcs_out(void *page, const void *vmcs12, bool all)
{
	struct nvx_evmcs_copied n = { 0 };
	u64 value;

#define FIELD(group, in, out, evmcs, from, width, name)				\
	if (out) {								\
		value = load(vmcs12, from, width);				\
		if (all || load(page, evmcs, width) != value) {			\
			store(page, evmcs, width, value);			\
			n.groups |= NVX_EVMCS_BIT(group);			\
			n.fields++;						\
		}								\
	}
#include "nvx_evmcs_fields.h"
#undef FIELD
	n.skipped = FIELDS_OUT - n.fields;
	return n;
}

struct nvx_evmcs_copied nvx_evmcs_out_count(void)
{
	struct nvx_evmcs_copied n = { 0 };

#define FIELD(group, in, out, evmcs, vmcs12, width, name)	\
	n.groups |= (out) ? NVX_EVMCS_BIT(group) : 0;		\
	n.fields += (out);
#include "nvx_evmcs_fields.h"
#undef FIELD
	return n;
}

static void remove_slot(struct nvx_evmcs_cache *cache, u32 i, void (*release)(const void *))
{
	u32 last = cache->nr - 1;

	release(cache->slot[i].vmcs12);
	cache->slot[i] = cache->slot[last];
	if (cache->current_slot == last)
		cache->current_slot = i;
	cache->nr = last;
}

/* Slots that may stay; the one that goes is the oldest, and never the current one. */
static void shrink(struct nvx_evmcs_cache *cache, u32 limit, void (*release)(const void *))
{
	while (cache->nr > limit) {
		u32 oldest = cache->current_slot ? 0 : 1;
		u32 i;

		for (i = 0; i < cache->nr; i++)
			if (i != cache->current_slot &&
			    cache->slot[i].used < cache->slot[oldest].used)
				oldest = i;
		remove_slot(cache, oldest, release);
	}
}

static u32 find(const struct nvx_evmcs_cache *cache, u64 address)
{
	u32 i;

	for (i = 0; i < cache->nr; i++)
		if (cache->slot[i].address == address)
			break;
	return i;
}

static u32 oldest_slot(const struct nvx_evmcs_cache *cache)
{
	u32 i, oldest = 0;

	for (i = 1; i < cache->nr; i++)
		if (cache->slot[i].used < cache->slot[oldest].used)
			oldest = i;
	return oldest;
}

void *nvx_evmcs_select(struct nvx_evmcs_cache *cache, void *vmcs12, u64 active, u64 address,
		       u32 limit, void *(*alloc)(void), void (*release)(const void *))
{
	void *buffer;
	u32 i;

	if (!cache->nr) {
		cache->slot[0] = (struct nvx_evmcs_slot) { .address = address, .vmcs12 = vmcs12 };
		cache->current_slot = 0;
		cache->nr = 1;
	}
	/* In between the buffer may have held an ordinary VMCS. */
	if (cache->slot[cache->current_slot].address != active)
		cache->slot[cache->current_slot].warm = false;
	shrink(cache, limit, release);
	i = find(cache, address);
	if (i == cache->nr) {
		buffer = cache->nr < limit ? alloc() : NULL;
		if (buffer)
			cache->slot[cache->nr++].vmcs12 = buffer;
		else
			i = oldest_slot(cache);
		cache->slot[i].address = address;
		cache->slot[i].warm = false;
	}
	cache->slot[i].used = ++cache->clock;
	cache->current_slot = i;
	return cache->slot[i].vmcs12;
}

void nvx_evmcs_forget(struct nvx_evmcs_cache *cache, u64 address)
{
	u32 i = find(cache, address);

	if (i < cache->nr)
		cache->slot[i].warm = false;
}

void nvx_evmcs_drop(struct nvx_evmcs_cache *cache, void (*release)(const void *))
{
	if (!cache->nr)
		return;
	shrink(cache, 1, release);
	cache->nr = 0;
}
