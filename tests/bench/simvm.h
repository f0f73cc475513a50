/* SPDX-License-Identifier: GPL-2.0-only */
/* Simulated vCPUs: what a busy nested L1 fills of its slots, for what needs many of them. */
#ifndef NVX_TESTS_SIMVM_H
#define NVX_TESTS_SIMVM_H

#include <asm/svm.h>
#include <string.h>

#include "model/sample.h"

static inline void sim_exits(struct nvx_vcpu *v, uint64_t n)
{
	static const uint16_t l1[] = {
		SVM_EXIT_VMRUN, SVM_EXIT_VMLOAD, SVM_EXIT_VMSAVE, SVM_EXIT_MSR, SVM_EXIT_INTR,
		SVM_EXIT_VINTR, SVM_EXIT_NPF, SVM_EXIT_HLT, SVM_EXIT_IOIO, SVM_EXIT_CPUID,
		SVM_EXIT_PAUSE,
	};
	static const uint16_t l2[] = {
		SVM_EXIT_CPUID, SVM_EXIT_MSR, SVM_EXIT_IOIO, SVM_EXIT_INTR, SVM_EXIT_NPF,
		SVM_EXIT_HLT, SVM_EXIT_VMMCALL, SVM_EXIT_PAUSE,
	};
	unsigned int nr1 = sizeof(l1) / sizeof(*l1), nr2 = sizeof(l2) / sizeof(*l2);

	for (unsigned int s = 0; s < nr1 + nr2; s++) {
		struct nvx_exit_slot *e = &v->exits[s];
		uint64_t who = s < nr1 ? NVX_WHO_L1 : 1, count = n * (s + 1);

		e->key = who << 56 | NVX_KEY_USED | (s < nr1 ? l1[s] : l2[s - nr1]);
		e->count = count;
		e->reflected = who ? count * 3 / 4 : 0;
		e->synthesised = who ? count / 8 : 0;
		e->time_ns = count * 1000;
		e->hist[2] = count / 2;
		e->hist[2 + s % 8] += count - count / 2;
	}
	v->n_exit = nr1 + nr2;
	v->l2[0].addr = 0x1000 * (v->vcpu_id + 1);
	v->l2[0].entries = n * 20;
	v->n_l2 = 1;
	v->entries = v->leaves = n * 20;
}

static inline void sim_chains(struct nvx_vcpu *v, uint64_t n)
{
	static const uint16_t saw[] = {
		SVM_EXIT_CPUID, SVM_EXIT_MSR, SVM_EXIT_IOIO, SVM_EXIT_INTR, SVM_EXIT_NPF,
		SVM_EXIT_VMMCALL,
	};
	static const uint16_t l1[] = {
		SVM_EXIT_VMLOAD, SVM_EXIT_VMSAVE, SVM_EXIT_VMRUN, SVM_EXIT_MSR, SVM_EXIT_INTR,
	};

	for (unsigned int c = 0; c < 6; c++) {
		v->chains[c].key = NVX_KEY_USED | saw[c];
		v->chains[c].count = v->chains[c].reflected = n * (c + 1);
		v->chains[c].time_ns = n * 9000;
		v->chains[c].len[5] = n * (c + 1);
		for (unsigned int k = 0; k < 5; k++) {
			struct nvx_cell_slot *cell = &v->cells[c * 5 + k];

			cell->key = (uint64_t)(c + 1) << 56 | NVX_KEY_USED | l1[k];
			cell->count = n * (c + 1) * (k < 2 ? 2 : 1);
			cell->time_ns = cell->count * 700;
		}
	}
	v->n_chain = 6;
	v->n_cell = 30;
}

static inline void sim_numbers(struct nvx_vcpu *v, uint64_t n)
{
	static const uint64_t number[][2] = {
		{ NVX_DRILL_WRMSR, 0x830 },	  { NVX_DRILL_WRMSR, 0x6e0 },
		{ NVX_DRILL_WRMSR, 0xc0000102 },  { NVX_DRILL_RDMSR, 0x1b },
		{ NVX_DRILL_RDMSR, 0x8b },	  { NVX_DRILL_HYPERCALL, 5 },
		{ NVX_DRILL_HYPERCALL, 10 },	  { NVX_DRILL_PIO_OUT, 0x80 },
		{ NVX_DRILL_PIO_OUT, 0x3f8 },	  { NVX_DRILL_PIO_IN, 0x3fd },
		{ NVX_DRILL_MMIO, 0xfebc1 },	  { NVX_DRILL_MMIO, 0xfee00 },
	};
	unsigned int nr = sizeof(number) / sizeof(*number);

	for (unsigned int i = 0; i < 2 * nr; i++) {
		struct nvx_drill_slot *d = &v->drills[i];

		d->key = (uint64_t)(i & 1) << 56 | number[i / 2][0] << 48 | number[i / 2][1];
		d->count = n * (i + 1);
		d->reflected = i & 1 ? n : 0;
		d->time_ns = d->count * 1500;
	}
	v->n_drill = 2 * nr;
}

static inline void sim_ledgers(struct nvx_vcpu *v, uint64_t n)
{
	for (unsigned int i = 0; i < 4; i++) {
		v->ipis[i].key = (uint64_t)(i & 1) << 56 | NVX_KEY_USED | (i / 2 + 1) << 8 |
				 NVX_IPI_KIND_UNICAST;
		v->ipis[i].ipis = v->ipis[i].dests = v->ipis[i].exits = n * 100 * (i + 1);
		v->tlb[i].key = (uint64_t)(i & 1) << 56 | NVX_KEY_USED | (i / 2 + 1) << 8 |
				NVX_CAUSE_SWITCH;
		v->tlb[i].count = n * 10;
	}
	v->n_ipi = v->n_tlb = 4;
	for (unsigned int d = 0; d < 2; d++) {
		v->switch_flushes[d][0] = n;
		v->switch_flushes[d][1] = n * 19;
	}
	for (unsigned int p = NVX_T_L1; p <= NVX_T_WAIT; p++)
		v->time[p] = n * 10000 * (p == NVX_T_L0_L1 || p == NVX_T_L0_L2 ? 40 : p);
}

/* What a vCPU counted in n rounds. */
static inline void sim_vcpu(struct nvx_vcpu *v, uint32_t id, uint64_t n)
{
	v->vcpu_id = id;
	v->isa = NVX_ISA_SVM;
	v->events = n;
	v->state = NVX_LIVE;
	sim_exits(v, n);
	sim_chains(v, n);
	sim_numbers(v, n);
	sim_ledgers(v, n);
}

#endif
