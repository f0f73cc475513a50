// SPDX-License-Identifier: GPL-2.0-only
/* What nvx diff prints: figures that differ, that do not, that are new, of too few units. */
#include <asm/svm.h>
#include <math.h>

#include "golden.h"

#include "view/diff.h"

static struct nvx_figure figure[] = {
	{ .group = NVX_DIFF_RATES, .what = "",
	  .labels = { .set = NVX_SET_EXITS, .isa = NVX_ISA_SVM, .level = NVX_LEVEL_2,
		      .key = SVM_EXIT_CPUID },
	  .cmp = { .na = 12, .nb = 12, .a = 1234.5, .a_lo = 1200, .a_hi = 1300, .b = 617,
		   .b_lo = 600, .b_hi = 650, .change = -0.5, .p = 7.4e-7, .p_holm = 2.2e-6,
		   .verdict = NVX_CMP_DIFFERS } },
	{ .group = NVX_DIFF_TIMES, .what = "",
	  .labels = { .set = NVX_SET_CHAINS, .isa = NVX_ISA_SVM, .level = NVX_LEVEL_2,
		      .key = SVM_EXIT_INTR },
	  .cmp = { .na = 12, .nb = 11, .a = 18231, .a_lo = 17000, .a_hi = 19000, .b = 18444,
		   .b_lo = 17500, .b_hi = 19100, .change = 0.0117, .p = 0.31, .p_holm = 0.62,
		   .verdict = NVX_CMP_NOT_PROVEN } },
	{ .group = NVX_DIFF_SHARES, .what = "",
	  .labels = { .set = NVX_SET_TIME, .key = NVX_T_POLL },
	  .cmp = { .na = 12, .nb = 12, .b = 0.011, .b_lo = 0.008, .b_hi = 0.0146, .change = NAN,
		   .p = 1e-5, .p_holm = 0.002, .verdict = NVX_CMP_DIFFERS } },
	{ .group = NVX_DIFF_QUANTILES, .what = "P99",
	  .labels = { .set = NVX_SET_EXITS, .isa = NVX_ISA_SVM, .level = NVX_LEVEL_1,
		      .key = SVM_EXIT_HLT },
	  .cmp = { .na = 1, .nb = 0, .a = 1e9, .a_lo = 1e9, .a_hi = 1e9, .b = NAN, .b_lo = NAN,
		   .b_hi = NAN, .change = NAN, .p = 1, .p_holm = 1, .verdict = NVX_CMP_TOO_FEW } },
};

static const struct nvx_diff_file file[] = {
	{ NVX_SIDE_A, "before.nvx", "host-a", "6.1.0", "halt_poll_ns=0", "tune", 240000000000, 240,
	  NULL },
	{ NVX_SIDE_B, "after.nvx", "host-a", "6.1.0", "", "tune", 239000000000, 239,
	  "cut off: it has no end; 239 deltas, 239.00s, can be read" },
};

static const struct nvx_diff_config config[] = {
	{ "param.kvm.halt_poll_ns", { "0", "200000" } },
	{ "VM web|1: qemu.-m", { "2G", NULL } },
};

static const char lacks[NVX_LACK_COUNT][NVX_LACK_MAX] = {
	[NVX_LACK_OPEN] = "the table does not count them",
};

static void print(const char *name, enum nvx_diff_unit unit,
		  int (*view)(const struct nvx_diff_page *, FILE *))
{
	const struct nvx_diff diff = { .unit = unit, .nr = ARRAY_SIZE(figure), .figure = figure,
				       .differ = 2, .too_few = 1 };
	const struct nvx_diff_page page = { .diff = &diff, .nr_files = ARRAY_SIZE(file),
					    .file = file, .nr_config = ARRAY_SIZE(config),
					    .config = config, .lacks = lacks };
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_int_equal(view(&page, out), 0);
	fclose(out);
	golden(name, text);
	free(text);
}

static void text(void **state)
{
	(void)state;
	print("diff.txt", NVX_UNIT_PERIODS, nvx_view__diff_text);
}

static void markdown(void **state)
{
	(void)state;
	print("diff.md", NVX_UNIT_BLOCKS, nvx_view__diff_markdown);
}

static void json(void **state)
{
	(void)state;
	print("diff.json", NVX_UNIT_RUNS, nvx_view__diff_json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text),
		cmocka_unit_test(markdown),
		cmocka_unit_test(json),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
