// SPDX-License-Identifier: GPL-2.0-only
#include "source/perfdata_order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A file without rounds, or with a huge one: then the older half goes out as it is. */
#define MAX_PENDING (1u << 20)

struct key {
	uint64_t ts;
	uint32_t at;
};

static int reserve(struct nvx_event **p, size_t *room, size_t want)
{
	struct nvx_event *more;
	size_t n = *room ? *room : 1024;

	while (n < want)
		n *= 2;
	if (n == *room)
		return 0;
	more = realloc(*p, n * sizeof(*more));
	if (!more)
		return -ENOMEM;
	*p = more;
	*room = n;
	return 0;
}

static size_t run_end(const struct key *k, size_t from, size_t nr)
{
	size_t i = from + 1;

	while (i < nr && k[i - 1].ts <= k[i].ts)
		i++;
	return i < nr ? i : nr;
}

static void merge(const struct key *from, size_t a, size_t b, size_t end, struct key *to)
{
	size_t i = a, j = b;

	for (size_t n = a; n < end; n++)
		to[n] = j >= end || (i < b && from[i].ts <= from[j].ts) ? from[i++] : from[j++];
}

/*
 * Stable merge sort of what is in runs already: each buffer is.  Returns whichever of the two
 * arrays holds the result.
 */
static struct key *sort(struct key *k, struct key *spare, size_t nr)
{
	while (run_end(k, 0, nr) < nr) {
		struct key *swap = k;

		for (size_t a = 0, b, end; a < nr; a = end) {
			b = run_end(k, a, nr);
			end = b < nr ? run_end(k, b, nr) : nr;
			merge(k, a, b, end, spare);
		}
		k = spare;
		spare = swap;
	}
	return k;
}

/* Hand out the pending events up to a time. */
static int release(struct perf_order *o, uint64_t limit)
{
	struct key *k = malloc(2 * (o->nr + 1) * sizeof(*k)), *sorted;
	size_t kept = 0, nr = 0;

	/* all that was ready has been taken: put() and round() come between takes */
	if (!k || reserve(&o->ready, &o->room_ready, o->nr)) {
		free(k);
		return -ENOMEM;
	}
	for (size_t i = 0; i < o->nr; i++)
		if (o->event[i].ts <= limit)
			k[nr++] = (struct key){ o->event[i].ts, i };
	sorted = sort(k, k + nr, nr);
	for (size_t i = 0; i < nr; i++)
		o->ready[i] = o->event[sorted[i].at];
	for (size_t i = 0; i < o->nr; i++)
		if (o->event[i].ts > limit)
			o->event[kept++] = o->event[i];
	free(k);
	o->nr = kept;
	o->nr_ready = nr;
	o->next = 0;
	return 0;
}

static int newer_half(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Too many: up to the median. */
static int release_half(struct perf_order *o)
{
	uint64_t *ts = malloc(o->nr * sizeof(*ts)), median;

	if (!ts)
		return -ENOMEM;
	for (size_t i = 0; i < o->nr; i++)
		ts[i] = o->event[i].ts;
	qsort(ts, o->nr, sizeof(*ts), newer_half);
	median = ts[o->nr / 2];
	free(ts);
	return release(o, median);
}

int perf_order__put(struct perf_order *o, const struct nvx_event *e)
{
	if (reserve(&o->event, &o->room, o->nr + 1))
		return -ENOMEM;
	if (e->ts < o->taken)
		o->late++;
	o->event[o->nr++] = *e;
	if (e->ts > o->newest)
		o->newest = e->ts;
	return o->nr >= MAX_PENDING ? release_half(o) : 0;
}

int perf_order__round(struct perf_order *o)
{
	uint64_t limit = o->limit;

	o->limit = o->newest;
	return limit ? release(o, limit) : 0;
}

int perf_order__end(struct perf_order *o)
{
	return release(o, UINT64_MAX);
}

bool perf_order__take(struct perf_order *o, struct nvx_event *e)
{
	if (o->next >= o->nr_ready)
		return false;
	*e = o->ready[o->next++];
	/* what came late cannot go back in time */
	if (e->ts < o->taken)
		e->ts = o->taken;
	o->taken = e->ts;
	return true;
}

void perf_order__free(struct perf_order *o)
{
	free(o->event);
	free(o->ready);
	memset(o, 0, sizeof(*o));
}
