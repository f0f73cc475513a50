/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text tables whose columns are as wide as their widest cell.  Widths are counted in terminal
 * columns, not bytes, so names in UTF-8 stay aligned; a control character in a cell (a VM name
 * comes from a stranger's command line) is printed as `?`.
 *
 *	struct nvx_table *t = nvx_table__new(3, (const enum nvx_align[]){ ... });
 *	nvx_table__row(t, (const char *[]){ "VM-EXIT", "Samples", "Time" });
 *	nvx_table__print(t, stdout, 2);
 *	nvx_table__free(t);
 */
#ifndef NVX_UTIL_TABLE_H
#define NVX_UTIL_TABLE_H

#include <stdio.h>

enum nvx_align { NVX_LEFT, NVX_RIGHT };

struct nvx_table;

/* An empty table of `columns` columns, aligned as given; NULL without memory. */
struct nvx_table *nvx_table__new(unsigned int columns, const enum nvx_align *align);

/*
 * Append one row: `columns` strings, which are copied; NULL reads as "".
 * A failed allocation is remembered and reported by nvx_table__print.
 */
void nvx_table__row(struct nvx_table *t, const char *const *cells);

/* Append one line that spans all columns and widens none of them (a sub-heading). */
void nvx_table__line(struct nvx_table *t, const char *text);

/*
 * Write all rows to `out`, every line behind `indent` blanks, two blanks between columns, none at
 * the end of a line.  0, -ENOMEM when a row was lost, -EIO when writing failed.
 */
int nvx_table__print(const struct nvx_table *t, FILE *out, unsigned int indent);

/* Terminal columns that `text` takes when printed by nvx_table__print. */
unsigned int nvx_table__width(const char *text);

/* Frees the table; NULL is fine. */
void nvx_table__free(struct nvx_table *t);

#endif
