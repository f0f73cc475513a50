// SPDX-License-Identifier: GPL-2.0-only
/*
 * A figure is a fraction: events of a row over seconds, over exits of L2, over those done.  Each
 * delta gives both parts; a unit of replication is the sum of its deltas' parts, divided once.
 */
#include "model/diff.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sessions a side from which on each is one unit. */
#define RUNS_MIN 4
/* Histograms come with each tenth delta, so a block of theirs is not shorter. */
#define HIST_BLOCK 10

/* Parts of the figures of one delta, or the histograms that came with it. */
struct point {
	uint32_t file, period;
	double *part; /* numerator and denominator by figure */
	uint64_t (*hist)[NVX_HIST_SLOTS]; /* by row with quantiles; NULL: none came */
};

struct series {
	size_t nr, room;
	struct point *p;
};

struct nvx_diff_data {
	struct series side[NVX_SIDES];
	enum nvx_side now;
	uint32_t file;
	size_t nr_hists; /* rows with quantiles */
	size_t *hist_of; /* by figure: index of its row's histogram */
};

/* The denominator of each group, and which value of the row stands above it. */
static double numerator(const struct nvx_figure *f, const struct nvx_row *row,
			const struct nvx_rows *rows)
{
	if (!row)
		return 0;
	switch (f->group) {
	case NVX_DIFF_TIMES:
	case NVX_DIFF_SHARES:
		return row->v[NVX_V_TIME];
	case NVX_DIFF_CHAINS: {
		double exits = row->v[NVX_V_COUNT];

		for (size_t i = 0; i < rows->nr; i++)
			if (rows->row[i]->l.set == NVX_SET_CELLS &&
			    rows->row[i]->l.key == row->l.key)
				exits += rows->row[i]->v[NVX_V_COUNT];
		return exits;
	}
	default:
		return f->labels.set == NVX_SET_VMS && !strcmp(f->what, "L2 exits") ?
			       row->v[NVX_V_L2_EXITS] :
			       row->v[NVX_V_COUNT];
	}
}

/* Denominators that all rows of a delta share. */
struct whole {
	double seconds, l2_exits, time;
};

static double denominator(const struct nvx_figure *f, const struct nvx_row *row,
			  const struct whole *whole)
{
	switch (f->group) {
	case NVX_DIFF_RATES:
		return whole->seconds;
	case NVX_DIFF_PER_L2:
		return whole->l2_exits;
	case NVX_DIFF_SHARES:
		return whole->time;
	case NVX_DIFF_CHAINS:
		return row ? row->v[NVX_V_COUNT] : 0;
	default:
		return row ? row->v[NVX_V_DONE] : 0;
	}
}

void nvx_diff__file(struct nvx_diff *d, enum nvx_side side)
{
	d->data->now = side;
	d->data->file++;
	d->files[side]++;
}

static struct point *next_point(struct series *s, const struct nvx_diff *d, bool hist)
{
	struct point *p;

	if (s->nr == s->room) {
		size_t room = s->room ? 2 * s->room : 64;

		p = realloc(s->p, room * sizeof(*p));
		if (!p)
			return NULL;
		s->p = p;
		s->room = room;
	}
	p = &s->p[s->nr];
	p->part = calloc(2 * d->nr + 1, sizeof(*p->part));
	p->hist = hist ? calloc(d->data->nr_hists + 1, sizeof(*p->hist)) : NULL;
	if (!p->part || (hist && !p->hist)) {
		free(p->part);
		free(p->hist);
		return NULL;
	}
	s->nr++;
	return p;
}

static int add_point(struct nvx_diff *d, const struct nvx_session_delta *delta,
		     const struct nvx_rows *rows)
{
	struct nvx_diff_data *data = d->data;
	struct whole whole;
	struct point *p;

	whole = (struct whole){
		.seconds = delta->duration_ns / 1e9,
		.l2_exits = nvx_rows__sum(rows, NVX_SET_VMS, NVX_V_L2_EXITS, -1, NVX_VM_ALL),
		.time = nvx_rows__sum(rows, NVX_SET_TIME, NVX_V_TIME, -1, NVX_VM_ALL),
	};
	p = next_point(&data->side[data->now], d, delta->hist);
	for (size_t i = 0; p && i < d->nr; i++) {
		const struct nvx_figure *f = &d->figure[i];
		const struct nvx_row *row = nvx_rows__find(rows, &f->labels);

		p->part[2 * i] = numerator(f, row, rows);
		p->part[2 * i + 1] = denominator(f, row, &whole);
		if (p->hist && row && f->group == NVX_DIFF_QUANTILES)
			memcpy(p->hist[data->hist_of[i]], row->hist, sizeof(row->hist));
	}
	if (!p)
		return -ENOMEM;
	p->file = data->file;
	p->period = delta->period;
	d->deltas[data->now]++;
	return 0;
}

