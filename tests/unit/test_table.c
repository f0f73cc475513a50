// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include "util/table.h"

static char *print(const struct nvx_table *t, unsigned int indent)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(nvx_table__print(t, f, indent), 0);
	assert_int_equal(fclose(f), 0);
	return text;
}

static void aligns(void **state)
{
	static const enum nvx_align align[] = {NVX_LEFT, NVX_RIGHT, NVX_LEFT};
	struct nvx_table *t = nvx_table__new(3, align);
	char *text;

	(void)state;
	nvx_table__row(t, (const char *const[]){"VM-EXIT", "Samples", "VM"});
	nvx_table__row(t, (const char *const[]){"EPT_VIOLATION", "7", "büro"});
	nvx_table__line(t, "a line that is wider than all columns together and widens none");
	nvx_table__row(t, (const char *const[]){"HLT", "10,007", NULL});
	nvx_table__row(t, (const char *const[]){"", "", "x"});
	text = print(t, 2);
	assert_string_equal(text,
			    "  VM-EXIT        Samples  VM\n"
			    "  EPT_VIOLATION        7  büro\n"
			    "  a line that is wider than all columns together and widens none\n"
			    "  HLT             10,007\n"
			    "                          x\n");
	free(text);
	nvx_table__free(t);
}

static void wide_characters(void **state)
{
	static const enum nvx_align align[] = {NVX_LEFT, NVX_RIGHT};
	struct nvx_table *t = nvx_table__new(2, align);
	char *text;

	(void)state;
	if (nvx_table__width("東") != 2)
		skip(); /* no C.UTF-8 locale on this system */
	nvx_table__row(t, (const char *const[]){"東京", "1"});
	nvx_table__row(t, (const char *const[]){"abcd", "2"});
	/* e and a combining acute accent: one column */
	nvx_table__row(t, (const char *const[]){"e\xcc\x81", "3"});
	text = print(t, 0);
	assert_string_equal(text, "東京  1\nabcd  2\ne\xcc\x81     3\n");
	free(text);
	nvx_table__free(t);
}

static void hostile_cells(void **state)
{
	static const enum nvx_align align[] = {NVX_LEFT, NVX_LEFT};
	struct nvx_table *t = nvx_table__new(2, align);
	char *text;

	(void)state;
	nvx_table__row(t, (const char *const[]){"a\033[2Jb\n", "1"});
	nvx_table__row(t, (const char *const[]){"\xff\xff", "2"});
	text = print(t, 0);
	assert_string_equal(text, "a?[2Jb?  1\n??       2\n");
	free(text);
	nvx_table__free(t);
}

static void reports_failed_writes(void **state)
{
	static const enum nvx_align align[] = {NVX_LEFT};
	struct nvx_table *t = nvx_table__new(1, align);
	FILE *f = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(f);
	setvbuf(f, NULL, _IONBF, 0);
	nvx_table__row(t, (const char *const[]){"x"});
	assert_int_equal(nvx_table__print(t, f, 0), -EIO);
	fclose(f);
	nvx_table__free(t);
	nvx_table__free(NULL);
}

static void many_rows(void **state)
{
	static const enum nvx_align align[] = {NVX_RIGHT};
	struct nvx_table *t = nvx_table__new(1, align);
	char *text;

	(void)state;
	for (int i = 0; i < 1000; i++)
		nvx_table__row(t, (const char *const[]){"y"});
	text = print(t, 0);
	assert_int_equal(strlen(text), 2000);
	free(text);
	nvx_table__free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(aligns),	 cmocka_unit_test(wide_characters),
		cmocka_unit_test(hostile_cells), cmocka_unit_test(reports_failed_writes),
		cmocka_unit_test(many_rows),
	};

	return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
