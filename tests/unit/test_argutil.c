// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include "util/argutil.h"

static void duration(void **state)
{
	static const struct {
		const char *text;
		int ret;
		uint64_t ns;
	} cases[] = {
		{"5", 0, 5000000000ULL},
		{"0.5", 0, 500000000},
		{".5", 0, 500000000},
		{"2s", 0, 2000000000},
		{"500ms", 0, 500000000},
		{"1.5ms", 0, 1500000},
		{"7us", 0, 7000},
		{"9ns", 0, 9},
		{"2m", 0, 120000000000ULL},
		{"1h", 0, 3600000000000ULL},
		{"0.1", 0, 100000000}, /* exact: no floating point */
		{"1.000000001", 0, 1000000001},
		{"315360000", 0, 315360000000000000ULL},
		{"315360001", -ERANGE, 0},
		{"99999999999999999999", -ERANGE, 0},
		{"99999999h", -ERANGE, 0},
		{"0", -EINVAL, 0},
		{"0.0000000001", -EINVAL, 0},
		{"0.4ns", -EINVAL, 0},
		{"", -EINVAL, 0},
		{".", -EINVAL, 0},
		{"s", -EINVAL, 0},
		{"-1", -EINVAL, 0},
		{"+1", -EINVAL, 0},
		{" 1", -EINVAL, 0},
		{"1 s", -EINVAL, 0},
		{"1.2.3", -EINVAL, 0},
		{"1e3", -EINVAL, 0},
		{"5sec", -EINVAL, 0},
		{"nan", -EINVAL, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t ns = 4711;

		assert_int_equal(nvx_arg__duration(cases[i].text, &ns), cases[i].ret);
		assert_int_equal(ns, cases[i].ret ? 4711 : cases[i].ns);
	}
}

static void u64(void **state)
{
	static const struct {
		const char *text;
		uint64_t max;
		int ret;
		uint64_t value;
	} cases[] = {
		{"0", 10, 0, 0},
		{"10", 10, 0, 10},
		{"11", 10, -ERANGE, 0},
		{"0x830", UINT32_MAX, 0, 0x830},
		{"0XfF", UINT32_MAX, 0, 0xff},
		{"010", UINT32_MAX, 0, 10}, /* decimal, not octal */
		{"18446744073709551615", UINT64_MAX, 0, UINT64_MAX},
		{"18446744073709551616", UINT64_MAX, -ERANGE, 0},
		{"0x", UINT64_MAX, -EINVAL, 0},
		{"", UINT64_MAX, -EINVAL, 0},
		{"-1", UINT64_MAX, -EINVAL, 0},
		{"0x-1", UINT64_MAX, -EINVAL, 0},
		{"1x", UINT64_MAX, -EINVAL, 0},
		{"1 ", UINT64_MAX, -EINVAL, 0},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint64_t value = 4711;

		assert_int_equal(nvx_arg__u64(cases[i].text, cases[i].max, &value), cases[i].ret);
		assert_int_equal(value, cases[i].ret ? 4711 : cases[i].value);
	}
}

static void lists(void **state)
{
	static const struct {
		const char *text;
		int ret;
		size_t nr;
		uint32_t v[6];
	} cases[] = {
		{"3", 0, 1, {3}},
		{"0,2,5", 0, 3, {0, 2, 5}},
		{"0-3,7", 0, 5, {0, 1, 2, 3, 7}},
		{"7,0-3,2", 0, 5, {0, 1, 2, 3, 7}}, /* sorted, each once */
		{"0x10", 0, 1, {16}},
		{"3-1", -EINVAL, 0, {0}},
		{"1,", -EINVAL, 0, {0}},
		{",1", -EINVAL, 0, {0}},
		{"1-", -EINVAL, 0, {0}},
		{"1--2", -EINVAL, 0, {0}},
		{"1;2", -EINVAL, 0, {0}},
		{"", -EINVAL, 0, {0}},
		{"100001", -ERANGE, 0, {0}},
		{"0-65536", -ERANGE, 0, {0}},
		{"0-40000,0-40000", -ERANGE, 0, {0}},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct nvx_u32_list got = {NULL, 0};

		assert_int_equal(nvx_arg__u32_list(cases[i].text, 100000, &got), cases[i].ret);
		assert_int_equal(got.nr, cases[i].nr);
		for (size_t k = 0; k < got.nr; k++)
			assert_int_equal(got.v[k], cases[i].v[k]);
		nvx_u32_list__free(&got);
	}
}

static void list_has(void **state)
{
	struct nvx_u32_list list;

	(void)state;
	assert_int_equal(nvx_arg__u32_list("0-65535", 100000, &list), 0);
	assert_int_equal(list.nr, 65536);
	nvx_u32_list__free(&list);
	assert_false(nvx_u32_list__has(&list, 0));
	assert_int_equal(nvx_arg__u32_list("2,4-6", 100, &list), 0);
	assert_true(nvx_u32_list__has(&list, 2));
	assert_false(nvx_u32_list__has(&list, 3));
	assert_true(nvx_u32_list__has(&list, 6));
	assert_false(nvx_u32_list__has(&list, 7));
	nvx_u32_list__free(&list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(duration),
		cmocka_unit_test(u64),
		cmocka_unit_test(lists),
		cmocka_unit_test(list_has),
	};

	return cmocka_run_group_tests_name("argutil", tests, NULL, NULL);
}
