// SPDX-License-Identifier: GPL-2.0-only
/* Rows and reports: equal labels are one row, sums keep everything, order and cut as asked. */
#include "report_fixture.h"

static void equal_labels(void **state)
{
	struct nvx_rows *rows = nvx_rows__new();
	struct nvx_labels l = { .set = NVX_SET_EXITS, .isa = 2, .level = 1, .vm = 3, .key = 7 };
	struct nvx_row *a = nvx_rows__at(rows, &l);

	(void)state;
	assert_non_null(a);
	assert_ptr_equal(nvx_rows__at(rows, &l), a);
	assert_ptr_equal(nvx_rows__find(rows, &l), a);
	assert_int_equal(rows->nr, 1);
	/* each label tells rows apart */
#define DIFFERS(member, value)                            \
	do {                                              \
		struct nvx_labels o = l;                  \
                                                          \
		o.member = value;                         \
		assert_null(nvx_rows__find(rows, &o));    \
		assert_ptr_not_equal(nvx_rows__at(rows, &o), a); \
	} while (0)
	DIFFERS(set, NVX_SET_CELLS);
	DIFFERS(isa, 1);
	DIFFERS(level, 2);
	DIFFERS(kind, 1);
	DIFFERS(vm, 4);
	DIFFERS(vcpu, 1);
	DIFFERS(l2, 0x1000);
	DIFFERS(key, 8);
	DIFFERS(key2, 1);
	assert_int_equal(rows->nr, 10);
	nvx_rows__free(rows);
	nvx_rows__free(NULL);
}

static void empty_table(void **state)
{
	struct nvx_rows *rows = nvx_rows__new();
	struct nvx_labels l = { 0 };

	(void)state;
	assert_null(nvx_rows__find(rows, &l));
	assert_int_equal(nvx_rows__sum(rows, NVX_SET_EXITS, NVX_V_COUNT, -1, NVX_VM_ALL), 0);
	nvx_rows__free(rows);
}

/* Far beyond the first room: nothing moves away or is found twice. */
static void many(void **state)
{
	struct nvx_rows *rows = nvx_rows__new();

	(void)state;
	for (int round = 0; round < 2; round++)
		for (uint64_t i = 0; i < 20000; i++) {
			struct nvx_labels l = { .set = NVX_SET_MMIO, .vm = i % 7, .l2 = i / 7 << 12,
						.key = i * 4096 };

			nvx_rows__at(rows, &l)->v[NVX_V_COUNT] += i;
		}
	assert_int_equal(rows->nr, 20000);
	for (uint64_t i = 0; i < 20000; i++) {
		assert_int_equal(rows->row[i]->l.key, i * 4096);
		assert_int_equal(rows->row[i]->v[NVX_V_COUNT], 2 * i);
	}
	nvx_rows__free(rows);
}

static void sums(void **state)
{
	struct nvx_report r;

	(void)state;
	fixture_report(&r);
	assert_int_equal(nvx_rows__sum(r.rows, NVX_SET_EXITS, NVX_V_COUNT, -1, NVX_VM_ALL),
			 10007 + 201 + 113 + 10121 + 7 + 1 + 3 + 11 + 11);
	assert_int_equal(nvx_rows__sum(r.rows, NVX_SET_EXITS, NVX_V_COUNT, NVX_LEVEL_2, 0),
			 10007 + 201 + 113);
	assert_int_equal(nvx_rows__sum(r.rows, NVX_SET_EXITS, NVX_V_REFLECTED, -1, 1), 11);
	assert_int_equal(nvx_rows__sum(r.rows, NVX_SET_EXITS, NVX_V_COUNT, NVX_LEVEL_UNKNOWN,
				       NVX_VM_ALL),
			 3);
	nvx_rows__free((struct nvx_rows *)r.rows);
}

/* Whatever labels are dropped, each set's values and histograms sum to the same. */
static void add_keeps_sums(void **state)
{
	struct nvx_report r;

	(void)state;
	fixture_report(&r);
	for (unsigned int drop = 0; drop < 4; drop++) {
		struct nvx_rows *to = nvx_rows__new();
		uint64_t from_hist = 0, to_hist = 0;

		assert_int_equal(nvx_rows__add(to, r.rows, drop), 0);
		assert_int_equal(nvx_rows__add(to, r.rows, drop), 0);
		for (int set = 0; set < NVX_SET_COUNT; set++)
			for (int v = 0; v < NVX_V_NR; v++)
				assert_int_equal(nvx_rows__sum(to, set, v, -1, NVX_VM_ALL),
						 2 * nvx_rows__sum(r.rows, set, v, -1, NVX_VM_ALL));
		for (size_t i = 0; i < r.rows->nr; i++)
			for (int h = 0; h < NVX_HIST_SLOTS; h++)
				from_hist += r.rows->row[i]->hist[h];
		for (size_t i = 0; i < to->nr; i++) {
			for (int h = 0; h < NVX_HIST_SLOTS; h++)
				to_hist += to->row[i]->hist[h];
			if (drop & NVX_DROP_LABEL_VM)
				assert_int_equal(to->row[i]->l.vm, NVX_VM_ALL);
			if (drop & NVX_DROP_LABEL_L2)
				assert_int_equal(to->row[i]->l.l2, NVX_L2_NONE);
		}
		assert_int_equal(to_hist, 2 * from_hist);
		/* the two VMs have nothing in common, one's L2s have a row */
		assert_int_equal(to->nr, r.rows->nr - (drop & NVX_DROP_LABEL_L2 ? 2 : 0));
		nvx_rows__free(to);
	}
	nvx_rows__free((struct nvx_rows *)r.rows);
}

