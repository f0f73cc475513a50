// SPDX-License-Identifier: GPL-2.0-only
/* nvx top: what stands around the rows. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "util/fmt.h"
#include "view/top_priv.h"

static const struct nvx_top_sum *scope_sum(struct top_draw *d, struct nvx_top_sum *own)
{
	const struct nvx_topui *ui = d->ui;

	if (ui->scope.slot != NVX_TOP_NO_SLOT) {
		nvx_top__sum(d->rows, NVX_VM_ALL, own);
		return own;
	}
	return ui->scope.vm == NVX_VM_ALL ? nvx_top__host(d->t, ui->window) :
					    nvx_top__vm(d->t, ui->window, ui->scope.vm);
}

static void title(struct top_draw *d, struct nvx_screen *s, unsigned int row)
{
	const struct nvx_top_info *i = d->info;
	char dur[NVX_FMT_MAX], right[96];
	unsigned int w, end;

	snprintf(right, sizeof(right), "%s%s %s", nvx_top__held(d->t) ? "PAUSED " : i->ended ?
		 "END " : "", i->at, nvx_fmt__ns(dur, sizeof(dur), i->interval_ns));
	w = strlen(right);
	nvx_screen__printf(s, row, 0, s->cols > w + 2 ? s->cols - w - 2 : 0, NVX_LOOK_BOLD,
			   "nvx top  %s, kernel %s, %s", i->host, i->release, i->source);
	end = s->cols > w ? s->cols - w : 0;
	nvx_screen__text(s, row, end, 0, nvx_top__held(d->t) ? NVX_LOOK_WARN : NVX_LOOK_PLAIN,
			 right);
}

static const char *rate(char *buf, uint64_t n, uint64_t ns)
{
	double v = ns ? n * 1e9 / ns : NAN;

	if (isnan(v))
		return "n/a";
	if (n && v < 9.95) {
		snprintf(buf, NVX_FMT_MAX, "%.1f", v);
		return buf;
	}
	return nvx_fmt__count(buf, NVX_FMT_MAX, (uint64_t)(v + 0.5));
}

/* Where figures are written: they go on in the next line where one is full. */
struct figures {
	struct nvx_screen *s;
	unsigned int row, col;
};

static void figure_as(struct figures *f, const char *name, const char *value, enum nvx_look look)
{
	unsigned int w = strlen(name) + 1 + strlen(value);

	if (f->col && f->col + w > f->s->cols) {
		f->row++;
		f->col = 0;
	}
	f->col += nvx_screen__printf(f->s, f->row, f->col, 0, NVX_LOOK_DIM, "%s ", name);
	f->col += 2 + nvx_screen__text(f->s, f->row, f->col, 0, look, value);
}

static void figure(struct figures *f, const char *name, const char *value)
{
	figure_as(f, name, value, NVX_LOOK_BOLD);
}

/* Returns the line behind them. */
static unsigned int figures(struct top_draw *d, struct nvx_screen *s, unsigned int row,
			    const struct nvx_top_sum *sum)
{
	const struct nvx_probe_section *have = d->info->section;
	struct figures f = { s, row, 0 };
	char b[NVX_FMT_MAX];
	unsigned int vms = 0, vcpus = 0;

	for (size_t i = 0; i < d->info->nr_vms; i++) {
		vms += nvx_top__vcpus(d->t, i) != 0;
		vcpus += nvx_top__vcpus(d->t, i);
	}
	figure(&f, "VMs", nvx_fmt__count(b, sizeof(b), vms));
	figure(&f, "vCPUs", nvx_fmt__count(b, sizeof(b), vcpus));
	figure(&f, "exits/s L1", rate(b, sum->l1_exits, d->ns));
	figure(&f, "L2", rate(b, sum->l2_exits, d->ns));
	if (sum->unknown)
		figure(&f, "level ?", rate(b, sum->unknown, d->ns));
	figure(&f, "switches/s", rate(b, sum->entries + sum->leaves, d->ns));
	figure(&f, "flushes/switch", have[NVX_SECTION_TLB].have == NVX_HAVE_NO ? "n/a" :
	       nvx_fmt__ratio(b, sizeof(b), sum->flushes, sum->flush_switches, 2));
	figure(&f, "IPI exits/s", have[NVX_SECTION_IPIS].have == NVX_HAVE_NO ? "n/a" :
	       rate(b, sum->ipi_exits, d->ns));
	return f.row + 1;
}

