// SPDX-License-Identifier: GPL-2.0-only
/* nvx stat: live source -> samples -> deltas -> one report, or one an interval. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/live_open.h"
#include "cmd/stat_opts.h"
#include "util/log.h"

/* New VMs are looked for this often, so that one that lives shortly has its name read. */
#define POLL_NS		50000000ULL
/* Slots of ended vCPUs return to use with a sample, so one is taken this often at least. */
#define SAMPLE_NS	1000000000ULL
/* Enough events for a mean, and not a moment longer: statistics slow every BPF program. */
#define COST_EVENTS	1000
#define COST_NS		200000000ULL

struct run {
	const struct stat_opts *o;
	struct live_source src;
	struct nvx_sample *last;   /* of the latest delta */
	struct nvx_rows *total, *part; /* since the start; since the last interval */
	struct nvx_cost cost;
	bool cost_open;
	uint64_t start, part_start, next_sample, next_part, parts;
	unsigned int printed;
	uint64_t t_last; /* of the latest sample */
	pid_t child;
	int status; /* of the child */
	bool stop;
	sigset_t signals;
	FILE *out;
};

static int print_report(struct run *r, const struct nvx_rows *rows, uint64_t interval,
			uint64_t from)
{
	struct nvx_report rep = {
		.rows = rows,
		.host = r->src.host,
		.release = r->src.probe->release,
		.tier = r->src.probe->tier,
		.source = nvx_tier__name(r->src.probe->tier),
		.source_reason = r->src.probe->tier_reason,
		.section = r->src.probe->section,
		.duration_ns = r->t_last - from,
		.interval = interval,
		.cost = r->cost,
		.misses = r->last->misses,
	};

	memcpy(rep.gdrops, r->last->gdrops, sizeof(rep.gdrops));
	rep.vms = nvx_live__vms(r->src.live, &rep.nr_vms);
	return view_opts__print(&r->o->view, &rep, r->out, &r->printed);
}

/* One sample: its delta goes to the total and to the running interval. */
static int take_sample(struct run *r)
{
	struct nvx_rows *delta = nvx_rows__new();
	struct nvx_sample *s = NULL;
	int ret = delta ? nvx_live__sample(r->src.live, &s) : -ENOMEM;

	if (!ret)
		ret = nvx_rollup(delta, r->last, s, &r->o->view.filter);
	if (!ret)
		ret = nvx_rows__add(r->total, delta, 0);
	if (!ret && r->part)
		ret = nvx_rows__add(r->part, delta, 0);
	nvx_rows__free(delta);
	if (!s)
		return ret;
	nvx_sample__free(r->last);
	r->last = s;
	r->t_last = s->t_ns;
	r->next_sample = r->t_last + SAMPLE_NS;
	return ret;
}

static int end_interval(struct run *r)
{
	int ret = take_sample(r);

	if (ret)
		return ret;
	ret = print_report(r, r->part, ++r->parts, r->part_start);
	nvx_rows__free(r->part);
	r->part = nvx_rows__new();
	r->part_start = r->t_last;
	r->next_part += r->o->interval_ns;
	return r->part ? ret : -ENOMEM;
}

static void look_at_cost(struct run *r, bool end)
{
	struct nvx_cost c;

	if (!r->cost_open || (!end && live_now_ns() < r->start + COST_NS))
		return;
	if (!end && (nvx_live__cost_read(r->src.live, &c) || c.events < COST_EVENTS))
		return;
	r->cost_open = nvx_live__cost_end(r->src.live, &r->cost) != 0;
}

/* Sleep until a signal or the next thing to do, not longer than until @end. */
static void wait_a_little(struct run *r, uint64_t end)
{
	uint64_t now = live_now_ns(), until = now + POLL_NS;
	struct timespec t = {};
	int sig;

	if (until > end)
		until = end;
	if (r->part && until > r->next_part)
		until = r->next_part;
	if (until > now)
		t.tv_nsec = until - now;
	sig = sigtimedwait(&r->signals, NULL, &t);

	if (sig == SIGINT || sig == SIGTERM || sig == SIGHUP)
		r->stop = true;
	if (r->child > 0 && waitpid(r->child, &r->status, WNOHANG) == r->child) {
		r->child = 0;
		r->stop = true;
	}
}

