// SPDX-License-Identifier: GPL-2.0-only
/* The drawings of the page: plain SVG in units of HTML_WIDTH across. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "model/folded.h"
#include "model/ledger.h"
#include "model/metric.h"
#include "model/reason.h"
#include "util/fmt.h"
#include "view/html_priv.h"

static const char *level_color(unsigned int level)
{
	return level == NVX_LEVEL_1 ? "var(--l1)" : level == NVX_LEVEL_2 ? "var(--l2)" : "var(--q)";
}

/* A rectangle with a title, and its text where there is room for it. */
static void box(FILE *out, double x, double y, double w, double h, const char *fill,
		const char *title, const char *label)
{
	fprintf(out, "<g><title>");
	html_text(out, title);
	fprintf(out, "</title><rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" "
		     "fill=\"%s\" stroke=\"var(--bg)\" stroke-width=\"0.6\"/>", x, y, w, h, fill);
	if (label && w > 7.2 * strlen(label) + 6) {
		fprintf(out, "<text class=in x=\"%.2f\" y=\"%.2f\">", x + 4, y + h / 2 + 4);
		html_text(out, label);
		fputs("</text>", out);
	}
	fputs("</g>\n", out);
}

static const struct {
	const char *name, *color, *text;
} phases[] = {
	{ "l2", "#d9722b", "in L2" },
	{ "l1", "#3b76af", "in L1" },
	{ "l0_for_l1", "#6a51a3", "L0 for L1" },
	{ "l0_for_l2", "#a14b78", "L0 for L2" },
	{ "user", "#5a8a3a", "user space" },
	{ "halted", "#9aa4af", "halted" },
	{ "polling", "#74808c", "halt polling" },
	{ "waiting", "#b8860b", "waiting for a CPU" },
	{ "guest", "#c9a227", "in a guest, level unknown" },
	{ "l0", "#5b6570", "L0, level unknown" },
};

#define NR_PHASES (sizeof(phases) / sizeof(*phases))

static uint64_t phase_time(const struct nvx_rows *rows, const char *phase)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < rows->nr; i++)
		if (rows->row[i]->l.set == NVX_SET_TIME &&
		    (!phase || !strcmp(nvx_phase__name(rows->row[i]->l.key), phase)))
			sum += rows->row[i]->v[NVX_V_TIME];
	return sum;
}

static void split_bar(const struct nvx_html_session *s, FILE *out)
{
	uint64_t all = phase_time(s->report.rows, NULL);
	double x = 0;

	fprintf(out, "<svg viewBox=\"0 0 %d 30\" role=img aria-label=\"time split\">\n", HTML_WIDTH);
	for (size_t i = 0; i < NR_PHASES; i++) {
		uint64_t t = phase_time(s->report.rows, phases[i].name);
		char title[120], share[NVX_FMT_MAX], ns[NVX_FMT_MAX];
		double w = (double)t / all * HTML_WIDTH;

		if (!t)
			continue;
		nvx_fmt__percent(share, sizeof(share), t, all);
		snprintf(title, sizeof(title), "%s: %s, %s", phases[i].text, share,
			 nvx_fmt__ns(ns, sizeof(ns), t));
		box(out, x, 0, w, 30, phases[i].color, title, share);
		x += w;
	}
	fputs("</svg>\n", out);
}

/* The parts of one or two sessions, side by side. */
static void split_table(const struct nvx_html_page *p, FILE *out)
{
	char share[NVX_FMT_MAX], ns[NVX_FMT_MAX];

	fputs(p->nr == 1 ? "<table><tr><th>Time<th><th>share</tr>\n" :
			   "<table><tr><th>Time<th>before<th>share<th>after<th>share</tr>\n", out);
	for (size_t i = 0; i < NR_PHASES; i++) {
		uint64_t any = 0;

		for (size_t k = 0; k < p->nr; k++)
			any |= phase_time(p->session[k].report.rows, phases[i].name);
		if (!any)
			continue;
		fprintf(out, "<tr><td><span class=key style=\"background:%s;margin-left:0\"></span>%s",
			phases[i].color, phases[i].text);
		for (size_t k = 0; k < p->nr; k++) {
			const struct nvx_rows *rows = p->session[k].report.rows;
			uint64_t t = phase_time(rows, phases[i].name);

			fprintf(out, "<td>%s<td>%s", nvx_fmt__ns(ns, sizeof(ns), t),
				nvx_fmt__percent(share, sizeof(share), t, phase_time(rows, NULL)));
		}
		fputs("</tr>\n", out);
	}
	fputs("</table>\n", out);
}

int html_time_split(const struct nvx_html_page *p, FILE *out)
{
	bool any = false;

	fputs("<h2>Where the vCPUs' time goes</h2>\n", out);
	for (size_t i = 0; i < p->nr; i++) {
		if (!phase_time(p->session[i].report.rows, NULL))
			continue;
		any = true;
		if (p->nr > 1)
			fprintf(out, "<h3>%s</h3>\n", i ? "After" : "Before");
		split_bar(&p->session[i], out);
	}
	if (any)
		split_table(p, out);
	else
		fputs("<p class=dim>n/a</p>\n", out);
	return 0;
}

