// SPDX-License-Identifier: GPL-2.0-only
/* The statistics, against scipy's (ranksum_cases.h) and against what is known of series. */
#include <math.h>

#include "unit.h"

#include "model/compare.h"
#include "ranksum_cases.h"

static uint64_t state = 88172645463325252ULL;

static double uniform(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 11) / 9007199254740992.0;
}

static double gauss(void)
{
	return sqrt(-2 * log(uniform() + 1e-300)) * cos(2 * M_PI * uniform());
}

static void as_scipy_says(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		double p = nvx_stat__ranksum(cases[i].a, cases[i].na, cases[i].b, cases[i].nb);
		double q = nvx_stat__ranksum(cases[i].b, cases[i].nb, cases[i].a, cases[i].na);

		if (fabs(p - cases[i].p) > 1e-9 * cases[i].p + 1e-12)
			fail_msg("case %zu: p is %.12g, scipy's %.12g", i, p, cases[i].p);
		assert_true(fabs(p - q) < 1e-12);
	}
	assert_true(nvx_stat__ranksum(NULL, 0, cases[0].b, cases[0].nb) == 1);
}

static void medians(void **unused)
{
	const double odd[] = { 5, 1, 3 }, even[] = { 4, 1, 2, 9 };
	const double ten[] = { 7, 3, 9, 1, 5, 10, 8, 2, 6, 4 };
	double lo, hi;

	(void)unused;
	assert_true(nvx_stat__median(odd, 3) == 3);
	assert_true(nvx_stat__median(even, 4) == 3);
	assert_true(isnan(nvx_stat__median(odd, 0)));
	/* by tables of the sign test: ranks 2 and 9 of 10; 6 is the least n, with 1 and 6 */
	assert_true(nvx_stat__interval(ten, 10, &lo, &hi));
	assert_true(lo == 2 && hi == 9);
	assert_false(nvx_stat__interval(ten, 5, &lo, &hi));
	assert_true(lo == 1 && hi == 9);
	assert_true(nvx_stat__interval(ten, 6, &lo, &hi));
	assert_true(lo == 1 && hi == 10);
}

/* Blocks: one of noise; longer where neighbours are alike; all of it where it only drifts. */
static void blocks(void **unused)
{
	double v[400];
	size_t block;

	(void)unused;
	for (int i = 0; i < 400; i++)
		v[i] = gauss();
	assert_in_range(nvx_stat__block(v, 400), 1, 5);
	for (int i = 1; i < 400; i++)
		v[i] = 0.8 * v[i - 1] + v[i];
	block = nvx_stat__block(v, 400);
	assert_in_range(block, 6, 80);
	for (int i = 0; i < 400; i++)
		v[i] = i + gauss();
	assert_int_equal(nvx_stat__block(v, 400), 400);
	for (int i = 0; i < 400; i++)
		v[i] = 7.1;
	assert_int_equal(nvx_stat__block(v, 400), 1);
	assert_int_equal(nvx_stat__block(v, 0), 1);
}

static void holm(void **unused)
{
	/* textbook: 0.01 * 4, 0.02 * 3, 0.03 * 2 (not below the one before), 0.5 */
	struct nvx_comparison c[] = { { .na = 20, .nb = 20, .p = 0.03 },
				      { .na = 20, .nb = 20, .p = 0.01 },
				      { .na = 20, .nb = 20, .p = 0.5 },
				      { .na = 20, .nb = 20, .p = 0.02 },
				      { .na = 2, .nb = 2, .p = 0.001 } };
	struct nvx_comparison *all[] = { &c[0], &c[1], &c[2], &c[3], &c[4] };

	(void)unused;
	assert_int_equal(nvx_compare__family(all, 5), 0);
	assert_true(fabs(c[1].p_holm - 0.04) < 1e-12);
	assert_true(fabs(c[3].p_holm - 0.06) < 1e-12);
	assert_true(fabs(c[0].p_holm - 0.06) < 1e-12);
	assert_true(fabs(c[2].p_holm - 0.5) < 1e-12);
	assert_int_equal(c[1].verdict, NVX_CMP_DIFFERS);
	assert_int_equal(c[3].verdict, NVX_CMP_NOT_PROVEN);
	assert_int_equal(c[4].verdict, NVX_CMP_TOO_FEW);
}

static void constants(void **unused)
{
	const double five[] = { 5, 5, 5, 5, 5, 5 }, six[] = { 6, 6, 6, 6, 6, 6 }, zero[6] = { 0 };
	struct nvx_comparison c;

	(void)unused;
	nvx_compare(five, 6, five, 6, &c);
	assert_true(c.p == 1 && c.change == 0);
	assert_int_equal(c.verdict, NVX_CMP_NOT_PROVEN);
	nvx_compare(five, 6, six, 6, &c);
	assert_int_equal(c.verdict, NVX_CMP_DIFFERS);
	assert_true(fabs(c.change - 0.2) < 1e-12);
	nvx_compare(zero, 6, six, 6, &c);
	assert_true(isnan(c.change));
	assert_int_equal(c.verdict, NVX_CMP_DIFFERS);
	nvx_compare(five, 1, six, 6, &c);
	assert_int_equal(c.verdict, NVX_CMP_TOO_FEW);
	nvx_compare(five, 0, six, 6, &c);
	assert_true(isnan(c.a));
	assert_int_equal(c.verdict, NVX_CMP_TOO_FEW);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_scipy_says),
		cmocka_unit_test(medians),
		cmocka_unit_test(blocks),
		cmocka_unit_test(holm),
		cmocka_unit_test(constants),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
