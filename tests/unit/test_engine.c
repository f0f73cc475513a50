// SPDX-License-Identifier: GPL-2.0-only
/* The engine, case by case: what each kind of nested round trip counts. */
#include "engine_vcpu.h"

#define NOTHING UINT32_MAX /* L1 sees nothing */

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
		    x->synthesised != cases[i].synthesised ||
		    vcpu->leaves != (cases[i].saw != NOTHING) ||
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(outcomes),	   T(leave_without_exit), T(told_once),
		T(chain_of_four),  T(failed_entry),	  T(leave_before_run),
		T(attached_late),  T(resync),		  T(mmio_once),
		T(drill_reflected), T(never_reentered),	  T(hist_wraps),
		T(modifier_bits),  T(time_split),
	};

	return cmocka_run_group_tests_name("engine", tests, NULL, NULL);
}
