// SPDX-License-Identifier: GPL-2.0-only
/* nvx top over a recording: at its own pace, as fast as possible, or an interval at a time. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/recording.h"
#include "cmd/top.h"
#include "util/fmt.h"
#include "util/log.h"

struct replay {
	const struct top_opts *o;
	struct nvx_events *trace;
	struct nvx_feed *feed;
	struct nvx_event next; /* read, and not applied */
	bool have, ended, failed;
	uint64_t first, boundary, interval_ns;
	uint64_t wall;	 /* CLOCK_MONOTONIC when the first event was due */
	uint64_t steps;	 /* intervals that may still go by, with --step */
	uint64_t shown;	 /* time of the trace that was reached */
	char at[48];
	struct nvx_probe_section section[NVX_SECTION_COUNT];
};

/* The next event, or the end. */
static void read_next(struct replay *r)
{
	char err[NVX_EVENTS_ERR];
	int ret = nvx_events__next(r->trace, &r->next, err);

	r->have = ret == 1;
	if (ret < 0) {
		nvx_error("%s", err);
		r->failed = true;
	}
}

static int replay_open(const struct top_opts *o, struct nvx_top *t, void **self)
{
	struct replay *r = calloc(1, sizeof(*r));
	char err[NVX_EVENTS_ERR];
	struct nvx_sample *s;

	if (!r)
		return 1;
	*self = r;
	r->o = o;
	r->interval_ns = o->interval_ns;
	if (nvx_events__open(o->replay, NVX_EVENTS_AUTO, &r->trace, err)) {
		nvx_error("%s", err);
		return 1;
	}
	r->feed = nvx_feed__new();
	if (!r->feed)
		return 1;
	read_next(r);
	if (!r->have) {
		if (!r->failed)
			nvx_error("%s has no event of KVM", o->replay);
		return 1;
	}
	r->first = r->shown = r->next.ts;
	r->boundary = r->first + r->interval_ns;
	r->wall = live_now_ns();
	nvx_feed__advance(r->feed, r->first);
	return nvx_feed__sample(r->feed, &s) || nvx_top__start(t, s);
}

static void replay_info(void *self, struct nvx_top_info *info)
{
	struct replay *r = self;
	const struct nvx_events_info *e = nvx_events__info(r->trace);
	char ns[NVX_FMT_MAX];

	recording__sections(e, r->ended, r->section);
	snprintf(r->at, sizeof(r->at), "at %s", nvx_fmt__ns(ns, sizeof(ns), r->shown - r->first));
	info->host = "a recording";
	info->release = "n/a";
	info->source = r->o->replay;
	info->section = r->section;
	info->vms = nvx_feed__vms(r->feed, &info->nr_vms);
	info->interval_ns = r->interval_ns;
	info->dropped = recording__lost(e);
	info->own_cpu = -1;
	info->at = r->at;
	info->ended = r->ended;
}

static int end_interval(struct replay *r, struct nvx_top *t, uint64_t ts)
{
	struct nvx_sample *s;
	int ret;

	nvx_feed__advance(r->feed, ts);
	r->shown = ts;
	ret = nvx_feed__sample(r->feed, &s);
	return ret ? ret : nvx_top__sample(t, s);
}

/* Apply events up to the end of the interval.  1: it is over; -errno. */
static int one_interval(struct replay *r, struct nvx_top *t)
{
	int ret = 0;

	while (r->have && r->next.ts < r->boundary && !ret) {
		ret = nvx_feed__event(r->feed, &r->next);
		read_next(r);
	}
	if (ret)
		return ret;
	/* the last one is as long as there are events */
	r->ended = !r->have;
	ret = end_interval(r, t, r->have ? r->boundary : nvx_feed__last(r->feed));
	r->boundary += r->interval_ns;
	return ret ? ret : 1;
}

static int replay_go(void *self, struct nvx_top *t, uint64_t *wait_ns)
{
	struct replay *r = self;
	uint64_t now = live_now_ns(), due;
	int ret = 0;

	*wait_ns = 1000000000;
	if (r->ended || (r->o->step && !r->steps))
		return 0;
	due = r->wall + (r->boundary - r->first);
	if (!r->o->fast && !r->o->step && now < due) {
		*wait_ns = due - now < *wait_ns ? due - now : *wait_ns;
		return 0;
	}
	r->steps -= r->steps != 0;
	ret = one_interval(r, t);
	*wait_ns = 0;
	return ret;
}

static void replay_interval(void *self, uint64_t ns)
{
	struct replay *r = self;

	/* the running interval is longer or shorter from its beginning on */
	r->boundary += ns - r->interval_ns;
	r->interval_ns = ns;
	if (r->boundary <= r->shown)
		r->boundary = r->shown + ns;
	r->wall = live_now_ns() - (r->shown - r->first);
}

static void replay_step(void *self)
{
	struct replay *r = self;

	r->steps++;
}

static void replay_record(void *self, struct nvx_topui *ui, const char *path)
{
	struct replay *r = self;

	if (path)
		nvx_topui__say(ui, "no session of a recording from here: nvx import %s -o %s",
			       r->o->replay, path);
}

static void replay_close(void *self)
{
	struct replay *r = self;

	if (!r)
		return;
	nvx_feed__free(r->feed);
	nvx_events__close(r->trace);
	free(r);
}

const struct top_source top_replay = {
	.open = replay_open,
	.info = replay_info,
	.go = replay_go,
	.interval = replay_interval,
	.step = replay_step,
	.record = replay_record,
	.close = replay_close,
};