int nvx_diff__delta(struct nvx_diff *d, const struct nvx_session_delta *delta)
{
	struct nvx_rows *sum;
	bool summed = true;
	int ret;

	for (size_t i = 0; i < delta->rows->nr && summed; i++)
		summed = delta->rows->row[i]->l.vm == NVX_VM_ALL;
	if (summed)
		return add_point(d, delta, delta->rows);
	sum = nvx_rows__new();
	ret = sum ? nvx_rows__add(sum, delta->rows, NVX_DROP_LABEL_VM | NVX_DROP_LABEL_L2) :
		    -ENOMEM;
	if (!ret)
		ret = add_point(d, delta, sum);
	nvx_rows__free(sum);
	return ret;
}

/* Where in its slot a quantile lies is taken as even; the open slot counts as its lower bound. */
static double quantile(const uint64_t *hist, double q)
{
	double total = 0, seen = 0;

	for (int i = 0; i < NVX_HIST_SLOTS; i++)
		total += hist[i];
	for (int i = 0; i < NVX_HIST_SLOTS; i++) {
		double lo = i ? nvx_hist__bound(i - 1) : 0;

		double width = i == NVX_HIST_SLOTS - 1 ? 0 : nvx_hist__bound(i) - lo;

		if (seen + hist[i] >= q * total && hist[i])
			return lo + width * (q * total - seen) / hist[i];
		seen += hist[i];
	}
	return NAN;
}

static double quantile_of(const struct nvx_figure *f)
{
	return strcmp(f->what, "P99") ? 0.5 : 0.99;
}

/* The value of points from .. end-1 as one unit; NAN where there is none. */
static double unit_value(const struct nvx_diff *d, size_t fig, const struct series *s, size_t from,
			 size_t end)
{
	const struct nvx_figure *f = &d->figure[fig];
	uint64_t hist[NVX_HIST_SLOTS] = { 0 };
	double num = 0, den = 0;

	for (size_t i = from; i < end; i++) {
		num += s->p[i].part[2 * fig];
		den += s->p[i].part[2 * fig + 1];
		for (int h = 0; s->p[i].hist && h < NVX_HIST_SLOTS &&
				f->group == NVX_DIFF_QUANTILES; h++)
			hist[h] += s->p[i].hist[d->data->hist_of[fig]][h];
	}
	if (f->group == NVX_DIFF_QUANTILES)
		return quantile(hist, quantile_of(f));
	return den > 0 ? num / den : NAN;
}

/* End of the unit that begins at `from`. */
static size_t unit_end(const struct nvx_diff *d, const struct series *s, size_t from, size_t block)
{
	size_t end = from + 1, left;

	while (end < s->nr && s->p[end].file == s->p[from].file &&
	       (d->unit != NVX_UNIT_PERIODS || s->p[end].period == s->p[from].period) &&
	       (d->unit != NVX_UNIT_BLOCKS || end - from < block))
		end++;
	if (d->unit != NVX_UNIT_BLOCKS)
		return end;
	/* what is left of a file and makes no block belongs to its last one */
	for (left = end; left < s->nr && s->p[left].file == s->p[from].file; left++)
		;
	return left - end < block ? left : end;
}

static size_t units(const struct nvx_diff *d, size_t fig, const struct series *s, double *out)
{
	size_t n = 0;

	for (size_t from = 0, end; from < s->nr; from = end) {
		end = unit_end(d, s, from, d->figure[fig].block);
		out[n] = unit_value(d, fig, s, from, end);
		n += !isnan(out[n]);
	}
	return n;
}

/* The longest block that any session of a side asks for. */
static size_t block_of(size_t fig, const struct series *s, double *v)
{
	size_t block = 1;

	for (size_t from = 0, end; from < s->nr; from = end) {
		size_t n = 0, b;

		for (end = from; end < s->nr && s->p[end].file == s->p[from].file; end++) {
			double den = s->p[end].part[2 * fig + 1];

			if (den > 0)
				v[n++] = s->p[end].part[2 * fig] / den;
		}
		b = nvx_stat__block(v, n);
		/* deltas without a value are in between */
		b = n ? b * ((end - from + n - 1) / n) : 1;
		block = b > block ? b : block;
	}
	return block;
}