/* Which layer: one letter a part, as wide as its share; below it what the letters mean. */
static void layers(struct top_draw *d, struct nvx_screen *s, unsigned int row,
		   const struct nvx_top_sum *sum)
{
	const struct nvx_probe_section *have = &d->info->section[NVX_SECTION_TIME];
	unsigned int width = s->cols > 130 ? 120 : s->cols > 12 ? s->cols - 10 : 2, x = 0, c = 0;
	uint64_t all = top_time(sum), sofar = 0;

	nvx_screen__text(s, row, 0, 0, NVX_LOOK_DIM, "layer  [");
	if (have->have == NVX_HAVE_NO || !all) {
		nvx_screen__printf(s, row, 8, width, NVX_LOOK_DIM, "n/a: %s]",
				   have->have == NVX_HAVE_NO ? have->reason : "no vCPU ran");
		return;
	}
	for (unsigned int p = 0; p < TOP_PARTS; p++) {
		unsigned int end;

		sofar += top_part(sum, p);
		end = (unsigned int)((double)sofar * width / all + 0.5);
		nvx_screen__fill(s, row, 8 + x, end - x, NVX_LOOK_BAR + p, top_parts[p].letter);
		x = end;
	}
	nvx_screen__text(s, row, 8 + width, 0, NVX_LOOK_DIM, "]");
	for (unsigned int p = 0; p < TOP_PARTS; p++) {
		/* the level is known as a rule: no word for a share of nothing */
		if (p == TOP_PARTS - 1 && !top_part(sum, p))
			continue;
		nvx_screen__fill(s, row + 1, c, 1, NVX_LOOK_BAR + p, top_parts[p].letter);
		c += 2 + nvx_screen__printf(s, row + 1, c + 1, 0, NVX_LOOK_PLAIN, " %s %.1f",
					    top_parts[p].name, 100.0 * top_part(sum, p) / all);
	}
	nvx_screen__text(s, row + 1, c - 1, 0, NVX_LOOK_PLAIN, "%");
}

/* What changed since the mark, of the figures above; returns the line behind it. */
static unsigned int changes(struct top_draw *d, struct nvx_screen *s, unsigned int row,
			    size_t before, size_t after)
{
	static const struct {
		const char *name;
		uint8_t set, key, figure;
	} what[] = {
		{ "L1 exits", NVX_SET_VMS, 0, NVX_TOP_COUNT },
		{ "L2 exits", NVX_SET_VMS, 0, NVX_TOP_SECOND },
		{ "switches", NVX_SET_VMS, 0, NVX_TOP_THIRD },
		{ "time L2", NVX_SET_TIME, NVX_T_L2, NVX_TOP_COUNT },
		{ "L1", NVX_SET_TIME, NVX_T_L1, NVX_TOP_COUNT },
		{ "L0:L1", NVX_SET_TIME, NVX_T_L0_L1, NVX_TOP_COUNT },
		{ "L0:L2", NVX_SET_TIME, NVX_T_L0_L2, NVX_TOP_COUNT },
	};
	enum { NR = sizeof(what) / sizeof(*what) };
	struct nvx_comparison cmp[NR], *family[NR];
	char age[NVX_FMT_MAX], buf[NVX_GRID_CELL];
	struct figures f = { s, row, 0 };
	bool have[NR];
	size_t nr = 0;

	f.col = 2 + nvx_screen__printf(s, row, 0, 0, NVX_LOOK_WARN, "since mark %s (%zu before, %zu after)",
				   nvx_fmt__ns(age, sizeof(age), nvx_top__mark_age(d->t)), before,
				   after);
	for (unsigned int i = 0; i < NR; i++) {
		struct nvx_labels l = { .set = what[i].set, .vm = d->ui->scope.vm,
					.key = what[i].key };

		/* a VM has rows of the CPU's own kind */
		l.isa = l.set == NVX_SET_VMS ? NVX_ISA_VMX : 0;
		have[i] = nvx_top__change(d->t, &l, what[i].figure, &cmp[i]);
		if (!have[i] && l.isa) {
			l.isa = NVX_ISA_SVM;
			have[i] = nvx_top__change(d->t, &l, what[i].figure, &cmp[i]);
		}
		if (have[i])
			family[nr++] = &cmp[i];
	}
	if (nvx_compare__family(family, nr))
		return row + 1;
	for (unsigned int i = 0; i < NR; i++) {
		uint8_t look = NVX_LOOK_DIM;
		const char *text = have[i] ? top_change(&cmp[i], buf, sizeof(buf), &look) : "-";

		figure_as(&f, what[i].name, text, look);
	}
	return f.row + 1;
}

static void tabs(struct top_draw *d, struct nvx_screen *s, unsigned int row)
{
	unsigned int c = 0;

	for (unsigned int v = 0; v < NVX_VIEW_COUNT; v++)
		c += 1 + nvx_screen__printf(s, row, c, 0, v == d->ui->view ? NVX_LOOK_TAB :
					    NVX_LOOK_PLAIN, v == d->ui->view ? "[%u %s]" : "%u %s",
					    (v + 1) % 10, top_views[v].title);
}

