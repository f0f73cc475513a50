// SPDX-License-Identifier: GPL-2.0-only
#include "model/top.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/top_series.h"

/* Rows and their past: of each VM, and of all together. */
struct book {
	struct nvx_rows *last, *total;
	struct series **past; /* by the position of the row in total */
	size_t room;
};

/* Sums by index of VM. */
struct sums {
	struct nvx_top_sum host, *vm;
	size_t room;
};

struct nvx_top {
	struct nvx_filter filter;
	struct nvx_sample *base, *prev, *cur; /* of the baseline, and both ends of the interval */
	struct nvx_sample *tail; /* the latest, while the interval is held */
	struct book vms, host;
	struct sums sum[2]; /* by enum nvx_top_window */
	struct nvx_rows *delta; /* what is held */
	unsigned int *vcpus; /* by index of VM */
	size_t nr_vms;
	uint64_t last_ns, intervals, series;
	uint64_t t_last, t_base, t_mark; /* times of samples */
	uint64_t mark; /* intervals before it; 0: none */
	size_t before;
	bool held;
};

static const struct nvx_top_sum no_sum;

struct nvx_top *nvx_top__new(const struct nvx_filter *filter)
{
	struct nvx_top *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->filter = filter ? *filter : (struct nvx_filter){ .vcpu = -1, .level = -1 };
	t->filter.sum_l2s = true;
	t->delta = nvx_rows__new();
	t->vms.last = nvx_rows__new();
	t->vms.total = nvx_rows__new();
	t->host.last = nvx_rows__new();
	t->host.total = nvx_rows__new();
	if (t->delta && t->vms.last && t->vms.total && t->host.last && t->host.total)
		return t;
	nvx_top__free(t);
	return NULL;
}

static void free_past(struct nvx_top *t, struct book *b)
{
	for (size_t i = 0; i < b->room; i++) {
		t->series -= b->past[i] != NULL;
		free(b->past[i]);
	}
	free(b->past);
	b->past = NULL;
	b->room = 0;
}

static void free_book(struct nvx_top *t, struct book *b)
{
	free_past(t, b);
	nvx_rows__free(b->last);
	nvx_rows__free(b->total);
}

/* A sample stands in up to three places. */
static void put_sample(struct nvx_top *t, struct nvx_sample *s)
{
	if (s && s != t->base && s != t->prev && s != t->cur)
		nvx_sample__free(s);
}

void nvx_top__free(struct nvx_top *t)
{
	struct nvx_sample *s[3];

	if (!t)
		return;
	s[0] = t->base;
	s[1] = t->prev != t->base ? t->prev : NULL;
	s[2] = t->cur != t->base && t->cur != t->prev ? t->cur : NULL;
	for (int i = 0; i < 3; i++)
		nvx_sample__free(s[i]);
	nvx_sample__free(t->tail);
	free_book(t, &t->vms);
	free_book(t, &t->host);
	nvx_rows__free(t->delta);
	free(t->sum[0].vm);
	free(t->sum[1].vm);
	free(t->vcpus);
	free(t);
}

static int renew(struct nvx_rows **rows)
{
	nvx_rows__free(*rows);
	*rows = nvx_rows__new();
	return *rows ? 0 : -ENOMEM;
}

/* How many vCPUs each VM has now. */
static int count_vcpus(struct nvx_top *t)
{
	for (size_t i = 0; i < t->cur->nr; i++) {
		uint32_t vm = t->cur->snap[i]->vm->index;
		unsigned int *n;

		if (vm < t->nr_vms)
			continue;
		n = realloc(t->vcpus, (vm + 1) * sizeof(*n));
		if (!n)
			return -ENOMEM;
		t->vcpus = n;
		t->nr_vms = vm + 1;
	}
	if (t->nr_vms)
		memset(t->vcpus, 0, t->nr_vms * sizeof(*t->vcpus));
	for (size_t i = 0; i < t->cur->nr; i++)
		t->vcpus[t->cur->snap[i]->vm->index]++;
	return 0;
}

int nvx_top__start(struct nvx_top *t, struct nvx_sample *s)
{
	t->base = t->cur = s;
	t->t_last = t->t_base = s->t_ns;
	return count_vcpus(t);
}

