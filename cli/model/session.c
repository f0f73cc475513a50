// SPDX-License-Identifier: GPL-2.0-only
#include "model/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct nvx_config_item *find(const struct nvx_config *c, const char *key)
{
	for (size_t i = 0; i < c->nr; i++)
		if (!strcmp(c->item[i].key, key))
			return &c->item[i];
	return NULL;
}

const char *nvx_config__get(const struct nvx_config *c, const char *key)
{
	const struct nvx_config_item *item = find(c, key);

	return item ? item->value : NULL;
}

static int set_value(struct nvx_config_item *item, const char *value)
{
	char *copy = strdup(value);

	if (!copy)
		return -ENOMEM;
	free(item->value);
	item->value = copy;
	return 0;
}

int nvx_config__set(struct nvx_config *c, const char *key, const char *value)
{
	struct nvx_config_item *item = find(c, key);

	if (item)
		return set_value(item, value);
	item = realloc(c->item, (c->nr + 1) * sizeof(*item));
	if (!item)
		return -ENOMEM;
	c->item = item;
	item += c->nr;
	*item = (struct nvx_config_item){ .key = strdup(key) };
	if (!item->key || set_value(item, value)) {
		free(item->key);
		return -ENOMEM;
	}
	c->nr++;
	return 0;
}

void nvx_config__free(struct nvx_config *c)
{
	for (size_t i = 0; i < c->nr; i++) {
		free(c->item[i].key);
		free(c->item[i].value);
	}
	free(c->item);
	*c = (struct nvx_config){ 0 };
}

void nvx_session_delta__free(struct nvx_session_delta *d)
{
	nvx_rows__free(d->rows);
	*d = (struct nvx_session_delta){ 0 };
}

void nvx_session_end__free(struct nvx_session_end *e)
{
	nvx_rows__free(e->rows);
	for (size_t i = 0; i < e->nr_vcpus; i++)
		nvx_rows__free(e->vcpu[i].rows);
	free(e->vcpu);
	*e = (struct nvx_session_end){ 0 };
}

/* Part of the file's format: names stay, new ones are added. */
static const char *const value_name[NVX_V_NR] = {
	[NVX_V_COUNT] = "count",
	[NVX_V_REFLECTED] = "reflected",
	[NVX_V_SYNTHESISED] = "synthesised",
	[NVX_V_NOEXIT] = "noexit",
	[NVX_V_TIME] = "time_ns",
	[NVX_V_DONE] = "open", /* count less this */
	[NVX_V_L2_EXITS] = "l2_exits",
	[NVX_V_UNKNOWN] = "unknown_exits",
	[NVX_V_ENTRIES] = "entries",
	[NVX_V_LEAVES] = "leaves",
	[NVX_V_FAILED] = "entries_failed",
	[NVX_V_RESYNCS] = "resyncs",
	[NVX_V_VCPUS] = "vcpus",
	[NVX_V_OPAQUE] = "encrypted_vcpus",
	[NVX_V_DETAIL] = "detail_dropped",
	[NVX_V_LOST] = "dropped",
	[NVX_V_DESTS] = "destinations",
	[NVX_V_EXITS] = "exits",
	[NVX_V_NODESTS] = "unknown_destinations",
};

const char *nvx_value__name(enum nvx_value value)
{
	return value < NVX_V_NR ? value_name[value] : NULL;
}

enum nvx_value nvx_value__find(const char *name)
{
	unsigned int v = 0;

	while (v < NVX_V_NR && strcmp(value_name[v], name))
		v++;
	return v;
}

const char *nvx_lack__name(enum nvx_lack lack)
{
	static const char *const name[NVX_LACK_COUNT] = {
		[NVX_LACK_TIME] = "time",	[NVX_LACK_HIST] = "hist",
		[NVX_LACK_OUTCOME] = "outcome", [NVX_LACK_SWITCH] = "switch",
		[NVX_LACK_OPEN] = "open",	[NVX_LACK_DROPS] = "drops",
	};

	return name[lack];
}

const enum nvx_value *nvx_set__values(enum nvx_set set, unsigned int *nr)
{
	static const enum nvx_value exits[] = { NVX_V_COUNT, NVX_V_TIME, NVX_V_REFLECTED,
						NVX_V_SYNTHESISED, NVX_V_DONE };
	static const enum nvx_value vms[] = { NVX_V_COUNT, NVX_V_L2_EXITS, NVX_V_ENTRIES,
					      NVX_V_LEAVES, NVX_V_NOEXIT, NVX_V_FAILED,
					      NVX_V_RESYNCS, NVX_V_UNKNOWN, NVX_V_VCPUS,
					      NVX_V_OPAQUE, NVX_V_DETAIL, NVX_V_LOST };
	static const enum nvx_value numbers[] = { NVX_V_COUNT, NVX_V_TIME, NVX_V_REFLECTED };
	static const enum nvx_value chains[] = { NVX_V_COUNT, NVX_V_TIME, NVX_V_REFLECTED,
						 NVX_V_SYNTHESISED, NVX_V_NOEXIT, NVX_V_DONE };
	static const enum nvx_value ipis[] = { NVX_V_COUNT, NVX_V_DESTS, NVX_V_EXITS,
					       NVX_V_NODESTS };
	static const enum nvx_value entries[] = { NVX_V_ENTRIES };
	static const enum nvx_value count[] = { NVX_V_COUNT };
	static const enum nvx_value time[] = { NVX_V_TIME };

#define SET(name, array) [name] = { array, sizeof(array) / sizeof(*(array)) }
	static const struct {
		const enum nvx_value *v;
		unsigned int nr;
	} values[NVX_SET_COUNT] = {
		SET(NVX_SET_VMS, vms),	     SET(NVX_SET_L2S, entries),
		SET(NVX_SET_EXITS, exits),   SET(NVX_SET_MSRS, numbers),
		SET(NVX_SET_PIO, numbers),   SET(NVX_SET_HYPERCALLS, numbers),
		SET(NVX_SET_MMIO, numbers),  SET(NVX_SET_CHAINS, chains),
		SET(NVX_SET_CELLS, numbers), SET(NVX_SET_IPIS, ipis),
		SET(NVX_SET_TLB, count),     SET(NVX_SET_FLUSHES, count),
		SET(NVX_SET_TIME, time),
	};

	*nr = values[set].nr;
	return values[set].v;
}

unsigned int nvx_set__hist(enum nvx_set set)
{
	switch (set) {
	case NVX_SET_EXITS:
		return NVX_HIST_SLOTS;
	case NVX_SET_CHAINS:
		return NVX_LEN_SLOTS;
	case NVX_SET_FLUSHES:
		return NVX_FLUSH_SLOTS;
	default:
		return 0;
	}
}
