// SPDX-License-Identifier: GPL-2.0-only
/* Roll-up: what two samples differ by, for whom, and that nothing is lost between them. */
#include "unit.h"

#include "engine/engine.h"
#include "model/rows.h"

#define VCPUS 5
#define L2(n) (0x100000ULL + ((uint64_t)(n) << 12))

static const struct nvx_vm vms[] = {
	{ .index = 0, .pid = 100, .id = { .name = "one" } },
	{ .index = 1, .pid = 200, .id = { .name = "two" } },
};

/* vCPUs 0, 1 and 4 are of VM one; 2 and 3 of VM two. */
static const unsigned int vm_of[VCPUS] = { 0, 0, 1, 1, 0 };

static struct nvx_vcpu *vcpu[VCPUS];
static uint64_t now, seed;

static int setup(void **state)
{
	(void)state;
	now = 1000;
	seed = 88172645463325252ULL;
	for (int i = 0; i < VCPUS; i++) {
		vcpu[i] = aligned_alloc(64, sizeof(struct nvx_vcpu));
		memset(vcpu[i], 0, sizeof(struct nvx_vcpu));
		nvx_set_level(vcpu[i], 0, NVX_WHO_UNKNOWN);
		vcpu[i]->tid = 1000 + i;
		vcpu[i]->tgid = vms[vm_of[i]].pid;
		vcpu[i]->vcpu_id = i % 2;
		vcpu[i]->t_first = 500 + i;
		vcpu[i]->state = NVX_LIVE;
	}
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	for (int i = 0; i < VCPUS; i++)
		free(vcpu[i]);
	return 0;
}

static uint64_t rnd(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed >> 20;
}

/* A round trip of one vCPU with an MSR, a chain and what else goes on. */
static void some_events(struct nvx_vcpu *v)
{
	uint64_t l2 = L2(rnd() % 3), msr = rnd() % 40;

	if (v->level != 1)
		nvx_on_level(v, 1, 0);
	nvx_on_exit(v, now += rnd() % 500, NVX_ISA_SVM, SVM_EXIT_VMRUN, 0);
	nvx_on_nested_enter(v, now += 10, l2);
	nvx_on_entry(v, now += rnd() % 500);
	nvx_on_exit(v, now += rnd() % 500, NVX_ISA_SVM, SVM_EXIT_MSR,
		    (uint64_t)NVX_DRILL_WRMSR << 48 | msr);
	if (rnd() % 4) {
		nvx_on_nested_exit(v, now += 10, NVX_ISA_SVM,
				   rnd() % 3 ? SVM_EXIT_MSR : SVM_EXIT_INTR, 0);
		nvx_on_flush(v, NVX_FLUSH_CURRENT, 0, 0);
		nvx_on_entry(v, now += rnd() % 5000);
		nvx_on_exit(v, now += rnd() % 500, NVX_ISA_SVM, SVM_EXIT_CPUID, 0);
		nvx_on_pv_ipi(v, 6, 0);
	}
	nvx_on_entry(v, now += rnd() % 500);
}

/* A sample of the vCPUs in `who` (bits). */
static struct nvx_sample *take(unsigned int who)
{
	struct nvx_sample *s = nvx_sample__new(VCPUS);

	for (int i = 0; i < VCPUS; i++) {
		struct nvx_snap *snap;

		if (!(who & 1u << i))
			continue;
		snap = nvx_snap__new();
		snap->vm = &vms[vm_of[i]];
		snap->slot = i + 1;
		snap->v = *vcpu[i];
		s->snap[s->nr++] = snap;
	}
	s->t_ns = now;
	return s;
}

static struct nvx_rows *delta(const struct nvx_sample *from, const struct nvx_sample *to,
			      const struct nvx_filter *f)
{
	struct nvx_rows *rows = nvx_rows__new();

	assert_int_equal(nvx_rollup(rows, from, to, f), 0);
	return rows;
}

/* Sets whose rows are cumulative counters; time has an open part, numbers give way. */
static bool plain(const struct nvx_row *row)
{
	return row->l.set != NVX_SET_TIME && row->l.set != NVX_SET_MSRS;
}

