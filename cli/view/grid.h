/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A table on a screen: columns that give way when there is no room for them, rows that are
 * sorted, filtered, scrolled and selected.
 */
#ifndef NVX_VIEW_GRID_H
#define NVX_VIEW_GRID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/top.h"
#include "util/screen.h"

#define NVX_GRID_COLUMNS 20
#define NVX_GRID_CELL	 64

struct nvx_grid_column {
	const char *head; /* also its name for sorting */
	bool left;
	bool text;	  /* sorted by its text, upwards; others by number, downwards */
	uint8_t give_way; /* the highest goes first where there is no room; 0: never */
};

struct nvx_grid_cell {
	char text[NVX_GRID_CELL];
	double key; /* what the column is sorted by; NAN: last */
	uint8_t look;
};

struct nvx_grid_row {
	struct nvx_grid_cell cell[NVX_GRID_COLUMNS];
	uint64_t id;  /* what the selection follows; rows of one grid differ in it */
	size_t of;    /* belongs below the row before it with of == 0, and is sorted with it */
	struct nvx_labels l; /* what the row shows, where that is one row of the model */
	uint32_t slot;	     /* of its vCPU, where it is one */
};

struct nvx_grid {
	const struct nvx_grid_column *column;
	unsigned int nr_columns;
	struct nvx_grid_row *row;
	size_t nr, room;
	size_t left_out; /* rows that the filter left out */
	bool failed;	 /* out of memory: rows are missing */
};

/* What a user chose for a grid; it outlives the grids that are built each second. */
struct nvx_grid_state {
	unsigned int sort; /* column; none of them: as they were built */
	bool reverse;
	bool chosen; /* the user moved the selection: it follows its row; else the first one */
	uint64_t selected; /* id of a row */
	size_t at, top;	   /* where it stood; the first row that is shown */
	char filter[120];   /* only rows with this in their text, case ignored */
};

void nvx_grid__free(struct nvx_grid *g);

/* A new row, all empty; the caller fills it in before the next call.  Never NULL. */
struct nvx_grid_row *nvx_grid__row(struct nvx_grid *g, uint64_t id);

/* The next cell of a row, by its columns: text, a count, and so on; each returns its cell. */
struct nvx_grid_cell *nvx_grid__text(struct nvx_grid_row *r, unsigned int *col, const char *text);
struct nvx_grid_cell *nvx_grid__count(struct nvx_grid_row *r, unsigned int *col, uint64_t n);
struct nvx_grid_cell *nvx_grid__rate(struct nvx_grid_row *r, unsigned int *col, uint64_t n,
				     uint64_t ns);
struct nvx_grid_cell *nvx_grid__ns(struct nvx_grid_row *r, unsigned int *col, uint64_t ns);
struct nvx_grid_cell *nvx_grid__share(struct nvx_grid_row *r, unsigned int *col, uint64_t part,
				      uint64_t whole);
struct nvx_grid_cell *nvx_grid__ratio(struct nvx_grid_row *r, unsigned int *col, uint64_t n,
				      uint64_t d);
struct nvx_grid_cell *nvx_grid__bound(struct nvx_grid_row *r, unsigned int *col, uint64_t ns);
struct nvx_grid_cell *nvx_grid__na(struct nvx_grid_row *r, unsigned int *col);

/* Sort and filter, and find the selected row again. */
void nvx_grid__arrange(struct nvx_grid *g, struct nvx_grid_state *s);

/* Move the selection by so many rows; page: rows that a page holds. */
void nvx_grid__move(const struct nvx_grid *g, struct nvx_grid_state *s, long by);

/* The row that is selected, or NULL. */
const struct nvx_grid_row *nvx_grid__selected(const struct nvx_grid *g,
					      const struct nvx_grid_state *s);

/* Draw it: one line of headings, then rows, within `rows` lines from `row` on. */
void nvx_grid__draw(const struct nvx_grid *g, struct nvx_grid_state *s, struct nvx_screen *screen,
		    unsigned int row, unsigned int rows);

#endif
