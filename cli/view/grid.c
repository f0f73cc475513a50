// SPDX-License-Identifier: GPL-2.0-only
#include "view/grid.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/fmt.h"
#include "util/table.h"

void nvx_grid__free(struct nvx_grid *g)
{
	free(g->row);
	*g = (struct nvx_grid){ 0 };
}

struct nvx_grid_row *nvx_grid__row(struct nvx_grid *g, uint64_t id)
{
	static struct nvx_grid_row nowhere;
	struct nvx_grid_row *row = &nowhere;

	if (g->nr == g->room) {
		size_t room = g->room ? 2 * g->room : 64;
		struct nvx_grid_row *grown = realloc(g->row, room * sizeof(*grown));

		if (grown) {
			g->row = grown;
			g->room = room;
		}
	}
	if (g->nr < g->room)
		row = &g->row[g->nr++];
	else
		g->failed = true;
	memset(row, 0, sizeof(*row));
	row->id = id;
	row->slot = NVX_TOP_NO_SLOT;
	return row;
}

static struct nvx_grid_cell *next_cell(struct nvx_grid_row *r, unsigned int *col, double key)
{
	struct nvx_grid_cell *c = &r->cell[(*col)++ % NVX_GRID_COLUMNS];

	c->key = key;
	return c;
}

struct nvx_grid_cell *nvx_grid__text(struct nvx_grid_row *r, unsigned int *col, const char *text)
{
	struct nvx_grid_cell *c = next_cell(r, col, NAN);

	snprintf(c->text, sizeof(c->text), "%s", text);
	return c;
}

struct nvx_grid_cell *nvx_grid__na(struct nvx_grid_row *r, unsigned int *col)
{
	return nvx_grid__text(r, col, "n/a");
}

struct nvx_grid_cell *nvx_grid__count(struct nvx_grid_row *r, unsigned int *col, uint64_t n)
{
	struct nvx_grid_cell *c = next_cell(r, col, n);

	nvx_fmt__count(c->text, sizeof(c->text), n);
	return c;
}

struct nvx_grid_cell *nvx_grid__rate(struct nvx_grid_row *r, unsigned int *col, uint64_t n,
				     uint64_t ns)
{
	struct nvx_grid_cell *c = next_cell(r, col, ns ? n * 1e9 / ns : NAN);

	if (!ns)
		strcpy(c->text, "n/a");
	else if (c->key < 9.95 && n)
		snprintf(c->text, sizeof(c->text), "%.1f", c->key);
	else
		nvx_fmt__count(c->text, sizeof(c->text), (uint64_t)(c->key + 0.5));
	return c;
}

struct nvx_grid_cell *nvx_grid__ns(struct nvx_grid_row *r, unsigned int *col, uint64_t ns)
{
	struct nvx_grid_cell *c = next_cell(r, col, ns);

	nvx_fmt__ns(c->text, sizeof(c->text), ns);
	return c;
}

struct nvx_grid_cell *nvx_grid__share(struct nvx_grid_row *r, unsigned int *col, uint64_t part,
				      uint64_t whole)
{
	struct nvx_grid_cell *c = next_cell(r, col, whole ? (double)part / whole : NAN);

	if (whole)
		snprintf(c->text, sizeof(c->text), "%.1f", 100 * c->key);
	else
		strcpy(c->text, "n/a");
	return c;
}

struct nvx_grid_cell *nvx_grid__ratio(struct nvx_grid_row *r, unsigned int *col, uint64_t n,
				      uint64_t d)
{
	struct nvx_grid_cell *c = next_cell(r, col, d ? (double)n / d : NAN);

	nvx_fmt__ratio(c->text, sizeof(c->text), n, d, 2);
	return c;
}

struct nvx_grid_cell *nvx_grid__bound(struct nvx_grid_row *r, unsigned int *col, uint64_t ns)
{
	struct nvx_grid_cell *c = next_cell(r, col, ns ? ns : NAN);

