// SPDX-License-Identifier: GPL-2.0-only
/* The engine with its tables full: what finds no slot is told, the rest goes on counting. */
#include "engine_vcpu.h"

/* Ten L2s are ten; the thirteenth is "other", counted and told. */
static void l2_identities(void **state)
{
	(void)state;
	nvx_on_level(vcpu, 1, 0);
	for (int round = 0; round < 2; round++)
		for (uint64_t i = 0; i < NVX_L2_SLOTS + 1; i++) {
			svm_exit(SVM_EXIT_VMRUN);
			enter(A + (i << 12));
			entry();
			svm_exit(SVM_EXIT_CPUID);
			leave(SVM_EXIT_CPUID);
			entry();
		}
	assert_int_equal(vcpu->n_l2, NVX_L2_SLOTS);
	for (uint32_t i = 0; i < NVX_L2_SLOTS; i++) {
		assert_int_equal(vcpu->l2[i].addr, A + ((uint64_t)i << 12));
		assert_int_equal(vcpu->l2[i].entries, 2);
		assert_int_equal(row(i + 1, SVM_EXIT_CPUID)->reflected, 2);
	}
	assert_int_equal(row(NVX_WHO_L2_OTHER, SVM_EXIT_CPUID)->count, 2);
	assert_int_equal(row(NVX_WHO_L2_OTHER, SVM_EXIT_CPUID)->reflected, 2);
	assert_int_equal(vcpu->drops[NVX_DROP_L2_SLOTS], 2);
	assert_int_equal(vcpu->entries, 2 * (NVX_L2_SLOTS + 1));
}

static void exit_table_full(void **state)
{
	(void)state;
	nvx_on_level(vcpu, 1, 0);
	for (uint32_t r = 0; r < NVX_EXIT_SLOTS + 5; r++) {
		svm_exit(r);
		entry();
	}
	assert_int_equal(vcpu->n_exit, NVX_EXIT_SLOTS);
	assert_int_equal(vcpu->drops[NVX_DROP_EXIT_SLOTS], 5);
	for (int i = 0; i < NVX_EXIT_SLOTS; i++) {
		assert_int_equal(vcpu->exits[i].count, 1);
		assert_int_equal(vcpu->exits[i].time_ns, 100);
	}
	/* those that have a slot go on counting */
	svm_exit(7);
	entry();
	assert_int_equal(row(NVX_WHO_L1, 7)->count, 2);
	assert_int_equal(vcpu->drops[NVX_DROP_EXIT_SLOTS], 5);
}

static void chain_table_full(void **state)
{
	(void)state;
	run_l2();
	for (uint32_t r = 0; r < NVX_CHAIN_SLOTS + 3; r++) {
		svm_exit(0x100 + r);
		leave(0x100 + r);
		entry();
		svm_exit(SVM_EXIT_VMRUN);
		enter(A);
		entry();
	}
	assert_int_equal(vcpu->n_chain, NVX_CHAIN_SLOTS);
	assert_int_equal(vcpu->drops[NVX_DROP_CHAIN_SLOTS], 3);
	assert_int_equal(vcpu->leaves, NVX_CHAIN_SLOTS + 3);
	for (int i = 0; i < NVX_CHAIN_SLOTS; i++) {
		assert_int_equal(vcpu->chains[i].count, 1);
		assert_int_equal(vcpu->chains[i].len[1], 1);
	}
	/* L1's exits of a chain without a slot are no cells of another */
	assert_int_equal(vcpu->n_cell, NVX_CHAIN_SLOTS);
}

static void cell_table_full(void **state)
{
	uint64_t cells = 0;

	(void)state;
	run_l2();
	/* 5 chains of 30 reasons each: 150 pairs and 5 VMRUNs */
	for (uint32_t c = 0; c < 5; c++) {
		svm_exit(0x60 + c);
		leave(0x60 + c);
		entry();
		for (uint32_t r = 0; r < 30; r++) {
			svm_exit(r);
			entry();
		}
		svm_exit(SVM_EXIT_VMRUN);
		enter(A);
		entry();
	}
	assert_int_equal(vcpu->n_cell, NVX_CELL_SLOTS);
	for (int i = 0; i < NVX_CELL_SLOTS; i++)
		cells += vcpu->cells[i].count;
	assert_int_equal(cells + vcpu->drops[NVX_DROP_CELL_SLOTS], 5 * 31);
	assert_true(vcpu->drops[NVX_DROP_CELL_SLOTS] > 0);
	/* lengths do not suffer */
	for (uint32_t c = 0; c < 5; c++)
		assert_int_equal(chain(0x60 + c)->len[nvx_len_slot(32)], 1);
}

