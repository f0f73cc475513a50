// SPDX-License-Identifier: GPL-2.0-only
/* nvx import: events or tables of other tools -> deltas -> a session file, or a view. */
#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/recording.h"
#include "cmd/view_opts.h"
#include "source/exittable.h"
#include "source/session.h"
#include "util/log.h"

/* A session of more deltas than this gets longer ones: memory does not grow with the file. */
#define MAX_DELTAS 2048
#define PEEK 65536

enum { OPT_FORMAT = 256, OPT_NOTE, OPT_FORCE, OPT_TABLE };

struct import_opts {
	struct view_opts view;
	const char *file, *session, *note;
	unsigned int format; /* enum nvx_events_format, then FORMAT_TABLE */
	uint64_t interval_ns, table;
	bool replace;
};

enum { FORMAT_TABLE = NVX_EVENTS_TEXT + 1 };

struct import {
	const struct import_opts *o;
	const char *path; /* the file, or a copy of standard input */
	struct nvx_events *events;
	struct nvx_feed *feed;
	struct nvx_sample *last;
	struct nvx_rows *total; /* L2s apart */
	struct nvx_session_delta *delta;
	size_t nr;
	uint64_t interval, next;
	struct nvx_session_head head;
	struct nvx_drops drops;
	bool cut;
};

static volatile sig_atomic_t stop;

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "With -o FILE.nvx, a session is written and nothing shown:", 1 },
	{ "force", OPT_FORCE, NULL, 0, "Replace a FILE that is there", 1 },
	{ "note", OPT_NOTE, "TEXT", 0, "Keep TEXT with it", 1 },
	{ "interval", 'i', "TIME", 0, "One delta each TIME of the recording (default: 1)", 1 },
	{ NULL, 0, NULL, 0, "The input:", 2 },
	{ "format", OPT_FORMAT, "WORD", 0, "trace.dat, perf.data, text (an event a line) or table, "
	  "where the content does not tell", 2 },
	{ "table", OPT_TABLE, "N", 0, "The Nth of several tables", 2 },
	{ "verbose", 'v', NULL, 0, "Say what was left out", 2 },
	{ 0 },
};

/* A session is told from a view by its file's name. */
static void take_output(struct import_opts *o)
{
	size_t n = o->view.output ? strlen(o->view.output) : 0;

	if (n <= 4 || strcmp(o->view.output + n - 4, ".nvx"))
		return;
	o->session = o->view.output;
	o->view.output = NULL;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static const char *const format[] = { "auto", "trace.dat", "perf.data", "text", "table" };
	struct import_opts *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->view;
		return 0;
	case OPT_FORCE:
		o->replace = true;
		return 0;
	case OPT_NOTE:
		if (strlen(arg) >= sizeof(((struct nvx_session_head *)0)->note))
			argp_error(state, "--note takes at most 399 bytes");
		o->note = arg;
		return 0;
	case 'i':
		o->interval_ns = view_opts__duration(state, "--interval", arg);
		return 0;
	case OPT_FORMAT:
		o->format = view_opts__word(state, "--format", arg, format, 5);
		return 0;
	case OPT_TABLE:
		o->table = view_opts__number(state, "--table", arg, 1000);
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
		argp_error(state, "which file? `-` is standard input");
		return 0;
	case ARGP_KEY_END:
		take_output(o);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Readers look more than once: standard input becomes a file. */
static int keep_stdin(void)
{
	FILE *copy = tmpfile();
	char buf[PEEK];
	ssize_t n;
	int ret = copy ? 0 : -errno;

	while (!ret && (n = read(0, buf, sizeof(buf)))) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 || fwrite(buf, 1, n, copy) != (size_t)n)
			ret = -errno;
	}
	if (!ret && (fflush(copy) || lseek(fileno(copy), 0, SEEK_SET) < 0 ||
		     dup2(fileno(copy), 0) < 0))
		ret = -errno;
	if (ret)
		nvx_error("standard input: %s", strerror(-ret));
	return ret;
}

/* Is it a table?  Its header may stand behind a mail's words. */
static bool is_table(const char *path)
{
	char *text = calloc(1, PEEK + 1);
	FILE *in = fopen(path, "re");
	bool table = false;

	if (text && in && fread(text, 1, PEEK, in))
		table = nvx_exittable__kind(text) != NVX_TABLE_NONE;
	if (in)
		fclose(in);
	free(text);
	return table;
}