	if (!ns)
		strcpy(c->text, "-");
	else if (ns == UINT64_MAX)
		strcpy(c->text, ">1.07s");
	else
		snprintf(c->text, sizeof(c->text), "<%s",
			 nvx_fmt__ns((char[NVX_FMT_MAX]){ 0 }, NVX_FMT_MAX, ns));
	return c;
}

/* Does a text contain another, case ignored? */
static bool contains(const char *text, const char *what)
{
	return strcasestr(text, what) != NULL;
}

static bool passes(const struct nvx_grid *g, const struct nvx_grid_row *r, const char *filter)
{
	for (unsigned int c = 0; c < g->nr_columns; c++)
		if (contains(r->cell[c].text, filter))
			return true;
	return false;
}

/* Rows below another go and stay with it. */
static void filter_rows(struct nvx_grid *g, const char *filter)
{
	bool keep = true;
	size_t nr = 0;

	g->left_out = 0;
	for (size_t i = 0; i < g->nr; i++) {
		if (!g->row[i].of)
			keep = passes(g, &g->row[i], filter);
		if (keep)
			g->row[nr++] = g->row[i];
		else
			g->left_out += !g->row[i].of;
	}
	g->nr = nr;
}

struct order {
	const struct nvx_grid *g;
	const struct nvx_grid_state *s;
	size_t *head; /* by row: the row that it belongs to */
};

static int by_text(const char *a, const char *b)
{
	int c = strcasecmp(a, b);

	return c ? c : strcmp(a, b);
}

static int compare_heads(const struct order *o, size_t a, size_t b)
{
	unsigned int col = o->s->sort;
	const struct nvx_grid_cell *x, *y;
	int c;

	if (col >= o->g->nr_columns)
		return 0;
	x = &o->g->row[a].cell[col];
	y = &o->g->row[b].cell[col];
	if (o->g->column[col].text)
		c = by_text(x->text, y->text);
	else if (isnan(x->key) || isnan(y->key))
		return isnan(x->key) - isnan(y->key);
	else
		c = (x->key < y->key) - (x->key > y->key);
	return o->s->reverse ? -c : c;
}

static int compare(const void *pa, const void *pb, void *arg)
{
	const struct order *o = arg;
	size_t a = *(const size_t *)pa, b = *(const size_t *)pb;
	int c = o->head[a] == o->head[b] ? 0 : compare_heads(o, o->head[a], o->head[b]);

	/* equal ones keep the order in which they were built, which is one for equal data */
	if (!c)
		c = (o->head[a] > o->head[b]) - (o->head[a] < o->head[b]);
	return c ? c : (a > b) - (a < b);
}

static void sort_rows(struct nvx_grid *g, const struct nvx_grid_state *s)
{
	size_t *place = malloc(2 * g->nr * sizeof(*place)), head = 0;
	struct nvx_grid_row *sorted = malloc(g->nr * sizeof(*sorted));
	struct order o = { g, s, NULL };

	if (place && sorted) {
		o.head = place + g->nr;
		for (size_t i = 0; i < g->nr; i++) {
			head = g->row[i].of ? head : i;
			place[i] = i;
			o.head[i] = head;
		}
		qsort_r(place, g->nr, sizeof(*place), compare, &o);
		for (size_t i = 0; i < g->nr; i++)
			sorted[i] = g->row[place[i]];
		free(g->row);
		g->row = sorted;
		g->room = g->nr;
		sorted = NULL;
	}
	free(sorted);
	free(place);
}

void nvx_grid__arrange(struct nvx_grid *g, struct nvx_grid_state *s)
{
	if (*s->filter)
		filter_rows(g, s->filter);
	if (g->nr > 1)
		sort_rows(g, s);
	for (size_t i = 0; s->chosen && i < g->nr; i++)
		if (g->row[i].id == s->selected) {
			s->at = i;
			return;
		}
	if (!s->chosen)
		s->at = 0;
	/* it is gone, or nothing was selected yet: the row where it stood */
	if (s->at >= g->nr)
		s->at = g->nr ? g->nr - 1 : 0;
	if (g->nr)
		s->selected = g->row[s->at].id;
}

