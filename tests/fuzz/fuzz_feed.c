// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bytes as the events of a trace: through the feed, samples at any moment, deltas of them and
 * every view.  What must hold is counted beside the engine: exits, switches, and time, all of
 * which belongs to some phase.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/feed.h"
#include "model/report.h"
#include "view/json.h"
#include "view/stat.h"

#define MAX_LIVES 512

/* A vCPU from its first exit to its thread's end. */
struct life {
	uint32_t tid, vcpu;
	uint64_t first, last;
	bool ended;
};

struct fuzz {
	const uint8_t *p, *end;
	struct nvx_feed *feed;
	struct nvx_sample *last;
	struct nvx_rows *total;
	FILE *out;
	uint64_t ts;
	struct life life[MAX_LIVES];
	size_t nr;
	uint64_t exits, entries, leaves;
};

static uint64_t take(struct fuzz *f, size_t size)
{
	uint64_t v = 0;

	if ((size_t)(f->end - f->p) < size)
		size = f->end - f->p;
	memcpy(&v, f->p, size);
	f->p += size;
	return v;
}

/* Numbers that mean something, and now and then any. */
static uint64_t some(struct fuzz *f)
{
	static const uint64_t known[] = {
		0, 1, 0x60, 0x72, 0x78, 0x7b, 0x7c, 0x80, 0x81, 0x400, 0x401, 0xf0000000,
		0xffffffff, 10, 12, 18, 20, 24, 28, 30, 31, 32, 44, 48, 49, 52, 56, 0x80000021,
		0x300, 0x310,
		0xfee00300, 0xfee00310, 0xd0000000, 0x830, 0x83f, 0x40000071, 8, 0x1000, 0xf4 << 16,
	};
	uint8_t b = take(f, 1);

	return b < 0xe0 ? known[b % (sizeof(known) / sizeof(*known))] : take(f, 8);
}

static void must(bool holds, const char *what, uint64_t got, uint64_t want)
{
	if (holds)
		return;
	fprintf(stderr, "does not hold: %s: %llu, %llu\n", what, (unsigned long long)got,
		(unsigned long long)want);
	abort();
}

static void must_be(const char *what, uint64_t got, uint64_t want)
{
	must(got == want, what, got, want);
}

/* The life that an event belongs to, as feed.h tells it. */
static struct life *life_of(struct fuzz *f, const struct nvx_event *e)
{
	for (size_t i = f->nr; i-- > 0;) {
		struct life *l = &f->life[i];

		if (!l->ended && l->tid == e->tid && (e->type != NVX_EV_EXIT || l->vcpu == e->vcpu))
			return l;
	}
	return NULL;
}

static void note(struct fuzz *f, const struct nvx_event *e)
{
	struct life *l = life_of(f, e);

	if (!l && e->type != NVX_EV_EXIT)
		return;
	if (!l) {
		l = &f->life[f->nr++];
		*l = (struct life){ .tid = e->tid, .vcpu = e->vcpu, .first = e->ts };
	}
	f->exits += e->type == NVX_EV_EXIT;
	f->entries += e->type == NVX_EV_NESTED_ENTER;
	f->leaves += e->type == NVX_EV_INJECT;
	for (size_t i = 0; e->type == NVX_EV_THREAD_END && i < f->nr; i++) {
		l = &f->life[i];
		if (!l->ended && l->tid == e->tid) {
			l->ended = true;
			l->last = e->ts;
		}
	}
}

static bool one_event(struct fuzz *f)
{
	uint8_t b = take(f, 1);
	struct nvx_event e = { .type = b & 15, .isa = b & 16 ? NVX_ISA_VMX : NVX_ISA_SVM };
	uint8_t who = take(f, 1);

	if (e.type > NVX_EV_THREAD_END)
		e.type = NVX_EV_EXIT;
	e.tid = who & 7;
	e.vcpu = who >> 3 & 3;
	f->ts += who & 0x20 ? take(f, 4) : take(f, 2);
	e.ts = f->ts;
	e.reason = some(f);
	e.a = b & 32 ? some(f) : 0;
	e.b = b & 64 ? some(f) : 0;
	snprintf(e.comm, sizeof(e.comm), "CPU %u/KVM", e.vcpu);
	if (f->nr == MAX_LIVES)
		return false;
	note(f, &e);
	return !nvx_feed__event(f->feed, &e);
}

