// SPDX-License-Identifier: GPL-2.0-only
/* nvx replay: a recorded trace through the same engine and views as live events. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd/cmd.h"
#include "cmd/recording.h"
#include "cmd/view_opts.h"
#include "util/log.h"

struct replay_opts {
	struct view_opts view;
	uint64_t interval_ns;
	bool fast;
	const char *file;
};

struct replay {
	const struct replay_opts *o;
	struct nvx_events *trace;
	struct nvx_feed *feed;
	struct nvx_sample *last;
	struct nvx_rows *total, *part;
	uint64_t part_start, next_part, parts;
	uint64_t first, wall; /* time of the first event, and CLOCK_MONOTONIC when it was shown */
	unsigned int printed;
	FILE *out;
	struct nvx_probe_section section[NVX_SECTION_COUNT];
	bool cut; /* the trace ended with an error */
};

static volatile sig_atomic_t stop;

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "How:", 1 },
	{ "fast", 'f', NULL, 0, "As fast as possible instead of at the trace's own pace", 1 },
	{ "interval", 'i', "TIME", 0, "Also print each TIME's share (trace time) as it ends", 1 },
	{ "verbose", 'v', NULL, 0, "Say what nvx decides", 4 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct replay_opts *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->view;
		return 0;
	case 'f':
		o->fast = true;
		return 0;
	case 'i':
		o->interval_ns = view_opts__duration(state, "--interval", arg);
		return 0;
	case 'v':
		nvx_log_level = NVX_LOG_INFO;
		return 0;
	case ARGP_KEY_ARG:
		if (o->file)
			argp_error(state, "one file at a time; `%s` is the second", arg);
		o->file = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which file? Record one with: trace-cmd record -e kvm");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int print(struct replay *r, const struct nvx_rows *rows, uint64_t interval, uint64_t from)
{
	const struct nvx_events_info *info = nvx_events__info(r->trace);
	struct nvx_report rep = {
		.rows = rows,
		.host = "a recording",
		.release = "n/a",
		.source = r->o->file,
		.source_reason = "",
		.section = r->section,
		.duration_ns = nvx_feed__last(r->feed) - from,
		.interval = interval,
		.lost = recording__lost(info),
	};

	recording__sections(info, !interval, r->section);
	rep.vms = nvx_feed__vms(r->feed, &rep.nr_vms);
	return view_opts__print(&r->o->view, &rep, r->out, &r->printed);
}

static int take_sample(struct replay *r)
{
	struct nvx_rows *delta = nvx_rows__new();
	struct nvx_sample *s = NULL;
	int ret = delta ? nvx_feed__sample(r->feed, &s) : -ENOMEM;

	if (!ret)
		ret = nvx_rollup(delta, r->last, s, &r->o->view.filter);
	if (!ret)
		ret = nvx_rows__add(r->total, delta, 0);
	if (!ret && r->part)
		ret = nvx_rows__add(r->part, delta, 0);
	nvx_rows__free(delta);
	if (s) {
		nvx_sample__free(r->last);
		r->last = s;
	}
	return ret;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* Wait until as much time has passed as between the trace's first event and this one. */
static void keep_pace(struct replay *r, uint64_t ts)
{
	uint64_t due = r->wall + (ts > r->first ? ts - r->first : 0);
	struct timespec until = { due / 1000000000, due % 1000000000 };

	/* an absolute time: the difference to one that has just passed would be centuries */
	while (!stop && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
		;
}

/* More intervals than this without an event are not shown one by one. */
#define MAX_SILENCE 100000

static int end_interval(struct replay *r, uint64_t ts)
{
	uint64_t silent = (ts - r->next_part) / r->o->interval_ns;
	int ret;

	nvx_feed__advance(r->feed, r->next_part);
	ret = take_sample(r);
	if (!ret)
		ret = print(r, r->part, ++r->parts, r->part_start);
	nvx_rows__free(r->part);
	r->part = nvx_rows__new();
	r->part_start = r->next_part;
	if (silent > MAX_SILENCE) {
		nvx_warn("%s: nothing happened for %llu intervals; they are one", r->o->file,
			 (unsigned long long)silent);
		r->next_part += silent * r->o->interval_ns;
	}
	r->next_part += r->o->interval_ns;
	return r->part ? ret : -ENOMEM;
}

static int one_event(struct replay *r, const struct nvx_event *e)
{
	int ret = 0;

	if (!r->wall) {
		r->wall = now_ns();
		r->first = e->ts;
		r->part_start = e->ts;
		r->next_part = e->ts + r->o->interval_ns;
	}
	while (r->part && !ret && !stop && e->ts >= r->next_part)
		ret = end_interval(r, e->ts);
	if (ret)
		return ret;
	if (!r->o->fast)
		keep_pace(r, e->ts);
	return nvx_feed__event(r->feed, e);
}

static int run_it(struct replay *r)
{
	char err[NVX_EVENTS_ERR];
	struct nvx_event e;
	int ret;

	while (!stop && (ret = nvx_events__next(r->trace, &e, err)) == 1) {
		ret = one_event(r, &e);
		if (ret)
			return ret;
	}
	if (!stop && ret < 0) {
		nvx_error("%s", err);
		r->cut = true;
	}
	ret = take_sample(r);
	/* what is left of the last interval, so that the parts add up to the whole */
	if (!ret && r->part && r->part->nr)
		ret = print(r, r->part, ++r->parts, r->part_start);
	/* of a file of which nothing could be read there is nothing to show */
	if (!ret && (r->total->nr || !r->cut))
		ret = print(r, r->total, 0, nvx_feed__first(r->feed));
	return ret;
}

static int replay(struct replay *r)
{
	char err[NVX_EVENTS_ERR];
	int ret;

	r->out = view_opts__open(&r->o->view);
	if (!r->out)
		return 1;
	ret = nvx_events__open(r->o->file, NVX_EVENTS_AUTO, &r->trace, err);
	if (ret) {
		nvx_error("%s", err);
		return 1;
	}
	r->feed = nvx_feed__new();
	r->total = nvx_rows__new();
	r->part = r->o->interval_ns ? nvx_rows__new() : NULL;
	ret = r->feed && r->total && (!r->o->interval_ns || r->part) ? run_it(r) : -ENOMEM;
	if (ret)
		nvx_error("%s", strerror(-ret));
	if (!r->cut && !stop)
		recording__check(nvx_events__info(r->trace), r->o->file);
	return ret || r->cut;
}

int cmd_replay(int argc, char **argv)
{
	static const struct argp_child children[] = { { &view_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		.options = options, .parser = parse, .args_doc = "FILE", .children = children,
		.doc = "Show recorded events (trace.dat, perf.data, or their text) as `nvx stat` shows "
		       "live ones: the same engine, the same sections.",
	};
	struct sigaction sa = { .sa_handler = on_signal };
	struct replay_opts o = { 0 };
	struct replay r = { .o = &o };
	int ret;

	argp_err_exit_status = 2;
	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return 2;
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	ret = replay(&r);
	nvx_rows__free(r.total);
	nvx_rows__free(r.part);
	nvx_sample__free(r.last);
	nvx_feed__free(r.feed);
	nvx_events__close(r.trace);
	return ret | view_opts__close(&o.view, r.out);
}
