/* SPDX-License-Identifier: GPL-2.0-only */
/* The recent past of one row, for model/top.c. */
#ifndef NVX_MODEL_TOP_SERIES_H
#define NVX_MODEL_TOP_SERIES_H

#include "model/top.h"

struct series {
	uint64_t last;	 /* the interval that was written last, from 1 */
	uint64_t marked; /* the mark that `before` belongs to; 0: none */
	float v[NVX_TOP_VALUES][NVX_TOP_PAST];	      /* per second, by interval */
	float before[NVX_TOP_VALUES][NVX_TOP_BEFORE]; /* those before the mark, newest last */
};

/* The interval `now` had this row. */
void series_add(struct series *s, uint64_t now, const struct nvx_row *row, double seconds);

/* The value of one of the last NVX_TOP_PAST intervals up to the newest of all rows. */
float series_at(const struct series *s, enum nvx_top_value v, uint64_t interval);

/* Keep the last n intervals up to now: what comes is compared with them. */
void series_mark(struct series *s, uint64_t now, size_t n);

/* Compare in blocks that are longer than values stay alike. */
void series_compare(double *a, size_t na, double *b, size_t nb, struct nvx_comparison *c);

#endif
