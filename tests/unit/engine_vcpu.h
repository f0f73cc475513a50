/* SPDX-License-Identifier: GPL-2.0-only */
/* One vCPU for the engine's tests, events for it, and its rows. */
#ifndef NVX_TESTS_ENGINE_VCPU_H
#define NVX_TESTS_ENGINE_VCPU_H

#include "unit.h"

#include "engine/engine.h"

#define A 0x1000ULL /* VMCB12 or vmcs12 addresses */
#define B 0x2000ULL

static struct nvx_vcpu *vcpu;
static uint64_t now;

static inline int setup(void **state)
{
	(void)state;
	vcpu = aligned_alloc(64, sizeof(*vcpu));
	memset(vcpu, 0, sizeof(*vcpu));
	nvx_set_level(vcpu, 0, NVX_WHO_UNKNOWN);
	now = 1000000;
	return 0;
}

static inline int teardown(void **state)
{
	(void)state;
	free(vcpu);
	return 0;
}

/* Each event comes 100 ns after the one before, unless a test moves the clock itself. */
static inline void on_exit_of(uint32_t reason, uint64_t drill)
{
	now += 100;
	nvx_on_exit(vcpu, now, NVX_ISA_SVM, reason, drill);
}

static inline void svm_exit(uint32_t reason)
{
	on_exit_of(reason, 0);
}

static inline void entry(void)
{
	now += 100;
	nvx_on_entry(vcpu, now);
}

static inline void enter(uint64_t addr)
{
	now += 100;
	nvx_on_nested_enter(vcpu, now, addr);
}

static inline void leave(uint32_t reason)
{
	now += 100;
	nvx_on_nested_exit(vcpu, now, NVX_ISA_SVM, reason, 0);
}

/* L1 runs, then L2 of A. */
static inline void run_l2(void)
{
	nvx_on_level(vcpu, 1, 0);
	svm_exit(SVM_EXIT_VMRUN);
	enter(A);
	entry();
}

static inline struct nvx_exit_slot *row(uint32_t who, uint32_t reason)
{
	for (int i = 0; i < vcpu->n_exit; i++)
		if (vcpu->exits[i].key == ((uint64_t)who << 56 | NVX_KEY_USED | reason))
			return &vcpu->exits[i];
	fail_msg("no exits of who %u for 0x%x", who, reason);
	return NULL;
}

static inline struct nvx_chain_slot *chain(uint32_t reason)
{
	for (int i = 0; i < vcpu->n_chain; i++)
		if (NVX_KEY_REASON(vcpu->chains[i].key) == reason)
			return &vcpu->chains[i];
	fail_msg("no chain for 0x%x", reason);
	return NULL;
}

static inline struct nvx_cell_slot *cell(uint32_t saw, uint32_t reason)
{
	for (int i = 0; i < vcpu->n_cell; i++)
		if (NVX_KEY_REASON(vcpu->cells[i].key) == reason &&
		    &vcpu->chains[NVX_KEY_CHAIN(vcpu->cells[i].key)] == chain(saw))
			return &vcpu->cells[i];
	fail_msg("no cell for 0x%x", reason);
	return NULL;
}

static inline uint64_t hist_sum(const uint32_t *hist)
{
	uint64_t n = 0;

	for (int i = 0; i < NVX_HIST_SLOTS; i++)
		n += hist[i];
	return n;
}

static inline struct nvx_drill_slot *number(uint32_t who, uint64_t kind, uint64_t nr)
{
	for (int i = 0; i < vcpu->n_drill; i++)
		if (vcpu->drills[i].key == ((uint64_t)who << 56 | kind << 48 | nr))
			return &vcpu->drills[i];
	return NULL;
}

static inline void msr(uint64_t kind, uint64_t nr)
{
	on_exit_of(SVM_EXIT_MSR, kind << 48 | nr);
	entry();
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
