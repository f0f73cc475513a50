// SPDX-License-Identifier: GPL-2.0-only
/* The slot rule: an exact bound lands in the bucket that it closes, as `le` demands. */
#include "unit.h"

#include "model/rows.h"

/* (bound of the slot below, own bound] */
static bool time_fits(uint64_t ns, uint64_t slot)
{
	return slot < NVX_HIST_SLOTS && ns <= nvx_hist__bound(slot) &&
	       (slot == 0 || ns > nvx_hist__bound(slot - 1));
}

static bool len_fits(uint64_t len, uint64_t slot)
{
	return slot < NVX_LEN_SLOTS && len <= nvx_len__bound(slot) &&
	       (slot == 0 || len > nvx_len__bound(slot - 1));
}

static uint64_t naive_log2_up(uint64_t v)
{
	uint64_t r = 0;

	while (r < 64 && (r == 64 ? 0 : 1ULL << r) < v)
		r++;
	return r;
}

static void log2_up(void **state)
{
	(void)state;
	assert_int_equal(nvx_log2_up(0), 0);
	assert_int_equal(nvx_log2_up(UINT64_MAX), 64);
	for (uint64_t v = 1; v < 100000; v++)
		if (nvx_log2_up(v) != naive_log2_up(v))
			fail_msg("log2_up(%llu)", (unsigned long long)v);
	for (unsigned int b = 1; b < 64; b++)
		for (int d = -2; d <= 2; d++)
			assert_int_equal(nvx_log2_up((1ULL << b) + d),
					 naive_log2_up((1ULL << b) + d));
}

/* Every bound itself, and its neighbours. */
static void time_bounds(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < NVX_HIST_SLOTS - 1; i++) {
		uint64_t bound = nvx_hist__bound(i);

		assert_int_equal(bound, 256ULL << i);
		assert_int_equal(nvx_hist_slot(bound), i);
		assert_int_equal(nvx_hist_slot(bound + 1), i + 1);
		assert_true(time_fits(bound - 1, nvx_hist_slot(bound - 1)));
	}
	assert_int_equal(nvx_hist__bound(NVX_HIST_SLOTS - 2), 1ULL << 30);
	assert_true(nvx_hist__bound(NVX_HIST_SLOTS - 1) == UINT64_MAX);
	assert_int_equal(nvx_hist_slot(0), 0);
	assert_int_equal(nvx_hist_slot(UINT64_MAX), NVX_HIST_SLOTS - 1);
}

static void times_by_force(void **state)
{
	uint64_t seed = 88172645463325252ULL;

	(void)state;
	for (uint64_t ns = 0; ns < 1 << 20; ns++)
		if (!time_fits(ns, nvx_hist_slot(ns)))
			fail_msg("%llu ns", (unsigned long long)ns);
	for (int i = 0; i < 1000000; i++) {
		uint64_t ns;

		seed ^= seed << 13;
		seed ^= seed >> 7;
		seed ^= seed << 17;
		ns = seed >> (seed & 63);
		if (!time_fits(ns, nvx_hist_slot(ns)))
			fail_msg("%llu ns", (unsigned long long)ns);
	}
}

static void lengths(void **state)
{
	static const struct {
		uint64_t len, slot;
	} cases[] = {
		{ 0, 0 },	{ 1, 0 },	{ 2, 1 },	{ 6, 5 },	 { 15, 14 },
		{ 16, 15 },	{ 17, 16 },	{ 32, 16 },	{ 33, 17 },	 { 64, 17 },
		{ 65, 18 },	{ 2048, 22 },	{ 2049, 23 },	{ 4096, 23 },	 { 4097, 23 },
		{ UINT32_MAX, 23 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(nvx_len_slot(cases[i].len), cases[i].slot);
	for (uint64_t len = 1; len < 1 << 17; len++)
		if (!len_fits(len, nvx_len_slot(len)))
			fail_msg("length %llu", (unsigned long long)len);
	for (unsigned int i = 0; i < NVX_LEN_SLOTS - 1; i++) {
		assert_int_equal(nvx_len_slot(nvx_len__bound(i)), i);
		assert_int_equal(nvx_len_slot(nvx_len__bound(i) + 1), i + 1);
	}
	assert_true(nvx_len__bound(NVX_LEN_SLOTS - 1) == UINT64_MAX);
}

/* The bound of the slot in which the q-th value lies. */
static void quantiles(void **state)
{
	uint64_t hist[NVX_HIST_SLOTS] = { 0 };

	(void)state;
	assert_int_equal(nvx_hist__quantile(hist, 0.5), 0);
	hist[3] = 1;
	assert_int_equal(nvx_hist__quantile(hist, 0.01), 256 << 3);
	assert_int_equal(nvx_hist__quantile(hist, 1), 256 << 3);
	hist[5] = 98;
	hist[NVX_HIST_SLOTS - 1] = 1;
	assert_int_equal(nvx_hist__quantile(hist, 0.01), 256 << 3);
	assert_int_equal(nvx_hist__quantile(hist, 0.011), 256 << 5);
	assert_int_equal(nvx_hist__quantile(hist, 0.5), 256 << 5);
	assert_int_equal(nvx_hist__quantile(hist, 0.99), 256 << 5);
	assert_true(nvx_hist__quantile(hist, 1) == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(log2_up),  cmocka_unit_test(time_bounds),
		cmocka_unit_test(times_by_force), cmocka_unit_test(lengths),
		cmocka_unit_test(quantiles),
	};

	return cmocka_run_group_tests_name("slots", tests, NULL, NULL);
}