static void add_sum(struct nvx_top_sum *s, const struct nvx_row *row)
{
	const uint64_t *v = row->v;

	switch (row->l.set) {
	case NVX_SET_VMS:
		s->l1_exits += v[NVX_V_COUNT];
		s->l2_exits += v[NVX_V_L2_EXITS];
		s->unknown += v[NVX_V_UNKNOWN];
		s->entries += v[NVX_V_ENTRIES];
		s->leaves += v[NVX_V_LEAVES];
		s->lost += v[NVX_V_LOST];
		break;
	case NVX_SET_IPIS:
		s->ipis += v[NVX_V_COUNT];
		s->ipi_exits += v[NVX_V_EXITS];
		break;
	case NVX_SET_FLUSHES:
		s->flush_switches += v[NVX_V_COUNT];
		for (unsigned int n = 1; n < NVX_FLUSH_SLOTS; n++)
			s->flushes += n * row->hist[n];
		break;
	case NVX_SET_TIME:
		s->time[row->l.key] += v[NVX_V_TIME];
		break;
	default:
		break;
	}
}

void nvx_top__sum(const struct nvx_rows *rows, uint32_t vm, struct nvx_top_sum *sum)
{
	*sum = no_sum;
	for (size_t i = 0; i < rows->nr; i++)
		if (vm == NVX_VM_ALL || rows->row[i]->l.vm == vm)
			add_sum(sum, rows->row[i]);
}

/* Room for every VM; new ones begin with nothing. */
static int room_for_vms(struct nvx_top *t, struct sums *s)
{
	struct nvx_top_sum *vm;

	if (s->room >= t->nr_vms)
		return 0;
	vm = realloc(s->vm, t->nr_vms * sizeof(*vm));
	if (!vm)
		return -ENOMEM;
	memset(vm + s->room, 0, (t->nr_vms - s->room) * sizeof(*vm));
	s->vm = vm;
	s->room = t->nr_vms;
	return 0;
}

static void add_sums(struct nvx_top_sum *to, const struct nvx_top_sum *from)
{
	const uint64_t *f = (const uint64_t *)from;
	uint64_t *t = (uint64_t *)to;

	/* it is nothing but counters */
	for (size_t i = 0; i < sizeof(*to) / sizeof(*t); i++)
		t[i] += f[i];
}

/* The sums of the last interval, which those since the baseline grow by. */
static int sum_up(struct nvx_top *t)
{
	struct sums *last = &t->sum[NVX_TOP_LAST], *since = &t->sum[NVX_TOP_SINCE];
	const struct nvx_rows *rows = t->vms.last;
	int ret = room_for_vms(t, last) ?: room_for_vms(t, since);

	if (ret)
		return ret;
	last->host = no_sum;
	for (size_t i = 0; i < last->room; i++)
		last->vm[i] = no_sum;
	for (size_t i = 0; i < rows->nr; i++) {
		add_sum(&last->host, rows->row[i]);
		if (rows->row[i]->l.vm < last->room)
			add_sum(&last->vm[rows->row[i]->l.vm], rows->row[i]);
	}
	add_sums(&since->host, &last->host);
	for (size_t i = 0; i < last->room; i++)
		add_sums(&since->vm[i], &last->vm[i]);
	return 0;
}
/* The past of the rows of the last interval; what is not in it had nothing. */
static int remember(struct nvx_top *t, struct book *b)
{
	double seconds = t->last_ns / 1e9;
	size_t at = 0;

	if (b->room < b->total->nr) {
		size_t room = b->total->nr + b->total->nr / 2 + 64;
		struct series **past = realloc(b->past, room * sizeof(*past));

		if (!past)
			return -ENOMEM;
		memset(past + b->room, 0, (room - b->room) * sizeof(*past));
		b->past = past;
		b->room = room;
	}
	for (size_t i = 0; i < b->last->nr && seconds > 0; i++, at++) {
		const struct nvx_row *row = b->last->row[i];
		struct series **s;

		/* they stand in the same order as a rule */
		if (at >= b->total->nr || !nvx_labels__same(&b->total->row[at]->l, &row->l))
			at = nvx_rows__index(b->total, &row->l);
		s = &b->past[at];
		if (!*s && t->series >= NVX_TOP_SERIES_MAX)
			continue;
		if (!*s) {
			*s = calloc(1, sizeof(**s));
			if (!*s)
				return -ENOMEM;
			t->series++;
		}
		series_add(*s, t->intervals, row, seconds);
	}
	return 0;
}

