// SPDX-License-Identifier: GPL-2.0-only
#include "view/diff.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "model/metric.h"
#include "util/fmt.h"
#include "util/table.h"

const char *nvx_diff_group__title(enum nvx_diff_group group)
{
	static const char *const title[NVX_DIFF_GROUPS] = {
		[NVX_DIFF_RATES] = "Events a second",
		[NVX_DIFF_PER_L2] = "Events an exit of L2",
		[NVX_DIFF_TIMES] = "Mean time of an exit until re-entry, of a chain until L2 runs",
		[NVX_DIFF_QUANTILES] = "Quantiles of the time of an exit",
		[NVX_DIFF_CHAINS] = "Exits of a chain, by the reason that L1 saw",
		[NVX_DIFF_SHARES] = "Share of the vCPUs' time",
	};

	return title[group];
}

const char *nvx_diff_group__id(enum nvx_diff_group group)
{
	static const char *const id[NVX_DIFF_GROUPS] = {
		[NVX_DIFF_RATES] = "rates",	[NVX_DIFF_PER_L2] = "per_l2_exit",
		[NVX_DIFF_TIMES] = "times",	[NVX_DIFF_QUANTILES] = "quantiles",
		[NVX_DIFF_CHAINS] = "chain_exits", [NVX_DIFF_SHARES] = "time_shares",
	};

	return id[group];
}

/* What stands before the labels, so that "write" or "all" have a context. */
static const char *set_word(enum nvx_set set)
{
	switch (set) {
	case NVX_SET_MSRS:
		return "MSR";
	case NVX_SET_HYPERCALLS:
		return "hypercall";
	case NVX_SET_PIO:
		return "port";
	case NVX_SET_MMIO:
		return "page";
	case NVX_SET_CHAINS:
		return "chain";
	case NVX_SET_IPIS:
		return "IPI";
	case NVX_SET_TLB:
		return "TLB flush";
	default:
		return "";
	}
}

char *nvx_figure__name(const struct nvx_figure *f, char *buf, size_t size)
{
	unsigned int labels = nvx_set__info(f->labels.set)->labels &
			      ~(1u << NVX_LABEL_VM | 1u << NVX_LABEL_L2);
	const struct nvx_row row = { .l = f->labels };
	int n = snprintf(buf, size, "%s", set_word(f->labels.set));
	char text[NVX_LABEL_MAX];

	for (unsigned int l = 0; l < NVX_LABEL_COUNT && n < (int)size; l++)
		if (labels & 1u << l)
			n += snprintf(buf + n, size - n, "%s%s%s", n ? " " : "",
				      l == NVX_LABEL_LEVEL ? "L" : "",
				      nvx_label__text(l, &row, NULL, text, sizeof(text)));
	if (*f->what && n < (int)size)
		snprintf(buf + n, size - n, "%s%s", n ? " " : "", f->what);
	return buf;
}

char *nvx_figure__value(enum nvx_diff_group group, double v, char *buf, size_t size)
{
	if (isnan(v))
		snprintf(buf, size, "n/a");
	else if (group == NVX_DIFF_TIMES || group == NVX_DIFF_QUANTILES)
		nvx_fmt__ns(buf, size, v + 0.5);
	else if (group == NVX_DIFF_SHARES)
		snprintf(buf, size, "%.2f%%", 100 * v);
	else if (v >= 1000)
		nvx_fmt__count(buf, size, v + 0.5);
	else
		snprintf(buf, size, v < 10 && v ? "%.3f" : "%.1f", v);
	return buf;
}

char *nvx_figure__change(const struct nvx_comparison *c, char *buf, size_t size)
{
	if (c->verdict != NVX_CMP_DIFFERS)
		snprintf(buf, size, "~");
	else if (isnan(c->change))
		snprintf(buf, size, "new");
	else
		snprintf(buf, size, "%+.1f%%", 100 * c->change);
	return buf;
}

