// SPDX-License-Identifier: GPL-2.0-only
/* Sums of VMs that come and go: nothing is lost, nothing goes backwards, nothing stays for ever. */
#include "unit.h"

#include "engine/engine.h"
#include "model/sums.h"

#define SECOND 1000000000ULL
#define STALE  (300 * SECOND)

static const struct nvx_filter all = { .vcpu = -1, .level = -1 };

struct world {
	struct nvx_sums *sums;
	struct nvx_sample *next; /* being put together */
	uint64_t t;
};

static void start(struct world *w, uint64_t stale)
{
	*w = (struct world){ .sums = nvx_sums__new(&all, stale), .t = 1000 * SECOND };
	assert_non_null(w->sums);
}

static void sample_begin(struct world *w, uint64_t after)
{
	w->t += after;
	w->next = nvx_sample__new(64);
	assert_non_null(w->next);
	w->next->t_ns = w->t;
}

/* A vCPU of a VM with so many exits since it began. */
static void vcpu(struct world *w, const struct nvx_vm *vm, uint32_t slot, uint64_t exits, int state)
{
	struct nvx_snap *s = nvx_snap__new();

	assert_non_null(s);
	s->vm = vm;
	s->slot = slot;
	s->v.tid = s->v.t_first = slot;
	s->v.vcpu_id = slot % 4;
	s->v.tgid = vm->pid;
	s->v.isa = NVX_ISA_SVM;
	s->v.state = state;
	s->v.exits[0].key = (uint64_t)NVX_WHO_L1 << 56 | NVX_KEY_USED | 114;
	s->v.exits[0].count = exits;
	s->v.n_exit = 1;
	w->next->snap[w->next->nr++] = s;
}

static void sample_end(struct world *w)
{
	assert_int_equal(nvx_sums__take(w->sums, w->next, 5000 * SECOND + w->t), 0);
}

static uint64_t exits_of(const struct world *w, uint32_t vm)
{
	return nvx_rows__sum(nvx_sums__rows(w->sums), NVX_SET_VMS, NVX_V_COUNT, -1, vm);
}

static const struct nvx_sums_vm *vm_of(const struct world *w, uint32_t index)
{
	size_t nr;
	const struct nvx_sums_vm *const *vm = nvx_sums__vms(w->sums, &nr);

	return index < nr ? vm[index] : NULL;
}

static void hidden_and_shown_again(void **state)
{
	static const struct nvx_vm one = { .index = 0, .pid = 10, .id = { .name = "one" } };
	struct world w;

	(void)state;
	start(&w, STALE);
	sample_begin(&w, 0);
	vcpu(&w, &one, 1, 101, NVX_LIVE);
	sample_end(&w);
	assert_false(nvx_sums__stale(w.sums, vm_of(&w, 0)));
	sample_begin(&w, STALE);
	vcpu(&w, &one, 1, 101, NVX_LIVE);
	sample_end(&w);
	assert_false(nvx_sums__stale(w.sums, vm_of(&w, 0)));
	sample_begin(&w, 1);
	vcpu(&w, &one, 1, 101, NVX_LIVE);
	sample_end(&w);
	assert_true(nvx_sums__stale(w.sums, vm_of(&w, 0)));
	/* it has a vCPU: its sums are kept, and go on */
	assert_int_equal(exits_of(&w, 0), 101);
	sample_begin(&w, SECOND);
	vcpu(&w, &one, 1, 114, NVX_LIVE);
	sample_end(&w);
	assert_false(nvx_sums__stale(w.sums, vm_of(&w, 0)));
	assert_int_equal(exits_of(&w, 0), 114);
	assert_true(vm_of(&w, 0)->since_ns == 6000 * SECOND);
	nvx_sums__free(w.sums);
}

static void gone_is_forgotten(void **state)
{
	static const struct nvx_vm one = { .index = 0, .pid = 10, .id = { .name = "one" } };
	static const struct nvx_vm two = { .index = 1, .pid = 20, .id = { .name = "two" } };
	static const struct nvx_vm again = { .index = 0, .pid = 30, .id = { .name = "one" } };
	struct world w;

	(void)state;
	start(&w, STALE);
	sample_begin(&w, 0);
	vcpu(&w, &one, 1, 101, NVX_LIVE);
	vcpu(&w, &two, 2, 7, NVX_LIVE);
	w.next->snap[0]->v.drops[NVX_DROP_VCPU - 1] = 3;
	sample_end(&w);
	sample_begin(&w, SECOND);
	vcpu(&w, &one, 1, 103, NVX_DEAD);
	vcpu(&w, &two, 2, 8, NVX_LIVE);
	w.next->snap[0]->v.drops[NVX_DROP_VCPU - 1] = 3;
	sample_end(&w);
	/* it is gone, and shown for a while: its last exits are to be read */
	assert_int_equal(exits_of(&w, 0), 103);
	sample_begin(&w, STALE + 1);
	vcpu(&w, &two, 2, 9, NVX_LIVE);
	sample_end(&w);
	assert_null(vm_of(&w, 0));
	assert_int_equal(exits_of(&w, 0), 0);
	assert_int_equal(exits_of(&w, 1), 9);
	assert_int_equal(nvx_sums__rows(w.sums)->nr, 2); /* of `two`: totals and a reason */
	/* a host's total does not go backwards with it */
	assert_int_equal(nvx_sums__lost(w.sums), 3);
	/* another VM of that name, with the index that is free again, counts from 0 since now */
	sample_begin(&w, SECOND);
	vcpu(&w, &two, 2, 9, NVX_LIVE);
	vcpu(&w, &again, 1, 5, NVX_LIVE);
	sample_end(&w);
	assert_int_equal(exits_of(&w, 0), 5);
	assert_string_equal(vm_of(&w, 0)->vm.id.name, "one");
	assert_true(vm_of(&w, 0)->since_ns == 5000 * SECOND + w.t);
	nvx_sums__free(w.sums);
}