static void show(struct fuzz *f, const struct nvx_rows *rows, uint8_t how)
{
	struct nvx_probe_section section[NVX_SECTION_COUNT] = { 0 };
	struct nvx_report rep = {
		.rows = rows, .host = "h", .release = "r", .source = "s", .source_reason = "",
		.section = section, .duration_ns = f->ts, .interval = how & 1, .sections = ~0u,
		.sort = how >> 1 & 3, .top = how & 8 ? 3 : 0, .by_l2 = how & 16,
		.by_host = how & 32,
	};

	for (size_t i = 0; i < NVX_SECTION_COUNT; i++)
		section[i].have = NVX_HAVE_YES;
	rep.vms = nvx_feed__vms(f->feed, &rep.nr_vms);
	rewind(f->out);
	if (how & 64)
		nvx_view__csv(&rep, f->out, true);
	else if (how & 128)
		nvx_view__stat(&rep, f->out);
	else
		nvx_view__json(&rep, f->out);
}

/* A delta since the last sample, shown, and added to the total. */
static void sample(struct fuzz *f, uint8_t how)
{
	struct nvx_rows *delta = nvx_rows__new();
	struct nvx_sample *s;

	if (nvx_feed__sample(f->feed, &s))
		abort();
	if (nvx_rollup(delta, f->last, s, NULL) || nvx_rows__add(f->total, delta, 0))
		abort();
	show(f, delta, how);
	nvx_rows__free(delta);
	nvx_sample__free(f->last);
	f->last = s;
}

static uint64_t sum(const struct fuzz *f, enum nvx_set set, enum nvx_value value)
{
	return nvx_rows__sum(f->total, set, value, -1, NVX_VM_ALL);
}

static void check(const struct fuzz *f)
{
	uint64_t time = 0, lost = sum(f, NVX_SET_VMS, NVX_V_LOST), exits;

	exits = sum(f, NVX_SET_VMS, NVX_V_COUNT) + sum(f, NVX_SET_VMS, NVX_V_L2_EXITS) +
		sum(f, NVX_SET_VMS, NVX_V_UNKNOWN);
	must_be("exits by level and by reason", sum(f, NVX_SET_EXITS, NVX_V_COUNT), exits);
	must(exits <= f->exits && exits + lost >= f->exits, "exits", exits, f->exits);
	must_be("entries", sum(f, NVX_SET_VMS, NVX_V_ENTRIES), f->entries);
	must_be("leaves", sum(f, NVX_SET_VMS, NVX_V_LEAVES), f->leaves);
	must(sum(f, NVX_SET_EXITS, NVX_V_REFLECTED) + sum(f, NVX_SET_EXITS, NVX_V_SYNTHESISED) <=
	     exits, "outcomes", sum(f, NVX_SET_EXITS, NVX_V_REFLECTED), exits);
	for (size_t i = 0; i < f->nr; i++)
		time += (f->life[i].ended ? f->life[i].last : f->ts) - f->life[i].first;
	must_be("time by phase", sum(f, NVX_SET_TIME, NVX_V_TIME), time);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static char text[1 << 20];
	struct fuzz *f = calloc(1, sizeof(*f));

	f->p = data;
	f->end = data + len;
	f->feed = nvx_feed__new();
	f->total = nvx_rows__new();
	f->out = fmemopen(text, sizeof(text), "w");
	while (f->p < f->end) {
		if (*f->p >= 0xf0) {
			f->p++;
			sample(f, take(f, 1));
		} else if (!one_event(f)) {
			break;
		}
	}
	sample(f, 0);
	check(f);
	show(f, f->total, len);
	nvx_sample__free(f->last);
	nvx_rows__free(f->total);
	nvx_feed__free(f->feed);
	fclose(f->out);
	free(f);
	return 0;
}