static char *p_text(const struct nvx_comparison *c, char *buf, size_t size)
{
	if (c->verdict == NVX_CMP_TOO_FEW)
		snprintf(buf, size, "n/a");
	else if (c->p_holm < 0.001)
		snprintf(buf, size, "<0.001");
	else
		snprintf(buf, size, "%.3f", c->p_holm);
	return buf;
}

char *nvx_diff__units(const struct nvx_diff *d, char *buf, size_t size)
{
	static const char *const text[] = {
		[NVX_UNIT_PERIODS] = "a unit is a period of nvx tune",
		[NVX_UNIT_RUNS] = "a unit is a session",
		[NVX_UNIT_BLOCKS] = "a unit is a block of deltas longer than they stay alike",
	};

	snprintf(buf, size, "%s", text[d->unit]);
	return buf;
}

/* One run a side can show that the runs differ, not why. */
static bool single_runs(const struct nvx_diff *d)
{
	return d->unit == NVX_UNIT_BLOCKS;
}

static void heading(const struct nvx_diff_page *p, FILE *out, const char *bullet)
{
	char t[NVX_FMT_MAX];

	for (size_t i = 0; i < p->nr_files; i++) {
		const struct nvx_diff_file *f = &p->file[i];

		fprintf(out, "%s%c: %s, %s, %llu deltas, %s, kernel %s%s%s%s%s%s\n", bullet,
			"AB"[f->side], f->path, nvx_fmt__ns(t, sizeof(t), f->duration_ns),
			(unsigned long long)f->deltas, f->host, f->release, *f->note ? ", \"" : "",
			f->note, *f->note ? "\"" : "", f->trouble ? "; incomplete: " : "",
			f->trouble ?: "");
	}
}

static void conclusion(const struct nvx_diff *d, FILE *out)
{
	char u[120];

	fprintf(out, "Medians, their 95%% intervals, p of the rank-sum test corrected for all %zu "
		     "figures (Holm), n units a side;\n%s. ~: nothing is proven.\n",
		d->nr, nvx_diff__units(d, u, sizeof(u)));
	if (d->nr && d->too_few == d->nr)
		fputs("Nothing can be proven: too few units. Record longer, or use nvx tune.\n",
		      out);
	else
		fprintf(out, "%zu of %zu figures differ%s.\n", d->differ, d->nr,
			single_runs(d) ? " between these two runs" : "");
	if (d->differ && single_runs(d))
		fputs("Whether a change of yours is why, nvx tune can tell.\n", out);
}

static void lacks(const struct nvx_diff_page *p, FILE *out)
{
	for (int i = 0; i < NVX_LACK_COUNT; i++)
		if (*p->lacks[i])
			fprintf(out, "%s: n/a (%s)\n", nvx_lack__name(i), p->lacks[i]);
}

static bool shown(const struct nvx_diff_page *p, const struct nvx_figure *f,
		  enum nvx_diff_group group)
{
	return f->group == group && (p->all || f->cmp.verdict == NVX_CMP_DIFFERS ||
				     f->cmp.a > 0 || f->cmp.b > 0);
}

/* The seven cells of a figure: name, A, its interval, B, its interval, change, p, n. */
enum { CELLS = 8 };

struct line {
	char cell[CELLS][NVX_LABEL_MAX + 64];
};

static void interval(enum nvx_diff_group g, double lo, double hi, char *buf, size_t size)
{
	char a[NVX_FMT_MAX], b[NVX_FMT_MAX];

	snprintf(buf, size, "%s..%s", nvx_figure__value(g, lo, a, sizeof(a)),
		 nvx_figure__value(g, hi, b, sizeof(b)));
}

static void fill_line(const struct nvx_figure *f, struct line *l)
{
	const size_t size = sizeof(l->cell[0]);
	const struct nvx_comparison *c = &f->cmp;

	nvx_figure__name(f, l->cell[0], size);
	nvx_figure__value(f->group, c->a, l->cell[1], size);
	interval(f->group, c->a_lo, c->a_hi, l->cell[2], size);
	nvx_figure__value(f->group, c->b, l->cell[3], size);
	interval(f->group, c->b_lo, c->b_hi, l->cell[4], size);
	nvx_figure__change(c, l->cell[5], size);
	p_text(c, l->cell[6], size);
	snprintf(l->cell[7], size, "%zu+%zu", c->na, c->nb);
}

