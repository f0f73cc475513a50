// SPDX-License-Identifier: GPL-2.0-only
/* nvx top: views whose rows are rows of the model. */
#include <string.h>

#include "util/fmt.h"
#include "view/top_priv.h"

uint64_t top_id(const struct nvx_labels *l)
{
	const uint64_t part[] = { l->set | l->isa << 8 | l->level << 16 | (uint64_t)l->kind << 24 |
				  (uint64_t)l->vm << 32, l->l2, l->key, l->key2 };
	uint64_t h = 1;

	for (int i = 0; i < 4; i++) {
		h = (h ^ part[i]) * 0xff51afd7ed558ccdULL;
		h ^= h >> 32;
	}
	return h;
}

void top_level(struct nvx_grid_row *r, unsigned int *col, unsigned int level)
{
	static const char *const names[] = { "?", "L1", "L2" };

	nvx_grid__text(r, col, names[level % 3]);
}

void top_label(struct top_draw *d, struct nvx_grid_row *r, unsigned int *col,
	       const struct nvx_row *row, enum nvx_label what)
{
	char buf[NVX_LABEL_MAX];

	nvx_grid__text(r, col, nvx_label__text(what, row, d->info->vms, buf, sizeof(buf)));
}

#define TREND 12 /* intervals in a sparkline */

void top_trend(struct top_draw *d, struct nvx_grid_row *r, unsigned int *col,
	       const struct nvx_labels *l, enum nvx_top_value v)
{
	struct nvx_screen like = { .ascii = d->ascii };
	float past[NVX_TOP_PAST], most = 0;
	size_t nr = d->ui->scope.slot == NVX_TOP_NO_SLOT ? nvx_top__past(d->t, l, v, past) : 0;
	size_t from = nr > TREND ? nr - TREND : 0;
	struct nvx_grid_cell *c = nvx_grid__text(r, col, "");
	char *at = c->text;

	for (size_t i = from; i < nr; i++)
		most = past[i] > most ? past[i] : most;
	for (size_t i = from; i < nr; i++) {
		unsigned int n = most > 0 ? (unsigned int)(past[i] * 8 / most + 0.5F) : 0;

		/* what happened at all is never drawn as nothing */
		n = past[i] > 0 && !n ? 1 : n;
		at += nvx_screen__utf8(nvx_screen__spark(&like, n), at);
	}
	*at = '\0';
}

/* The rows of a set, as reports sort them. */
static size_t rows_of(struct top_draw *d, enum nvx_set set, struct nvx_rows **owner,
		      const struct nvx_row ***row)
{
	size_t nr;

	return nvx_report__rows(&d->report, set, owner, row, &nr) < 0 ? 0 : nr;
}

/* A row of the grid for one of the model; without a scope its past is that of all VMs. */
static struct nvx_grid_row *add(struct nvx_grid *g, const struct nvx_row *row)
{
	struct nvx_grid_row *r = nvx_grid__row(g, top_id(&row->l));

	r->l = row->l;
	return r;
}

static uint64_t average(const struct nvx_row *row)
{
	return row->v[NVX_V_DONE] ? row->v[NVX_V_TIME] / row->v[NVX_V_DONE] : 0;
}

void top_build_exits(struct top_draw *d, struct nvx_grid *g)
{
	uint64_t all = nvx_rows__sum(d->rows, NVX_SET_EXITS, NVX_V_COUNT, -1, NVX_VM_ALL);
	uint64_t time = nvx_rows__sum(d->rows, NVX_SET_EXITS, NVX_V_TIME, -1, NVX_VM_ALL);
	const struct nvx_row **row;
	struct nvx_rows *owner;
	size_t nr = rows_of(d, NVX_SET_EXITS, &owner, &row);

	for (size_t i = 0; i < nr; i++) {
		struct nvx_grid_row *r = add(g, row[i]);
		const uint64_t *v = row[i]->v;
		unsigned int c = 0;

		top_label(d, r, &c, row[i], NVX_LABEL_REASON);
		top_level(r, &c, row[i]->l.level);
		nvx_grid__count(r, &c, v[NVX_V_COUNT]);
		nvx_grid__rate(r, &c, v[NVX_V_COUNT], d->ns);
		nvx_grid__share(r, &c, v[NVX_V_COUNT], all);
		nvx_grid__ns(r, &c, v[NVX_V_TIME]);
		nvx_grid__share(r, &c, v[NVX_V_TIME], time);
		nvx_grid__ns(r, &c, average(row[i]));
		nvx_grid__bound(r, &c, nvx_hist__quantile(row[i]->hist, 0.5));
		nvx_grid__bound(r, &c, nvx_hist__quantile(row[i]->hist, 0.99));
		if (row[i]->l.level == NVX_LEVEL_2)
			nvx_grid__share(r, &c, v[NVX_V_REFLECTED], v[NVX_V_COUNT]);
		else
			nvx_grid__text(r, &c, "-");
		top_trend(d, r, &c, &row[i]->l, NVX_TOP_COUNT);
	}
	nvx_rows__free(owner);
}

