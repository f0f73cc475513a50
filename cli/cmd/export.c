// SPDX-License-Identifier: GPL-2.0-only
/* nvx export: live source -> sums since it began -> HTTP, in Prometheus's formats. */
#include <argp.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd/cmd.h"
#include "cmd/live_open.h"
#include "cmd/recording.h"
#include "cmd/rights.h"
#include "cmd/view_opts.h"
#include "model/sums.h"
#include "serve/http.h"
#include "source/events.h"
#include "util/log.h"
#include "view/prometheus.h"
#include "view/status.h"

#define LISTEN "127.0.0.1:9742"
/* As nvx record: new VMs are looked for this often. */
#define POLL_NS 50000000L

enum { OPT_LISTEN = 256, OPT_TOP, OPT_STALE, OPT_REPLAY, OPT_PER_VCPU, OPT_CREATED, OPT_USER };

struct export_opts {
	struct nvx_filter filter;
	const char *listen, *replay, *user;
	struct live_opts how;
	size_t top;
	uint64_t stale_ns;
	bool per_vcpu, created;
};

struct export {
	const struct export_opts *o;
	pthread_mutex_t lock; /* the server's thread reads; ours looks for new VMs */
	struct live_source src;
	struct nvx_feed *feed; /* of a recording */
	struct nvx_probe_section section[NVX_SECTION_COUNT];
	struct nvx_sums *sums;
	struct nvx_cost cost;
	uint64_t start_ns, scrapes, scrape_ns;
	sigset_t signals;
};

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "What to serve:", 1 },
	{ "listen", OPT_LISTEN, "WHERE", 0,
	  "ADDRESS:PORT or unix:PATH (default: " LISTEN "); a socket that systemd passes goes first",
	  1 },
	{ "top-reasons", OPT_TOP, "N", 0,
	  "Series a VM may have in each table; the rest is one called other (default: 40, 0: all)", 1 },
	{ "per-vcpu", OPT_PER_VCPU, NULL, 0, "Series of each vCPU instead of each VM", 1 },
	{ "created", OPT_CREATED, NULL, 0,
	  "OpenMetrics: since when, for every series, not only for the totals of VMs", 1 },
	{ "stale", OPT_STALE, "TIME", 0,
	  "Leave out a VM that did nothing for TIME (default: 5m, 0: never)", 1 },
	{ "replay", OPT_REPLAY, "FILE", 0, "Serve the sums of a recording instead of this host", 1 },
	{ "user", OPT_USER, "NAME", 0,
	  "Whom root becomes before it serves (default: nvx, or nobody)", 1 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct export_opts *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->filter;
		state->child_inputs[1] = &o->how;
		return 0;
	case OPT_LISTEN:
		o->listen = arg;
		return 0;
	case OPT_TOP:
		o->top = view_opts__number(state, "--top-reasons", arg, 100000);
		return 0;
	case OPT_PER_VCPU:
		o->per_vcpu = true;
		return 0;
	case OPT_CREATED:
		o->created = true;
		return 0;
	case OPT_STALE:
		o->stale_ns = view_opts__duration(state, "--stale", arg);
		return 0;
	case OPT_REPLAY:
		o->replay = arg;
		return 0;
	case OPT_USER:
		o->user = arg;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "no argument is known: `%s`", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static uint64_t realtime_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* What happened since the last reading goes into the sums; whom they forgot the source may too. */
static int take(struct export *x)
{
	const struct nvx_sums_vm *const *vm;
	struct nvx_sample *s = NULL;
	size_t nr, known;
	int ret = x->feed ? nvx_feed__sample(x->feed, &s) : nvx_live__sample(x->src.live, &s);

	if (!ret)
		ret = nvx_sums__take(x->sums, s, realtime_ns());
	if (ret || x->feed)
		return ret;
	vm = nvx_sums__vms(x->sums, &known);
	nvx_live__vms(x->src.live, &nr);
	for (size_t i = 0; i < nr; i++)
		if (i >= known || !vm[i])
			nvx_live__forget(x->src.live, i);
	return 0;
}

/* The VMs to show, and since when each counts; free both. */
static int choose_vms(struct export *x, struct nvx_report *rep, uint64_t **since)
{
	const struct nvx_sums_vm *const *vm = nvx_sums__vms(x->sums, &rep->nr_vms);
	const struct nvx_vm **vms = calloc(rep->nr_vms + 1, sizeof(*vms));

	*since = calloc(rep->nr_vms + 1, sizeof(**since));
	rep->vms = vms;
	if (!vms || !*since)
		return -ENOMEM;
	for (size_t i = 0; i < rep->nr_vms; i++) {
		if (!vm[i] || (!x->feed && nvx_sums__stale(x->sums, vm[i])))
			continue;
		vms[i] = &vm[i]->vm;
		(*since)[i] = vm[i]->since_ns;
	}
	return 0;
}

/* A page of the sums as they are now. */
static int make_page(struct export *x, bool people, bool openmetrics, struct nvx_text *text)
{
	const struct nvx_sample *last = nvx_sums__last(x->sums);
	struct nvx_report rep = { .section = x->section, .cost = x->cost,
				  .rows = nvx_sums__rows(x->sums),
				  .lost = nvx_sums__lost(x->sums) };
	uint64_t *since;
	int ret = choose_vms(x, &rep, &since);

	rep.source = x->feed ? x->o->replay : nvx_tier__name(x->src.probe->tier);
	if (last) {
		memcpy(rep.gdrops, last->gdrops, sizeof(rep.gdrops));
		rep.misses = last->misses;
	}
	if (!ret && people) {
		struct nvx_status s = { .version = NVX_VERSION, .scrapes = x->scrapes,
					.scrape_ns = x->scrape_ns, .start_ns = x->start_ns };

		nvx_view__status(&rep, &s, text);
		ret = text->failed ? -ENOMEM : 0;
	} else if (!ret) {
		struct nvx_prometheus p = { .openmetrics = openmetrics, .created = x->o->created,
					    .top = x->o->top, .start_ns = x->start_ns,
					    .since_ns = since, .scrapes = x->scrapes,
					    .scrape_ns = x->scrape_ns, .version = NVX_VERSION };

		ret = nvx_view__prometheus(&rep, &p, text);
	}
	free((void *)rep.vms);
	free(since);
	return ret;
}

static int metrics(struct export *x, bool openmetrics, struct nvx_text *text)
{
	uint64_t begin = live_now_ns();
	int ret = x->feed ? 0 : take(x);

	x->scrapes++;
	if (!ret)
		ret = make_page(x, false, openmetrics, text);
	x->scrape_ns = live_now_ns() - begin;
	return ret;
}

enum { PAGE_TEXT, PAGE_OPENMETRICS, PAGE_STATUS, PAGE_HEALTH };

static int which_page(const char *path, const char *accept)
{
	if (!strcmp(path, "/metrics"))
		return strstr(accept, "application/openmetrics-text") ? PAGE_OPENMETRICS : PAGE_TEXT;
	return !strcmp(path, "/") ? PAGE_STATUS : !strcmp(path, "/healthz") ? PAGE_HEALTH : -1;
}

static int on_page(void *arg, int number, struct nvx_http_page *page)
{
	static const char *const type[] = {
		[PAGE_TEXT] = "text/plain; version=0.0.4; charset=utf-8",
		[PAGE_OPENMETRICS] = "application/openmetrics-text; version=1.0.0; charset=utf-8",
		[PAGE_STATUS] = "text/html; charset=utf-8",
		[PAGE_HEALTH] = "text/plain; charset=utf-8",
	};
	struct nvx_text text = { 0 };
	struct export *x = arg;
	int ret = 0;

	pthread_mutex_lock(&x->lock);
	if (number == PAGE_STATUS)
		ret = make_page(x, true, false, &text);
	else if (number != PAGE_HEALTH)
		ret = metrics(x, number == PAGE_OPENMETRICS, &text);
	else
		nvx_text__str(&text, "ok\n");
	pthread_mutex_unlock(&x->lock);
	*page = (struct nvx_http_page){ .type = type[number], .text = text.s, .size = text.len };
	return ret;
}

static int read_recording(struct export *x)
{
	char err[NVX_EVENTS_ERR];
	struct nvx_events *events;
	struct nvx_event e;
	int ret = nvx_events__open(x->o->replay, NVX_EVENTS_AUTO, &events, err);

	if (ret) {
		nvx_error("%s", err);
		return 1;
	}
	x->feed = nvx_feed__new();
	ret = x->feed ? 1 : -ENOMEM;
	while (ret == 1 && (ret = nvx_events__next(events, &e, err)) == 1)
		ret = nvx_feed__event(x->feed, &e) ? -ENOMEM : 1;
	if (ret < 0)
		nvx_error("%s", ret == -ENOMEM ? strerror(ENOMEM) : err);
	recording__sections(nvx_events__info(events), true, x->section);
	nvx_events__close(events);
	return ret || take(x);
}

static int open_source(struct export *x)
{
	struct live_want want = { .filter = &x->o->filter, .how = x->o->how, .starts_vms = true };

	if (x->o->replay)
		return read_recording(x);
	if (live_source__open(&want, &x->src))
		return 1;
	memcpy(x->section, x->src.probe->section, sizeof(x->section));
	if (live_source__attach(&x->src))
		return 1;
	/* the cost is measured once: run-time statistics slow every program of the host */
	if (!nvx_live__cost_begin(x->src.live)) {
		nanosleep(&(struct timespec){ .tv_nsec = 4 * POLL_NS }, NULL);
		nvx_live__cost_end(x->src.live, &x->cost);
	}
	return 0;
}

/* Until a signal ends it: learn the names of new VMs while they live, read before slots run out. */
static void watch(struct export *x)
{
	const struct timespec t = { .tv_nsec = POLL_NS };

	while (sigtimedwait(&x->signals, NULL, &t) <= 0) {
		if (x->feed)
			continue;
		pthread_mutex_lock(&x->lock);
		if (nvx_live__poll(x->src.live) && take(x))
			nvx_warn("a reading failed");
		pthread_mutex_unlock(&x->lock);
	}
}

static int serve(struct export *x, struct nvx_http *server)
{
	char err[NVX_HTTP_ERR];

	/* everything that takes rights is done: the socket listens, maps are mapped */
	if (open_source(x) || rights__drop(x->o->user))
		return 1;
	if (nvx_http__serve(server, err)) {
		nvx_error("%s", err);
		return 1;
	}
	nvx_info("serving %s", nvx_http__where(server));
	watch(x);
	return 0;
}

static int export(struct export *x)
{
	struct nvx_http_opts http = { .listen = x->o->listen, .which = which_page,
				      .page = on_page, .arg = x };
	char err[NVX_HTTP_ERR] = "out of memory";
	struct nvx_http *server = NULL;
	int ret;

	live_block_signals(&x->signals);
	x->start_ns = realtime_ns();
	x->sums = nvx_sums__new(&x->o->filter, x->o->stale_ns);
	if (!x->sums || nvx_http__listen(&http, &server, err)) {
		nvx_error("%s", err);
		return 1;
	}
	ret = serve(x, server);
	nvx_http__stop(server);
	return ret;
}

int cmd_export(int argc, char **argv)
{
	static const struct argp_child children[] = { { &filter_argp, 0, NULL, 0 },
						      { &live_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		.options = options, .parser = parse, .children = children,
		.doc = "Count as `nvx stat` does and serve the sums to Prometheus, until a signal ends "
		       "it. Rights are dropped once the programs are attached.",
	};
	struct export_opts o = { .listen = LISTEN, .top = 40, .stale_ns = 300000000000ULL };
	struct export x = { .o = &o, .lock = PTHREAD_MUTEX_INITIALIZER };
	int ret;

	argp_err_exit_status = 2;
	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return 2;
	o.filter.by_vcpu = o.per_vcpu;
	ret = export(&x);
	nvx_sums__free(x.sums);
	nvx_feed__free(x.feed);
	if (!o.replay)
		live_source__close(&x.src);
	return ret;
}
