// SPDX-License-Identifier: GPL-2.0-only
#include "model/compare.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Largest samples whose distribution is counted out; their rank sums fit small tables. */
#define EXACT_ALL 40

static int cmp_double(const void *pa, const void *pb)
{
	double a = *(const double *)pa, b = *(const double *)pb;

	return a < b ? -1 : a > b;
}

static double *sorted(const double *v, size_t n)
{
	double *s = n ? malloc(n * sizeof(*s)) : NULL;

	if (s) {
		memcpy(s, v, n * sizeof(*s));
		qsort(s, n, sizeof(*s), cmp_double);
	}
	return s;
}

double nvx_stat__median(const double *v, size_t n)
{
	double *s = sorted(v, n), m;

	if (!s)
		return NAN;
	m = n % 2 ? s[n / 2] : (s[n / 2 - 1] + s[n / 2]) / 2;
	free(s);
	return m;
}

/* P(X <= k) of n fair coins */
static double binomial_below(size_t n, long k)
{
	double sum = 0;

	for (long i = 0; i <= k; i++)
		sum += exp(lgamma(n + 1) - lgamma(i + 1) - lgamma(n - i + 1) - n * M_LN2);
	return sum;
}

bool nvx_stat__interval(const double *v, size_t n, double *lo, double *hi)
{
	double *s = sorted(v, n);
	long k = -1;

	*lo = *hi = NAN;
	if (!s)
		return false;
	/* values k and n-1-k: the median lies outside with twice the chance of k heads */
	while (k + 1 < (long)n / 2 && 2 * binomial_below(n, k + 1) <= 0.05)
		k++;
	*lo = s[k < 0 ? 0 : k];
	*hi = s[n - 1 - (k < 0 ? 0 : k)];
	free(s);
	return k >= 0;
}

/* Both samples in one order, with twice their mid-ranks, so that ties stay whole numbers. */
struct ranks {
	size_t na, n;
	double *v;
	unsigned int *rank2;
	uint64_t sum2;	/* of sample a */
	double ties;	/* sum of t^3 - t */
};

struct tagged {
	double v;
	bool a;
};

static int cmp_tagged(const void *pa, const void *pb)
{
	return cmp_double(&((const struct tagged *)pa)->v, &((const struct tagged *)pb)->v);
}

static int rank(const double *a, size_t na, const double *b, size_t nb, struct ranks *r)
{
	struct tagged *t = malloc((na + nb) * sizeof(*t));

	*r = (struct ranks){ .na = na, .n = na + nb };
	r->rank2 = malloc(r->n * sizeof(*r->rank2));
	if (!t || !r->rank2) {
		free(t);
		free(r->rank2);
		return -ENOMEM;
	}
	for (size_t i = 0; i < r->n; i++)
		t[i] = (struct tagged){ i < na ? a[i] : b[i - na], i < na };
	qsort(t, r->n, sizeof(*t), cmp_tagged);
	for (size_t i = 0, end; i < r->n; i = end) {
		double k;

		for (end = i + 1; end < r->n && t[end].v == t[i].v; end++)
			;
		k = end - i;
		r->ties += k * k * k - k;
		for (size_t j = i; j < end; j++) {
			r->rank2[j] = i + end + 1; /* twice the mean of i+1 .. end */
			if (t[j].a)
				r->sum2 += r->rank2[j];
		}
	}
	free(t);
	return 0;
}

/*
 * Count the ways to choose na of the ranks by their sum, and how many lie as far from the middle
 * as the sum that was seen.  ways[k][s]: k chosen, sum s, as shares of all ways.
 */
static double exact_p(const struct ranks *r)
{
	size_t top = r->n * (r->n + 1), reach = 0; /* sum of all doubled ranks; of those so far */
	double *ways = calloc((r->na + 1) * (top + 1), sizeof(*ways));
	double middle = (double)r->na * (r->n + 1), far, hit = 0, all = 0;

	if (!ways)
		return NAN;
	ways[0] = 1;
	for (size_t i = 0; i < r->n; reach += r->rank2[i++])
		for (size_t k = i + 1 < r->na ? i + 1 : r->na; k; k--)
			for (size_t s = reach + r->rank2[i]; s >= r->rank2[i]; s--)
				ways[k * (top + 1) + s] +=
					ways[(k - 1) * (top + 1) + s - r->rank2[i]];
	far = fabs(r->sum2 - middle);
	for (size_t s = 0; s <= top; s++) {
		double w = ways[r->na * (top + 1) + s];

		all += w;
		if (fabs(s - middle) >= far)
			hit += w;
	}
	free(ways);
	return hit / all;
}