static bool is_open(const struct nvx_topui *ui, uint64_t id)
{
	for (unsigned int i = 0; i < ui->nr_open; i++)
		if (ui->open[i] == id)
			return true;
	return false;
}

static bool in_chain(const struct nvx_row *cell, const struct nvx_row *chain)
{
	return cell->l.vm == chain->l.vm && cell->l.isa == chain->l.isa &&
	       cell->l.key == chain->l.key;
}

/* The L1 exits of a chain, below it. */
static void add_cells(struct top_draw *d, struct nvx_grid *g, const struct nvx_row *chain,
		      const struct nvx_row **cell, size_t nr)
{
	char name[NVX_LABEL_MAX], text[NVX_LABEL_MAX + 8];

	for (size_t i = 0; i < nr; i++) {
		const uint64_t *v = cell[i]->v;
		struct nvx_grid_row *r;
		unsigned int c = 0;

		if (!in_chain(cell[i], chain))
			continue;
		r = add(g, cell[i]);
		r->of = 1;
		snprintf(text, sizeof(text), "  L1 %s",
			 nvx_label__text(NVX_LABEL_L1_REASON, cell[i], d->info->vms, name,
					 sizeof(name)));
		nvx_grid__text(r, &c, text);
		nvx_grid__count(r, &c, v[NVX_V_COUNT]);
		nvx_grid__rate(r, &c, v[NVX_V_COUNT], d->ns);
		nvx_grid__ratio(r, &c, v[NVX_V_COUNT], chain->v[NVX_V_COUNT]);
		nvx_grid__ns(r, &c, v[NVX_V_TIME]);
		nvx_grid__ns(r, &c, v[NVX_V_COUNT] ? v[NVX_V_TIME] / v[NVX_V_COUNT] : 0);
		nvx_grid__text(r, &c, "");
		nvx_grid__text(r, &c, "");
		top_trend(d, r, &c, &cell[i]->l, NVX_TOP_COUNT);
	}
}

void top_build_chains(struct top_draw *d, struct nvx_grid *g)
{
	const struct nvx_row **row, **cell;
	struct nvx_rows *owner, *cells;
	size_t nr = rows_of(d, NVX_SET_CHAINS, &owner, &row);
	size_t nr_cells = rows_of(d, NVX_SET_CELLS, &cells, &cell);

	for (size_t i = 0; i < nr; i++) {
		struct nvx_grid_row *r = add(g, row[i]);
		const uint64_t *v = row[i]->v;
		char name[NVX_LABEL_MAX], text[NVX_LABEL_MAX + 4];
		uint64_t exits = v[NVX_V_COUNT];
		bool open = is_open(d->ui, r->id);
		unsigned int c = 0;

		for (size_t k = 0; k < nr_cells; k++)
			exits += in_chain(cell[k], row[i]) ? cell[k]->v[NVX_V_COUNT] : 0;
		snprintf(text, sizeof(text), "%c %s", open ? '-' : '+',
			 nvx_label__text(NVX_LABEL_L2_REASON, row[i], d->info->vms, name,
					 sizeof(name)));
		nvx_grid__text(r, &c, text);
		nvx_grid__count(r, &c, v[NVX_V_COUNT]);
		nvx_grid__rate(r, &c, v[NVX_V_COUNT], d->ns);
		nvx_grid__ratio(r, &c, exits, v[NVX_V_COUNT]);
		nvx_grid__ns(r, &c, v[NVX_V_TIME]);
		nvx_grid__ns(r, &c, average(row[i]));
		nvx_grid__count(r, &c, v[NVX_V_SYNTHESISED]);
		nvx_grid__count(r, &c, v[NVX_V_NOEXIT]);
		top_trend(d, r, &c, &row[i]->l, NVX_TOP_COUNT);
		if (open)
			add_cells(d, g, row[i], cell, nr_cells);
	}
	nvx_rows__free(owner);
	nvx_rows__free(cells);
}

static void add_numbers(struct top_draw *d, struct nvx_grid *g, enum nvx_set set,
			enum nvx_label what, const char *kind)
{
	bool access = nvx_set__info(set)->labels & 1u << NVX_LABEL_ACCESS;
	const struct nvx_row **row;
	struct nvx_rows *owner;
	size_t nr = rows_of(d, set, &owner, &row);

	for (size_t i = 0; i < nr; i++) {
		struct nvx_grid_row *r = add(g, row[i]);
		const uint64_t *v = row[i]->v;
		char text[NVX_LABEL_MAX + 16], buf[NVX_LABEL_MAX];
		unsigned int c = 0;

		top_label(d, r, &c, row[i], what);
		snprintf(text, sizeof(text), "%s%s%s", kind, access ? " " : "", access ?
			 nvx_label__text(NVX_LABEL_ACCESS, row[i], d->info->vms, buf,
					 sizeof(buf)) : "");
		nvx_grid__text(r, &c, text);
		top_level(r, &c, row[i]->l.level);
		nvx_grid__count(r, &c, v[NVX_V_COUNT]);
		nvx_grid__rate(r, &c, v[NVX_V_COUNT], d->ns);
		nvx_grid__ns(r, &c, v[NVX_V_TIME]);
		nvx_grid__ns(r, &c, v[NVX_V_COUNT] ? v[NVX_V_TIME] / v[NVX_V_COUNT] : 0);
		if (row[i]->l.level == NVX_LEVEL_2)
			nvx_grid__share(r, &c, v[NVX_V_REFLECTED], v[NVX_V_COUNT]);
		else
			nvx_grid__text(r, &c, "-");
		top_trend(d, r, &c, &row[i]->l, NVX_TOP_COUNT);
	}
	nvx_rows__free(owner);
}

