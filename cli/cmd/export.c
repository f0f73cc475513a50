// SPDX-License-Identifier: GPL-2.0-only
/* nvx export: live source -> sums since it began -> HTTP, in Prometheus's formats. */
#include <argp.h>
#include <errno.h>
#include <linux/capability.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/live_open.h"
#include "cmd/recording.h"
#include "cmd/view_opts.h"
#include "serve/http.h"
#include "source/events.h"
#include "util/log.h"
#include "view/prometheus.h"

#define LISTEN "127.0.0.1:9742"
/* As nvx record: new VMs are looked for this often. */
#define POLL_NS 50000000L

enum { OPT_LISTEN = 256, OPT_TOP, OPT_STALE, OPT_REPLAY };

struct export_opts {
	struct nvx_filter filter;
	const char *listen, *replay;
	struct live_opts how;
	size_t top;
	uint64_t stale_ns;
};

/* When a VM last did something; past `stale` it is left out. */
struct seen {
	uint64_t at;
	uint64_t exits;
};

struct export {
	const struct export_opts *o;
	pthread_mutex_t lock; /* the server's thread reads; ours looks for new VMs */
	struct live_source src;
	struct nvx_feed *feed; /* of a recording */
	struct nvx_probe_section section[NVX_SECTION_COUNT];
	struct nvx_sample *last;
	struct nvx_rows *total; /* L2s summed up */
	struct seen *seen;
	size_t nr_seen;
	struct nvx_cost cost;
	uint64_t misses, gdrops[NVX_GDROP_KINDS], scrapes;
	double created, scrape_seconds;
	sigset_t signals;
};

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "What to serve:", 1 },
	{ "listen", OPT_LISTEN, "WHERE", 0,
	  "ADDRESS:PORT or unix:PATH (default: " LISTEN "); a socket that systemd passes goes first",
	  1 },
	{ "top-reasons", OPT_TOP, "N", 0,
	  "Series a VM may have in each table; the rest is one called other (default: 40, 0: all)", 1 },
	{ "stale", OPT_STALE, "TIME", 0,
	  "Leave out a VM that did nothing for TIME (default: 5m)", 1 },
	{ "replay", OPT_REPLAY, "FILE", 0, "Serve the sums of a recording instead of this host", 1 },
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
	case OPT_STALE:
		o->stale_ns = view_opts__duration(state, "--stale", arg);
		return 0;
	case OPT_REPLAY:
		o->replay = arg;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "no argument is known: `%s`", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct nvx_vm *const *vms_of(const struct export *x, size_t *nr)
{
	return x->feed ? nvx_feed__vms(x->feed, nr) : nvx_live__vms(x->src.live, nr);
}

/* The delta since the last reading goes into the sums. */
static int take(struct export *x)
{
	struct nvx_rows *delta = nvx_rows__new();
	struct nvx_sample *s = NULL;
	int ret = !delta ? -ENOMEM : x->feed ? nvx_feed__sample(x->feed, &s) :
					       nvx_live__sample(x->src.live, &s);

	if (!ret)
		ret = nvx_rollup(delta, x->last, s, &x->o->filter);
	if (!ret)
		ret = nvx_rows__add(x->total, delta, NVX_DROP_LABEL_L2);
	nvx_rows__free(delta);
	if (!s)
		return ret;
	x->misses = s->misses;
	memcpy(x->gdrops, s->gdrops, sizeof(x->gdrops));
	nvx_sample__free(x->last);
	x->last = s;
	return ret;
}

/* Note which VMs had exits, of any level, since they were last looked at. */
static void look_at_vms(struct export *x, uint64_t now)
{
	for (size_t i = 0; i < x->total->nr; i++) {
		const struct nvx_row *row = x->total->row[i];
		const uint64_t *v = row->v;
		uint64_t exits = v[NVX_V_COUNT] + v[NVX_V_L2_EXITS] + v[NVX_V_UNKNOWN];

		if (row->l.set == NVX_SET_VMS && row->l.vm < x->nr_seen &&
		    exits != x->seen[row->l.vm].exits)
			x->seen[row->l.vm] = (struct seen){ now, exits };
	}
}

/* Which VMs did nothing for long: one flag each, or NULL without memory. */
static bool *stale_vms(struct export *x, size_t nr_vms)
{
	bool *stale = calloc(nr_vms + 1, sizeof(*stale));
	struct seen *more = realloc(x->seen, (nr_vms + 1) * sizeof(*more));
	uint64_t now = live_now_ns();

	if (more)
		x->seen = more;
	if (!more || !stale) {
		free(stale);
		return NULL;
	}
	for (; x->nr_seen < nr_vms; x->nr_seen++)
		x->seen[x->nr_seen] = (struct seen){ .at = now };
	look_at_vms(x, now);
	for (size_t i = 0; i < nr_vms; i++)
		stale[i] = !x->feed && x->o->stale_ns && now - x->seen[i].at > x->o->stale_ns;
	return stale;
}

