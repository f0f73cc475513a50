// SPDX-License-Identifier: GPL-2.0-only
/*
 * Deltas of one real run (tests/fixtures/series.nvx), divided into two sides that differ in
 * nothing: of a thousand such comparisons at most 5 % may show any difference.  And where one side
 * is made to differ, the comparison must see it.
 */
#include "unit.h"

#include "model/diff.h"
#include "source/session.h"

#ifndef SERIES
#define SERIES "tests/fixtures/series.nvx"
#endif

#define MAX_DELTAS 1000
/* of each kind */
#define COMPARISONS 500

static struct nvx_session_delta delta[MAX_DELTAS];
static size_t nr;
static struct nvx_rows *total;

static unsigned int roll(unsigned int below)
{
	static uint64_t state = 88172645463325252ULL;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 33) % below;
}

static int load(void **unused)
{
	struct nvx_session_reader *r;
	char err[NVX_SESSION_ERR];

	(void)unused;
	if (nvx_session_reader__open(SERIES, &r, err)) {
		print_error("%s\n", err);
		return -1;
	}
	total = nvx_rows__new();
	while (nr < MAX_DELTAS && nvx_session_reader__next(r, &delta[nr]) > 0) {
		struct nvx_rows *sum = nvx_rows__new();

		if (nvx_rows__add(sum, delta[nr].rows, NVX_DROP_LABEL_VM))
			return -1;
		nvx_rows__free(delta[nr].rows);
		delta[nr].rows = sum;
		if (nvx_rows__add(total, delta[nr++].rows, 0))
			return -1;
	}
	nvx_session_reader__close(r);
	return nr < 150;
}

static int unload(void **unused)
{
	(void)unused;
	while (nr)
		nvx_session_delta__free(&delta[--nr]);
	nvx_rows__free(total);
	return 0;
}

/* Deltas from .. end-1 to a side, as a period. */
static void give(struct nvx_diff *d, size_t from, size_t end, uint32_t period, uint64_t percent)
{
	for (size_t i = from; i < end; i++) {
		struct nvx_session_delta one = delta[i];

		one.period = period;
		/* as if exits came more often */
		one.duration_ns = one.duration_ns * 100 / percent;
		assert_int_equal(nvx_diff__delta(d, &one), 0);
	}
}

/* Rounds of A B B A, or B A A B; then the other side's periods are a second pass. */
static size_t tuned(uint64_t percent)
{
	unsigned int rounds = 4 + roll(3), length = 1 + roll(nr / 4 / rounds);
	size_t start = roll(nr - rounds * 4 * length + 1), differ;
	unsigned int swap = roll(2);
	struct nvx_diff *d = nvx_diff__new(total, total, 8, 0);

	for (unsigned int side = 0; side < 2; side++) {
		nvx_diff__file(d, side);
		for (unsigned int p = 0; p < rounds * 4; p++)
			if (((p % 4 == 1 || p % 4 == 2) ^ swap) == side)
				give(d, start + p * length, start + (p + 1) * length, p + 1,
				     side ? percent : 100);
	}
	assert_int_equal(nvx_diff__finish(d), 0);
	assert_int_equal(d->unit, NVX_UNIT_PERIODS);
	differ = d->differ;
	nvx_diff__free(d);
	return differ;
}

/* Two runs, one after the other. */
static size_t recorded(void)
{
	size_t length = 40 + roll(nr / 2 - 40), start = roll(nr - 2 * length + 1), differ;
	struct nvx_diff *d = nvx_diff__new(total, total, 8, 0);

	for (unsigned int side = 0; side < 2; side++) {
		nvx_diff__file(d, side);
		give(d, start + side * length, start + (side + 1) * length, 0, 100);
	}
	assert_int_equal(nvx_diff__finish(d), 0);
	assert_int_equal(d->unit, NVX_UNIT_BLOCKS);
	differ = d->differ;
	nvx_diff__free(d);
	return differ;
}

static void sides_of_a_tune(void **unused)
{
	unsigned int found = 0;

	(void)unused;
	for (int i = 0; i < COMPARISONS; i++)
		found += tuned(100) > 0;
	print_message("# %u of %u comparisons by periods show a difference\n", found, COMPARISONS);
	assert_true(found <= COMPARISONS / 20);
}

static void two_runs(void **unused)
{
	unsigned int found = 0;

	(void)unused;
	for (int i = 0; i < COMPARISONS; i++)
		found += recorded() > 0;
	print_message("# %u of %u comparisons by blocks show a difference\n", found, COMPARISONS);
	assert_true(found <= COMPARISONS / 20);
}

/* Twice the exits a second: seen in most, though the load itself varies as much. */
static void an_effect(void **unused)
{
	unsigned int found = 0;

	(void)unused;
	for (int i = 0; i < 50; i++)
		found += tuned(200) > 0;
	print_message("# %u of 50 comparisons show an effect\n", found);
	assert_true(found >= 25);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sides_of_a_tune),
		cmocka_unit_test(two_runs),
		cmocka_unit_test(an_effect),
	};

	return cmocka_run_group_tests(tests, load, unload);
}
