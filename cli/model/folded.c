// SPDX-License-Identifier: GPL-2.0-only
#include "model/folded.h"

#include <errno.h>
#include <stdlib.h>

/* Levels of unknown exits last; L2 first, which is what it is about. */
static int level_rank(uint8_t level)
{
	return level == NVX_LEVEL_2 ? 0 : level == NVX_LEVEL_1 ? 1 : 2;
}

static int cmp_stack(const void *pa, const void *pb)
{
	const struct nvx_stack *a = pa, *b = pb;

	if (a->level != b->level)
		return level_rank(a->level) - level_rank(b->level);
	if (a->isa != b->isa)
		return a->isa - b->isa;
	if (a->reason != b->reason)
		return a->reason < b->reason ? -1 : 1;
	if (a->chain != b->chain)
		return a->chain - b->chain;
	return a->l1_reason < b->l1_reason ? -1 : a->l1_reason > b->l1_reason;
}

/* L1 exits of a reason that happened in chains. */
static uint64_t in_chains(const struct nvx_rows *rows, const struct nvx_row *exit)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < rows->nr; i++) {
		const struct nvx_row *r = rows->row[i];

		if (r->l.set == NVX_SET_CELLS && r->l.isa == exit->l.isa &&
		    r->l.key2 == exit->l.key)
			sum += r->v[NVX_V_COUNT];
	}
	return sum;
}

static void add(struct nvx_folded *f, const struct nvx_stack *s)
{
	if (!s->count)
		return;
	f->stack[f->nr++] = *s;
	f->total += s->count;
}

int nvx_folded__make(const struct nvx_rows *rows, struct nvx_folded *f)
{
	struct nvx_rows *all = nvx_rows__new();
	int ret = all ? nvx_rows__add(all, rows, NVX_DROP_LABEL_VM | NVX_DROP_LABEL_L2) : -ENOMEM;

	*f = (struct nvx_folded){ 0 };
	if (!ret)
		f->stack = calloc(all->nr + 1, sizeof(*f->stack));
	for (size_t i = 0; f->stack && i < all->nr; i++) {
		const struct nvx_row *r = all->row[i];
		struct nvx_stack s = { .level = r->l.level, .isa = r->l.isa, .reason = r->l.key,
				       .count = r->v[NVX_V_COUNT] };

		if (r->l.set == NVX_SET_CELLS) {
			s.level = NVX_LEVEL_2;
			s.chain = true;
			s.l1_reason = r->l.key2;
			add(f, &s);
		} else if (r->l.set == NVX_SET_EXITS) {
			uint64_t n = s.level == NVX_LEVEL_1 ? in_chains(all, r) : 0;

			/* a reading between two increments may see the chain's first */
			s.count = s.count > n ? s.count - n : 0;
			add(f, &s);
		}
	}
	nvx_rows__free(all);
	if (!f->stack)
		return -ENOMEM;
	qsort(f->stack, f->nr, sizeof(*f->stack), cmp_stack);
	return 0;
}

void nvx_folded__free(struct nvx_folded *f)
{
	free(f->stack);
	*f = (struct nvx_folded){ 0 };
}