static const char *const headings[CELLS] = { "",  "A",	    "INTERVAL", "B", "INTERVAL",
					     "CHANGE", "P", "N" };

static int text_group(const struct nvx_diff_page *p, enum nvx_diff_group g, FILE *out)
{
	static const enum nvx_align align[CELLS] = { NVX_LEFT,	NVX_RIGHT, NVX_RIGHT, NVX_RIGHT,
						     NVX_RIGHT, NVX_RIGHT, NVX_RIGHT, NVX_RIGHT };
	struct nvx_table *t = nvx_table__new(CELLS, align);
	size_t nr = 0;
	int ret = 0;

	if (!t)
		return -ENOMEM;
	nvx_table__row(t, headings);
	for (size_t i = 0; i < p->diff->nr; i++) {
		const char *cell[CELLS];
		struct line l = { 0 };

		if (!shown(p, &p->diff->figure[i], g))
			continue;
		fill_line(&p->diff->figure[i], &l);
		for (int c = 0; c < CELLS; c++)
			cell[c] = l.cell[c];
		nvx_table__row(t, cell);
		nr++;
	}
	if (nr) {
		fprintf(out, "\n%s\n", nvx_diff_group__title(g));
		ret = nvx_table__print(t, out, 2);
	}
	nvx_table__free(t);
	return ret;
}

int nvx_view__diff_text(const struct nvx_diff_page *p, FILE *out)
{
	int ret = 0;

	heading(p, out, "");
	fputs(p->nr_config ? "\nWhat differs in the configurations\n" :
			     "\nThe configurations do not differ.\n", out);
	for (size_t i = 0; i < p->nr_config; i++)
		fprintf(out, "  %s\n    A: %s\n    B: %s\n", p->config[i].key,
			p->config[i].value[NVX_SIDE_A] ?: "n/a", p->config[i].value[NVX_SIDE_B] ?: "n/a");
	fputc('\n', out);
	conclusion(p->diff, out);
	lacks(p, out);
	for (unsigned int g = 0; g < NVX_DIFF_GROUPS && !ret; g++)
		ret = text_group(p, g, out);
	if (fflush(out) || ferror(out))
		ret = -EIO;
	return ret;
}

/* A cell of a Markdown table; a bar would end it. */
static void md_cell(FILE *out, const char *text)
{
	fputc(' ', out);
	for (; *text; text++) {
		if (*text == '|' || *text == '\\' || *text == '`')
			fputc('\\', out);
		fputc(*text == '\n' ? ' ' : *text, out);
	}
	fputs(" |", out);
}

static void md_group(const struct nvx_diff_page *p, enum nvx_diff_group g, FILE *out)
{
	bool first = true;

	for (size_t i = 0; i < p->diff->nr; i++) {
		struct line l = { 0 };

		if (!shown(p, &p->diff->figure[i], g))
			continue;
		if (first)
			fprintf(out, "\n### %s\n\n| | A | interval | B | interval | change | p | n |\n"
				     "|---|--:|--:|--:|--:|--:|--:|--:|\n",
				nvx_diff_group__title(g));
		first = false;
		fill_line(&p->diff->figure[i], &l);
		fputc('|', out);
		for (int c = 0; c < CELLS; c++)
			md_cell(out, l.cell[c]);
		fputc('\n', out);
	}
}

