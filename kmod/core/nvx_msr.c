// SPDX-License-Identifier: GPL-2.0-only
/* The VMX MSR bitmap, SDM vol. 3, 25.6.9: four blocks of 1 KiB, a set bit intercepts. */
#include "nvx_core.h"

#define HALF_WORDS (2048 / sizeof(u64))		/* reads of low and high MSRs, then writes */

/* Branch-free and without a table: no popcount instruction is allowed in the kernel here. */
static u32 zero_bits(u64 word)
{
	u64 v = ~word;

	v -= v >> 1 & 0x5555555555555555ULL;
	v = (v & 0x3333333333333333ULL) + (v >> 2 & 0x3333333333333333ULL);
	v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
	return v * 0x0101010101010101ULL >> 56;
}

static u32 passed(const u64 *words)
{
	u32 sum = 0;
	u32 i;

	for (i = 0; i < HALF_WORDS; i++)
		sum += zero_bits(words[i]);
	return sum;
}

struct nvx_msr_count nvx_msr_passed(const void *bitmap)
{
	const u64 *words = bitmap;

	return (struct nvx_msr_count) {
		.reads = passed(words),
		.writes = passed(words + HALF_WORDS),
	};
}
