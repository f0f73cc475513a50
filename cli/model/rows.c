// SPDX-License-Identifier: GPL-2.0-only
#include "model/rows.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct nvx_rows *nvx_rows__new(void)
{
	return calloc(1, sizeof(struct nvx_rows));
}

void nvx_rows__free(struct nvx_rows *rows)
{
	if (!rows)
		return;
	for (size_t i = 0; i < rows->nr; i++)
		free(rows->row[i]);
	free(rows->row);
	free(rows->bucket);
	free(rows);
}

/*
 * Over the label members, not over the struct: padding has no value.  A product's high half
 * depends on every bit; an odd factor and the shift bring it down to where the mask looks.
 */
static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15ULL;
	return h ^ h >> 32;
}

static uint64_t hash(const struct nvx_labels *l)
{
	uint64_t small = l->set | l->isa << 8 | l->level << 16 | (uint64_t)l->kind << 24 |
			 (uint64_t)l->vm << 32;
	uint64_t h = mix(l->vcpu, small);

	return mix(mix(mix(h, l->l2), l->key), l->key2);
}

bool nvx_labels__same(const struct nvx_labels *a, const struct nvx_labels *b)
{
	return a->set == b->set && a->isa == b->isa && a->level == b->level &&
	       a->kind == b->kind && a->vm == b->vm && a->vcpu == b->vcpu && a->l2 == b->l2 &&
	       a->key == b->key && a->key2 == b->key2;
}

/* The bucket that holds these labels, or the empty one where they belong. */
static uint32_t *lookup(const struct nvx_rows *rows, const struct nvx_labels *l)
{
	uint64_t i = hash(l) & rows->mask;

	while (rows->bucket[i] && !nvx_labels__same(&rows->row[rows->bucket[i] - 1]->l, l))
		i = (i + 1) & rows->mask;
	return &rows->bucket[i];
}

/* At most half full, so that a look-up always meets an empty bucket soon. */
static int grow(struct nvx_rows *rows)
{
	size_t room = rows->room ? rows->room * 2 : 64;
	uint32_t *bucket = calloc(room * 2, sizeof(*bucket));
	struct nvx_row **row = realloc(rows->row, room * sizeof(*row));

	if (row)
		rows->row = row;
	if (!row || !bucket) {
		free(bucket);
		return -ENOMEM;
	}
	free(rows->bucket);
	rows->bucket = bucket;
	rows->room = room;
	rows->mask = room * 2 - 1;
	for (size_t i = 0; i < rows->nr; i++)
		*lookup(rows, &rows->row[i]->l) = i + 1;
	return 0;
}

int nvx_rows__reserve(struct nvx_rows *rows, size_t nr)
{
	while (rows->room < nr)
		if (grow(rows))
			return -ENOMEM;
	return 0;
}

struct nvx_row *nvx_rows__at(struct nvx_rows *rows, const struct nvx_labels *l)
{
	struct nvx_row *row;
	uint32_t *b;

	/* vCPUs of a VM fill their slots alike: rows are mostly asked for in the order they came */
	if (rows->next < rows->nr && nvx_labels__same(&rows->row[rows->next]->l, l))
		return rows->row[rows->next++];
	if (rows->nr == rows->room && grow(rows))
		return NULL;
	b = lookup(rows, l);
	if (*b) {
		rows->next = *b;
		return rows->row[*b - 1];
	}
	row = calloc(1, sizeof(*row));
	if (!row)
		return NULL;
	row->l = *l;
	rows->row[rows->nr++] = row;
	*b = rows->nr;
	return row;
}

long nvx_rows__index(const struct nvx_rows *rows, const struct nvx_labels *l)
{
	return rows->nr ? (long)*lookup(rows, l) - 1 : -1;
}

const struct nvx_row *nvx_rows__find(const struct nvx_rows *rows, const struct nvx_labels *l)
{
	long i = nvx_rows__index(rows, l);

	return i < 0 ? NULL : rows->row[i];
}

int nvx_rows__add(struct nvx_rows *to, const struct nvx_rows *from, unsigned int drop)
{
	for (size_t i = 0; i < from->nr; i++) {
		const struct nvx_row *f = from->row[i];
		struct nvx_labels l = f->l;
		struct nvx_row *t;

		if (drop & NVX_DROP_LABEL_VM)
			l.vm = NVX_VM_ALL;
		if (drop & NVX_DROP_LABEL_L2)
			l.l2 = NVX_L2_NONE;
		t = nvx_rows__at(to, &l);
		if (!t)
			return -ENOMEM;
		for (int v = 0; v < NVX_V_NR; v++)
			t->v[v] += f->v[v];
		for (int h = 0; h < NVX_HIST_SLOTS; h++)
			t->hist[h] += f->hist[h];
	}
	return 0;
}

/* As nvx_rollup: what has no level of its own is not filtered by it. */
static bool wanted(const struct nvx_labels *l, const struct nvx_vm *vm, const struct nvx_filter *f)
{
	bool levels = l->set != NVX_SET_VMS && l->set != NVX_SET_CHAINS &&
		      l->set != NVX_SET_CELLS && l->set != NVX_SET_TIME;

	return (f->level < 0 || !levels || l->level == f->level) &&
	       (!f->pid || vm->pid == f->pid) &&
	       (!f->vm_name || !strcmp(vm->id.name, f->vm_name));
}

int nvx_rows__add_some(struct nvx_rows *to, const struct nvx_rows *from,
		       const struct nvx_vm *const *vms, const struct nvx_filter *filter)
{
	for (size_t i = 0; i < from->nr; i++) {
		struct nvx_rows one = { .nr = 1, .row = &from->row[i] };
		const struct nvx_labels *l = &from->row[i]->l;

		if (wanted(l, vms[l->vm], filter) && nvx_rows__add(to, &one, 0))
			return -ENOMEM;
	}
	return 0;
}

uint64_t nvx_rows__sum(const struct nvx_rows *rows, enum nvx_set set, enum nvx_value value,
		       int level, uint32_t vm)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < rows->nr; i++) {
		const struct nvx_row *r = rows->row[i];

		if (r->l.set == set && (level < 0 || r->l.level == level) &&
		    (vm == NVX_VM_ALL || r->l.vm == vm))
			sum += r->v[value];
	}
	return sum;
}

uint64_t nvx_hist__bound(unsigned int slot)
{
	return slot >= NVX_HIST_SLOTS - 1 ? UINT64_MAX : 1ULL << (NVX_HIST_SHIFT + slot);
}

uint64_t nvx_len__bound(unsigned int slot)
{
	if (slot < NVX_LEN_EXACT)
		return slot + 1;
	return slot >= NVX_LEN_SLOTS - 1 ? UINT64_MAX : 32ULL << (slot - NVX_LEN_EXACT);
}

uint64_t nvx_hist__quantile(const uint64_t *hist, double q)
{
	uint64_t total = 0, seen = 0;

	for (int i = 0; i < NVX_HIST_SLOTS; i++)
		total += hist[i];
	for (int i = 0; total && i < NVX_HIST_SLOTS; i++) {
		seen += hist[i];
		if (seen >= q * total)
			return nvx_hist__bound(i);
	}
	return 0;
}