int nvx_view__diff_markdown(const struct nvx_diff_page *p, FILE *out)
{
	heading(p, out, "- ");
	fputc('\n', out);
	if (p->nr_config)
		fputs("| configuration | A | B |\n|---|---|---|\n", out);
	else
		fputs("The configurations do not differ.\n", out);
	for (size_t i = 0; i < p->nr_config; i++) {
		fputc('|', out);
		md_cell(out, p->config[i].key);
		md_cell(out, p->config[i].value[NVX_SIDE_A] ?: "n/a");
		md_cell(out, p->config[i].value[NVX_SIDE_B] ?: "n/a");
		fputc('\n', out);
	}
	fputc('\n', out);
	conclusion(p->diff, out);
	lacks(p, out);
	for (unsigned int g = 0; g < NVX_DIFF_GROUPS; g++)
		md_group(p, g, out);
	return fflush(out) || ferror(out) ? -EIO : 0;
}

static json_t *real(double v)
{
	return isnan(v) ? json_null() : json_real(v);
}

static json_t *side_object(double v, double lo, double hi, size_t n)
{
	return json_pack("{s:o, s:[o, o], s:I}", "median", real(v), "interval", real(lo), real(hi),
			 "n", (json_int_t)n);
}

static json_t *figure_object(const struct nvx_figure *f)
{
	static const char *const verdict[] = { [NVX_CMP_NOT_PROVEN] = "not_proven",
					       [NVX_CMP_DIFFERS] = "differs",
					       [NVX_CMP_TOO_FEW] = "too_few_units" };
	const struct nvx_comparison *c = &f->cmp;
	char name[NVX_LABEL_MAX + 64];
	json_t *o = json_pack("{s:s, s:s, s:s}", "group", nvx_diff_group__id(f->group), "set",
			      nvx_set__info(f->labels.set)->name, "figure",
			      nvx_figure__name(f, name, sizeof(name)));

	json_object_set_new(o, "a", side_object(c->a, c->a_lo, c->a_hi, c->na));
	json_object_set_new(o, "b", side_object(c->b, c->b_lo, c->b_hi, c->nb));
	json_object_set_new(o, "change", real(c->change));
	json_object_set_new(o, "p", real(c->p));
	json_object_set_new(o, "p_holm", real(c->p_holm));
	json_object_set_new(o, "verdict", json_string(verdict[c->verdict]));
	json_object_set_new(o, "block_deltas", json_integer(f->block));
	return o;
}

static json_t *text_or_null(const char *text)
{
	return text ? json_string(text) : json_null();
}

int nvx_view__diff_json(const struct nvx_diff_page *p, FILE *out)
{
	static const char *const unit[] = { [NVX_UNIT_PERIODS] = "period",
					    [NVX_UNIT_RUNS] = "session",
					    [NVX_UNIT_BLOCKS] = "block" };
	json_t *root = json_pack("{s:s, s:s}", "schema", "nvx-diff-1", "unit", unit[p->diff->unit]);
	json_t *files = json_array(), *config = json_array(), *figures = json_array();
	int ret;

	for (size_t i = 0; i < p->nr_files; i++) {
		const struct nvx_diff_file *f = &p->file[i];

		json_array_append_new(files, json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:o}",
			"side", f->side ? "b" : "a", "file", f->path, "host", f->host, "kernel",
			f->release, "note", f->note, "duration_ns", (json_int_t)f->duration_ns,
			"deltas", (json_int_t)f->deltas, "incomplete", text_or_null(f->trouble)));
	}
	for (size_t i = 0; i < p->nr_config; i++)
		json_array_append_new(config, json_pack("{s:s, s:o, s:o}", "key", p->config[i].key,
			"a", text_or_null(p->config[i].value[NVX_SIDE_A]), "b",
			text_or_null(p->config[i].value[NVX_SIDE_B])));
	for (size_t i = 0; i < p->diff->nr; i++)
		json_array_append_new(figures, figure_object(&p->diff->figure[i]));
	json_object_set_new(root, "files", files);
	json_object_set_new(root, "config", config);
	json_object_set_new(root, "differ", json_integer(p->diff->differ));
	json_object_set_new(root, "figures", figures);
	ret = json_dumpf(root, out, JSON_COMPACT) ? -EIO : 0;
	json_decref(root);
	return fputc('\n', out) == EOF || fflush(out) ? -EIO : ret;
}
