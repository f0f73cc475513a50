// SPDX-License-Identifier: GPL-2.0-only
/* Histograms, the timeline, and the tables of a diff. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "model/reason.h"
#include "util/fmt.h"
#include "view/html_priv.h"

#define CHARTS 9

/* Bars of one session's slots, as shares of its own exits: two sessions are seldom as long. */
static void hist_bars(const struct nvx_row *row, double top, const char *color, double inset,
		      FILE *out)
{
	uint64_t all = 0;

	for (int h = 0; h < NVX_HIST_SLOTS; h++)
		all += row->hist[h];
	for (int h = 0; h < NVX_HIST_SLOTS && all; h++) {
		char n[NVX_FMT_MAX], b[NVX_FMT_MAX], share[NVX_FMT_MAX];
		double height = (double)row->hist[h] / all / top * 90;

		if (!row->hist[h])
			continue;
		if (h == NVX_HIST_SLOTS - 1)
			snprintf(b, sizeof(b), "more");
		else
			nvx_fmt__ns(b, sizeof(b), nvx_hist__bound(h));
		fprintf(out, "<g><title>up to %s: %s exits, %s</title><rect x=\"%.1f\" y=\"%.1f\" "
			     "width=\"%.1f\" height=\"%.1f\" fill=\"%s\" fill-opacity=\"0.8\"/></g>\n",
			b, nvx_fmt__count(n, sizeof(n), row->hist[h]),
			nvx_fmt__percent(share, sizeof(share), row->hist[h], all),
			h * 12.5 + inset, 92 - height, 11 - 2 * inset, height > 0.7 ? height : 0.7,
			color);
	}
}

static double highest(const struct nvx_row *row)
{
	uint64_t all = 0, most = 0;

	for (int h = 0; h < NVX_HIST_SLOTS; h++) {
		all += row->hist[h];
		most = row->hist[h] > most ? row->hist[h] : most;
	}
	return all ? (double)most / all : 0;
}

static void hist_axis(FILE *out)
{
	fputs("<line x1=0 y1=92.5 x2=300 y2=92.5 stroke=\"var(--line)\"/>\n", out);
	for (int h = 2; h < NVX_HIST_SLOTS - 1; h += 5) {
		char b[NVX_FMT_MAX];

		nvx_fmt__ns(b, sizeof(b), nvx_hist__bound(h));
		fprintf(out, "<text class=dim x=\"%.1f\" y=\"107\" text-anchor=middle "
			     "style=\"font-size:10px\">%s</text>\n", (h + 1) * 12.5, b);
	}
}

static void hist_card(const struct nvx_row *a, const struct nvx_row *b, FILE *out)
{
	static const char *const level[] = { "?", "L1", "L2" };
	double top = highest(a);
	char buf[64], n[NVX_FMT_MAX];

	if (b && highest(b) > top)
		top = highest(b);
	fprintf(out, "<div class=card><b>%s ", level[a->l.level % 3]);
	html_text(out, nvx_reason__name(a->l.isa, a->l.key, buf, sizeof(buf)));
	fprintf(out, "</b> <small>%s exits</small>\n<svg viewBox=\"0 0 300 110\">\n",
		nvx_fmt__count(n, sizeof(n), a->v[NVX_V_COUNT]));
	hist_axis(out);
	if (top > 0) {
		hist_bars(a, top, b ? "var(--q)" : a->l.level == NVX_LEVEL_2 ? "var(--l2)" :
						   "var(--l1)", 0, out);
		if (b)
			hist_bars(b, top, a->l.level == NVX_LEVEL_2 ? "var(--l2)" : "var(--l1)", 3,
				  out);
	}
	fputs("</svg></div>\n", out);
}

int html_histograms(const struct nvx_html_page *p, FILE *out)
{
	struct nvx_report a = p->session[0].report, b = p->session[1].report;
	struct nvx_rows *owner, *other = NULL;
	const struct nvx_row **row, **unused;
	size_t nr, nr_other = 0;

	a.top = CHARTS;
	a.by_host = b.by_host = true;
	if (nvx_report__rows(&a, NVX_SET_EXITS, &owner, &row, &nr) < 0)
		return -ENOMEM;
	if (p->nr > 1 && nvx_report__rows(&b, NVX_SET_EXITS, &other, &unused, &nr_other) < 0) {
		nvx_rows__free(owner);
		return -ENOMEM;
	}
	fprintf(out, "<h2>Time from an exit to the next entry</h2>\n<p class=dim>Shares of the "
		     "exits by their time, in powers of two%s</p>\n<div class=grid>\n",
		p->nr > 1 ? "; grey and wide: before, in colour and narrow: after." : ".");
	for (size_t i = 0; i < nr; i++) {
		const struct nvx_row *match = NULL;

		for (size_t k = 0; k < nr_other; k++)
			if (other->row[k]->l.key == row[i]->l.key &&
			    other->row[k]->l.level == row[i]->l.level &&
			    other->row[k]->l.isa == row[i]->l.isa)
				match = other->row[k];
		hist_card(row[i], match, out);
	}
	fputs("</div>\n", out);
	nvx_rows__free(owner);
	nvx_rows__free(other);
	return 0;
}

static double rate(const struct nvx_html_point *p, int l2)
{
	return p->duration_ns ? (l2 ? p->l2 : p->l1) * 1e9 / p->duration_ns : 0;
}