static void never_stale(void **state)
{
	static const struct nvx_vm one = { .index = 0, .pid = 10, .id = { .name = "one" } };
	struct world w;

	(void)state;
	start(&w, 0);
	sample_begin(&w, 0);
	vcpu(&w, &one, 1, 101, NVX_DEAD);
	sample_end(&w);
	sample_begin(&w, 1000 * STALE);
	sample_end(&w);
	assert_false(nvx_sums__stale(w.sums, vm_of(&w, 0)));
	assert_int_equal(exits_of(&w, 0), 101);
	nvx_sums__free(w.sums);
}

/* Ten thousand VMs that live for a minute each: what is kept is that of five minutes. */
static void churn(void **state)
{
	static struct nvx_vm vm[10];
	struct world w;
	uint64_t most = 0;

	(void)state;
	start(&w, STALE);
	for (uint32_t i = 0; i < 10000; i++) {
		struct nvx_vm *v = &vm[i % 10]; /* as the source: an index that is free */

		*v = (struct nvx_vm){ .index = i % 10, .pid = 1000 + i };
		snprintf(v->id.name, sizeof(v->id.name), "vm-%u", i);
		sample_begin(&w, 60 * SECOND);
		vcpu(&w, v, i % 10 + 1, 17, NVX_LIVE);
		w.next->snap[0]->v.t_first = i;
		sample_end(&w);
		assert_int_equal(exits_of(&w, i % 10), 17);
		if (nvx_sums__rows(w.sums)->nr > most)
			most = nvx_sums__rows(w.sums)->nr;
	}
	assert_in_range(most, 2, 2 * 8);
	nvx_sums__free(w.sums);
}

static void names_apart(void **state)
{
	struct nvx_vm vm[5] = {
		{ .index = 0, .pid = 10, .id = { .name = "web" } },
		{ .index = 1, .pid = 20, .id = { .name = "web" } },
		{ .index = 2, .pid = 30, .id = { .name = "web", .ns = "other" } },
		{ .index = 3, .pid = 4294967295u }, { .index = 4, .pid = 7 },
	};
	struct world w;

	(void)state;
	/* as long as a name may be, of two-byte characters: a cut must not halve one */
	for (int i = 0; i < 126; i += 2)
		memcpy(vm[3].id.name + i, "\xc3\xa4", 2);
	memcpy(vm[4].id.name, vm[3].id.name, sizeof(vm[3].id.name));
	start(&w, STALE);
	sample_begin(&w, 0);
	for (int i = 0; i < 5; i++)
		vcpu(&w, &vm[i], i + 1, 3, NVX_LIVE);
	sample_end(&w);
	assert_string_equal(vm_of(&w, 0)->vm.id.name, "web");
	assert_string_equal(vm_of(&w, 1)->vm.id.name, "web-20");
	assert_string_equal(vm_of(&w, 2)->vm.id.name, "web");
	assert_string_equal(vm_of(&w, 3)->vm.id.name, vm[3].id.name);
	assert_memory_equal(vm_of(&w, 4)->vm.id.name, vm[4].id.name, 114);
	assert_string_equal(strrchr(vm_of(&w, 4)->vm.id.name, '-') - 2, "\xc3\xa4-7");
	/* the first goes; the second keeps its name */
	sample_begin(&w, STALE + 1);
	for (int i = 1; i < 5; i++)
		vcpu(&w, &vm[i], i + 1, 4, NVX_LIVE);
	sample_end(&w);
	assert_null(vm_of(&w, 0));
	assert_string_equal(vm_of(&w, 1)->vm.id.name, "web-20");
	nvx_sums__free(w.sums);
}

static void by_vcpu(void **state)
{
	static const struct nvx_vm one = { .index = 0, .pid = 10, .id = { .name = "one" } };
	struct nvx_filter f = all;
	struct world w;
	size_t rows = 0;

	(void)state;
	start(&w, STALE);
	nvx_sums__free(w.sums);
	f.by_vcpu = true;
	w.sums = nvx_sums__new(&f, STALE);
	sample_begin(&w, 0);
	vcpu(&w, &one, 1, 101, NVX_LIVE);
	vcpu(&w, &one, 2, 103, NVX_LIVE);
	sample_end(&w);
	for (size_t i = 0; i < nvx_sums__rows(w.sums)->nr; i++) {
		const struct nvx_row *row = nvx_sums__rows(w.sums)->row[i];

		if (row->l.set != NVX_SET_VMS)
			continue;
		rows++;
		assert_int_equal(row->v[NVX_V_COUNT], row->l.vcpu == 2 ? 101 : 103);
	}
	assert_int_equal(rows, 2);
	nvx_sums__free(w.sums);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hidden_and_shown_again), cmocka_unit_test(gone_is_forgotten),
		cmocka_unit_test(never_stale),		  cmocka_unit_test(churn),
		cmocka_unit_test(names_apart),		  cmocka_unit_test(by_vcpu),
	};

	return cmocka_run_group_tests_name("sums", tests, NULL, NULL);
}