/* Rows of VMs that are gone leave the book of VMs; the sums of the host keep them. */
static int prune(struct nvx_top *t)
{
	struct book *b = &t->vms;
	struct nvx_rows *rows;
	size_t gone = 0;

	for (size_t i = 0; i < b->total->nr; i++)
		gone += !nvx_top__vcpus(t, b->total->row[i]->l.vm);
	if (gone < 256 || gone < b->total->nr / 4)
		return 0;
	rows = nvx_rows__new();
	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < b->total->nr; i++) {
		struct nvx_row *row = b->total->row[i], *kept;
		struct series *past = i < b->room ? b->past[i] : NULL;

		if (i < b->room)
			b->past[i] = NULL;
		if (!nvx_top__vcpus(t, row->l.vm)) {
			t->series -= past != NULL;
			free(past);
			continue;
		}
		kept = nvx_rows__at(rows, &row->l);
		if (!kept) {
			free(past);
			nvx_rows__free(rows);
			return -ENOMEM;
		}
		*kept = *row;
		b->past[rows->nr - 1] = past;
	}
	nvx_rows__free(b->total);
	b->total = rows;
	return 0;
}

/* What was gathered becomes the last interval. */
static int end_interval(struct nvx_top *t)
{
	int ret;

	t->last_ns = t->cur->t_ns - t->t_last;
	t->t_last = t->cur->t_ns;
	t->intervals++;
	nvx_rows__free(t->vms.last);
	t->vms.last = t->delta;
	t->delta = nvx_rows__new();
	ret = t->delta ? renew(&t->host.last) : -ENOMEM;
	/* the next interval will have about as many */
	if (!ret)
		ret = nvx_rows__reserve(t->delta, t->vms.last->nr);
	if (!ret)
		ret = nvx_rows__add(t->host.last, t->vms.last, NVX_DROP_LABEL_VM);
	if (!ret)
		ret = nvx_rows__add(t->vms.total, t->vms.last, 0);
	if (!ret)
		ret = nvx_rows__add(t->host.total, t->host.last, 0);
	if (!ret)
		ret = remember(t, &t->vms);
	if (!ret)
		ret = remember(t, &t->host);
	if (!ret)
		ret = prune(t);
	return ret ? ret : sum_up(t);
}

/* The reading that was taken last ends the interval. */
static int advance(struct nvx_top *t)
{
	struct nvx_sample *old = t->prev;
	int ret;

	t->prev = t->cur;
	t->cur = t->tail;
	t->tail = NULL;
	put_sample(t, old);
	ret = count_vcpus(t);
	return ret ? ret : end_interval(t);
}

int nvx_top__sample(struct nvx_top *t, struct nvx_sample *s)
{
	int ret = nvx_rollup(t->delta, t->tail ? t->tail : t->cur, s, &t->filter);

	nvx_sample__free(t->tail);
	t->tail = s;
	return ret || t->held ? ret : advance(t);
}

int nvx_top__hold(struct nvx_top *t, bool hold)
{
	t->held = hold;
	return t->tail && !hold ? advance(t) : 0;
}

bool nvx_top__held(const struct nvx_top *t)
{
	return t->held;
}

int nvx_top__reset(struct nvx_top *t)
{
	struct nvx_sample *old = t->base;
	int ret = renew(&t->vms.total);

	if (!ret)
		ret = renew(&t->host.total);
	free_past(t, &t->vms);
	free_past(t, &t->host);
	t->base = t->cur;
	put_sample(t, old);
	t->t_base = t->cur->t_ns;
	t->mark = 0;
	t->intervals = 0;
	t->sum[NVX_TOP_SINCE].host = no_sum;
	for (size_t i = 0; i < t->sum[NVX_TOP_SINCE].room; i++)
		t->sum[NVX_TOP_SINCE].vm[i] = no_sum;
	return ret;
}

static void mark_book(struct nvx_top *t, struct book *b)
{
	for (size_t i = 0; i < b->room; i++)
		if (b->past[i])
			series_mark(b->past[i], t->intervals, t->before);
}

void nvx_top__mark(struct nvx_top *t, bool on)
{
	t->mark = on ? t->intervals : 0;
	t->t_mark = t->t_last;
	t->before = t->intervals < NVX_TOP_BEFORE ? t->intervals : NVX_TOP_BEFORE;
	if (!on)
		return;
	mark_book(t, &t->vms);
	mark_book(t, &t->host);
}

bool nvx_top__marked(const struct nvx_top *t, size_t *before, size_t *after)
{
	uint64_t since = t->intervals - t->mark;

	*before = t->before;
	*after = since < NVX_TOP_PAST ? since : NVX_TOP_PAST;
	return t->mark != 0;
}

uint64_t nvx_top__mark_age(const struct nvx_top *t)
{
	return t->mark ? t->t_last - t->t_mark : 0;
}

static const struct nvx_snap *snap_of(const struct nvx_top *t, uint32_t slot)
{
	for (size_t i = 0; t->cur && i < t->cur->nr; i++)
		if (t->cur->snap[i]->slot == slot)
			return t->cur->snap[i];
	return NULL;
}