static int metrics(struct export *x, bool openmetrics, struct nvx_http_page *page)
{
	struct nvx_prometheus p = { .openmetrics = openmetrics, .top = x->o->top,
				    .created = x->created, .version = NVX_VERSION };
	struct nvx_report rep = { .section = x->section, .cost = x->cost };
	uint64_t begin = live_now_ns();
	bool *stale;
	FILE *out;
	int ret = x->feed ? 0 : take(x);

	rep.vms = vms_of(x, &rep.nr_vms);
	rep.source = x->feed ? x->o->replay : nvx_tier__name(x->src.probe->tier);
	memcpy(rep.gdrops, x->gdrops, sizeof(rep.gdrops));
	rep.misses = x->misses;
	stale = ret ? NULL : stale_vms(x, rep.nr_vms);
	out = stale ? open_memstream(&page->text, &page->size) : NULL;
	if (!out) {
		free(stale);
		return 500;
	}
	x->scrapes++;
	p.scrapes = x->scrapes;
	p.scrape_seconds = (live_now_ns() - begin) * 1e-9;
	p.hide = stale;
	rep.rows = x->total;
	ret = nvx_view__prometheus(&rep, &p, out);
	ret |= fclose(out);
	free(stale);
	page->type = openmetrics ? "application/openmetrics-text; version=1.0.0; charset=utf-8" :
				   "text/plain; version=0.0.4; charset=utf-8";
	return ret ? 500 : 200;
}

static int status_page(struct export *x, struct nvx_http_page *page)
{
	FILE *out = open_memstream(&page->text, &page->size);
	size_t nr;

	if (!out)
		return 500;
	vms_of(x, &nr);
	fprintf(out, "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>nvx export</title>\n"
		     "<style>body{font:16px/1.5 sans-serif;max-width:40em;margin:2em auto;padding:0 1em}"
		     "td{padding:0 1em 0 0;vertical-align:top}</style>\n<h1>nvx export</h1>\n"
		     "<p><a href=\"/metrics\">/metrics</a> is for Prometheus, <a href=\"/healthz\">"
		     "/healthz</a> for who watches this.</p>\n<table>\n"
		     "<tr><td>Version<td>%s\n<tr><td>Source<td>%s\n<tr><td>VMs met<td>%zu\n"
		     "<tr><td>Readings<td>%llu\n", NVX_VERSION,
		x->feed ? "a recording" : nvx_tier__name(x->src.probe->tier), nr,
		(unsigned long long)x->scrapes);
	for (unsigned int s = 0; s < NVX_SECTION_COUNT; s++)
		fprintf(out, "<tr><td>%s<td>%s%s%s\n", nvx_section__name(s),
			x->section[s].have == NVX_HAVE_NO ? "n/a" : "yes",
			*x->section[s].reason ? ": " : "", x->section[s].reason);
	fputs("</table>\n", out);
	page->type = "text/html; charset=utf-8";
	return fclose(out) ? 500 : 200;
}

static int on_page(void *arg, const char *path, const char *accept, struct nvx_http_page *page)
{
	struct export *x = arg;
	int status = 404;

	pthread_mutex_lock(&x->lock);
	if (!strcmp(path, "/metrics")) {
		status = metrics(x, strstr(accept, "application/openmetrics-text") != NULL, page);
	} else if (!strcmp(path, "/")) {
		status = status_page(x, page);
	} else if (!strcmp(path, "/healthz")) {
		page->text = strdup("ok\n");
		page->size = 3;
		page->type = "text/plain; charset=utf-8";
		status = 200;
	}
	pthread_mutex_unlock(&x->lock);
	return status;
}

/* Everything that takes rights is done: maps are mapped, programs attached. */
static int drop_rights(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[2] = { { 0 } };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall(SYS_capset, &head, none)) {
		nvx_error("cannot drop the rights: %s", strerror(errno));
		return 1;
	}
	return 0;
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
	return drop_rights();
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

static int export(struct export *x)
{
	struct nvx_http_opts http = { .listen = x->o->listen, .page = on_page, .arg = x };
	struct nvx_http *server = NULL;
	char err[NVX_HTTP_ERR] = "out of memory";
	struct timespec t;

	live_block_signals(&x->signals);
	clock_gettime(CLOCK_REALTIME, &t);
	x->created = t.tv_sec + t.tv_nsec * 1e-9;
	x->total = nvx_rows__new();
	if (!x->total || open_source(x))
		return 1;
	if (nvx_http__start(&http, &server, err)) {
		nvx_error("%s", err);
		return 1;
	}
	nvx_info("serving %s", nvx_http__where(server));
	watch(x);
	nvx_http__stop(server);
	return 0;
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
	ret = export(&x);
	nvx_rows__free(x.total);
	nvx_sample__free(x.last);
	nvx_feed__free(x.feed);
	if (!o.replay)
		live_source__close(&x.src);
	free(x.seen);
	return ret;
}
