// SPDX-License-Identifier: GPL-2.0-only
/* The report for programs, against golden files; and that what is printed parses. */
#include <jansson.h>

#include "golden.h"
#include "report_fixture.h"

#include "view/json.h"

static struct nvx_report report;

static int setup(void **state)
{
	(void)state;
	fixture_report(&report);
	report.top = 0;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	nvx_rows__free((struct nvx_rows *)report.rows);
	return 0;
}

static char *json_text(void)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_int_equal(nvx_view__json(&report, f), 0);
	assert_int_equal(fclose(f), 0);
	/* one object a line: intervals follow one another */
	assert_ptr_equal(strchr(text, '\n'), text + size - 1);
	return text;
}

/* Golden with indentation, so that a difference is a line. */
static void prints(const char *name)
{
	char *text = json_text(), *pretty, *with_end;
	json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);

	assert_non_null(root);
	pretty = json_dumps(root, JSON_INDENT(1));
	assert_true(asprintf(&with_end, "%s\n", pretty) > 0);
	golden(name, with_end);
	free(with_end);
	free(pretty);
	json_decref(root);
	free(text);
}

static void json(void **state)
{
	(void)state;
	report.by_l2 = true;
	prints("stat.json");
}

static void json_gaps(void **state)
{
	(void)state;
	report.interval = 2;
	report.misses = 3;
	report.cost = (struct nvx_cost){ 0 };
	report.sections = 1u << NVX_SECTION_MSRS | 1u << NVX_SECTION_IO;
	fixture_sections[NVX_SECTION_MSRS].have = NVX_HAVE_NO;
	strcpy(fixture_sections[NVX_SECTION_MSRS].reason, "classic tracepoints carry no registers");
	fixture_sections[NVX_SECTION_IO].partial = true;
	strcpy(fixture_sections[NVX_SECTION_IO].reason, "kvm_mmio is missing");
	prints("stat-gaps.json");
}

/* The sum over a set equals the rows', whatever is folded. */
static void folding_loses_nothing(void **state)
{
	static const char *const set[] = { "exits" };
	json_int_t want = nvx_rows__sum(report.rows, NVX_SET_EXITS, NVX_V_COUNT, -1, NVX_VM_ALL);

	(void)state;
	for (int fold = 0; fold < 4; fold++) {
		json_int_t sum = 0;
		json_t *root, *row;
		char *text;
		size_t i;

		report.by_l2 = fold & 1;
		report.by_host = fold & 2;
		text = json_text();
		root = json_loads(text, 0, NULL);
		json_array_foreach(json_object_get(json_object_get(root, "exits"), set[0]), i, row)
			sum += json_integer_value(json_object_get(row, "count"));
		assert_int_equal(sum, want);
		json_decref(root);
		free(text);
	}
}

static void csv(void **state)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	(void)state;
	report.by_l2 = true;
	assert_int_equal(nvx_view__csv(&report, f, true), 0);
	report.interval = 2;
	report.sections = 1u << NVX_SECTION_MSRS;
	fixture_sections[NVX_SECTION_MSRS].have = NVX_HAVE_NO;
	assert_int_equal(nvx_view__csv(&report, f, false), 0);
	fclose(f);
	golden("stat.csv", text);
	free(text);
}

/* Every line has the columns of the header, quoted names included. */
static void csv_columns(void **state)
{
	char *text = NULL, *line, *save = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	(void)state;
	assert_int_equal(nvx_view__csv(&report, f, true), 0);
	fclose(f);
	for (line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		unsigned int commas = 0;
		bool quoted = false;

		for (const char *c = line; *c; c++) {
			quoted ^= *c == '"';
			commas += *c == ',' && !quoted;
		}
		if (commas != 8 || quoted)
			fail_msg("%s", line);
	}
	free(text);
}

static void no_room(void **state)
{
	FILE *f = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(f);
	assert_int_equal(nvx_view__csv(&report, f, true), -EIO);
	fclose(f);
	f = fopen("/dev/full", "w");
	assert_non_null(f);
	assert_int_equal(nvx_view__json(&report, f), -EIO);
	fclose(f);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(json), T(json_gaps), T(folding_loses_nothing), T(csv), T(csv_columns), T(no_room),
	};

	return cmocka_run_group_tests_name("json_view", tests, NULL, NULL);
}