static void begin_head(struct import *im)
{
	struct nvx_session_head *h = &im->head;
	const char *base = strrchr(im->o->file, '/');

	h->interval_ns = im->interval;
	h->tier = NVX_TIER_NONE;
	snprintf(h->by, sizeof(h->by), "import");
	snprintf(h->program, sizeof(h->program), "nvx %s", NVX_VERSION);
	snprintf(h->source, sizeof(h->source), "%.79s",
		 strcmp(im->o->file, "-") ? base ? base + 1 : im->o->file : "standard input");
	snprintf(h->note, sizeof(h->note), "%s", im->o->note ?: "");
}

static void lack(struct import *im, enum nvx_lack what, const char *why)
{
	snprintf(im->head.lacks[what], NVX_LACK_MAX, "%s", why);
}

/* Each two become one, of twice the time. */
static int halve(struct import *im)
{
	size_t n = 0;
	int ret = 0;

	for (size_t i = 0; i + 1 < im->nr && !ret; i += 2) {
		struct nvx_session_delta *a = &im->delta[i], *b = &im->delta[i + 1];

		ret = nvx_rows__add(a->rows, b->rows, 0);
		a->t_ns = b->t_ns;
		a->duration_ns += b->duration_ns;
		nvx_session_delta__free(b);
		im->delta[n++] = *a;
	}
	im->nr = n;
	im->interval *= 2;
	return ret;
}

static int keep_delta(struct import *im, struct nvx_rows *rows, uint64_t duration)
{
	struct nvx_session_delta *d;
	int ret = im->nr == MAX_DELTAS ? halve(im) : 0;

	if (ret)
		return ret;
	d = &im->delta[im->nr];
	*d = (struct nvx_session_delta){ .duration_ns = duration, .rows = rows };
	d->t_ns = (im->nr ? d[-1].t_ns : 0) + duration;
	im->nr++;
	return 0;
}

/* The difference to the sample before is the next delta. */
static int take(struct import *im, uint64_t from, uint64_t to)
{
	struct nvx_rows *rows = nvx_rows__new();
	struct nvx_sample *s = NULL;
	int ret = rows ? nvx_feed__sample(im->feed, &s) : -ENOMEM;

	if (!ret)
		ret = nvx_rollup(rows, im->last, s, &im->o->view.filter);
	if (!ret)
		ret = nvx_rows__add(im->total, rows, 0);
	if (!ret)
		ret = keep_delta(im, rows, to > from ? to - from : 0);
	if (ret)
		nvx_rows__free(rows);
	if (s) {
		nvx_sample__free(im->last);
		im->last = s;
	}
	return ret;
}

static int one_event(struct import *im, const struct nvx_event *e)
{
	int ret = 0;

	if (!im->next)
		im->next = e->ts + im->interval;
	/* of a long silence one delta tells as much as many */
	if (e->ts >= im->next) {
		uint64_t from = im->next - im->interval;
		uint64_t whole = (e->ts - im->next) / im->interval * im->interval;

		nvx_feed__advance(im->feed, im->next + whole);
		ret = take(im, from, im->next + whole);
		im->next += whole + im->interval;
	}
	return ret ? ret : nvx_feed__event(im->feed, e);
}

static int read_events(struct import *im)
{
	char err[NVX_EVENTS_ERR];
	struct nvx_event e;
	int ret = 0, got = 0;

	while (!stop && !ret && (got = nvx_events__next(im->events, &e, err)) == 1)
		ret = one_event(im, &e);
	if (!ret && got < 0) {
		nvx_error("%s", err);
		im->cut = true;
	}
	if (!ret)
		ret = take(im, im->next ? im->next - im->interval : 0,
			   nvx_feed__last(im->feed));
	return ret;
}