/* One line of the bars: reason, bar with the part handed to L1 darker, numbers. */
static void exit_bar(const struct nvx_row *row, uint64_t most, double y, FILE *out)
{
	static const char *const level[] = { "?", "L1", "L2" };
	double w = (double)row->v[NVX_V_COUNT] / most * 560;
	double refl = (double)row->v[NVX_V_REFLECTED] / most * 560;
	char buf[64], n[NVX_FMT_MAX], t[NVX_FMT_MAX], title[200];
	const char *reason = nvx_reason__name(row->l.isa, row->l.key, buf, sizeof(buf));

	nvx_fmt__count(n, sizeof(n), row->v[NVX_V_COUNT]);
	nvx_fmt__ns(t, sizeof(t), row->v[NVX_V_DONE] ? row->v[NVX_V_TIME] / row->v[NVX_V_DONE] : 0);
	snprintf(title, sizeof(title), "%s %s: %s exits, %s each; reflected to L1: %" PRIu64,
		 level[row->l.level % 3], reason, n, t, row->v[NVX_V_REFLECTED]);
	fprintf(out, "<text x=\"0\" y=\"%.0f\">%s ", y + 14, level[row->l.level % 3]);
	html_text(out, reason);
	fputs("</text>", out);
	box(out, 230, y + 2, w > 1 ? w : 1, 16, level_color(row->l.level), title, NULL);
	if (refl > 0)
		fprintf(out, "<rect x=\"230\" y=\"%.1f\" width=\"%.2f\" height=\"4\" "
			     "fill=\"var(--refl)\"/>", y + 14, refl);
	fprintf(out, "<text class=dim x=\"%.1f\" y=\"%.0f\">%s, %s each</text>\n", 238 + w, y + 14, n,
		row->v[NVX_V_DONE] ? t : "n/a");
}

int html_exits(const struct nvx_html_session *s, FILE *out)
{
	struct nvx_report r = s->report;
	const struct nvx_row **row;
	struct nvx_rows *owner;
	size_t nr;
	long all;

	r.top = 16;
	r.sort = NVX_SORT_COUNT;
	r.by_host = true;
	all = nvx_report__rows(&r, NVX_SET_EXITS, &owner, &row, &nr);
	if (all < 0)
		return -ENOMEM;
	fputs("<p class=dim><span class=key style=\"background:var(--l1);margin-left:0\"></span>L1"
	      "<span class=key style=\"background:var(--l2)\"></span>L2"
	      "<span class=key style=\"background:var(--refl)\"></span>handed to L1</p>\n", out);
	fprintf(out, "<svg viewBox=\"0 0 %d %zu\" role=img aria-label=\"exits by reason\">\n",
		HTML_WIDTH, nr * 22 + 4);
	for (size_t i = 0; i < nr; i++)
		exit_bar(row[i], row[0]->v[NVX_V_COUNT], i * 22, out);
	fputs("</svg>\n", out);
	if (all > (long)nr)
		fprintf(out, "<p class=dim>... %ld more reasons</p>\n", all - (long)nr);
	nvx_rows__free(owner);
	return 0;
}

struct flame {
	const struct nvx_folded *f;
	FILE *out;
	double scale; /* units an exit */
};

static void flame_title(const struct flame *fl, char *title, size_t size, const char *what,
			uint64_t count)
{
	char n[NVX_FMT_MAX], share[NVX_FMT_MAX];

	snprintf(title, size, "%s: %s exits, %s", what, nvx_fmt__count(n, sizeof(n), count),
		 nvx_fmt__percent(share, sizeof(share), count, fl->f->total));
}

/* The exits of one reason with what is on top of them; gives the index behind them. */
static size_t flame_group(const struct flame *fl, size_t from, double *x)
{
	static const char *const level[] = { "?", "L1", "L2" };
	const struct nvx_stack *s = &fl->f->stack[from];
	char buf[64], name[80], title[200];
	double at = *x;
	uint64_t sum = 0;
	size_t end = from;

	while (end < fl->f->nr && fl->f->stack[end].level == s->level &&
	       fl->f->stack[end].isa == s->isa && fl->f->stack[end].reason == s->reason)
		sum += fl->f->stack[end++].count;
	snprintf(name, sizeof(name), "%s %s", level[s->level % 3],
		 nvx_reason__name(s->isa, s->reason, buf, sizeof(buf)));
	flame_title(fl, title, sizeof(title), name, sum);
	box(fl->out, *x, 30, sum * fl->scale, 26, level_color(s->level), title, name);
	for (size_t i = from; i < end; i++) {
		const struct nvx_stack *c = &fl->f->stack[i];
		double w = c->count * fl->scale;

		/* the exits of L2 themselves have nothing on top */
		if (c->chain) {
			snprintf(name, sizeof(name), "L1 %s",
				 nvx_reason__name(c->isa, c->l1_reason, buf, sizeof(buf)));
			flame_title(fl, title, sizeof(title), name, c->count);
			box(fl->out, at, 0, w, 26, "var(--l1)", title, name);
		}
		at += w;
	}
	*x += sum * fl->scale;
	return end;
}

int html_flame(const struct nvx_html_session *s, FILE *out)
{
	struct nvx_folded f;
	struct flame fl = { &f, out, 0 };
	char title[200];
	double x = 0;
	int ret = nvx_folded__make(s->report.rows, &f);

	if (!ret && f.total) {
		fl.scale = (double)HTML_WIDTH / f.total;
		fprintf(out, "<svg viewBox=\"0 0 %d 86\" role=img aria-label=\"flame graph of chains\">\n",
			HTML_WIDTH);
		for (size_t i = 0; i < f.nr;)
			i = flame_group(&fl, i, &x);
		flame_title(&fl, title, sizeof(title), "all", f.total);
		box(out, 0, 60, HTML_WIDTH, 26, "var(--q)", title, title);
		fputs("</svg>\n", out);
	}
	nvx_folded__free(&f);
	return ret;
}
