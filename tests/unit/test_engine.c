// SPDX-License-Identifier: GPL-2.0-only
/* The engine, case by case: what each kind of nested round trip counts, and full tables. */
#include "unit.h"

#include "engine/engine.h"

#define A 0x1000ULL /* VMCB12 or vmcs12 addresses */
#define B 0x2000ULL
#define NOTHING UINT32_MAX /* L1 sees nothing */

static struct nvx_vcpu *vcpu;
static uint64_t now;

static int setup(void **state)
{
	(void)state;
	vcpu = aligned_alloc(64, sizeof(*vcpu));
	memset(vcpu, 0, sizeof(*vcpu));
	vcpu->who = NVX_WHO_UNKNOWN;
	now = 1000000;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(vcpu);
	return 0;
}

/* Each event comes 100 ns after the one before, unless a test moves the clock itself. */
static void on_exit_of(uint32_t reason, uint64_t drill)
{
	now += 100;
	nvx_on_exit(vcpu, now, NVX_ISA_SVM, reason, drill);
}

static void svm_exit(uint32_t reason)
{
	on_exit_of(reason, 0);
}

static void entry(void)
{
	now += 100;
	nvx_on_entry(vcpu, now);
}

static void enter(uint64_t addr)
{
	now += 100;
	nvx_on_nested_enter(vcpu, now, addr);
}

static void leave(uint32_t reason)
{
	now += 100;
	nvx_on_nested_exit(vcpu, now, NVX_ISA_SVM, reason, 0);
}

/* L1 runs, then L2 of A. */
static void run_l2(void)
{
	nvx_on_level(vcpu, 1, 0);
	svm_exit(SVM_EXIT_VMRUN);
	enter(A);
	entry();
}

static struct nvx_exit_slot *row(uint32_t who, uint32_t reason)
{
	for (int i = 0; i < vcpu->n_exit; i++)
		if (vcpu->exits[i].key == ((uint64_t)who << 56 | NVX_KEY_USED | reason))
			return &vcpu->exits[i];
	fail_msg("no exits of who %u for 0x%x", who, reason);
	return NULL;
}

static struct nvx_chain_slot *chain(uint32_t reason)
{
	for (int i = 0; i < vcpu->n_chain; i++)
		if (NVX_KEY_REASON(vcpu->chains[i].key) == reason)
			return &vcpu->chains[i];
	fail_msg("no chain for 0x%x", reason);
	return NULL;
}

static struct nvx_cell_slot *cell(uint32_t saw, uint32_t reason)
{
	for (int i = 0; i < vcpu->n_cell; i++)
		if (NVX_KEY_REASON(vcpu->cells[i].key) == reason &&
		    &vcpu->chains[NVX_KEY_CHAIN(vcpu->cells[i].key)] == chain(saw))
			return &vcpu->cells[i];
	fail_msg("no cell for 0x%x", reason);
	return NULL;
}

static uint64_t hist_sum(const uint32_t *hist)
{
	uint64_t n = 0;

	for (int i = 0; i < NVX_HIST_SLOTS; i++)
		n += hist[i];
	return n;
}