static double normal_p(const struct ranks *r)
{
	double n = r->n, na = r->na, nb = n - na;
	double u = r->sum2 / 2.0 - na * (n + 1) / 2;
	double var = na * nb / 12 * (n + 1 - r->ties / (n * (n - 1)));

	if (var <= 0)
		return 1;
	u = fabs(u) - 0.5;
	return u <= 0 ? 1 : erfc(u / sqrt(var) / M_SQRT2);
}

double nvx_stat__ranksum(const double *a, size_t na, const double *b, size_t nb)
{
	struct ranks r;
	double p;

	if (!na || !nb)
		return 1;
	if (rank(a, na, b, nb, &r))
		return NAN;
	p = na + nb <= EXACT_ALL ? exact_p(&r) : normal_p(&r);
	free(r.rank2);
	return p;
}

/* Correlation of a series with itself, k later. */
static double autocorrelation(const double *v, size_t n, double mean, double var, size_t k)
{
	double sum = 0;

	for (size_t i = 0; i + k < n; i++)
		sum += (v[i] - mean) * (v[i + k] - mean);
	return sum / var;
}

size_t nvx_stat__block(const double *v, size_t n)
{
	double mean = 0, var = 0, bound = 2 / sqrt(n);
	size_t last = 0;

	for (size_t i = 0; i < n; i++)
		mean += v[i] / n;
	for (size_t i = 0; i < n; i++)
		var += (v[i] - mean) * (v[i] - mean);
	/* rounding of a constant's mean is no signal */
	if (n < 4 || var <= n * mean * mean * 1e-24)
		return 1;
	/* the last of the lags at which it is more alike than noise; a gap of two ends them */
	for (size_t k = 1; k < n / 2 && k <= last + 2; k++)
		if (autocorrelation(v, n, mean, var, k) > bound)
			last = k;
	if (!last)
		return 1;
	return 4 * last + 1 > n / 2 ? n : 4 * last + 1;
}

/* The smallest p that these sizes can give: both samples apart altogether. */
static double best_p(size_t na, size_t nb)
{
	return 2 * exp(lgamma(na + 1) + lgamma(nb + 1) - lgamma(na + nb + 1));
}

static enum nvx_verdict verdict(const struct nvx_comparison *c, size_t family)
{
	if (c->na < 2 || c->nb < 2 || best_p(c->na, c->nb) * family > NVX_ALPHA)
		return NVX_CMP_TOO_FEW;
	return c->p_holm < NVX_ALPHA ? NVX_CMP_DIFFERS : NVX_CMP_NOT_PROVEN;
}

void nvx_compare(const double *a, size_t na, const double *b, size_t nb,
		 struct nvx_comparison *c)
{
	*c = (struct nvx_comparison){ .na = na, .nb = nb };
	c->a = nvx_stat__median(a, na);
	c->b = nvx_stat__median(b, nb);
	nvx_stat__interval(a, na, &c->a_lo, &c->a_hi);
	nvx_stat__interval(b, nb, &c->b_lo, &c->b_hi);
	c->change = c->a ? c->b / c->a - 1 : NAN;
	c->p = nvx_stat__ranksum(a, na, b, nb);
	c->p_holm = c->p;
	c->verdict = verdict(c, 1);
}

static int cmp_p(const void *pa, const void *pb)
{
	return cmp_double(&(*(struct nvx_comparison *const *)pa)->p,
			  &(*(struct nvx_comparison *const *)pb)->p);
}

int nvx_compare__family(struct nvx_comparison *const *c, size_t nr)
{
	struct nvx_comparison **by_p = malloc((nr + 1) * sizeof(*by_p));
	double floor = 0;
	size_t tests = 0;

	if (!by_p)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		c[i]->p_holm = c[i]->p;
		c[i]->verdict = verdict(c[i], nr);
		if (c[i]->verdict != NVX_CMP_TOO_FEW)
			by_p[tests++] = c[i];
	}
	qsort(by_p, tests, sizeof(*by_p), cmp_p);
	for (size_t i = 0; i < tests; i++) {
		double p = by_p[i]->p * (tests - i);

		/* never smaller than that of a smaller p before it */
		floor = p > floor ? p : floor;
		by_p[i]->p_holm = floor < 1 ? floor : 1;
		by_p[i]->verdict = verdict(by_p[i], nr);
	}
	free(by_p);
	return 0;
}