/* One vCPU: its two readings again. */
static const struct nvx_rows *vcpu_rows(const struct nvx_top *t, enum nvx_top_window w,
					uint32_t slot, struct nvx_rows **owner)
{
	const struct nvx_snap *snap = snap_of(t, slot);
	struct nvx_sample one = { .t_ns = t->cur ? t->cur->t_ns : 0, .nr = snap != NULL,
				  .snap = (struct nvx_snap *[]){ (struct nvx_snap *)snap } };

	*owner = nvx_rows__new();
	if (*owner && t->cur &&
	    nvx_rollup(*owner, w == NVX_TOP_LAST ? t->prev : t->base, &one, &t->filter)) {
		nvx_rows__free(*owner);
		*owner = NULL;
	}
	return *owner;
}

const struct nvx_rows *nvx_top__rows(const struct nvx_top *t, enum nvx_top_window w,
				     struct nvx_top_scope scope, struct nvx_rows **owner)
{
	const struct nvx_rows *from = w == NVX_TOP_LAST ? t->vms.last : t->vms.total;
	struct nvx_rows one;

	*owner = NULL;
	if (scope.slot != NVX_TOP_NO_SLOT)
		return vcpu_rows(t, w, scope.slot, owner);
	if (scope.vm == NVX_VM_ALL)
		return w == NVX_TOP_LAST ? t->host.last : t->host.total;
	*owner = nvx_rows__new();
	for (size_t i = 0; *owner && i < from->nr; i++) {
		one = (struct nvx_rows){ .nr = 1, .row = &from->row[i] };
		if (from->row[i]->l.vm == scope.vm && nvx_rows__add(*owner, &one, 0)) {
			nvx_rows__free(*owner);
			*owner = NULL;
		}
	}
	return *owner;
}

const struct nvx_rows *nvx_top__all(const struct nvx_top *t)
{
	return t->vms.total;
}

uint64_t nvx_top__ns(const struct nvx_top *t, enum nvx_top_window w)
{
	return w == NVX_TOP_LAST ? t->last_ns : t->t_last - t->t_base;
}

const struct nvx_top_sum *nvx_top__host(const struct nvx_top *t, enum nvx_top_window w)
{
	return &t->sum[w].host;
}

const struct nvx_top_sum *nvx_top__vm(const struct nvx_top *t, enum nvx_top_window w, uint32_t vm)
{
	return vm < t->sum[w].room ? &t->sum[w].vm[vm] : &no_sum;
}

const struct nvx_sample *nvx_top__latest(const struct nvx_top *t)
{
	return t->cur;
}

const struct nvx_sample *nvx_top__newest(const struct nvx_top *t)
{
	return t->tail ? t->tail : t->cur;
}

unsigned int nvx_top__vcpus(const struct nvx_top *t, uint32_t vm)
{
	return vm < t->nr_vms ? t->vcpus[vm] : 0;
}

/* The past of these labels, or NULL. */
static const struct series *past_of(const struct nvx_top *t, const struct nvx_labels *l)
{
	const struct book *b = l->vm == NVX_VM_ALL ? &t->host : &t->vms;
	long i = nvx_rows__index(b->total, l);

	return i >= 0 && (size_t)i < b->room ? b->past[i] : NULL;
}

size_t nvx_top__past(const struct nvx_top *t, const struct nvx_labels *l, enum nvx_top_value v,
		     float *out)
{
	const struct series *s = past_of(t, l);
	size_t nr = t->intervals < NVX_TOP_PAST ? t->intervals : NVX_TOP_PAST;

	if (!s)
		return 0;
	for (size_t i = 0; i < nr; i++)
		out[i] = series_at(s, v, t->intervals - nr + 1 + i);
	return nr;
}

bool nvx_top__change(const struct nvx_top *t, const struct nvx_labels *l, enum nvx_top_value v,
		     struct nvx_comparison *c)
{
	const struct series *s = past_of(t, l);
	double a[NVX_TOP_BEFORE], b[NVX_TOP_PAST];
	size_t na, nb;

	if (!s || !nvx_top__marked(t, &na, &nb) || !na || !nb)
		return false;
	for (size_t i = 0; i < na; i++)
		a[i] = s->marked == t->mark ? s->before[v][NVX_TOP_BEFORE - na + i] : 0;
	for (size_t i = 0; i < nb; i++)
		b[i] = series_at(s, v, t->intervals - nb + 1 + i);
	series_compare(a, na, b, nb, c);
	return true;
}

uint64_t nvx_top__intervals(const struct nvx_top *t)
{
	return t->intervals;
}