static void assert_same_rows(const struct nvx_rows *a, const struct nvx_rows *b)
{
	for (size_t i = 0; i < a->nr; i++) {
		const struct nvx_row *ra = a->row[i], *rb = nvx_rows__find(b, &ra->l);
		static const struct nvx_row zero;

		if (!plain(ra))
			continue;
		if (!rb)
			rb = &zero;
		for (int v = 0; v < NVX_V_NR; v++)
			if (ra->v[v] != rb->v[v])
				fail_msg("set %u key 0x%llx value %d: %llu, %llu", ra->l.set,
					 (unsigned long long)ra->l.key, v,
					 (unsigned long long)ra->v[v],
					 (unsigned long long)rb->v[v]);
		for (int h = 0; h < NVX_HIST_SLOTS; h++)
			assert_int_equal(ra->hist[h], rb->hist[h]);
	}
}

/* Deltas of any cuts add up to the whole. */
static void deltas_add_up(void **state)
{
	struct nvx_rows *sum = nvx_rows__new(), *whole;
	struct nvx_sample *first, *last;

	(void)state;
	first = last = take(31);
	for (int part = 0; part < 12; part++) {
		struct nvx_sample *s;
		struct nvx_rows *d;

		for (uint64_t n = rnd() % 50; n; n--)
			some_events(vcpu[rnd() % VCPUS]);
		s = take(31);
		d = delta(last, s, NULL);
		for (size_t i = 0; i < d->nr; i++)
			for (int v = 0; v < NVX_V_NR; v++)
				/* "other" takes what others had: no delta is below 0 */
				if ((int64_t)d->row[i]->v[v] < 0)
					fail_msg("set %u: negative", d->row[i]->l.set);
		assert_int_equal(nvx_rows__add(sum, d, 0), 0);
		nvx_rows__free(d);
		if (last != first)
			nvx_sample__free(last);
		last = s;
	}
	whole = delta(first, last, NULL);
	assert_same_rows(sum, whole);
	assert_same_rows(whole, sum);
	/* rows of numbers may move to "other", their sum stays */
	for (int v = NVX_V_COUNT; v <= NVX_V_TIME; v++)
		assert_int_equal(nvx_rows__sum(sum, NVX_SET_MSRS, v, -1, NVX_VM_ALL),
				 nvx_rows__sum(whole, NVX_SET_MSRS, v, -1, NVX_VM_ALL));
	assert_int_equal(nvx_rows__sum(whole, NVX_SET_MSRS, NVX_V_COUNT, -1, NVX_VM_ALL),
			 nvx_rows__sum(whole, NVX_SET_EXITS, NVX_V_COUNT, NVX_LEVEL_2, NVX_VM_ALL));
	nvx_rows__free(sum);
	nvx_rows__free(whole);
	nvx_sample__free(first);
	nvx_sample__free(last);
}

/* All time of a vCPU is in one of its parts, whatever moment a sample is taken. */
static void time_adds_up(void **state)
{
	struct nvx_sample *a, *b;
	struct nvx_rows *rows;
	uint64_t begin;

	(void)state;
	for (int i = 0; i < 20; i++)
		some_events(vcpu[0]);
	begin = now += 77;
	a = take(1);
	for (int i = 0; i < 20; i++)
		some_events(vcpu[0]);
	now += 12345;
	b = take(1);
	rows = delta(a, b, NULL);
	assert_int_equal(nvx_rows__sum(rows, NVX_SET_TIME, NVX_V_TIME, -1, NVX_VM_ALL),
			 now - begin);
	nvx_rows__free(rows);
	nvx_sample__free(a);
	nvx_sample__free(b);
}

/* A vCPU that ends and one that comes count fully; the one in between as the difference. */
static void coming_and_going(void **state)
{
	struct nvx_sample *a, *b, *c;
	struct nvx_rows *ab, *bc;

	(void)state;
	some_events(vcpu[0]);
	some_events(vcpu[2]);
	a = take(1 << 0 | 1 << 2);
	some_events(vcpu[2]); /* its last events, taken by b, the first sample after its end */
	vcpu[2]->state = NVX_DEAD;
	some_events(vcpu[3]);
	b = take(1 << 0 | 1 << 2 | 1 << 3);
	some_events(vcpu[3]);
	c = take(1 << 0 | 1 << 3);
	ab = delta(a, b, NULL);
	bc = delta(b, c, NULL);
	assert_int_equal(nvx_rows__sum(ab, NVX_SET_VMS, NVX_V_ENTRIES, -1, 0), 0);
	assert_int_equal(nvx_rows__sum(ab, NVX_SET_VMS, NVX_V_ENTRIES, -1, 1), 2);
	assert_int_equal(nvx_rows__sum(ab, NVX_SET_VMS, NVX_V_VCPUS, -1, 1), 1);
	assert_int_equal(nvx_rows__sum(bc, NVX_SET_VMS, NVX_V_ENTRIES, -1, 1), 1);
	assert_int_equal(nvx_rows__sum(bc, NVX_SET_VMS, NVX_V_VCPUS, -1, NVX_VM_ALL), 0);
	nvx_rows__free(ab);
	nvx_rows__free(bc);
	nvx_sample__free(a);
	nvx_sample__free(b);
	nvx_sample__free(c);
}