static void timeline_line(const struct nvx_html_session *s, double most, double end, int l2,
			  FILE *out)
{
	fprintf(out, "<polyline fill=none stroke-width=1.5 stroke=\"%s\" points=\"",
		l2 ? "var(--l2)" : "var(--l1)");
	for (size_t i = 0; i < s->nr_points; i++) {
		const struct nvx_html_point *p = &s->point[i];
		double y = 150 - rate(p, l2) / most * 140;

		/* a delta is a rate over a time, not a point */
		fprintf(out, "%.1f,%.1f %.1f,%.1f ",
			60 + (p->t_ns - p->duration_ns) / end * 930, y,
			60 + p->t_ns / end * 930, y);
	}
	fputs("\"/>\n", out);
}

static void timeline_of(const struct nvx_html_session *s, FILE *out)
{
	double most = 0, end = 0;
	char n[NVX_FMT_MAX], t[NVX_FMT_MAX];

	for (size_t i = 0; i < s->nr_points; i++) {
		for (int l2 = 0; l2 < 2; l2++)
			if (rate(&s->point[i], l2) > most)
				most = rate(&s->point[i], l2);
		end = s->point[i].t_ns > end ? s->point[i].t_ns : end;
	}
	if (most <= 0 || end <= 0) {
		fputs("<p class=dim>n/a</p>\n", out);
		return;
	}
	fprintf(out, "<svg viewBox=\"0 0 %d 175\" role=img aria-label=\"exits a second\">\n"
		     "<line x1=60 y1=150 x2=990 y2=150 stroke=\"var(--line)\"/>"
		     "<line x1=60 y1=10 x2=990 y2=10 stroke=\"var(--line)\"/>\n"
		     "<text class=dim x=54 y=14 text-anchor=end>%s/s</text>"
		     "<text class=dim x=54 y=154 text-anchor=end>0</text>"
		     "<text class=dim x=60 y=170>0s</text>"
		     "<text class=dim x=990 y=170 text-anchor=end>%s</text>\n", HTML_WIDTH,
		nvx_fmt__count(n, sizeof(n), most), nvx_fmt__ns(t, sizeof(t), end));
	timeline_line(s, most, end, 0, out);
	timeline_line(s, most, end, 1, out);
	fputs("</svg>\n", out);
}

void html_timeline(const struct nvx_html_page *p, FILE *out)
{
	fputs("<h2>Timeline</h2>\n<p class=dim><span class=key style=\"background:var(--l1);"
	      "margin-left:0\"></span>exits of L1 a second<span class=key "
	      "style=\"background:var(--l2)\"></span>exits of L2 a second</p>\n", out);
	for (size_t i = 0; i < p->nr; i++) {
		if (p->nr > 1)
			fprintf(out, "<h3>%s</h3>\n", i ? "After" : "Before");
		timeline_of(&p->session[i], out);
	}
}

static void diff_row(const struct nvx_figure *f, FILE *out)
{
	const struct nvx_comparison *c = &f->cmp;
	char v[NVX_FMT_MAX], w[NVX_FMT_MAX], name[300];
	const double value[] = { c->a, c->a_lo, c->a_hi, c->b, c->b_lo, c->b_hi };

	fprintf(out, "<tr%s><td>", c->verdict == NVX_CMP_DIFFERS ? " class=differs" : "");
	html_text(out, nvx_figure__name(f, name, sizeof(name)));
	for (int i = 0; i < 6; i += 3)
		fprintf(out, "<td>%s<td class=dim>%s..%s",
			nvx_figure__value(f->group, value[i], name, sizeof(name)),
			nvx_figure__value(f->group, value[i + 1], v, sizeof(v)),
			nvx_figure__value(f->group, value[i + 2], w, sizeof(w)));
	fprintf(out, "<td>%s<td>", nvx_figure__change(c, v, sizeof(v)));
	fprintf(out, c->verdict == NVX_CMP_TOO_FEW ? "n/a" : c->p_holm < 0.001 ? "&lt;0.001" : "%.3f",
		c->p_holm);
	fprintf(out, "<td>%zu+%zu</tr>\n", c->na, c->nb);
}

static void diff_config(const struct nvx_diff_page *p, FILE *out)
{
	if (!p->nr_config) {
		fputs("<p>The configurations do not differ.</p>\n", out);
		return;
	}
	fputs("<table class=config><tr><th>configuration<th>before<th>after</tr>\n", out);
	for (size_t i = 0; i < p->nr_config; i++) {
		fputs("<tr><td>", out);
		html_text(out, p->config[i].key);
		for (int side = 0; side < NVX_SIDES; side++) {
			fputs("<td>", out);
			html_text(out, p->config[i].value[side] ?: "n/a");
		}
		fputs("</tr>\n", out);
	}
	fputs("</table>\n", out);
}

void html_diff(const struct nvx_diff_page *p, FILE *out)
{
	char units[120];

	fputs("<h2>What differs</h2>\n", out);
	diff_config(p, out);
	fprintf(out, "<p>%zu of %zu figures differ; %s. Medians, 95%% intervals, p of the rank-sum "
		     "test corrected for all figures (Holm). ~: nothing is proven.</p>\n",
		p->diff->differ, p->diff->nr, nvx_diff__units(p->diff, units, sizeof(units)));
	if (p->diff->unit == NVX_UNIT_BLOCKS)
		fputs("<p class=dim>These are two runs: that they differ does not say why.</p>\n", out);
	for (unsigned int g = 0; g < NVX_DIFF_GROUPS; g++) {
		fprintf(out, "<details%s><summary>%s</summary>\n<table><tr><th><th>before<th>interval"
			     "<th>after<th>interval<th>change<th>p<th>n</tr>\n",
			g == NVX_DIFF_RATES || g == NVX_DIFF_SHARES ? " open" : "",
			nvx_diff_group__title(g));
		for (size_t i = 0; i < p->diff->nr; i++)
			if (p->diff->figure[i].group == g)
				diff_row(&p->diff->figure[i], out);
		fputs("</table></details>\n", out);
	}
}
