// SPDX-License-Identifier: GPL-2.0-only
/* The registry: each metric is named once, in a way that Prometheus takes. */
#include "report_fixture.h"

#include <regex.h>

static bool ends(const char *text, const char *with)
{
	size_t len = strlen(text), tail = strlen(with);

	return len >= tail && !strcmp(text + len - tail, with);
}

static void names(void **state)
{
	regex_t name, key;

	(void)state;
	assert_int_equal(regcomp(&name, "^nvx_[a-z][a-z0-9_]*[a-z0-9]$",
				 REG_EXTENDED | REG_NOSUB), 0);
	assert_int_equal(regcomp(&key, "^[a-z][a-z0-9_]*$", REG_EXTENDED | REG_NOSUB), 0);
	assert_true(nvx_nr_metrics > 30);
	for (size_t i = 0; i < nvx_nr_metrics; i++) {
		const struct nvx_metric *m = &nvx_metrics[i];

		if (regexec(&name, m->name, 0, NULL, 0) || strstr(m->name, "__"))
			fail_msg("name %s", m->name);
		if (regexec(&key, m->key, 0, NULL, 0))
			fail_msg("key %s", m->key);
		/* the exposition format ends a histogram's own series so */
		if (ends(m->name, "_bucket") || ends(m->name, "_sum") || ends(m->name, "_count"))
			fail_msg("%s ends like a part of a histogram", m->name);
		for (size_t k = 0; k < i; k++) {
			if (!strcmp(m->name, nvx_metrics[k].name))
				fail_msg("%s twice", m->name);
			if (m->set == nvx_metrics[k].set && !strcmp(m->key, nvx_metrics[k].key))
				fail_msg("key %s twice in one set", m->key);
		}
	}
	regfree(&name);
	regfree(&key);
}

static void types_and_units(void **state)
{
	(void)state;
	for (size_t i = 0; i < nvx_nr_metrics; i++) {
		const struct nvx_metric *m = &nvx_metrics[i];

		assert_in_range(m->set, 0, NVX_SET_COUNT - 1);
		if ((m->type == NVX_COUNTER) != ends(m->name, "_total"))
			fail_msg("%s: _total is for counters, and for all of them", m->name);
		if ((m->type == NVX_HISTOGRAM) == (m->get != NULL))
			fail_msg("%s: a counter has a getter, a histogram has none", m->name);
		/* base units: what nvx holds in ns is exported in seconds */
		if ((m->unit == NVX_UNIT_NS) != (strstr(m->name, "_seconds") != NULL))
			fail_msg("%s: unit", m->name);
		if (m->type == NVX_HISTOGRAM && m->unit == NVX_UNIT_NONE)
			fail_msg("%s: a histogram's bounds have a unit", m->name);
	}
}

static void help(void **state)
{
	(void)state;
	for (size_t i = 0; i < nvx_nr_metrics; i++) {
		const char *text = nvx_metrics[i].help;

		if (!text || strlen(text) < 8 || strchr(text, '\n') || strchr(text, '\\'))
			fail_msg("%s: help", nvx_metrics[i].name);
	}
}

static void sets(void **state)
{
	(void)state;
	for (int set = 0; set < NVX_SET_COUNT; set++) {
		const struct nvx_set_info *info = nvx_set__info(set);
		size_t metrics = 0;

		assert_non_null(info->name);
		assert_in_range(info->section, 0, NVX_SECTION_COUNT - 1);
		assert_true(info->labels & 1u << NVX_LABEL_VM);
		assert_true(info->labels < 1u << NVX_LABEL_COUNT);
		for (size_t i = 0; i < nvx_nr_metrics; i++)
			metrics += nvx_metrics[i].set == (enum nvx_set)set;
		if (!metrics)
			fail_msg("no metric of %s", info->name);
		for (int k = 0; k < set; k++)
			assert_string_not_equal(info->name, nvx_set__info(k)->name);
	}
}

/* Every label of every row has a name and a text. */
static void labels(void **state)
{
	struct nvx_report r;

	(void)state;
	for (int l = 0; l < NVX_LABEL_COUNT; l++) {
		assert_non_null(nvx_label__name(l));
		for (int k = 0; k < l; k++)
			assert_string_not_equal(nvx_label__name(l), nvx_label__name(k));
	}
	fixture_report(&r);
	for (size_t i = 0; i < r.rows->nr; i++) {
		const struct nvx_row *row = r.rows->row[i];

		for (int l = 0; l < NVX_LABEL_COUNT; l++) {
			char buf[NVX_LABEL_MAX];
			const char *text;

			if (!(nvx_set__info(row->l.set)->labels & 1u << l))
				continue;
			text = nvx_label__text(l, row, r.vms, buf, sizeof(buf));
			assert_non_null(text);
			/* L1 has no L2 identity; everything else says something */
			if (l != NVX_LABEL_L2)
				assert_true(*text);
		}
	}
	nvx_rows__free((struct nvx_rows *)r.rows);
}

/* Rows that differ must not become equal when labels turn into text. */
static void labels_tell_apart(void **state)
{
	struct nvx_report r;

	(void)state;
	fixture_report(&r);
	for (size_t a = 0; a < r.rows->nr; a++)
		for (size_t b = 0; b < a; b++) {
			const struct nvx_row *ra = r.rows->row[a], *rb = r.rows->row[b];
			bool differ = ra->l.set != rb->l.set;

			for (int l = 0; l < NVX_LABEL_COUNT && !differ; l++) {
				char ba[NVX_LABEL_MAX], bb[NVX_LABEL_MAX];
				const char *ta, *tb;

				if (!(nvx_set__info(ra->l.set)->labels & 1u << l))
					continue;
				ta = nvx_label__text(l, ra, r.vms, ba, sizeof(ba));
				tb = nvx_label__text(l, rb, r.vms, bb, sizeof(bb));
				differ = strcmp(ta, tb);
			}
			assert_true(differ);
		}
	nvx_rows__free((struct nvx_rows *)r.rows);
}

static void bounds(void **state)
{
	(void)state;
	for (size_t i = 0; i < nvx_nr_metrics; i++) {
		const struct nvx_metric *m = &nvx_metrics[i];
		unsigned int nr;

		if (m->type != NVX_HISTOGRAM)
			continue;
		nr = nvx_metric__slots(m);
		assert_in_range(nr, 2, NVX_HIST_SLOTS);
		for (unsigned int s = 1; s < nr; s++)
			assert_true(nvx_metric__bound(m, s) > nvx_metric__bound(m, s - 1));
		assert_true(nvx_metric__bound(m, nr - 1) == UINT64_MAX);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),  cmocka_unit_test(types_and_units),
		cmocka_unit_test(help),	  cmocka_unit_test(sets),
		cmocka_unit_test(labels), cmocka_unit_test(labels_tell_apart),
		cmocka_unit_test(bounds),
	};

	return cmocka_run_group_tests_name("metric", tests, NULL, NULL);
}