/* A slot given to another thread, or to the same thread id later, starts from 0. */
static void slot_used_again(void **state)
{
	struct nvx_sample *a, *b;
	struct nvx_rows *rows;

	(void)state;
	for (int i = 0; i < 9; i++)
		some_events(vcpu[0]);
	a = take(1);
	teardown(state);
	setup(state);
	vcpu[0]->t_first = 99999;
	some_events(vcpu[0]);
	b = take(1);
	rows = delta(a, b, NULL);
	assert_int_equal(nvx_rows__sum(rows, NVX_SET_VMS, NVX_V_ENTRIES, -1, NVX_VM_ALL), 1);
	assert_int_equal(nvx_rows__sum(rows, NVX_SET_VMS, NVX_V_VCPUS, -1, NVX_VM_ALL), 1);
	nvx_rows__free(rows);
	nvx_sample__free(a);
	nvx_sample__free(b);
}

static void hist_wraps(void **state)
{
	struct nvx_sample *a, *b;
	struct nvx_rows *rows;

	(void)state;
	nvx_on_level(vcpu[0], 1, 0);
	nvx_on_exit(vcpu[0], 0, NVX_ISA_SVM, SVM_EXIT_CPUID, 0);
	vcpu[0]->exits[0].hist[0] = UINT32_MAX - 1;
	vcpu[0]->exits[0].count = 1ULL << 32;
	a = take(1);
	nvx_on_entry(vcpu[0], 1);
	for (int i = 0; i < 4; i++) {
		nvx_on_exit(vcpu[0], 0, NVX_ISA_SVM, SVM_EXIT_CPUID, 0);
		nvx_on_entry(vcpu[0], 1);
	}
	b = take(1);
	rows = delta(a, b, NULL);
	assert_int_equal(nvx_rows__sum(rows, NVX_SET_EXITS, NVX_V_DONE, -1, NVX_VM_ALL), 5);
	assert_int_equal(nvx_rows__sum(rows, NVX_SET_EXITS, NVX_V_COUNT, -1, NVX_VM_ALL), 4);
	nvx_rows__free(rows);
	nvx_sample__free(a);
	nvx_sample__free(b);
}

static uint64_t entries(const struct nvx_sample *s, struct nvx_filter f)
{
	struct nvx_rows *rows = delta(NULL, s, &f);
	uint64_t n = nvx_rows__sum(rows, NVX_SET_VMS, NVX_V_ENTRIES, -1, NVX_VM_ALL);

	nvx_rows__free(rows);
	return n;
}

static void filters(void **state)
{
	struct nvx_filter l2 = { .vcpu = -1, .level = NVX_LEVEL_2 };
	struct nvx_sample *s;
	struct nvx_rows *rows;

	(void)state;
	/* i + 1 round trips of vCPU i */
	for (int i = 0; i < VCPUS; i++)
		for (int n = 0; n <= i; n++)
			some_events(vcpu[i]);
	s = take(31);
	assert_int_equal(entries(s, (struct nvx_filter){ .vcpu = -1, .level = -1 }), 15);
	assert_int_equal(entries(s, (struct nvx_filter){ .pid = 100, .vcpu = -1, .level = -1 }), 8);
	assert_int_equal(entries(s, (struct nvx_filter){ .pid = 101, .vcpu = -1, .level = -1 }), 0);
	assert_int_equal(entries(s, (struct nvx_filter){ .vm_name = "two", .vcpu = -1,
							 .level = -1 }), 7);
	assert_int_equal(entries(s, (struct nvx_filter){ .vm_name = "tw", .vcpu = -1,
							 .level = -1 }), 0);
	assert_int_equal(entries(s, (struct nvx_filter){ .vcpu = 1, .level = -1 }), 2 + 4);
	assert_int_equal(entries(s, (struct nvx_filter){ .pid = 100, .vcpu = 0, .level = -1 }),
			 1 + 5);
	rows = delta(NULL, s, &l2);
	assert_int_equal(nvx_rows__sum(rows, NVX_SET_EXITS, NVX_V_COUNT, NVX_LEVEL_1, NVX_VM_ALL),
			 0);
	assert_int_equal(nvx_rows__sum(rows, NVX_SET_EXITS, NVX_V_COUNT, NVX_LEVEL_2, NVX_VM_ALL),
			 15);
	nvx_rows__free(rows);
	nvx_sample__free(s);
}