static enum nvx_diff_unit find_unit(const struct nvx_diff *d)
{
	bool periods = true;

	for (int side = 0; side < NVX_SIDES; side++)
		for (size_t i = 0; i < d->data->side[side].nr; i++)
			periods = periods && d->data->side[side].p[i].period;
	if (periods)
		return NVX_UNIT_PERIODS;
	return d->files[NVX_SIDE_A] >= RUNS_MIN && d->files[NVX_SIDE_B] >= RUNS_MIN ?
		       NVX_UNIT_RUNS :
		       NVX_UNIT_BLOCKS;
}

/*
 * One block for all: what makes one figure stay alike for long (another load on the host, another
 * phase of the guest's work) is in the others too, if only faintly.
 */
static size_t common_block(const struct nvx_diff *d, double *v)
{
	size_t block = 1;

	for (size_t i = 0; i < d->nr && d->unit == NVX_UNIT_BLOCKS; i++)
		for (int side = 0; side < NVX_SIDES; side++) {
			size_t b = block_of(i, &d->data->side[side], v);

			block = b > block ? b : block;
		}
	return block;
}

static void compare_figure(struct nvx_diff *d, size_t fig, double *a, double *b)
{
	struct nvx_figure *f = &d->figure[fig];
	size_t na, nb;

	f->block = d->block;
	if (f->group == NVX_DIFF_QUANTILES && f->block < HIST_BLOCK)
		f->block = HIST_BLOCK;
	na = units(d, fig, &d->data->side[NVX_SIDE_A], a);
	nb = units(d, fig, &d->data->side[NVX_SIDE_B], b);
	nvx_compare(a, na, b, nb, &f->cmp);
}

static int correct(struct nvx_diff *d)
{
	struct nvx_comparison **c = malloc((d->nr + 1) * sizeof(*c));
	int ret = c ? 0 : -ENOMEM;

	for (size_t i = 0; c && i < d->nr; i++)
		c[i] = &d->figure[i].cmp;
	if (c)
		ret = nvx_compare__family(c, d->nr);
	free(c);
	for (size_t i = 0; i < d->nr; i++) {
		d->differ += d->figure[i].cmp.verdict == NVX_CMP_DIFFERS;
		d->too_few += d->figure[i].cmp.verdict == NVX_CMP_TOO_FEW;
	}
	return ret;
}

int nvx_diff__finish(struct nvx_diff *d)
{
	size_t most = d->data->side[0].nr + d->data->side[1].nr + 1, kept = 0;
	double *a = malloc(most * sizeof(*a)), *b = malloc(most * sizeof(*b));

	if (!a || !b) {
		free(a);
		free(b);
		return -ENOMEM;
	}
	d->unit = find_unit(d);
	d->block = common_block(d, a);
	for (size_t i = 0; i < d->nr; i++)
		compare_figure(d, i, a, b);
	free(a);
	free(b);
	for (size_t i = 0; i < d->nr; i++)
		if (d->figure[i].cmp.na || d->figure[i].cmp.nb)
			d->figure[kept++] = d->figure[i];
	d->nr = kept;
	return correct(d);
}

void nvx_diff__free(struct nvx_diff *d)
{
	if (!d)
		return;
	for (int side = 0; d->data && side < NVX_SIDES; side++) {
		struct series *s = &d->data->side[side];

		for (size_t i = 0; i < s->nr; i++) {
			free(s->p[i].part);
			free(s->p[i].hist);
		}
		free(s->p);
	}
	if (d->data)
		free(d->data->hist_of);
	free(d->data);
	free(d->figure);
	free(d);
}

/* Choosing figures. */

struct chooser {
	struct nvx_diff *d;
	const struct nvx_row **row; /* rows of both sides, most events first */
	size_t nr_rows, top;
	unsigned int lacks;
	bool nested, failed;
};

static uint64_t weight(const struct nvx_row *row)
{
	return row->l.set == NVX_SET_TIME ? row->v[NVX_V_TIME] : row->v[NVX_V_COUNT];
}

static int cmp_weight(const void *pa, const void *pb)
{
	uint64_t a = weight(*(const struct nvx_row *const *)pa);
	uint64_t b = weight(*(const struct nvx_row *const *)pb);

	return a < b ? 1 : a > b ? -1 : 0;
}

