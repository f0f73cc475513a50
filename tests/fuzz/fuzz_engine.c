// SPDX-License-Identifier: GPL-2.0-only
/* Bytes as events: the engine against the naive model of tests/unit, after every event. */
#include "engine_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const char *broken = model_run(data, len, true);

	if (broken) {
		fprintf(stderr, "does not hold: %s\n", broken);
		abort();
	}
	return 0;
}