static void conclude(struct import *im, const struct nvx_events_info *info)
{
	recording__sections(info, true, im->head.section);
	if (info->timeless) {
		lack(im, NVX_LACK_TIME, "the text has no times");
		lack(im, NVX_LACK_HIST, "the text has no times");
		for (size_t i = 0; i < im->nr; i++)
			im->delta[i].duration_ns = im->delta[i].t_ns = 0;
		im->head.section[NVX_SECTION_TIME] = (struct nvx_probe_section){
			.have = NVX_HAVE_NO, .reason = "the text has no times" };
	}
	if (info->numberless) {
		struct nvx_probe_section *io = &im->head.section[NVX_SECTION_IO];

		io->partial = true;
		snprintf(io->reason, sizeof(io->reason), "some exits came without info1");
	}
	if (!(info->present & 1u << NVX_EV_ENTRY))
		lack(im, NVX_LACK_OPEN, "the recording has no kvm_entry");
	if (!(info->present & (1u << NVX_EV_INJECT | 1u << NVX_EV_NESTED_ENTER))) {
		lack(im, NVX_LACK_OUTCOME, "the recording has no switch between L1 and L2");
		lack(im, NVX_LACK_SWITCH, "the recording has no switch between L1 and L2");
	}
	im->drops.lost = recording__lost(info);
}

static int import_events(struct import *im)
{
	char err[NVX_EVENTS_ERR];
	const struct nvx_events_info *info;
	int ret = nvx_events__open(im->path, im->o->format, &im->events, err);

	if (ret) {
		nvx_error("%s", err);
		return 1;
	}
	im->feed = nvx_feed__new();
	ret = im->feed ? read_events(im) : -ENOMEM;
	if (ret) {
		nvx_error("%s", strerror(-ret));
		return 1;
	}
	info = nvx_events__info(im->events);
	if (!im->cut && !stop)
		recording__check(info, im->o->file);
	conclude(im, info);
	return 0;
}

/* One table is one delta without a time. */
static const struct nvx_exittable *choose(const struct import *im, const struct nvx_exittables *t)
{
	uint64_t n = im->o->table;

	if (n > t->nr || (!n && t->nr > 1)) {
		nvx_error("%s has %zu table%s; choose one with --table N:", im->o->file, t->nr,
			  t->nr == 1 ? "" : "s");
		for (size_t i = 0; i < t->nr; i++)
			nvx_error("  %zu: line %llu, %llu samples%s%s", i + 1,
				  (unsigned long long)t->table[i].line,
				  (unsigned long long)t->table[i].samples,
				  *t->table[i].title ? ": " : "", t->table[i].title);
		return NULL;
	}
	return &t->table[n ? n - 1 : 0];
}

static void conclude_table(struct import *im, const struct nvx_exittable *t)
{
	const char *what = t->kind == NVX_TABLE_PERF_KVM ? "a table of perf kvm stat" :
							   "a table of kvm_stat";
	char why[NVX_LACK_MAX];

	for (int i = 0; i < NVX_SECTION_COUNT; i++) {
		struct nvx_probe_section *s = &im->head.section[i];

		s->have = i == NVX_SECTION_EXITS ? NVX_HAVE_YES : NVX_HAVE_NO;
		s->partial = i == NVX_SECTION_EXITS;
		snprintf(s->reason, sizeof(s->reason), "%s does not tell %s", what,
			 s->partial ? "levels" : "that");
	}
	snprintf(why, sizeof(why), "%s does not tell", what);
	for (int i = 0; i < NVX_LACK_COUNT; i++)
		if (i != NVX_LACK_TIME || t->kind == NVX_TABLE_KVM_STAT)
			lack(im, i, why);
	if (t->claimed >= 0 && (uint64_t)t->claimed != t->samples)
		nvx_warn("%s, line %llu: the table speaks of %lld samples, its rows hold %llu: rows are "
			 "missing", im->o->file, (unsigned long long)t->line,
			 (long long)t->claimed, (unsigned long long)t->samples);
}

static int import_table(struct import *im)
{
	char err[NVX_EXITTABLE_ERR];
	struct nvx_exittables all = { 0 };
	const struct nvx_exittable *t = NULL;
	FILE *in = fopen(im->path, "re");
	struct nvx_rows *rows = nvx_rows__new();
	int ret = in && rows ? nvx_exittables__read(in, im->o->file, &all, err) : -errno;

	if (ret)
		nvx_error("%s", in ? err : strerror(-ret));
	else
		t = choose(im, &all);
	if (in)
		fclose(in);
	ret = !t || nvx_rows__add(rows, t->rows, 0) || nvx_rows__add(im->total, rows, 0) ||
	      keep_delta(im, rows, 0);
	if (!ret) {
		conclude_table(im, t);
		for (size_t i = 0; i < t->other.nr; i++)
			nvx_config__set(&im->head.config, t->other.item[i].key,
					t->other.item[i].value);
	} else {
		nvx_rows__free(rows);
	}
	nvx_exittables__free(&all);
	return ret;
}