static uint64_t order_key(const struct nvx_row *row, enum nvx_sort sort)
{
	uint64_t n = row->v[NVX_V_DONE] ? row->v[NVX_V_DONE] : row->v[NVX_V_COUNT];

	if (sort == NVX_SORT_TIME)
		return row->v[NVX_V_TIME];
	return sort == NVX_SORT_COUNT ? row->v[NVX_V_COUNT] : n ? row->v[NVX_V_TIME] / n : 0;
}

static void order(void **state)
{
	struct nvx_report r;

	(void)state;
	fixture_report(&r);
	r.top = 0;
	for (int by_l2 = 0; by_l2 < 2; by_l2++)
		for (int sort = NVX_SORT_COUNT; sort <= NVX_SORT_AVG; sort++) {
			const struct nvx_row **row;
			struct nvx_rows *owner;
			size_t nr;

			r.by_l2 = by_l2;
			r.sort = sort;
			assert_int_equal(nvx_report__rows(&r, NVX_SET_EXITS, &owner, &row, &nr),
					 by_l2 ? 9 : 8);
			assert_int_equal(nr, by_l2 ? 9 : 8);
			for (size_t i = 1; i < nr; i++)
				assert_true(order_key(row[i - 1], sort) >= order_key(row[i], sort));
			nvx_rows__free(owner);
		}
	nvx_rows__free((struct nvx_rows *)r.rows);
}

/* The same data prints the same, whatever order the rows came in. */
static void order_is_total(void **state)
{
	struct nvx_rows *forward = nvx_rows__new(), *backward = nvx_rows__new();
	struct nvx_report a, b;

	(void)state;
	fixture_report(&a);
	for (size_t i = 0; i < a.rows->nr; i++) {
		struct nvx_rows one = { .nr = 1, .row = &a.rows->row[i] };
		struct nvx_rows last = { .nr = 1, .row = &a.rows->row[a.rows->nr - 1 - i] };

		/* equal values, so that only labels order them */
		a.rows->row[i]->v[NVX_V_COUNT] = 1;
		nvx_rows__add(forward, &one, 0);
		a.rows->row[a.rows->nr - 1 - i]->v[NVX_V_COUNT] = 1;
		nvx_rows__add(backward, &last, 0);
	}
	b = a;
	nvx_rows__free((struct nvx_rows *)a.rows);
	a.rows = forward;
	b.rows = backward;
	for (int set = 0; set < NVX_SET_COUNT; set++) {
		const struct nvx_row **ra, **rb;
		struct nvx_rows *oa, *ob;
		size_t na, nb;

		assert_int_equal(nvx_report__rows(&a, set, &oa, &ra, &na),
				 nvx_report__rows(&b, set, &ob, &rb, &nb));
		assert_int_equal(na, nb);
		for (size_t i = 0; i < na; i++) {
			assert_int_equal(ra[i]->l.vm, rb[i]->l.vm);
			assert_int_equal(ra[i]->l.key, rb[i]->l.key);
			assert_int_equal(ra[i]->l.key2, rb[i]->l.key2);
			assert_int_equal(ra[i]->l.kind, rb[i]->l.kind);
			assert_int_equal(ra[i]->l.level, rb[i]->l.level);
		}
		nvx_rows__free(oa);
		nvx_rows__free(ob);
	}
	nvx_rows__free(forward);
	nvx_rows__free(backward);
}

static void top(void **state)
{
	const struct nvx_row **row;
	struct nvx_rows *owner;
	struct nvx_report r;
	size_t nr;

	(void)state;
	fixture_report(&r);
	r.top = 3;
	assert_int_equal(nvx_report__rows(&r, NVX_SET_EXITS, &owner, &row, &nr), 8);
	assert_int_equal(nr, 3);
	nvx_rows__free(owner);
	r.top = 8;
	assert_int_equal(nvx_report__rows(&r, NVX_SET_EXITS, &owner, &row, &nr), 8);
	assert_int_equal(nr, 8);
	nvx_rows__free(owner);
	nvx_rows__free((struct nvx_rows *)r.rows);
}

/* A reading between two increments of the writer must not show 2^64. */
static void torn_reading(void **state)
{
	struct nvx_row row = { .l = { .level = NVX_LEVEL_2 },
			       .v = { [NVX_V_COUNT] = 5, [NVX_V_REFLECTED] = 6 } };

	(void)state;
	assert_int_equal(nvx_row__handled(&row), 0);
	row.v[NVX_V_DONE] = 6;
	assert_int_equal(nvx_row__open(&row), 0);
	row.v[NVX_V_REFLECTED] = 2;
	row.v[NVX_V_SYNTHESISED] = 1;
	row.v[NVX_V_DONE] = 4;
	assert_int_equal(nvx_row__handled(&row), 2);
	assert_int_equal(nvx_row__open(&row), 1);
	/* L1's exits have no outcome */
	row.l.level = NVX_LEVEL_1;
	assert_int_equal(nvx_row__handled(&row), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_labels),	  cmocka_unit_test(empty_table),
		cmocka_unit_test(many),		  cmocka_unit_test(sums),
		cmocka_unit_test(add_keeps_sums), cmocka_unit_test(order),
		cmocka_unit_test(order_is_total), cmocka_unit_test(top),
		cmocka_unit_test(torn_reading),
	};

	return cmocka_run_group_tests_name("rows", tests, NULL, NULL);
}
