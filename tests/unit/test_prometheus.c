// SPDX-License-Identifier: GPL-2.0-only
/* The exposition: every metric of the registry, exact numbers, bounded series, honest ends. */
#include "report_fixture.h"

#include "exposition.h"
#include "view/prometheus.h"

struct page {
	struct nvx_text text;
	struct nvx_report r;
};

static void make(struct page *page, const struct nvx_prometheus *p)
{
	memset(&page->text, 0, sizeof(page->text));
	fixture_report(&page->r);
	assert_int_equal(nvx_view__prometheus(&page->r, p, &page->text), 0);
}

static void done(struct page *page)
{
	free(page->text.s);
	nvx_rows__free((struct nvx_rows *)page->r.rows);
}

/* The sum over the samples of a name whose labels hold `label`="value" (NULL: all); -1: none. */
static double sum(const struct page *page, const char *name, const char *label, const char *value)
{
	const char *s = page->text.s, *end = s + page->text.len, *line;
	struct expo_sample e;
	double total = 0;
	bool found = false;

	for (; s < end && (line = memchr(s, '\n', end - s)); s = line + 1) {
		if (*s == '#')
			continue;
		if (!expo_parse(s, line - s, &e))
			fail_msg("no sample: %.*s", (int)(line - s), s);
		if (strcmp(e.name, name) || (label && (!expo_label(&e, label) ||
						       strcmp(expo_label(&e, label), value))))
			continue;
		total += e.number;
		found = true;
	}
	return found ? total : -1;
}

static bool has(const struct page *page, const char *what)
{
	return memmem(page->text.s, page->text.len, what, strlen(what)) != NULL;
}

static void whole_registry(void **state)
{
	const struct nvx_prometheus p = { .openmetrics = false, .version = "1" };
	struct page page;
	char type[200];

	(void)state;
	make(&page, &p);
	for (size_t i = 0; i < nvx_nr_metrics; i++) {
		snprintf(type, sizeof(type), "# TYPE %s ", nvx_metrics[i].name);
		/* L2s come and go with their addresses */
		assert_int_equal(has(&page, type), nvx_metrics[i].set != NVX_SET_L2S);
	}
	assert_false(has(&page, "# EOF"));
	assert_false(has(&page, "_created"));
	assert_true(sum(&page, "nvx_exits_total", "level", "2") == 10007 + 201 + 113 + 11);
	/* nanoseconds are exact */
	assert_true(has(&page, "nvx_vcpu_time_seconds_total{vm=\"web-1\",phase=\"l1\"} "));
	assert_true(has(&page, " 2.000000014\n"));
	assert_true(has(&page, "{vm=\"win,\\\"11\\\"\",namespace=\"tenant-7\",level=\"2\","));
	done(&page);
}

static void histograms(void **state)
{
	const struct nvx_prometheus p = { .openmetrics = true, .version = "1" };
	struct page page;

	(void)state;
	make(&page, &p);
	assert_true(sum(&page, "nvx_exit_duration_seconds_bucket", "le", "+Inf") ==
		    sum(&page, "nvx_exit_duration_seconds_count", NULL, NULL));
	/* two of them took longer than 2^9 ns and no longer than 2^11 */
	assert_true(sum(&page, "nvx_exit_duration_seconds_bucket", "le", "2.048e-06") -
		    sum(&page, "nvx_exit_duration_seconds_bucket", "le", "5.12e-07") ==
		    10007 + 113 + 10120 + 3);
	assert_true(sum(&page, "nvx_chain_length_exits_bucket", "le", "8.0") == 10110);
	assert_true(sum(&page, "nvx_switch_tlb_flushes_bucket", "le", "0.0") == 120);
	done(&page);
}

static void created(void **state)
{
	const uint64_t since[] = { 1700000001500000000ULL, 1700000002000000000ULL };
	struct nvx_prometheus p = { .openmetrics = true, .start_ns = 1600000000000000000ULL,
				    .since_ns = since, .version = "1" };
	struct page page;

	(void)state;
	make(&page, &p);
	assert_true(has(&page, "# TYPE nvx_vm_l1_exits counter\n"));
	assert_true(has(&page, "nvx_vm_l1_exits_total{vm=\"web-1\"} 20514\n"
			       "nvx_vm_l1_exits_created{vm=\"web-1\"} 1700000001.500000000\n"));
	assert_true(has(&page, "nvx_scrapes_created 1600000000.000000000\n"));
	assert_false(has(&page, "nvx_exits_created"));
	done(&page);
	p.created = true;
	make(&page, &p);
	assert_true(has(&page, "nvx_exits_created{"));
	assert_true(has(&page, "nvx_exit_duration_seconds_created{"));
	assert_false(has(&page, "nvx_exits_open_created"));
	done(&page);
}