/* A kind has its quota; beyond it the least used number gives way, and is told. */
static void drill_quota(void **state)
{
	(void)state;
	nvx_on_level(vcpu, 1, 0);
	for (int i = 0; i < 50; i++)
		msr(NVX_DRILL_RDMSR, 0x830);
	for (uint64_t m = 0; m < 100; m++)
		msr(NVX_DRILL_RDMSR, m);
	/* what is used often stays, however many come by once */
	assert_int_equal(number(NVX_WHO_L1, NVX_DRILL_RDMSR, 0x830)->count, 50);
	assert_int_equal(number(NVX_WHO_L1, NVX_DRILL_RDMSR, 99)->count, 1);
	assert_int_equal(vcpu->n_drill, NVX_QUOTA_MSR + 1);
	assert_int_equal(number(NVX_WHO_L1, NVX_DRILL_RDMSR, NVX_DRILL_OTHER)->count,
			 100 - (NVX_QUOTA_MSR - 1));
	assert_int_equal(number(NVX_WHO_L1, NVX_DRILL_RDMSR, NVX_DRILL_OTHER)->time_ns,
			 (100 - (NVX_QUOTA_MSR - 1)) * 100);
	assert_int_equal(vcpu->drops[NVX_DROP_DRILL_SLOTS], 100 - (NVX_QUOTA_MSR - 1));
	/* other kinds are as free as before */
	msr(NVX_DRILL_WRMSR, 5);
	assert_int_equal(number(NVX_WHO_L1, NVX_DRILL_WRMSR, 5)->count, 1);
	assert_int_equal(vcpu->drops[NVX_DROP_DRILL_SLOTS], 100 - (NVX_QUOTA_MSR - 1));
}

/* All kinds beyond their quota: no count is lost, each kind has its "other". */
static void drill_table_full(void **state)
{
	uint64_t counted = 0;

	(void)state;
	nvx_on_level(vcpu, 1, 0);
	for (uint64_t kind = NVX_DRILL_RDMSR; kind < NVX_DRILL_KINDS; kind++)
		for (uint64_t nr = 0; nr < 30; nr++)
			msr(kind, nr);
	assert_true(vcpu->n_drill <= NVX_DRILL_SLOTS);
	for (uint64_t kind = NVX_DRILL_RDMSR; kind < NVX_DRILL_KINDS; kind++)
		assert_non_null(number(NVX_WHO_L1, kind, NVX_DRILL_OTHER));
	for (int i = 0; i < vcpu->n_drill; i++)
		counted += vcpu->drills[i].count;
	assert_int_equal(counted, 6 * 30);
}

/* More L2s with more numbers than "other" rows: what has no row at all is a drop. */
static void drill_no_other(void **state)
{
	uint64_t own = 0, events = 0;

	(void)state;
	for (uint64_t l2 = 0; l2 < NVX_L2_SLOTS; l2++) {
		nvx_on_level(vcpu, 2, A + (l2 << 12));
		for (uint64_t kind = NVX_DRILL_RDMSR; kind < NVX_DRILL_KINDS; kind++)
			for (uint64_t nr = 0; nr < 20; nr++, events++)
				msr(kind, nr);
	}
	assert_int_equal(vcpu->n_drill, NVX_DRILL_SLOTS);
	for (int i = 0; i < vcpu->n_drill; i++)
		if (NVX_KEY_NUMBER(vcpu->drills[i].key) != NVX_DRILL_OTHER)
			own += vcpu->drills[i].count;
	assert_int_equal(own + vcpu->drops[NVX_DROP_DRILL_SLOTS], events);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(l2_identities),   T(exit_table_full),	 T(chain_table_full), T(cell_table_full),
		T(drill_quota),	    T(drill_table_full), T(drill_no_other),
	};

	return cmocka_run_group_tests_name("engine_full", tests, NULL, NULL);
}