void top_build_msrs(struct top_draw *d, struct nvx_grid *g)
{
	add_numbers(d, g, NVX_SET_MSRS, NVX_LABEL_MSR, "MSR");
	add_numbers(d, g, NVX_SET_HYPERCALLS, NVX_LABEL_HYPERCALL, "hypercall");
	add_numbers(d, g, NVX_SET_PIO, NVX_LABEL_PORT, "port");
	add_numbers(d, g, NVX_SET_MMIO, NVX_LABEL_PAGE, "page");
}

void top_build_ipis(struct top_draw *d, struct nvx_grid *g)
{
	const struct nvx_row **row;
	struct nvx_rows *owner;
	size_t nr = rows_of(d, NVX_SET_IPIS, &owner, &row);

	for (size_t i = 0; i < nr; i++) {
		struct nvx_grid_row *r = add(g, row[i]);
		const uint64_t *v = row[i]->v;
		unsigned int c = 0;

		top_label(d, r, &c, row[i], NVX_LABEL_PATH);
		top_label(d, r, &c, row[i], NVX_LABEL_DEST);
		top_level(r, &c, row[i]->l.level);
		nvx_grid__count(r, &c, v[NVX_V_COUNT]);
		nvx_grid__rate(r, &c, v[NVX_V_COUNT], d->ns);
		nvx_grid__count(r, &c, v[NVX_V_EXITS]);
		/* of some the number of destinations is not known: then of none in the row */
		if (v[NVX_V_NODESTS]) {
			for (int k = 0; k < 3; k++)
				nvx_grid__na(r, &c);
		} else {
			nvx_grid__count(r, &c, v[NVX_V_DESTS]);
			nvx_grid__ratio(r, &c, v[NVX_V_EXITS], v[NVX_V_DESTS]);
			nvx_grid__count(r, &c, v[NVX_V_DESTS] > v[NVX_V_EXITS] ?
						       v[NVX_V_DESTS] - v[NVX_V_EXITS] : 0);
		}
		top_trend(d, r, &c, &row[i]->l, NVX_TOP_COUNT);
	}
	nvx_rows__free(owner);
}

/* Flushes by cause, and below them the switches by how many flushes each brought. */
void top_build_tlb(struct top_draw *d, struct nvx_grid *g)
{
	const struct nvx_row **row;
	struct nvx_rows *owner;
	size_t nr = rows_of(d, NVX_SET_TLB, &owner, &row);
	uint64_t all = nvx_rows__sum(d->rows, NVX_SET_TLB, NVX_V_COUNT, -1, NVX_VM_ALL);

	for (size_t i = 0; i < nr; i++) {
		struct nvx_grid_row *r = add(g, row[i]);
		unsigned int c = 0;

		top_label(d, r, &c, row[i], NVX_LABEL_CAUSE);
		top_label(d, r, &c, row[i], NVX_LABEL_FLUSH);
		top_level(r, &c, row[i]->l.level);
		nvx_grid__count(r, &c, row[i]->v[NVX_V_COUNT]);
		nvx_grid__rate(r, &c, row[i]->v[NVX_V_COUNT], d->ns);
		nvx_grid__share(r, &c, row[i]->v[NVX_V_COUNT], all);
		top_trend(d, r, &c, &row[i]->l, NVX_TOP_COUNT);
	}
	nvx_rows__free(owner);
	nr = rows_of(d, NVX_SET_FLUSHES, &owner, &row);
	for (size_t i = 0; i < nr; i++) {
		struct nvx_grid_row *r = add(g, row[i]);
		char text[NVX_LABEL_MAX + 16], buf[NVX_LABEL_MAX];
		uint64_t sum = 0;
		unsigned int c = 0;

		for (unsigned int n = 1; n < NVX_FLUSH_SLOTS; n++)
			sum += n * row[i]->hist[n];
		snprintf(text, sizeof(text), "a switch %s",
			 nvx_label__text(NVX_LABEL_DIRECTION, row[i], d->info->vms, buf,
					 sizeof(buf)));
		nvx_grid__text(r, &c, text);
		nvx_grid__text(r, &c, "");
		top_level(r, &c, row[i]->l.level);
		nvx_grid__count(r, &c, sum);
		nvx_grid__rate(r, &c, sum, d->ns);
		nvx_grid__text(r, &c, "");
		top_trend(d, r, &c, &row[i]->l, NVX_TOP_SECOND);
		nvx_grid__count(r, &c, row[i]->v[NVX_V_COUNT]);
		nvx_grid__ratio(r, &c, sum, row[i]->v[NVX_V_COUNT]);
	}
	nvx_rows__free(owner);
}