static void add(struct chooser *c, enum nvx_diff_group group, const struct nvx_labels *l,
		const char *what)
{
	struct nvx_diff *d = c->d;
	struct nvx_figure *more = realloc(d->figure, (d->nr + 1) * sizeof(*more));
	size_t *hist = realloc(d->data->hist_of, (d->nr + 1) * sizeof(*hist));

	if (more)
		d->figure = more;
	if (hist)
		d->data->hist_of = hist;
	if (!more || !hist) {
		c->failed = true;
		return;
	}
	more[d->nr] = (struct nvx_figure){ .group = group, .labels = *l, .what = what };
	hist[d->nr] = group == NVX_DIFF_QUANTILES ? d->data->nr_hists++ : 0;
	d->nr++;
}

/* The top rows of a set become figures of a group. */
static void add_set(struct chooser *c, enum nvx_diff_group group, enum nvx_set set,
		    const char *what, size_t top)
{
	for (size_t i = 0; i < c->nr_rows && top; i++)
		if (c->row[i]->l.set == set && weight(c->row[i])) {
			add(c, group, &c->row[i]->l, what);
			top--;
		}
}

static void choose(struct chooser *c)
{
	static const enum nvx_set counted[] = { NVX_SET_EXITS, NVX_SET_MSRS, NVX_SET_HYPERCALLS,
						NVX_SET_PIO, NVX_SET_MMIO, NVX_SET_IPIS,
						NVX_SET_TLB };
	const size_t nr = sizeof(counted) / sizeof(*counted);

	add_set(c, NVX_DIFF_RATES, NVX_SET_VMS, "L1 exits", 1);
	if (c->nested)
		add_set(c, NVX_DIFF_RATES, NVX_SET_VMS, "L2 exits", 1);
	for (size_t i = 0; i < nr; i++)
		add_set(c, NVX_DIFF_RATES, counted[i], "", i ? c->top / 2 : c->top);
	if (c->nested) {
		add_set(c, NVX_DIFF_PER_L2, NVX_SET_VMS, "L1 exits", 1);
		for (size_t i = 0; i < nr; i++)
			add_set(c, NVX_DIFF_PER_L2, counted[i], "", i ? c->top / 2 : c->top);
	}
	if (!(c->lacks & 1u << NVX_LACK_TIME)) {
		add_set(c, NVX_DIFF_TIMES, NVX_SET_EXITS, "", c->top);
		add_set(c, NVX_DIFF_TIMES, NVX_SET_CHAINS, "", c->top / 2);
	}
	if (!(c->lacks & 1u << NVX_LACK_HIST))
		for (int p = 0; p < 2; p++)
			add_set(c, NVX_DIFF_QUANTILES, NVX_SET_EXITS, p ? "P99" : "P50",
				c->top / 2);
	add_set(c, NVX_DIFF_CHAINS, NVX_SET_CHAINS, "", c->top);
	add_set(c, NVX_DIFF_SHARES, NVX_SET_TIME, "", SIZE_MAX);
}

struct nvx_diff *nvx_diff__new(const struct nvx_rows *a, const struct nvx_rows *b, size_t top,
			       unsigned int lacks)
{
	struct chooser c = { .d = calloc(1, sizeof(*c.d)), .lacks = lacks,
			     .top = top ? top : SIZE_MAX / 2 };
	struct nvx_rows *both = nvx_rows__new();

	if (c.d)
		c.d->data = calloc(1, sizeof(*c.d->data));
	c.failed = !c.d || !c.d->data || !both ||
		   nvx_rows__add(both, a, NVX_DROP_LABEL_VM | NVX_DROP_LABEL_L2) ||
		   nvx_rows__add(both, b, NVX_DROP_LABEL_VM | NVX_DROP_LABEL_L2);
	if (!c.failed && both->nr) {
		c.row = (const struct nvx_row **)both->row;
		c.nr_rows = both->nr;
		c.nested = nvx_rows__sum(both, NVX_SET_VMS, NVX_V_L2_EXITS, -1, NVX_VM_ALL);
		/* its hash is not needed any more */
		qsort(both->row, both->nr, sizeof(*both->row), cmp_weight);
		choose(&c);
	}
	nvx_rows__free(both);
	if (!c.failed)
		return c.d;
	nvx_diff__free(c.d);
	return NULL;
}
