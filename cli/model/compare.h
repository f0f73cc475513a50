/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Do two samples differ by more than noise?  Pure statistics, no I/O.
 *
 * A sample holds one value a unit of replication: a period of `nvx tune`, or a block of deltas
 * that is longer than they stay alike (nvx_stat__block).  Two samples are compared by ranks (the
 * test of Wilcoxon, Mann and Whitney): counters are neither normal nor free of outliers.
 */
#ifndef NVX_MODEL_COMPARE_H
#define NVX_MODEL_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

/* What is proven must have had less than this chance, over all metrics shown together. */
#define NVX_ALPHA 0.05

/* Median of n values (0 < n); v stays as it is.  NAN without memory or values. */
double nvx_stat__median(const double *v, size_t n);

/*
 * The interval that holds the population's median with at least 95 % (by order statistics).
 * False: n is too small for that (under 6); then lo and hi are the smallest and largest value.
 */
bool nvx_stat__interval(const double *v, size_t n, double *lo, double *hi);

/*
 * Two-sided p of the rank-sum test: the chance that ranks fall at least this far apart where both
 * samples come from one population.  Exact, ties included, up to 40 values in all;
 * beyond that the normal approximation, corrected for ties and continuity.  1 where a sample is
 * empty or all values are equal; NAN without memory.
 */
double nvx_stat__ranksum(const double *a, size_t na, const double *b, size_t nb);

/*
 * How many neighbours of a series must be taken together until such blocks are independent: 1
 * for noise, more where values stay alike (measured autocorrelation).  At most n; a series that
 * only drifts gives n: it is one value.
 */
size_t nvx_stat__block(const double *v, size_t n);

enum nvx_verdict {
	NVX_CMP_NOT_PROVEN, /* `~` */
	NVX_CMP_DIFFERS,
	NVX_CMP_TOO_FEW, /* `~`: no outcome of so few units could prove anything in this family */
};

struct nvx_comparison {
	size_t na, nb; /* units */
	double a, a_lo, a_hi; /* median and its interval */
	double b, b_lo, b_hi;
	double change; /* b / a - 1; NAN where a is 0 */
	double p;      /* of the test alone */
	double p_holm; /* with all metrics of the family; set by nvx_compare__family */
	enum nvx_verdict verdict; /* by the same */
};

/* Compare two samples; p_holm and verdict are those of a family of one. */
void nvx_compare(const double *a, size_t na, const double *b, size_t nb,
		 struct nvx_comparison *out);

/*
 * Correct a family of comparisons that are shown together (Holm), so that the chance to prove
 * anything in it where nothing differs is NVX_ALPHA; sets p_holm and verdict of each.  Those
 * that could not prove anything (NVX_CMP_TOO_FEW) do not count as tests.  0 or -ENOMEM.
 */
int nvx_compare__family(struct nvx_comparison *const *c, size_t nr);

#endif
