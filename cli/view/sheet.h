/* SPDX-License-Identifier: GPL-2.0-only */
/* One table of a report being written: columns by a short spec, cells one after the other. */
#ifndef NVX_VIEW_SHEET_H
#define NVX_VIEW_SHEET_H

#include <stdio.h>

#include "model/report.h"
#include "util/table.h"

#define NVX_SHEET_COLUMNS 18

struct nvx_sheet {
	const struct nvx_report *r;
	struct nvx_table *t;
	unsigned int nr, columns;
	const char *cell[NVX_SHEET_COLUMNS];
	char buf[NVX_SHEET_COLUMNS][NVX_LABEL_MAX];
	bool with_vm;
};

/*
 * Start a table: `spec` is one word a column, `<` or `>` for its alignment and the heading, `_`
 * for a blank.  The VM column comes by itself where more than one VM is shown.  0 or -ENOMEM.
 */
int nvx_sheet__begin(struct nvx_sheet *s, const struct nvx_report *r, const char *spec);

/* Start a line: the VM's name, where there is a column for it. */
void nvx_sheet__line(struct nvx_sheet *s, const struct nvx_row *row);

/* The next cell, empty: NVX_LABEL_MAX bytes to write to. */
char *nvx_sheet__cell(struct nvx_sheet *s);

/* The next cell as text, a count, a time, a share. */
void nvx_sheet__text(struct nvx_sheet *s, const char *value);
void nvx_sheet__count(struct nvx_sheet *s, uint64_t n);
void nvx_sheet__ns(struct nvx_sheet *s, uint64_t ns);
void nvx_sheet__percent(struct nvx_sheet *s, uint64_t part, uint64_t whole);

/* The next `cells` read n/a where the report lacks them; else nothing.  True: they are written. */
bool nvx_sheet__lacks(struct nvx_sheet *s, enum nvx_lack lack, unsigned int cells);

/* n / d with two decimals; "n/a" where d is 0 */
void nvx_sheet__ratio(struct nvx_sheet *s, uint64_t n, uint64_t d);

/* An upper bound of nvx_hist__quantile(): "<4.10us", ">1.07s", "-" */
void nvx_sheet__bound(struct nvx_sheet *s, uint64_t ns);

/* A label of the row; the level as "L1", "L2", "?" */
void nvx_sheet__label(struct nvx_sheet *s, const struct nvx_row *row, enum nvx_label l);
void nvx_sheet__level(struct nvx_sheet *s, const struct nvx_row *row);

/* End the line. */
void nvx_sheet__end(struct nvx_sheet *s);

/* Write the table and free it; say how many rows were left out.  0 or -errno. */
int nvx_sheet__finish(struct nvx_sheet *s, FILE *out, size_t shown, size_t all);

/*
 * The rows of a set under a title; without any, the line that says so.
 * As nvx_report__rows; on 0 there is nothing to free.
 */
long nvx_sheet__rows(const struct nvx_report *r, enum nvx_set set, struct nvx_rows **owner,
		     const struct nvx_row ***row, size_t *nr, FILE *out, const char *title);

#endif