void nvx_grid__move(const struct nvx_grid *g, struct nvx_grid_state *s, long by)
{
	long at = (long)s->at + by, last = (long)g->nr - 1;

	if (last < 0)
		return;
	s->at = at < 0 ? 0 : at > last ? last : at;
	s->chosen = s->at != 0;
	s->selected = g->row[s->at].id;
}

const struct nvx_grid_row *nvx_grid__selected(const struct nvx_grid *g,
					      const struct nvx_grid_state *s)
{
	return s->at < g->nr ? &g->row[s->at] : NULL;
}

static unsigned int width_of(const char *text)
{
	for (const char *c = text; *c; c++)
		if ((unsigned char)*c >= 0x80)
			return nvx_table__width(text);
	return strlen(text);
}

/* Widths of the columns of all rows; those without room read 0, the first is cut at last. */
static void fit(const struct nvx_grid *g, unsigned int cols, unsigned int *width)
{
	unsigned int all = 0;

	for (unsigned int c = 0; c < g->nr_columns; c++) {
		width[c] = width_of(g->column[c].head);
		for (size_t i = 0; i < g->nr; i++) {
			unsigned int w = width_of(g->row[i].cell[c].text);

			width[c] = w > width[c] ? w : width[c];
		}
		all += width[c] + 1;
	}
	while (all > cols + 1) {
		unsigned int worst = 0;

		for (unsigned int c = 1; c < g->nr_columns; c++)
			if (width[c] && g->column[c].give_way > g->column[worst].give_way)
				worst = c;
		if (!worst || !g->column[worst].give_way)
			break;
		all -= width[worst] + 1;
		width[worst] = 0;
	}
	if (all > cols + 1 && width[0] > 8) {
		unsigned int over = all - cols - 1;

		width[0] = width[0] > over + 8 ? width[0] - over : 8;
	}
}

static void draw_row(const struct nvx_grid *g, const struct nvx_grid_row *r,
		     const unsigned int *width, struct nvx_screen *screen, unsigned int row)
{
	unsigned int x = 0;

	for (unsigned int c = 0; c < g->nr_columns; c++) {
		const char *text = r ? r->cell[c].text : g->column[c].head;
		unsigned int w = width_of(text);
		enum nvx_look look = r ? r->cell[c].look : NVX_LOOK_HEAD;

		if (!width[c])
			continue;
		w = w < width[c] ? w : width[c];
		nvx_screen__text(screen, row, g->column[c].left ? x : x + width[c] - w, width[c],
				 look, text);
		x += width[c] + 1;
	}
}

void nvx_grid__draw(const struct nvx_grid *g, struct nvx_grid_state *s, struct nvx_screen *screen,
		    unsigned int row, unsigned int rows)
{
	unsigned int width[NVX_GRID_COLUMNS];
	size_t page = rows > 1 ? rows - 1 : 1;

	if (!rows)
		return;
	fit(g, screen->cols, width);
	draw_row(g, NULL, width, screen, row);
	nvx_screen__look(screen, row, 0, screen->cols, NVX_LOOK_HEAD);
	for (unsigned int c = 0, x = 0; c < g->nr_columns; c++) {
		if (c == s->sort && width[c])
			nvx_screen__look(screen, row, x, width[c], NVX_LOOK_TAB);
		x += width[c] ? width[c] + 1 : 0;
	}
	if (s->at < s->top)
		s->top = s->at;
	if (s->at >= s->top + page)
		s->top = s->at - page + 1;
	if (s->top + page > g->nr)
		s->top = g->nr > page ? g->nr - page : 0;
	for (size_t i = 0; i < page && s->top + i < g->nr; i++) {
		draw_row(g, &g->row[s->top + i], width, screen, row + 1 + i);
		if (s->top + i == s->at)
			nvx_screen__look(screen, row + 1 + i, 0, screen->cols, NVX_LOOK_SELECT);
	}
}
