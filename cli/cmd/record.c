// SPDX-License-Identifier: GPL-2.0-only
/* nvx record: live source -> samples -> deltas -> a session file. */
#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/track.h"
#include "cmd/view_opts.h"
#include "util/fmt.h"
#include "util/log.h"

/* As nvx stat: new VMs are looked for this often. */
#define POLL_NS 50000000ULL

enum { OPT_NOTE = 256, OPT_FORCE };

struct record_opts {
	struct nvx_filter filter;
	struct track_opts track;
	uint64_t duration_ns;
	struct live_opts how;
};

struct record {
	const struct record_opts *o;
	struct live_source src;
	struct track *track;
	struct nvx_sample *last;
	struct nvx_cost cost;
	bool cost_open, stop;
	uint64_t start, t_last, next;
	sigset_t signals;
};

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "The session:", 1 },
	{ "output", 'o', "FILE", 0, "Write the session to FILE (needed)", 1 },
	{ "force", OPT_FORCE, NULL, 0, "Replace a FILE that is there", 1 },
	{ "note", OPT_NOTE, "TEXT", 0, "Keep TEXT with it: what was changed, what ran", 1 },
	{ "duration", 'd', "TIME", 0, "Stop after TIME (seconds, or 500ms, 2m)", 1 },
	{ "interval", 'i', "TIME", 0, "One delta each TIME (default: 1)", 1 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct record_opts *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->filter;
		state->child_inputs[1] = &o->how;
		return 0;
	case 'o':
		o->track.path = arg;
		return 0;
	case OPT_FORCE:
		o->track.replace = true;
		return 0;
	case OPT_NOTE:
		if (strlen(arg) >= sizeof(((struct nvx_session_head *)0)->note))
			argp_error(state, "--note takes at most 399 bytes");
		o->track.note = arg;
		return 0;
	case 'd':
		o->duration_ns = view_opts__duration(state, "--duration", arg);
		return 0;
	case 'i':
		o->track.interval_ns = view_opts__interval(state, arg);
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "no argument is known: `%s`", arg);
		return 0;
	case ARGP_KEY_END:
		if (!o->track.path)
			argp_error(state, "which file? Give one with -o FILE");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* One sample; its delta is in the file when this returns. */
static int take(struct record *r)
{
	struct nvx_sample *s = NULL;
	int ret = nvx_live__sample(r->src.live, &s);

	if (ret)
		return ret;
	ret = track__delta(r->track, r->last, s, s->t_ns - r->t_last, 0, false);
	nvx_sample__free(r->last);
	r->last = s;
	r->t_last = s->t_ns;
	return ret;
}

static void wait_a_little(struct record *r, uint64_t end)
{
	uint64_t now = live_now_ns(), until = now + POLL_NS;
	struct timespec t = { 0 };
	int sig;

	until = until < end ? until : end;
	until = until < r->next ? until : r->next;
	if (until > now)
		t.tv_nsec = until - now;
	sig = sigtimedwait(&r->signals, NULL, &t);
	if (sig > 0)
		r->stop = true;
	if (r->cost_open && live_now_ns() > r->start + 4 * POLL_NS)
		r->cost_open = nvx_live__cost_end(r->src.live, &r->cost) != 0;
}

static int loop(struct record *r)
{
	uint64_t end = r->o->duration_ns ? r->start + r->o->duration_ns : UINT64_MAX, now;
	int ret = 0;

	while (!ret && !r->stop && (now = live_now_ns()) < end) {
		wait_a_little(r, end);
		now = live_now_ns();
		/* the last delta ends with the whole */
		if (r->stop || now >= end)
			break;
		if (nvx_live__poll(r->src.live) || now >= r->next)
			ret = take(r);
		while (r->next <= now)
			r->next += r->o->track.interval_ns;
	}
	return ret;
}

static void say_result(const struct record *r)
{
	struct track_state s;
	char n[NVX_FMT_MAX], t[NVX_FMT_MAX], size[NVX_FMT_MAX];

	track__state(r->track, &s);
	nvx_log(NVX_LOG_INFO, "%s: %s exits in %s, %llu deltas, %s", r->o->track.path,
		nvx_fmt__count(n, sizeof(n), s.exits), nvx_fmt__ns(t, sizeof(t), s.duration_ns),
		(unsigned long long)s.deltas, nvx_fmt__bytes(size, sizeof(size), s.bytes));
	if (!s.exits)
		nvx_warn("%s has no exit: no VM ran, or the filter left all out", r->o->track.path);
}

static int run_it(struct record *r)
{
	int ret;

	live_block_signals(&r->signals);
	if (live_source__attach(&r->src))
		return 1;
	r->cost_open = !nvx_live__cost_begin(r->src.live);
	r->start = r->t_last = live_now_ns();
	r->next = r->start + r->o->track.interval_ns;
	ret = loop(r);
	if (r->cost_open)
		nvx_live__cost_end(r->src.live, &r->cost);
	nvx_live__stop(r->src.live);
	if (!ret)
		ret = take(r);
	if (!ret)
		ret = track__end(r->track, &r->cost);
	if (ret)
		nvx_error("cannot write %s: %s", r->o->track.path, strerror(-ret));
	else
		say_result(r);
	return ret != 0;
}

int cmd_record(int argc, char **argv)
{
	static const struct argp_child children[] = { { &filter_argp, 0, NULL, 0 },
						      { &live_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		.options = options, .parser = parse, .children = children,
		.doc = "Save what nested VMs do, delta by delta, with what host and VMs look like: "
		       "for `nvx report`, and for `nvx diff` to compare. Until Ctrl-C, or for a "
		       "time.",
	};
	struct record_opts o = { .track = { .by = "record", .interval_ns = 1000000000 } };
	struct record r = { .o = &o };
	struct live_want want = { .filter = &o.filter };
	int ret;

	argp_err_exit_status = 2;
	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return 2;
	o.track.filter = &o.filter;
	want.how = o.how;
	ret = live_source__open(&want, &r.src);
	if (!ret)
		ret = track__open(&o.track, &r.src, &r.track);
	if (!ret)
		ret = run_it(&r);
	track__close(r.track);
	nvx_sample__free(r.last);
	live_source__close(&r.src);
	return ret;
}