/* Tables do not name VMs. */
static const struct nvx_vm *const *vms_of(const struct import *im, size_t *nr)
{
	static const struct nvx_vm vm = { .id = { .name = "all" } };
	static const struct nvx_vm *const all = &vm;

	if (im->feed)
		return nvx_feed__vms(im->feed, nr);
	*nr = 1;
	return &all;
}

static int write_session(struct import *im)
{
	struct nvx_session_end end = { .rows = im->total };
	struct nvx_session_writer *w;
	char err[NVX_SESSION_ERR];
	const struct nvx_vm *const *vms;
	size_t nr;
	int ret;

	im->head.interval_ns = im->interval;
	ret = nvx_session_writer__open(im->o->session, im->o->replace, &im->head, &w, err);
	if (ret) {
		nvx_error("%s", err);
		return 1;
	}
	vms = vms_of(im, &nr);
	for (size_t i = 0; i < nr && !ret; i++)
		ret = nvx_session_writer__vm(w, vms[i], NULL);
	if (im->nr)
		im->delta[im->nr - 1].drops = im->drops;
	for (size_t i = 0; i < im->nr && !ret; i++) {
		im->delta[i].hist = i + 1 == im->nr;
		ret = nvx_session_writer__delta(w, &im->delta[i]);
		end.duration_ns += im->delta[i].duration_ns;
	}
	/* of a file that is cut there is no end either */
	if (!ret && !im->cut && !stop)
		ret = nvx_session_writer__end(w, &end);
	nvx_session_writer__close(w);
	if (ret)
		nvx_error("cannot write %s: %s", im->o->session, strerror(-ret));
	return ret != 0;
}

static int show(struct import *im)
{
	struct nvx_report rep = {
		.rows = im->total, .host = "a recording", .release = "n/a",
		.source = im->head.source, .source_reason = "", .section = im->head.section,
		.lacks = im->head.lacks, .lost = im->drops.lost,
	};
	FILE *out = view_opts__open(&im->o->view);
	unsigned int printed = 0;
	int ret;

	if (!out)
		return 1;
	for (size_t i = 0; i < im->nr; i++)
		rep.duration_ns += im->delta[i].duration_ns;
	rep.vms = vms_of(im, &rep.nr_vms);
	ret = view_opts__print(&im->o->view, &rep, out, &printed);
	if (ret)
		nvx_error("%s", strerror(-ret));
	return (ret != 0) | view_opts__close(&im->o->view, out);
}

static int import(struct import *im)
{
	int ret;

	begin_head(im);
	if (!strcmp(im->o->file, "-") && keep_stdin())
		return 1;
	im->path = strcmp(im->o->file, "-") ? im->o->file : "/dev/stdin";
	im->total = nvx_rows__new();
	im->delta = calloc(MAX_DELTAS, sizeof(*im->delta));
	if (!im->total || !im->delta) {
		nvx_error("out of memory");
		return 1;
	}
	if (im->o->format == FORMAT_TABLE ||
	    (im->o->format == NVX_EVENTS_AUTO && is_table(im->path)))
		ret = import_table(im);
	else
		ret = import_events(im);
	/* of a file of which nothing could be read there is nothing to keep */
	if (ret || (im->cut && !im->total->nr))
		return 1;
	ret = im->o->session ? write_session(im) : show(im);
	return ret || im->cut;
}

int cmd_import(int argc, char **argv)
{
	static const struct argp_child children[] = { { &view_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		.options = options, .parser = parse, .args_doc = "FILE", .children = children,
		.doc = "Take what other tools recorded: trace.dat, perf.data, the text of perf script, "
		       "trace-cmd report or tracefs, tables of perf kvm stat or kvm_stat; show it "
		       "as `nvx stat` does, or keep it as a session.",
	};
	struct sigaction sa = { .sa_handler = on_signal };
	struct import_opts o = { .interval_ns = 1000000000 };
	struct import im = { .o = &o };
	int ret;

	argp_err_exit_status = 2;
	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return 2;
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	im.interval = o.interval_ns;
	ret = import(&im);
	for (size_t i = 0; i < im.nr; i++)
		nvx_session_delta__free(&im.delta[i]);
	free(im.delta);
	nvx_rows__free(im.total);
	nvx_sample__free(im.last);
	nvx_config__free(&im.head.config);
	nvx_feed__free(im.feed);
	nvx_events__close(im.events);
	return ret;
}
