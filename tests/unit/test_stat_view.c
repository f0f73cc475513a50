// SPDX-License-Identifier: GPL-2.0-only
/* The report for people, against golden files. */
#include "golden.h"
#include "report_fixture.h"

#include "view/stat.h"

static struct nvx_report report;

static int setup(void **state)
{
	(void)state;
	fixture_report(&report);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	nvx_rows__free((struct nvx_rows *)report.rows);
	return 0;
}

static void prints(const char *name)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	assert_int_equal(nvx_view__stat(&report, f), 0);
	assert_int_equal(fclose(f), 0);
	golden(name, text);
	free(text);
}

static void all(void **state)
{
	(void)state;
	prints("stat.txt");
}

static void by_l2(void **state)
{
	(void)state;
	report.by_l2 = true;
	report.sections = 1u << NVX_SECTION_EXITS | 1u << NVX_SECTION_MSRS;
	prints("stat-by-l2.txt");
}

static void by_host(void **state)
{
	(void)state;
	report.by_host = true;
	prints("stat-by-host.txt");
}

static void top_two(void **state)
{
	(void)state;
	report.top = 2;
	report.sort = NVX_SORT_TIME;
	report.interval = 3;
	prints("stat-top.txt");
}

/* Nothing is ever silently zero: what the host cannot tell reads n/a, drops are shown. */
static void gaps(void **state)
{
	struct nvx_labels l = { .set = NVX_SET_VMS, .isa = NVX_ISA_SVM, .vm = 0 };
	struct nvx_row *row = nvx_rows__at((struct nvx_rows *)report.rows, &l);

	(void)state;
	row->v[NVX_V_LOST] = 7;
	row->v[NVX_V_DETAIL] = 44;
	report.gdrops[NVX_GDROP_VCPUS_FULL] = 5;
	report.misses = 1234;
	report.cost = (struct nvx_cost){ 0 };
	fixture_sections[NVX_SECTION_MSRS].have = NVX_HAVE_NO;
	strcpy(fixture_sections[NVX_SECTION_MSRS].reason, "classic tracepoints carry no registers");
	fixture_sections[NVX_SECTION_IO].partial = true;
	strcpy(fixture_sections[NVX_SECTION_IO].reason, "kvm_mmio is missing");
	assert_int_equal(nvx_report__dropped(&report), 7 + 5 + 1234);
	prints("stat-gaps.txt");
}

static void nothing(void **state)
{
	struct nvx_rows *full = (struct nvx_rows *)report.rows;

	(void)state;
	report.rows = nvx_rows__new();
	report.nr_vms = 0;
	prints("stat-empty.txt");
	nvx_rows__free((struct nvx_rows *)report.rows);
	report.rows = full;
}

/* A full disk is an error, not a short report. */
static void no_room(void **state)
{
	FILE *f = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(f);
	assert_int_equal(nvx_view__stat(&report, f), -EIO);
	fclose(f);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(all), T(by_l2), T(by_host), T(top_two), T(gaps), T(nothing), T(no_room),
	};

	return cmocka_run_group_tests_name("stat_view", tests, NULL, NULL);
}