/* Two VMs whose L2s lie at the same address are two; labels say whose. */
static void told_apart(void **state)
{
	struct nvx_labels l = { .set = NVX_SET_L2S, .isa = NVX_ISA_SVM, .level = NVX_LEVEL_2,
				.l2 = L2(0) };
	struct nvx_sample *s;
	struct nvx_rows *rows;

	(void)state;
	for (int i = 0; i < VCPUS; i++) {
		nvx_on_exit(vcpu[i], 1, NVX_ISA_SVM, SVM_EXIT_VMRUN, 0);
		nvx_on_nested_enter(vcpu[i], 2, L2(0));
		nvx_on_entry(vcpu[i], 3);
	}
	s = take(31);
	rows = delta(NULL, s, NULL);
	assert_int_equal(nvx_rows__find(rows, &l)->v[NVX_V_ENTRIES], 3);
	l.vm = 1;
	assert_int_equal(nvx_rows__find(rows, &l)->v[NVX_V_ENTRIES], 2);
	nvx_rows__free(rows);
	nvx_sample__free(s);
}

/* Each drop counter arrives either as lost detail or as a lost event. */
static void drops_arrive(void **state)
{
	(void)state;
	for (int d = 0; d < NVX_DROP_VCPU; d++) {
		struct nvx_sample *s;
		struct nvx_rows *rows;
		uint64_t detail, lost;

		vcpu[0]->drops[d] = 5;
		s = take(1);
		rows = delta(NULL, s, NULL);
		detail = nvx_rows__sum(rows, NVX_SET_VMS, NVX_V_DETAIL, -1, NVX_VM_ALL);
		lost = nvx_rows__sum(rows, NVX_SET_VMS, NVX_V_LOST, -1, NVX_VM_ALL);
		assert_int_equal(detail, d <= NVX_DROP_DRILL_SLOTS ? 5 : 0);
		assert_int_equal(lost, d <= NVX_DROP_DRILL_SLOTS ? 0 : 5);
		vcpu[0]->drops[d] = 0;
		nvx_rows__free(rows);
		nvx_sample__free(s);
	}
}

/* A number that gave way between two samples, and one that came back, stay above 0. */
static void evicted_numbers(void **state)
{
	struct nvx_sample *a, *b;
	struct nvx_rows *rows;
	uint64_t total = 0;

	(void)state;
	nvx_on_level(vcpu[0], 1, 0);
#define RDMSR(n) nvx_on_exit(vcpu[0], now += 9, NVX_ISA_SVM, SVM_EXIT_MSR, \
			     (uint64_t)NVX_DRILL_RDMSR << 48 | (n))
	for (int m = 0; m < NVX_QUOTA_MSR; m++)
		for (int n = 0; n < 3; n++)
			RDMSR(m);
	a = take(1);
	/* 0 gives way to 100, 100 to 0 */
	RDMSR(100);
	RDMSR(0);
	b = take(1);
	rows = delta(a, b, NULL);
	for (size_t i = 0; i < rows->nr; i++)
		if (rows->row[i]->l.set == NVX_SET_MSRS) {
			assert_in_range(rows->row[i]->v[NVX_V_COUNT], 0, 2);
			total += rows->row[i]->v[NVX_V_COUNT];
		}
	assert_int_equal(total, 2);
	nvx_rows__free(rows);
	nvx_sample__free(a);
	nvx_sample__free(b);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(deltas_add_up),   T(time_adds_up), T(coming_and_going),
		T(slot_used_again), T(hist_wraps),   T(filters),
		T(told_apart),	    T(drops_arrive), T(evicted_numbers),
	};

	return cmocka_run_group_tests_name("rollup", tests, NULL, NULL);
}
