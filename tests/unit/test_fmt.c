// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include "util/fmt.h"
#include "util/utf8.h"

static void count(void **state)
{
	static const struct {
		uint64_t n;
		const char *text;
	} cases[] = {
		{0, "0"},
		{7, "7"},
		{999, "999"},
		{1000, "1,000"},
		{10007, "10,007"},
		{999999, "999,999"},
		{1000000, "1,000,000"},
		{UINT64_MAX, "18,446,744,073,709,551,615"},
	};
	char buf[NVX_FMT_MAX];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(nvx_fmt__count(buf, sizeof(buf), cases[i].n), cases[i].text);
	/* a short buffer cuts, and never ends without NUL */
	assert_string_equal(nvx_fmt__count(buf, 4, 1234567), "1,2");
	assert_string_equal(nvx_fmt__count(buf, 1, 1234567), "");
}

static void ns(void **state)
{
	static const struct {
		uint64_t ns;
		const char *text, *us;
	} cases[] = {
		{0, "0ns", "0.00us"},
		{1, "1ns", "0.00us"},
		{740, "740ns", "0.74us"},
		{999, "999ns", "1.00us"},
		{1000, "1.00us", "1.00us"},
		{1230, "1.23us", "1.23us"},
		{1235, "1.24us", "1.24us"}, /* halves go up */
		{999994, "999.99us", "999.99us"},
		{999995, "1.00ms", "1000.00us"},
		{45678901, "45.68ms", "45678.90us"},
		{999995000, "1.00s", "999995.00us"},
		{12000000000ULL, "12.00s", "12000000.00us"},
		{1234000000000ULL, "1,234.00s", "1234000000.00us"},
		{4687890000000ULL, "4,687.89s", "4687890000.00us"},
	};
	char buf[NVX_FMT_MAX];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_string_equal(nvx_fmt__ns(buf, sizeof(buf), cases[i].ns), cases[i].text);
		assert_string_equal(nvx_fmt__us(buf, sizeof(buf), cases[i].ns), cases[i].us);
	}
	nvx_fmt__ns(buf, sizeof(buf), UINT64_MAX);
	assert_string_equal(buf, "18,446,744,073.71s");
}

static void percent(void **state)
{
	static const struct {
		uint64_t part, whole;
		const char *text;
	} cases[] = {
		{0, 0, "n/a"},
		{5, 0, "n/a"},
		{0, 9, "0.00%"},
		{9, 9, "100.00%"},
		{471831, 787803, "59.89%"}, /* a row of a real perf kvm report */
		{2, 3, "66.67%"},
		{UINT64_MAX, UINT64_MAX, "100.00%"},
		{1, UINT64_MAX, "0.00%"},
	};
	char buf[NVX_FMT_MAX];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(
			nvx_fmt__percent(buf, sizeof(buf), cases[i].part, cases[i].whole),
			cases[i].text);
}

static void rate(void **state)
{
	char buf[NVX_FMT_MAX];

	(void)state;
	assert_string_equal(nvx_fmt__rate(buf, sizeof(buf), 5, 0), "n/a");
	assert_string_equal(nvx_fmt__rate(buf, sizeof(buf), 1, 4000000000ULL), "0.25/s");
	assert_string_equal(nvx_fmt__rate(buf, sizeof(buf), 10007, 1000000000), "10,007/s");
	assert_string_equal(nvx_fmt__rate(buf, sizeof(buf), 99, 1000000000), "99.00/s");
	assert_string_equal(nvx_fmt__rate(buf, sizeof(buf), 100, 1000000000), "100/s");
	/* saturates instead of wrapping */
	nvx_fmt__rate(buf, sizeof(buf), UINT64_MAX, 1);
	assert_string_equal(buf, "18,446,744,073,709,551,615/s");
}

static void bytes(void **state)
{
	static const struct {
		uint64_t n;
		const char *text;
	} cases[] = {
		{0, "0 B"},
		{1023, "1023 B"},
		{1024, "1.0 KiB"},
		{16384, "16.0 KiB"},
		{1048575, "1.0 MiB"},
		{16777216, "16.0 MiB"},
		{1610612736, "1.5 GiB"},
		{UINT64_MAX, "16.0 EiB"},
	};
	char buf[NVX_FMT_MAX];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(nvx_fmt__bytes(buf, sizeof(buf), cases[i].n), cases[i].text);
}

static void ratio(void **state)
{
	char buf[NVX_FMT_MAX];

	(void)state;
	assert_string_equal(nvx_fmt__ratio(buf, sizeof(buf), 63, 10, 2), "6.30");
	assert_string_equal(nvx_fmt__ratio(buf, sizeof(buf), 1, 3, 0), "0");
	assert_string_equal(nvx_fmt__ratio(buf, sizeof(buf), 2, 3, 9), "0.666667");
	assert_string_equal(nvx_fmt__ratio(buf, sizeof(buf), 1, 0, 2), "n/a");
	assert_string_equal(nvx_fmt__ratio(buf, sizeof(buf), 100, 100, 2), "1.00");
	assert_string_equal(nvx_fmt__ratio(buf, sizeof(buf), 1, 50, 2), "0.02");
}

static void sanitize(void **state)
{
	static const struct {
		const char *in, *out;
	} cases[] = {
		{"", ""},
		{"win11", "win11"},
		{"büro-東京", "büro-東京"},
		{"a\033[31mb", "a?[31mb"},
		{"a\nb\tc\177", "a?b?c?"},
		{"\xc2\x9b"
		 "31m",
		 "?31m"}, /* C1 CSI */
		{"\xe2\x80\xae"
		 "txt",
		 "?txt"},		      /* right-to-left override */
		{"\xff\xfe", "??"},	      /* no UTF-8 at all */
		{"\xc0\xaf", "??"},	      /* overlong slash */
		{"\xe0\x80\xaf", "???"},      /* overlong, three bytes */
		{"\xed\xa0\x80", "???"},      /* a surrogate */
		{"\xf4\x90\x80\x80", "????"}, /* above U+10FFFF */
		{"x\xe6\x9d", "x??"},	      /* cut in the middle */
	};
	char buf[64];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t len = nvx_utf8__sanitize(buf, sizeof(buf), cases[i].in, strlen(cases[i].in));

		assert_string_equal(buf, cases[i].out);
		assert_int_equal(len, strlen(cases[i].out));
	}
	/* cut at a character's border */
	nvx_utf8__sanitize(buf, 5, "東京", strlen("東京"));
	assert_string_equal(buf, "東");
	nvx_utf8__sanitize(buf, 1, "abc", 3);
	assert_string_equal(buf, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(count),    cmocka_unit_test(ns),    cmocka_unit_test(percent),
		cmocka_unit_test(rate),	    cmocka_unit_test(bytes), cmocka_unit_test(ratio),
		cmocka_unit_test(sanitize),
	};

	return cmocka_run_group_tests_name("fmt", tests, NULL, NULL);
}