/* Whose figures, of what time, by what order. */
static void scope_line(struct top_draw *d, struct nvx_screen *s, unsigned int row)
{
	const struct nvx_topui *ui = d->ui;
	const struct nvx_grid_state *st = &ui->state[ui->view];
	const struct nvx_sample *latest = nvx_top__latest(d->t);
	char dur[NVX_FMT_MAX];
	unsigned int c = 0;

	if (ui->scope.vm == NVX_VM_ALL)
		c += nvx_screen__text(s, row, c, 0, NVX_LOOK_BOLD, "all VMs");
	else
		c += nvx_screen__printf(s, row, c, 0, NVX_LOOK_BOLD, "VM %s",
					d->info->vms[ui->scope.vm]->id.name);
	for (size_t i = 0; ui->scope.slot != NVX_TOP_NO_SLOT && latest && i < latest->nr; i++)
		if (latest->snap[i]->slot == ui->scope.slot)
			c += nvx_screen__printf(s, row, c, 0, NVX_LOOK_BOLD, ", vCPU %u",
						latest->snap[i]->v.vcpu_id);
	c += nvx_screen__printf(s, row, c, 0, NVX_LOOK_PLAIN, ui->window == NVX_TOP_LAST ?
				", last interval (%s)" : ", since the start or reset (%s)",
				nvx_fmt__ns(dur, sizeof(dur), d->ns));
	if (st->sort < ui->grid.nr_columns && ui->mode == TOP_GRID)
		c += nvx_screen__printf(s, row, c, 0, NVX_LOOK_PLAIN, ", by %s%s",
					ui->grid.column[st->sort].head,
					st->reverse ? " reversed" : "");
	if (*st->filter)
		nvx_screen__printf(s, row, c, 0, NVX_LOOK_WARN, ", only `%s` (%zu left out)",
				   st->filter, ui->grid.left_out);
}

unsigned int top_draw_header(struct top_draw *d, struct nvx_screen *s)
{
	struct nvx_top_sum own;
	const struct nvx_top_sum *sum = scope_sum(d, &own);
	size_t before, after;
	unsigned int row = 0;

	title(d, s, row++);
	row = figures(d, s, row, sum);
	layers(d, s, row, sum);
	row += 2;
	if (nvx_top__marked(d->t, &before, &after))
		row = changes(d, s, row, before, after);
	tabs(d, s, row++);
	scope_line(d, s, row++);
	return row;
}

static void cost_text(const struct top_draw *d, char *buf, size_t size)
{
	const struct nvx_top_info *i = d->info;
	char n[NVX_FMT_MAX];
	size_t at = 0;

	if (!i->probe) {
		snprintf(buf, size, "a recording; lost %s", nvx_fmt__count(n, sizeof(n), i->dropped));
		return;
	}
	if (i->own_cpu >= 0)
		at += snprintf(buf, size, "nvx %.2f%% of a CPU, ", 100 * i->own_cpu);
	if (i->cost.events && i->cost.window_ns && at < size)
		at += snprintf(buf + at, size - at, "BPF %llu ns an event (%.2f%%), ",
			       (unsigned long long)(i->cost.run_ns / i->cost.events),
			       100.0 * i->cost.run_ns / i->cost.window_ns);
	else if (at < size)
		at += snprintf(buf + at, size - at, "BPF n/a, ");
	if (at < size)
		snprintf(buf + at, size - at, "dropped %s", nvx_fmt__count(n, sizeof(n), i->dropped +
			 nvx_top__host(d->t, NVX_TOP_SINCE)->lost));
}

void top_draw_status(struct top_draw *d, struct nvx_screen *s)
{
	static const char *const asks[] = { "", "filter: ", "write this view to: ",
					    "record a session to: ", "interval: " };
	static const char keys[] = "? help  q quit";
	struct nvx_topui *ui = d->ui;
	unsigned int row = s->rows - 1, c;
	char cost[200];

	nvx_screen__fill(s, row, 0, s->cols, NVX_LOOK_PLAIN, ' ');
	if (ui->prompt) {
		c = nvx_screen__text(s, row, 0, 0, NVX_LOOK_BOLD, asks[ui->prompt]);
		c += nvx_screen__text(s, row, c, 0, NVX_LOOK_PLAIN, ui->typed);
		nvx_screen__fill(s, row, c, 1, NVX_LOOK_SELECT, '_');
		return;
	}
	if (*ui->message) {
		nvx_screen__text(s, row, 0, 0, NVX_LOOK_WARN, ui->message);
		return;
	}
	cost_text(d, cost, sizeof(cost));
	c = s->cols > sizeof(keys) + 20 && !ui->printing ? s->cols - sizeof(keys) : 0;
	nvx_screen__printf(s, row, 0, c, NVX_LOOK_DIM, "%s%s%s", cost,
			   d->info->recording ? ", recording to " : "",
			   d->info->recording ? d->info->recording : "");
	if (c)
		nvx_screen__text(s, row, c, 0, NVX_LOOK_DIM, keys);
}