/* A limit cuts series, never counts. */
static void top(void **state)
{
	struct nvx_prometheus p = { .version = "1" };
	struct page all, some;

	(void)state;
	make(&all, &p);
	p.top = 1;
	make(&some, &p);
	for (size_t i = 0; i < nvx_nr_metrics; i++) {
		const char *name = nvx_metrics[i].name;
		double lost = sum(&all, name, NULL, NULL) - sum(&some, name, NULL, NULL);

		/* a nanosecond is more than what adding in another order makes */
		if (nvx_metrics[i].get && (lost > 5e-10 || lost < -5e-10))
			fail_msg("%s: %g", name, lost);
	}
	assert_true(some.text.len < all.text.len);
	assert_true(sum(&some, "nvx_exits_total", "reason", "other") > 0);
	done(&all);
	done(&some);
}

static void hidden(void **state)
{
	const struct nvx_vm *const vms[] = { NULL, &fixture_vmx };
	const struct nvx_prometheus p = { .version = "1" };
	struct page page;

	(void)state;
	make(&page, &p);
	free(page.text.s);
	page.text = (struct nvx_text){ 0 };
	page.r.vms = vms;
	assert_int_equal(nvx_view__prometheus(&page.r, &p, &page.text), 0);
	assert_true(sum(&page, "nvx_vm_info", NULL, NULL) == 1);
	assert_true(sum(&page, "nvx_vm_info", "vm", "web-1") == -1);
	assert_true(sum(&page, "nvx_exits_total", NULL, NULL) == 22);
	done(&page);
}

/* What the source cannot tell is not there: it is not 0. */
static void sections(void **state)
{
	const struct nvx_prometheus p = { .version = "1" };
	struct page page;

	(void)state;
	make(&page, &p);
	free(page.text.s);
	page.text = (struct nvx_text){ 0 };
	fixture_sections[NVX_SECTION_TLB].have = NVX_HAVE_NO;
	assert_int_equal(nvx_view__prometheus(&page.r, &p, &page.text), 0);
	assert_false(has(&page, "nvx_tlb_flushes_total"));
	assert_false(has(&page, "nvx_switches_total"));
	assert_true(sum(&page, "nvx_section_available", "section", "tlb") == 0);
	assert_true(sum(&page, "nvx_section_available", "section", "exits") == 1);
	done(&page);
}

static void by_vcpu(void **state)
{
	const struct nvx_prometheus p = { .version = "1", .top = 1 };
	struct nvx_labels l = { .set = NVX_SET_EXITS, .isa = NVX_ISA_SVM, .level = NVX_LEVEL_1,
				.key = SVM_EXIT_HLT };
	struct nvx_rows *rows = nvx_rows__new();
	struct page page = { 0 };

	(void)state;
	for (l.vcpu = 1; l.vcpu < 4; l.vcpu++) {
		l.key = SVM_EXIT_HLT;
		fixture_row(rows, l, 10 * l.vcpu);
		l.key = SVM_EXIT_MSR;
		fixture_row(rows, l, l.vcpu);
	}
	fixture_report(&page.r);
	nvx_rows__free((struct nvx_rows *)page.r.rows);
	page.r.rows = rows;
	assert_int_equal(nvx_view__prometheus(&page.r, &p, &page.text), 0);
	assert_true(has(&page, "nvx_exits_total{vm=\"web-1\",vcpu=\"2\",level=\"1\",reason=\"hlt\"} 30\n"));
	/* each vCPU has its own limit */
	assert_true(has(&page, "{vm=\"web-1\",vcpu=\"2\",level=\"1\",reason=\"other\"} 3\n"));
	assert_true(sum(&page, "nvx_exits_total", "vcpu", "0") == 11);
	done(&page);
}

static void texts(void **state)
{
	struct nvx_text t = { 0 };

	(void)state;
	nvx_text__seconds(&t, 0);
	nvx_text__str(&t, " ");
	nvx_text__seconds(&t, UINT64_MAX);
	nvx_text__str(&t, " ");
	nvx_text__u64(&t, 0);
	nvx_text__str(&t, " ");
	nvx_text__u64(&t, UINT64_MAX);
	nvx_text__fmt(&t, " %d%s", -1, "");
	assert_int_equal(t.len, strlen("0.000000000 18446744073.709551615 0 18446744073709551615 -1"));
	assert_memory_equal(t.s, "0.000000000 18446744073.709551615 0 18446744073709551615 -1", t.len);
	free(t.s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_registry), cmocka_unit_test(histograms),
		cmocka_unit_test(created),	  cmocka_unit_test(top),
		cmocka_unit_test(hidden),	  cmocka_unit_test(sections),
		cmocka_unit_test(by_vcpu),	  cmocka_unit_test(texts),
	};

	return cmocka_run_group_tests_name("prometheus", tests, NULL, NULL);
}
