// SPDX-License-Identifier: GPL-2.0-only
#include "model/report.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char *nvx_report__lacks(const struct nvx_report *r, enum nvx_lack lack)
{
	return r->lacks && *r->lacks[lack] ? r->lacks[lack] : NULL;
}

/* Which lack a metric falls under; NVX_LACK_COUNT: none. */
static enum nvx_lack lack_of(const struct nvx_metric *m)
{
	static const struct {
		const char *key;
		enum nvx_lack lack;
	} by_key[] = {
		{ "reflected", NVX_LACK_OUTCOME },	{ "synthesised", NVX_LACK_OUTCOME },
		{ "handled", NVX_LACK_OUTCOME },	{ "open", NVX_LACK_OPEN },
		{ "entries", NVX_LACK_SWITCH },		{ "leaves", NVX_LACK_SWITCH },
		{ "noexit", NVX_LACK_SWITCH },		{ "entries_failed", NVX_LACK_SWITCH },
		{ "dropped", NVX_LACK_DROPS },		{ "l1_exits", NVX_LACK_SWITCH },
		{ "l2_exits", NVX_LACK_SWITCH },
	};

	if (m->type == NVX_HISTOGRAM)
		return m->unit == NVX_UNIT_NS ? NVX_LACK_HIST : NVX_LACK_COUNT;
	if (m->unit == NVX_UNIT_NS)
		return m->set == NVX_SET_TIME ? NVX_LACK_COUNT : NVX_LACK_TIME;
	for (size_t i = 0; i < sizeof(by_key) / sizeof(*by_key); i++)
		if (!strcmp(m->key, by_key[i].key))
			return by_key[i].lack;
	return NVX_LACK_COUNT;
}

const char *nvx_report__lacks_metric(const struct nvx_report *r, const struct nvx_metric *m)
{
	enum nvx_lack lack = lack_of(m);

	return lack == NVX_LACK_COUNT ? NULL : nvx_report__lacks(r, lack);
}

uint64_t nvx_report__dropped(const struct nvx_report *r)
{
	uint64_t n = r->misses + r->lost +
		     nvx_rows__sum(r->rows, NVX_SET_VMS, NVX_V_LOST, -1, NVX_VM_ALL);

	for (int i = 0; i < NVX_GDROP_KINDS; i++)
		n += r->gdrops[i];
	return n;
}

static int cmp_u64(uint64_t a, uint64_t b)
{
	return a < b ? 1 : a > b ? -1 : 0;
}

static uint64_t avg(const struct nvx_row *r)
{
	uint64_t n = r->v[NVX_V_DONE] ? r->v[NVX_V_DONE] : r->v[NVX_V_COUNT];

	return n ? r->v[NVX_V_TIME] / n : 0;
}

/* Ties go by labels, so that equal data prints equally. */
static int cmp_labels(const struct nvx_labels *a, const struct nvx_labels *b)
{
	if (a->vm != b->vm)
		return a->vm < b->vm ? -1 : 1;
	if (a->level != b->level)
		return a->level > b->level ? -1 : 1;
	if (a->l2 != b->l2)
		return a->l2 < b->l2 ? -1 : 1;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->key2 != b->key2)
		return a->key2 < b->key2 ? -1 : 1;
	return (int)a->kind - (int)b->kind;
}

static int cmp_rows(const void *pa, const void *pb, void *arg)
{
	const struct nvx_row *a = *(const struct nvx_row *const *)pa;
	const struct nvx_row *b = *(const struct nvx_row *const *)pb;
	enum nvx_sort sort = *(enum nvx_sort *)arg;
	int c = 0;

	/* tables of totals keep the order of VMs */
	if (a->l.set != NVX_SET_VMS && a->l.set != NVX_SET_L2S && a->l.set != NVX_SET_TIME) {
		if (sort == NVX_SORT_COUNT)
			c = cmp_u64(a->v[NVX_V_COUNT], b->v[NVX_V_COUNT]);
		else if (sort == NVX_SORT_TIME)
			c = cmp_u64(a->v[NVX_V_TIME], b->v[NVX_V_TIME]);
		else if (sort == NVX_SORT_AVG)
			c = cmp_u64(avg(a), avg(b));
	}
	return c ? c : cmp_labels(&a->l, &b->l);
}

static struct nvx_rows *set_rows(const struct nvx_report *r, enum nvx_set set)
{
	unsigned int drop = (r->by_host ? NVX_DROP_LABEL_VM : 0) |
			    (r->by_l2 || set == NVX_SET_L2S ? 0 : NVX_DROP_LABEL_L2);
	struct nvx_rows one, *sum = nvx_rows__new();

	for (size_t i = 0; sum && i < r->rows->nr; i++) {
		if (r->rows->row[i]->l.set != set)
			continue;
		one = (struct nvx_rows){ .nr = 1, .row = &r->rows->row[i] };
		if (nvx_rows__add(sum, &one, drop)) {
			nvx_rows__free(sum);
			return NULL;
		}
	}
	return sum;
}

long nvx_report__rows(const struct nvx_report *r, enum nvx_set set, struct nvx_rows **owner,
		      const struct nvx_row ***out, size_t *nr)
{
	enum nvx_sort sort = r->sort;

	*owner = set_rows(r, set);
	if (!*owner)
		return -ENOMEM;
	/* its hash is not needed any more, so the array may be sorted in place */
	if ((*owner)->nr)
		qsort_r((*owner)->row, (*owner)->nr, sizeof(*(*owner)->row), cmp_rows, &sort);
	*out = (const struct nvx_row **)(*owner)->row;
	*nr = r->top && r->top < (*owner)->nr ? r->top : (*owner)->nr;
	return (*owner)->nr;
}
