// SPDX-License-Identifier: GPL-2.0-only
#include "model/top_series.h"

static uint64_t value_of(const struct nvx_row *row, enum nvx_top_value v)
{
	uint64_t n = 0;

	if (v == NVX_TOP_COUNT)
		return row->l.set == NVX_SET_TIME ? row->v[NVX_V_TIME] : row->v[NVX_V_COUNT];
	if (row->l.set == NVX_SET_VMS)
		return v == NVX_TOP_SECOND ? row->v[NVX_V_L2_EXITS] :
					     row->v[NVX_V_ENTRIES] + row->v[NVX_V_LEAVES];
	if (v == NVX_TOP_THIRD)
		return 0;
	if (row->l.set == NVX_SET_IPIS)
		return row->v[NVX_V_EXITS];
	if (row->l.set != NVX_SET_FLUSHES)
		return row->v[NVX_V_TIME];
	for (unsigned int i = 1; i < NVX_FLUSH_SLOTS; i++)
		n += i * row->hist[i];
	return n;
}

void series_add(struct series *s, uint64_t now, const struct nvx_row *row, double seconds)
{
	uint64_t from = now > NVX_TOP_PAST ? now - NVX_TOP_PAST + 1 : 1;

	/* nothing happened in the intervals between */
	from = from > s->last ? from : s->last + 1;
	for (uint64_t i = from; i < now; i++)
		for (int v = 0; v < NVX_TOP_VALUES; v++)
			s->v[v][i % NVX_TOP_PAST] = 0;
	for (int v = 0; v < NVX_TOP_VALUES; v++)
		s->v[v][now % NVX_TOP_PAST] = value_of(row, v) / seconds;
	s->last = now;
}

float series_at(const struct series *s, enum nvx_top_value v, uint64_t interval)
{
	return interval > s->last || interval + NVX_TOP_PAST <= s->last ?
		       0 : s->v[v][interval % NVX_TOP_PAST];
}

void series_mark(struct series *s, uint64_t now, size_t n)
{
	for (int v = 0; v < NVX_TOP_VALUES; v++)
		for (size_t i = 0; i < n; i++)
			s->before[v][NVX_TOP_BEFORE - 1 - i] = series_at(s, v, now - i);
	s->marked = now;
}

/* Means of blocks, in place; what is left over belongs to the last one. */
static size_t to_blocks(double *v, size_t n, size_t block)
{
	size_t nr = n / block;

	if (block < 2 || !nr)
		return n;
	for (size_t b = 0; b < nr; b++) {
		size_t from = b * block, to = b + 1 < nr ? from + block : n;
		double sum = 0;

		for (size_t i = from; i < to; i++)
			sum += v[i];
		v[b] = sum / (to - from);
	}
	return nr;
}

void series_compare(double *a, size_t na, double *b, size_t nb, struct nvx_comparison *c)
{
	size_t block_a = nvx_stat__block(a, na), block_b = nvx_stat__block(b, nb);
	size_t block = block_a > block_b ? block_a : block_b;
	size_t smaller = na < nb ? na : nb;

	block = block < smaller ? block : smaller;
	na = to_blocks(a, na, block);
	nb = to_blocks(b, nb, block);
	nvx_compare(a, na, b, nb, c);
}
