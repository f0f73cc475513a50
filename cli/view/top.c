// SPDX-License-Identifier: GPL-2.0-only
#include "view/top.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "view/top_priv.h"

struct nvx_topui *nvx_topui__new(void)
{
	struct nvx_topui *ui = calloc(1, sizeof(*ui));

	if (!ui)
		return NULL;
	ui->scope = (struct nvx_top_scope){ NVX_VM_ALL, NVX_TOP_NO_SLOT };
	ui->page = 10;
	for (unsigned int v = 0; v < NVX_VIEW_COUNT; v++)
		ui->state[v].sort = top_views[v].sort;
	return ui;
}

void nvx_topui__free(struct nvx_topui *ui)
{
	if (!ui)
		return;
	nvx_grid__free(&ui->grid);
	free(ui);
}

void nvx_topui__window(struct nvx_topui *ui, enum nvx_top_window w)
{
	ui->window = w;
}

void nvx_topui__say(struct nvx_topui *ui, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(ui->message, sizeof(ui->message), fmt, ap);
	va_end(ap);
}

const char *top_change(const struct nvx_comparison *c, char *buf, size_t size, uint8_t *look)
{
	*look = NVX_LOOK_PLAIN;
	if (c->verdict != NVX_CMP_DIFFERS)
		return c->verdict == NVX_CMP_TOO_FEW ? ".." : "~";
	*look = c->b > c->a ? NVX_LOOK_WORSE : NVX_LOOK_BETTER;
	if (isnan(c->change))
		return "new";
	snprintf(buf, size, "%+.1f%%", 100 * c->change);
	return buf;
}

/* The changes of the rows that are on the screen, which are one family of comparisons. */
static void fill_changes(struct top_draw *d, struct nvx_grid *g, size_t from, size_t rows)
{
	const struct top_view *view = &top_views[d->ui->view];
	struct nvx_comparison *c = calloc(2 * rows + 1, sizeof(*c)), **family;
	bool *have = calloc(2 * rows + 1, sizeof(*have));
	size_t nr = 0;

	family = calloc(2 * rows + 1, sizeof(struct nvx_comparison *));
	for (size_t i = 0; c && have && family && i < 2 * rows; i++) {
		const struct nvx_grid_row *r = &g->row[from + i / 2];

		if (!view->change[i % 2])
			continue;
		have[i] = nvx_top__change(d->t, &r->l, view->figure[i % 2], &c[i]);
		if (have[i])
			family[nr++] = &c[i];
	}
	if (c && have && family && !nvx_compare__family(family, nr)) {
		for (size_t i = 0; i < 2 * rows; i++) {
			struct nvx_grid_cell *cell;
			char buf[NVX_GRID_CELL];

			if (!view->change[i % 2])
				continue;
			cell = &g->row[from + i / 2].cell[view->change[i % 2]];
			snprintf(cell->text, sizeof(cell->text), "%s", !have[i] ? "" :
				 top_change(&c[i], buf, sizeof(buf), &cell->look));
		}
	}
	free(c);
	free(have);
	free(family);
}

static void begin(struct top_draw *d)
{
	const struct top_view *view = &top_views[d->ui->view];
	const struct nvx_probe_section *have = view->section < 0 ? NULL :
					       &d->info->section[view->section];

	d->rows = nvx_top__rows(d->t, d->ui->window, d->ui->scope, &d->owner);
	d->ns = nvx_top__ns(d->t, d->ui->window);
	d->report = (struct nvx_report){
		.rows = d->rows, .vms = d->info->vms, .nr_vms = d->info->nr_vms,
		.section = d->info->section,
	};
	if (have && have->have == NVX_HAVE_NO)
		d->na = have->reason;
}

/* Rows of the view, in order. */
static void build(struct top_draw *d)
{
	const struct top_view *view = &top_views[d->ui->view];
	struct nvx_grid *g = &d->ui->grid;
	size_t before, after;

	nvx_grid__free(g);
	g->column = view->column;
	g->nr_columns = view->nr_columns;
	if (!nvx_top__marked(d->t, &before, &after) || d->ui->scope.slot != NVX_TOP_NO_SLOT)
		g->nr_columns -= (view->change[0] != 0) + (view->change[1] != 0);
	if (!d->na && d->rows)
		view->build(d, g);
	nvx_grid__arrange(g, &d->ui->state[d->ui->view]);
}

