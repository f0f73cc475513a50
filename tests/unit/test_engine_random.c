// SPDX-License-Identifier: GPL-2.0-only
/* Random event sequences: the engine against the naive model, after every event. */
#include "unit.h"

#include "engine_check.h"

static uint64_t next(uint64_t *seed)
{
	/* xorshift64: the same sequences on every machine */
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static void run(uint64_t seed, size_t len)
{
	uint8_t *data = malloc(len);
	uint64_t s = seed * 0x9e3779b97f4a7c15ULL + 1;
	const char *broken;

	for (size_t i = 0; i < len; i++)
		data[i] = next(&s) >> 32;
	broken = model_run(data, len, len < 4096);
	free(data);
	if (broken)
		fail_msg("sequence %llu: %s", (unsigned long long)seed, broken);
}

static void short_sequences(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 400; seed++)
		run(seed, 16 + seed);
}

/* Long enough to fill every table. */
static void long_sequences(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++)
		run(seed, 30000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_sequences),
		cmocka_unit_test(long_sequences),
	};

	return cmocka_run_group_tests_name("engine_random", tests, NULL, NULL);
}
