// SPDX-License-Identifier: GPL-2.0-only
/* nvx report: session files -> their sums -> a view. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd/cmd.h"
#include "cmd/diff.h"
#include "cmd/session_sum.h"
#include "cmd/view_opts.h"
#include "util/log.h"
#include "view/folded.h"
#include "view/html.h"

enum { OPT_FOLDED = 256, OPT_HTML };

struct report_opts {
	struct view_opts view;
	bool folded, html;
	const char *file[2];
	size_t nr;
};

/* A file, read: its sum, and its exits over time. */
struct loaded {
	struct session_sum sum;
	struct nvx_html_point *point;
	size_t nr, room;
	char created[40];
};

static const struct argp_option options[] = {
	{ "folded", OPT_FOLDED, NULL, 0, "Print stacks of exits, as flame graph tools take them", 3 },
	{ "html", OPT_HTML, NULL, 0, "Print one self-contained page with drawings", 3 },
	{ 0 },
};

static void check(struct report_opts *o, struct argp_state *state)
{
	/* of a single vCPU a session has no more */
	if (o->view.filter.vcpu >= 0)
		o->view.sections &= 1u << NVX_SECTION_EXITS | 1u << NVX_SECTION_TIME;
	if (o->view.filter.vcpu >= 0 && (o->folded || o->html))
		argp_error(state, "--vcpu: chains are those of all vCPUs");
	if (o->folded && o->html)
		argp_error(state, "either --folded or --html");
	if ((o->folded || o->html) && o->view.format != VIEW_TEXT)
		argp_error(state, "one format at a time");
	if (o->nr > 1 && (o->folded || o->view.format == VIEW_CSV))
		argp_error(state, "--folded and --csv take one file");
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct report_opts *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->view;
		return 0;
	case OPT_FOLDED:
		o->folded = true;
		return 0;
	case OPT_HTML:
		o->html = true;
		return 0;
	case ARGP_KEY_ARG:
		if (o->nr == 2)
			argp_error(state, "a file, or two as before and after; `%s` is the third",
				   arg);
		o->file[o->nr++] = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which file? Record one with: nvx record -o FILE");
		return 0;
	case ARGP_KEY_END:
		check(o, state);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int take_point(const struct nvx_session_delta *d, void *arg)
{
	struct loaded *l = arg;
	struct nvx_html_point *p = l->point;

	if (l->nr == l->room) {
		size_t room = l->room ? 2 * l->room : 64;

		p = realloc(p, room * sizeof(*p));
		if (!p)
			return -ENOMEM;
		l->point = p;
		l->room = room;
	}
	p[l->nr++] = (struct nvx_html_point){
		d->t_ns, d->duration_ns,
		nvx_rows__sum(d->rows, NVX_SET_VMS, NVX_V_COUNT, -1, NVX_VM_ALL),
		nvx_rows__sum(d->rows, NVX_SET_VMS, NVX_V_L2_EXITS, -1, NVX_VM_ALL),
	};
	return 0;
}

static int load(const struct report_opts *o, size_t i, struct loaded *l)
{
	time_t t;
	struct tm tm;

	if (session_sum__read(o->file[i], &o->view.filter, take_point, l, &l->sum))
		return 1;
	t = nvx_session_reader__head(l->sum.reader)->created_ns / 1000000000;
	if (!t || !gmtime_r(&t, &tm) ||
	    !strftime(l->created, sizeof(l->created), "%Y-%m-%d %H:%M:%S UTC", &tm))
		strcpy(l->created, "date unknown");
	return 0;
}

struct html {
	const struct report_opts *o;
	struct loaded *l;
	FILE *out;
};

/* The page, with the diff of two where there are two. */
static int write_html(const struct nvx_diff_page *diff, void *arg)
{
	const struct html *h = arg;
	struct nvx_html_page page = { .nr = h->o->nr, .diff = diff };

	for (size_t i = 0; i < h->o->nr; i++) {
		const struct nvx_session_head *head =
			nvx_session_reader__head(h->l[i].sum.reader);
		struct nvx_html_session *s = &page.session[i];

		*s = (struct nvx_html_session){ .path = h->o->file[i], .note = head->note,
						.by = head->by, .created = h->l[i].created,
						.trouble = h->l[i].sum.trouble,
						.config = &head->config, .point = h->l[i].point,
						.nr_points = h->l[i].nr };
		session_sum__report(&h->l[i].sum, &s->report);
		s->report.sections = h->o->view.sections;
	}
	return nvx_view__html(&page, h->out);
}

static int show_html(const struct report_opts *o, struct loaded *l, FILE *out)
{
	struct html h = { o, l, out };
	struct diff_want want = { .file = { &o->file[0], &o->file[1] }, .nr = { 1, 1 },
				  .filter = o->view.filter, .top = 8 };

	return o->nr == 2 ? diff_compare(&want, write_html, &h) : write_html(NULL, &h);
}

static int show(const struct report_opts *o, struct loaded *l, FILE *out)
{
	struct nvx_report rep;
	unsigned int printed = 0;
	int ret = 0;

	if (o->html)
		return show_html(o, l, out);
	if (o->folded)
		return nvx_view__folded(l->sum.rows, out);
	for (size_t i = 0; i < o->nr && !ret; i++) {
		session_sum__report(&l[i].sum, &rep);
		ret = view_opts__print(&o->view, &rep, out, &printed);
	}
	return ret;
}

static int report(const struct report_opts *o, struct loaded *l)
{
	FILE *out;
	int ret = 0;

	for (size_t i = 0; i < o->nr; i++)
		if (load(o, i, &l[i]))
			return 1;
	out = view_opts__open(&o->view);
	if (!out)
		return 1;
	ret = show(o, l, out);
	if (ret < 0)
		nvx_error("cannot write the report: %s", strerror(-ret));
	ret = ret != 0;
	for (size_t i = 0; i < o->nr; i++)
		ret |= nvx_session_reader__damaged(l[i].sum.reader);
	return ret | view_opts__close(&o->view, out);
}

int cmd_report(int argc, char **argv)
{
	static const struct argp_child children[] = { { &view_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		.options = options, .parser = parse, .args_doc = "FILE [FILE]",
		.children = children,
		.doc = "Show a session, a file that `nvx record`, `nvx tune` or `nvx import` wrote; or "
		       "two, as before and after.",
	};
	struct report_opts o = { 0 };
	struct loaded l[2] = { 0 };
	int ret;

	argp_err_exit_status = 2;
	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return 2;
	ret = report(&o, l);
	for (size_t i = 0; i < 2; i++) {
		session_sum__free(&l[i].sum);
		free(l[i].point);
	}
	return ret;
}