/* What L0 does with an L2 exit decides its column. */
static void outcomes(void **state)
{
	static const struct {
		const char *what;
		uint32_t isa, reason, saw, info;
		uint64_t reflected, synthesised;
	} cases[] = {
		{ "SVM CPUID, handed on", NVX_ISA_SVM, SVM_EXIT_CPUID, SVM_EXIT_CPUID, 0, 1, 0 },
		{ "SVM CPUID, handled", NVX_ISA_SVM, SVM_EXIT_CPUID, NOTHING, 0, 0, 0 },
		{ "SVM NPF of L0's, then L1's interrupt", NVX_ISA_SVM, SVM_EXIT_NPF, SVM_EXIT_INTR,
		  0, 0, 1 },
		{ "SVM interrupt for L0, then one for L1", NVX_ISA_SVM, SVM_EXIT_INTR,
		  SVM_EXIT_INTR, 0, 0, 1 },
		{ "SVM NMI for L0, then one for L1", NVX_ISA_SVM, SVM_EXIT_NMI, SVM_EXIT_NMI, 0, 0,
		  1 },
		{ "SVM VINTR, handed on", NVX_ISA_SVM, SVM_EXIT_VINTR, SVM_EXIT_VINTR, 0, 1, 0 },
		{ "VMX CPUID, handed on", NVX_ISA_VMX, EXIT_REASON_CPUID, EXIT_REASON_CPUID, 0, 1,
		  0 },
		{ "VMX CPUID with a bus lock, handed on", NVX_ISA_VMX, EXIT_REASON_CPUID | 1 << 26,
		  EXIT_REASON_CPUID, 0, 1, 0 },
		{ "VMX interrupt", NVX_ISA_VMX, EXIT_REASON_EXTERNAL_INTERRUPT,
		  EXIT_REASON_EXTERNAL_INTERRUPT, 0, 0, 1 },
		{ "VMX NMI", NVX_ISA_VMX, EXIT_REASON_EXCEPTION_NMI, EXIT_REASON_EXCEPTION_NMI,
		  2 << 8 | 2, 0, 1 },
		{ "VMX page fault, handed on", NVX_ISA_VMX, EXIT_REASON_EXCEPTION_NMI,
		  EXIT_REASON_EXCEPTION_NMI, 3 << 8 | 14, 1, 0 },
		{ "VMX preemption timer", NVX_ISA_VMX, EXIT_REASON_PREEMPTION_TIMER,
		  EXIT_REASON_PREEMPTION_TIMER, 0, 0, 1 },
		{ "VMX failed entry is no plain one", NVX_ISA_VMX,
		  EXIT_REASON_INVALID_STATE | VMX_EXIT_REASONS_FAILED_VMENTRY,
		  EXIT_REASON_INVALID_STATE, 0, 0, 1 },
		{ "VMX failed entry, handed on", NVX_ISA_VMX,
		  EXIT_REASON_INVALID_STATE | VMX_EXIT_REASONS_FAILED_VMENTRY,
		  EXIT_REASON_INVALID_STATE | VMX_EXIT_REASONS_FAILED_VMENTRY, 0, 1, 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct nvx_exit_slot *x;

		teardown(state);
		setup(state);
		nvx_on_level(vcpu, 2, A);
		nvx_on_exit(vcpu, 10, cases[i].isa, cases[i].reason, 0);
		if (cases[i].saw != NOTHING)
			nvx_on_nested_exit(vcpu, 20, cases[i].isa, cases[i].saw, cases[i].info);
		nvx_on_entry(vcpu, 30);
		x = &vcpu->exits[0];
		if (x->count != 1 || x->reflected != cases[i].reflected ||
		    x->synthesised != cases[i].synthesised || vcpu->leaves != (cases[i].saw != NOTHING) ||
		    vcpu->level != (cases[i].saw != NOTHING ? 1 : 2) || vcpu->leaves_noexit != 0)
			fail_msg("%s", cases[i].what);
	}
}

/* An interrupt for L1 while L2's exit was already over: a switch without an exit. */
static void leave_without_exit(void **state)
{
	(void)state;
	run_l2();
	svm_exit(SVM_EXIT_CPUID);
	entry();
	now += 5000;
	leave(SVM_EXIT_INTR);
	entry();
	assert_int_equal(row(1, SVM_EXIT_CPUID)->reflected, 0);
	assert_int_equal(row(1, SVM_EXIT_CPUID)->synthesised, 0);
	assert_int_equal(vcpu->leaves, 1);
	assert_int_equal(vcpu->leaves_noexit, 1);
	assert_int_equal(chain(SVM_EXIT_INTR)->noexit, 1);
	assert_int_equal(chain(SVM_EXIT_INTR)->reflected, 0);
}

/* One exit has one outcome, however often L1 is told something before it runs. */
static void told_once(void **state)
{
	(void)state;
	run_l2();
	svm_exit(SVM_EXIT_CPUID);
	leave(SVM_EXIT_CPUID);
	leave(SVM_EXIT_CPUID);
	assert_int_equal(row(1, SVM_EXIT_CPUID)->count, 1);
	assert_int_equal(row(1, SVM_EXIT_CPUID)->reflected, 1);
	assert_int_equal(vcpu->leaves, 2);
	assert_int_equal(vcpu->leaves_noexit, 1);
	assert_int_equal(chain(SVM_EXIT_CPUID)->count, 2);
	assert_int_equal(chain(SVM_EXIT_CPUID)->noexit, 1);
}

/* The chain of a reflected CPUID: the exit itself and all of L1's until L2 runs. */
static void chain_of_four(void **state)
{
	uint64_t began;

	(void)state;
	run_l2();
	svm_exit(SVM_EXIT_CPUID);
	began = now;
	leave(SVM_EXIT_CPUID);
	entry();
	svm_exit(SVM_EXIT_MSR);
	entry();
	svm_exit(SVM_EXIT_MSR);
	entry();
	svm_exit(SVM_EXIT_VMRUN);
	enter(A);
	entry();
	assert_int_equal(chain(SVM_EXIT_CPUID)->count, 1);
	assert_int_equal(chain(SVM_EXIT_CPUID)->reflected, 1);
	assert_int_equal(chain(SVM_EXIT_CPUID)->len[3], 1);
	assert_int_equal(chain(SVM_EXIT_CPUID)->time_ns, now - began);
	assert_int_equal(cell(SVM_EXIT_CPUID, SVM_EXIT_MSR)->count, 2);
	assert_int_equal(cell(SVM_EXIT_CPUID, SVM_EXIT_MSR)->time_ns, 200);
	assert_int_equal(cell(SVM_EXIT_CPUID, SVM_EXIT_VMRUN)->count, 1);
	assert_int_equal(cell(SVM_EXIT_CPUID, SVM_EXIT_VMRUN)->time_ns, 200);
	assert_int_equal(vcpu->l2[0].entries, 2);
	/* L1's exits before the first L2 exit are in no chain */
	assert_int_equal(row(NVX_WHO_L1, SVM_EXIT_VMRUN)->count, 2);
	/* and what L0 handles for L2 opens none */
	svm_exit(SVM_EXIT_NPF);
	entry();
	assert_int_equal(vcpu->n_chain, 1);
	assert_int_equal(vcpu->n_cell, 2);
}

/* A nested entry that fails goes back to L1; the chain it would have closed goes on. */
static void failed_entry(void **state)
{
	(void)state;
	run_l2();
	svm_exit(SVM_EXIT_CPUID);
	leave(SVM_EXIT_CPUID);
	entry();
	svm_exit(SVM_EXIT_VMRUN);
	enter(A);
	nvx_on_nested_failed(vcpu);
	entry();
	assert_int_equal(vcpu->entry_failed, 1);
	assert_int_equal(vcpu->level, 1);
	assert_int_equal(hist_sum(chain(SVM_EXIT_CPUID)->len), 0);
	svm_exit(SVM_EXIT_VMRUN);
	enter(A);
	entry();
	assert_int_equal(chain(SVM_EXIT_CPUID)->len[2], 1);
	assert_int_equal(cell(SVM_EXIT_CPUID, SVM_EXIT_VMRUN)->count, 2);
	/* a failure without an entry in the making tells nothing */
	nvx_on_nested_failed(vcpu);
	assert_int_equal(vcpu->entry_failed, 1);
	assert_int_equal(vcpu->level, 2);
}

/* L2 that leaves again before it ran ends its chain there; the next one begins. */
static void leave_before_run(void **state)
{
	(void)state;
	run_l2();
	svm_exit(SVM_EXIT_CPUID);
	leave(SVM_EXIT_CPUID);
	entry();
	svm_exit(SVM_EXIT_VMRUN);
	enter(A);
	leave(SVM_EXIT_INTR);
	entry();
	assert_int_equal(chain(SVM_EXIT_CPUID)->len[1], 1);
	assert_int_equal(chain(SVM_EXIT_INTR)->count, 1);
	assert_int_equal(chain(SVM_EXIT_INTR)->noexit, 1);
	assert_int_equal(hist_sum(chain(SVM_EXIT_INTR)->len), 0);
}

/* Attached in the middle of a run: unknown, then known by reading or by a switch. */
static void attached_late(void **state)
{
	(void)state;
	svm_exit(SVM_EXIT_CPUID);
	entry();
	assert_int_equal(row(NVX_WHO_UNKNOWN, SVM_EXIT_CPUID)->count, 1);
	/* an exit of unknown level has no outcome: whose was it? */
	svm_exit(SVM_EXIT_CPUID);
	leave(SVM_EXIT_CPUID);
	entry();
	assert_int_equal(row(NVX_WHO_UNKNOWN, SVM_EXIT_CPUID)->reflected, 0);
	assert_int_equal(vcpu->leaves_noexit, 1);
	svm_exit(SVM_EXIT_HLT);
	assert_int_equal(row(NVX_WHO_L1, SVM_EXIT_HLT)->count, 1);
	assert_int_equal(vcpu->resyncs, 0);
}

/* The level is read and differs: no switch event told it. */
static void resync(void **state)
{
	(void)state;
	run_l2();
	svm_exit(SVM_EXIT_CPUID);
	leave(SVM_EXIT_CPUID);
	entry();
	nvx_on_level(vcpu, 2, B);
	svm_exit(SVM_EXIT_CPUID);
	assert_int_equal(vcpu->resyncs, 1);
	assert_int_equal(vcpu->l2[1].addr, B);
	assert_int_equal(vcpu->l2[1].entries, 0);
	assert_int_equal(row(2, SVM_EXIT_CPUID)->count, 1);
	/* the chain's end was not seen: counted, without a length, and no cell for L2's exit */
	assert_int_equal(chain(SVM_EXIT_CPUID)->count, 1);
	assert_int_equal(hist_sum(chain(SVM_EXIT_CPUID)->len), 0);
	assert_int_equal(vcpu->n_cell, 0);
	nvx_on_level(vcpu, 2, 0);
	svm_exit(SVM_EXIT_CPUID);
	assert_int_equal(row(NVX_WHO_L2_UNKNOWN, SVM_EXIT_CPUID)->count, 1);
}

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

static struct nvx_drill_slot *number(uint32_t who, uint64_t kind, uint64_t nr)
{
	for (int i = 0; i < vcpu->n_drill; i++)
		if (vcpu->drills[i].key == ((uint64_t)who << 56 | kind << 48 | nr))
			return &vcpu->drills[i];
	return NULL;
}

static void msr(uint64_t kind, uint64_t nr)
{
	on_exit_of(SVM_EXIT_MSR, kind << 48 | nr);
	entry();
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

/* Every event of one MMIO access is that one access. */
static void mmio_once(void **state)
{
	(void)state;
	nvx_on_level(vcpu, 1, 0);
	svm_exit(SVM_EXIT_NPF);
	nvx_on_mmio(vcpu, 0xfee00300);
	nvx_on_mmio(vcpu, 0xfee00310);
	entry();
	nvx_on_mmio(vcpu, 0xfee00000); /* no exit is open */
	assert_int_equal(vcpu->n_drill, 1);
	assert_int_equal(number(NVX_WHO_L1, NVX_DRILL_MMIO, 0xfee00)->count, 1);
	assert_int_equal(number(NVX_WHO_L1, NVX_DRILL_MMIO, 0xfee00)->time_ns, 100);
}

/* The number of a reflected exit says so too. */
static void drill_reflected(void **state)
{
	(void)state;
	run_l2();
	on_exit_of(SVM_EXIT_MSR, (uint64_t)NVX_DRILL_WRMSR << 48 | 0x830);
	leave(SVM_EXIT_MSR);
	entry();
	assert_int_equal(number(1, NVX_DRILL_WRMSR, 0x830)->count, 1);
	assert_int_equal(number(1, NVX_DRILL_WRMSR, 0x830)->reflected, 1);
}

/* An exit that no entry follows stays counted, without a time. */
static void never_reentered(void **state)
{
	(void)state;
	nvx_on_level(vcpu, 1, 0);
	svm_exit(SVM_EXIT_HLT);
	now += 1 << 20;
	svm_exit(SVM_EXIT_HLT);
	entry();
	entry();
	assert_int_equal(row(NVX_WHO_L1, SVM_EXIT_HLT)->count, 2);
	assert_int_equal(row(NVX_WHO_L1, SVM_EXIT_HLT)->time_ns, 100);
	assert_int_equal(hist_sum(row(NVX_WHO_L1, SVM_EXIT_HLT)->hist), 1);
}

/* 2^32 events in one slot: the counter goes on from 0, readers take differences. */
static void hist_wraps(void **state)
{
	(void)state;
	nvx_on_level(vcpu, 1, 0);
	svm_exit(SVM_EXIT_HLT);
	row(NVX_WHO_L1, SVM_EXIT_HLT)->hist[0] = UINT32_MAX;
	entry();
	assert_int_equal(row(NVX_WHO_L1, SVM_EXIT_HLT)->hist[0], 0);
	assert_int_equal(row(NVX_WHO_L1, SVM_EXIT_HLT)->hist[1], 0);
}

static void modifier_bits(void **state)
{
	(void)state;
	nvx_on_level(vcpu, 1, 0);
	/* enclave (27), bus lock (26): one row; the failed entry (31) is another */
	nvx_on_exit(vcpu, 1, NVX_ISA_VMX, EXIT_REASON_CPUID, 0);
	nvx_on_exit(vcpu, 2, NVX_ISA_VMX, EXIT_REASON_CPUID | 1 << 26 | 1 << 27, 0);
	nvx_on_exit(vcpu, 3, NVX_ISA_VMX, EXIT_REASON_MSR_LOAD_FAIL | 1U << 31, 0);
	assert_int_equal(vcpu->n_exit, 2);
	assert_int_equal(row(NVX_WHO_L1, EXIT_REASON_CPUID)->count, 2);
}

/* Seven parts, all of the time: L1, L0 for L1, L0 for L2, L2, back. */
static void time_split(void **state)
{
	(void)state;
	nvx_on_level(vcpu, 1, 0);
	nvx_on_entry(vcpu, 1000);
	nvx_on_exit(vcpu, 1010, NVX_ISA_SVM, SVM_EXIT_VMRUN, 0); /* L1: 10 */
	nvx_on_nested_enter(vcpu, 1030, A);			  /* L0 for L1: 20 */
	nvx_on_entry(vcpu, 1070);				  /* L0 for L2: 40 */
	nvx_on_exit(vcpu, 1150, NVX_ISA_SVM, SVM_EXIT_CPUID, 0);  /* L2: 80 */
	nvx_on_nested_exit(vcpu, 1310, NVX_ISA_SVM, SVM_EXIT_CPUID, 0); /* L0 for L2: 160 */
	nvx_on_entry(vcpu, 1630);				  /* L0 for L1: 320 */
	assert_int_equal(vcpu->time[NVX_T_L1], 10);
	assert_int_equal(vcpu->time[NVX_T_L2], 80);
	assert_int_equal(vcpu->time[NVX_T_L0_L1], 20 + 320);
	assert_int_equal(vcpu->time[NVX_T_L0_L2], 40 + 160);
	assert_int_equal(vcpu->phase, NVX_T_L1);
	/* halted 500 of 600, then user space for 50, of which 30 waiting for a CPU */
	nvx_on_run_delay(vcpu, 1630, 7);
	nvx_on_exit(vcpu, 2000, NVX_ISA_SVM, SVM_EXIT_HLT, 0);
	nvx_on_wakeup(vcpu, 2600, 500, 1);
	nvx_on_userspace(vcpu, 2600);
	nvx_on_run_delay(vcpu, 2650, 7 + 30);
	nvx_on_run(vcpu, 2650);
	nvx_on_entry(vcpu, 2660);
	assert_int_equal(vcpu->time[NVX_T_HALTED], 500);
	assert_int_equal(vcpu->time[NVX_T_USER], 20);
	assert_int_equal(vcpu->time[NVX_T_WAIT], 30);
	assert_int_equal(vcpu->time[NVX_T_L0_L1], 340 + 100 + 10);
	assert_int_equal(vcpu->time[NVX_T_L1], 10 + 370);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(outcomes),	    T(leave_without_exit), T(told_once),
		T(chain_of_four),   T(failed_entry),	   T(leave_before_run),
		T(attached_late),   T(resync),		   T(l2_identities),
		T(exit_table_full), T(chain_table_full),   T(cell_table_full),
		T(drill_quota),	    T(drill_table_full),   T(drill_no_other),
		T(mmio_once),
		T(drill_reflected), T(never_reentered),	   T(hist_wraps),
		T(modifier_bits),   T(time_split),
	};

	return cmocka_run_group_tests_name("engine", tests, NULL, NULL);
}