/* The last reading is taken with everything stopped, so that its tables are of one moment. */
static int finish(struct run *r)
{
	look_at_cost(r, true);
	nvx_live__stop(r->src.live);
	return r->part ? end_interval(r) : take_sample(r);
}

static int loop(struct run *r)
{
	uint64_t end = r->o->duration_ns ? r->start + r->o->duration_ns : UINT64_MAX;
	uint64_t now = live_now_ns();
	int ret = 0;

	while (!ret && !r->stop && now < end) {
		wait_a_little(r, end);
		now = live_now_ns();
		if (nvx_live__poll(r->src.live))
			r->next_sample = now;
		look_at_cost(r, false);
		/* the last interval ends with the whole */
		if (r->stop || now >= end)
			break;
		if (r->part && now >= r->next_part)
			ret = end_interval(r);
		else if (now >= r->next_sample)
			ret = take_sample(r);
	}
	return ret ? ret : finish(r);
}

static int start_command(struct run *r)
{
	r->child = fork();
	if (r->child < 0)
		return -errno;
	if (!r->child) {
		sigprocmask(SIG_UNBLOCK, &r->signals, NULL);
		execvp(r->o->command[0], r->o->command);
		nvx_error("cannot run %s: %s", r->o->command[0], strerror(errno));
		_exit(127);
	}
	return 0;
}

/* What the command had to say by its exit; nvx's own result stands apart from it. */
static int command_result(struct run *r)
{
	if (r->child > 0) {
		kill(r->child, SIGTERM);
		waitpid(r->child, &r->status, 0);
		return 0;
	}
	if (WIFSIGNALED(r->status))
		nvx_warn("%s was ended by signal %d", r->o->command[0], WTERMSIG(r->status));
	else if (WEXITSTATUS(r->status) == 127)
		return 1;
	else if (WEXITSTATUS(r->status))
		nvx_warn("%s exited with %d", r->o->command[0], WEXITSTATUS(r->status));
	return r->status != 0;
}

static int run_it(struct run *r)
{
	int ret = 0;

	sigemptyset(&r->signals);
	sigaddset(&r->signals, SIGINT);
	sigaddset(&r->signals, SIGTERM);
	sigaddset(&r->signals, SIGHUP);
	sigaddset(&r->signals, SIGCHLD);
	sigprocmask(SIG_BLOCK, &r->signals, NULL);
	r->total = nvx_rows__new();
	r->part = r->o->interval_ns ? nvx_rows__new() : NULL;
	if (!r->total || (r->o->interval_ns && !r->part))
		return -ENOMEM;
	r->cost_open = !nvx_live__cost_begin(r->src.live);
	r->start = r->part_start = r->t_last = live_now_ns();
	r->next_part = r->start + r->o->interval_ns;
	r->next_sample = r->start + SAMPLE_NS;
	if (r->o->command)
		ret = start_command(r);
	if (!ret)
		ret = loop(r);
	if (!ret)
		ret = print_report(r, r->total, 0, r->start);
	return ret;
}

static int prepare(struct run *r)
{
	const struct live_want want = { .filter = &r->o->view.filter, .how = r->o->how,
					.starts_vms = r->o->command != NULL };

	if (live_source__open(&want, &r->src))
		return 1;
	r->out = view_opts__open(&r->o->view);
	return r->out ? live_source__attach(&r->src) : 1;
}

int cmd_stat(int argc, char **argv)
{
	struct stat_opts o;
	struct run r = { .o = &o };
	int ret;

	if (stat_opts__parse(argc, argv, &o))
		return 2;
	ret = prepare(&r);
	if (!ret) {
		int err = run_it(&r);

		if (err)
			nvx_error("%s", strerror(-err));
		ret = err != 0;
		if (o.command)
			ret |= command_result(&r);
	}
	nvx_rows__free(r.total);
	nvx_rows__free(r.part);
	nvx_sample__free(r.last);
	live_source__close(&r.src);
	ret |= view_opts__close(&o.view, r.out);
	return ret;
}