static void draw_grid(struct top_draw *d, struct nvx_screen *s, unsigned int row, unsigned int rows)
{
	struct nvx_grid_state *state = &d->ui->state[d->ui->view];
	struct nvx_grid *g = &d->ui->grid;
	size_t page = rows > 1 ? rows - 1 : 1, before, after;

	d->ui->page = page;
	if (d->na) {
		nvx_screen__printf(s, row + 1, 2, 0, NVX_LOOK_WARN, "n/a: %s", d->na);
		return;
	}
	if (!g->nr) {
		nvx_grid__draw(g, state, s, row, 1);
		nvx_screen__text(s, row + 1, 2, 0, NVX_LOOK_DIM,
				 g->left_out ? "nothing has that in its text; / and Enter show all" :
				 nvx_top__intervals(d->t) ? "nothing in this time" : "gathering");
		return;
	}
	if (nvx_top__marked(d->t, &before, &after) && after && g->nr_columns ==
	    top_views[d->ui->view].nr_columns) {
		/* where the page will stand is settled by drawing it once */
		nvx_grid__draw(g, state, s, row, rows);
		fill_changes(d, g, state->top,
			     g->nr - state->top < page ? g->nr - state->top : page);
		for (unsigned int r = row; r < row + rows; r++)
			nvx_screen__fill(s, r, 0, s->cols, NVX_LOOK_PLAIN, ' ');
	}
	nvx_grid__draw(g, state, s, row, rows);
}

int nvx_topui__draw(struct nvx_topui *ui, const struct nvx_top *t,
		    const struct nvx_top_info *info, struct nvx_screen *s)
{
	struct top_draw d = { .ui = ui, .t = t, .info = info, .ascii = s->ascii };
	unsigned int row;
	int ret = 0;

	/* a VM or vCPU that is gone is looked at no longer */
	if (ui->scope.vm != NVX_VM_ALL && nvx_top__intervals(t) &&
	    !nvx_top__vcpus(t, ui->scope.vm)) {
		nvx_topui__say(ui, "%s is gone", info->vms[ui->scope.vm]->id.name);
		ui->scope = (struct nvx_top_scope){ NVX_VM_ALL, NVX_TOP_NO_SLOT };
		ui->mode = TOP_GRID;
	}
	ui->recording = info->recording != NULL;
	begin(&d);
	if (!d.rows)
		return -ENOMEM;
	build(&d);
	row = ui->header = top_draw_header(&d, s);
	if (ui->mode == TOP_HELP)
		top_draw_help(s, row);
	else if (ui->mode == TOP_HIST)
		top_draw_hist(&d, s, row);
	else if (s->rows > row + 1)
		draw_grid(&d, s, row, s->rows - 1 - row);
	top_draw_status(&d, s);
	if (ui->grid.failed)
		ret = -ENOMEM;
	nvx_rows__free(d.owner);
	return ret;
}

#define PRINT_COLS 200 /* where no width is given: as much as views have */
#define PRINT_ROWS 60  /* where something else than rows is shown */

static int print_to(struct nvx_topui *ui, const struct nvx_top *t, const struct nvx_top_info *info,
		    unsigned int rows, unsigned int cols, bool ascii, FILE *out)
{
	struct nvx_screen *s = nvx_screen__new(rows, cols, ascii);
	int ret = s ? nvx_topui__draw(ui, t, info, s) : -ENOMEM;

	if (!ret && out)
		ret = nvx_screen__print_used(s, out);
	nvx_screen__free(s);
	return ret;
}

int nvx_topui__print(struct nvx_topui *ui, const struct nvx_top *t,
		     const struct nvx_top_info *info, unsigned int cols, bool ascii, FILE *out)
{
	struct nvx_grid_state was = ui->state[ui->view];
	unsigned int rows = PRINT_ROWS;
	int ret;

	cols = cols ? cols : PRINT_COLS;
	ui->printing = true;
	/* drawn once to know how many rows there are */
	ret = print_to(ui, t, info, rows, cols, ascii, NULL);
	if (ui->mode == TOP_GRID)
		rows = ui->header + 2 + (ui->grid.nr ? ui->grid.nr : 1);
	if (!ret)
		ret = print_to(ui, t, info, rows, cols, ascii, out);
	ui->printing = false;
	/* where the screen was scrolled to is none of a file's business */
	ui->state[ui->view] = was;
	return ret;
}
