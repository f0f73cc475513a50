// SPDX-License-Identifier: GPL-2.0-only
#include "model/sample.h"

#include <stdlib.h>

struct nvx_snap *nvx_snap__new(void)
{
	struct nvx_snap *snap = calloc(1, sizeof(*snap));

	if (snap)
		snap->refs = 1;
	return snap;
}

struct nvx_snap *nvx_snap__get(struct nvx_snap *snap)
{
	snap->refs++;
	return snap;
}

void nvx_snap__put(struct nvx_snap *snap)
{
	if (snap && --snap->refs == 0)
		free(snap);
}

struct nvx_sample *nvx_sample__new(size_t room)
{
	struct nvx_sample *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->snap = calloc(room ? room : 1, sizeof(*s->snap));
	if (!s->snap) {
		free(s);
		return NULL;
	}
	return s;
}

void nvx_sample__free(struct nvx_sample *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->nr; i++)
		nvx_snap__put(s->snap[i]);
	free(s->snap);
	free(s);
}

const struct nvx_snap *nvx_sample__find(const struct nvx_sample *s, const struct nvx_snap *like)
{
	size_t lo = 0, hi = s ? s->nr : 0;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->snap[mid]->slot < like->slot)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; s && lo < s->nr && s->snap[lo]->slot == like->slot; lo++) {
		const struct nvx_snap *c = s->snap[lo];

		if (c->v.tid == like->v.tid && c->v.t_first == like->v.t_first)
			return c;
	}
	return NULL;
}
