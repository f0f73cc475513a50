/* SPDX-License-Identifier: GPL-2.0-only */
/* A report made by hand: two VMs, one of each vendor, with something in every set. */
#ifndef NVX_TESTS_REPORT_FIXTURE_H
#define NVX_TESTS_REPORT_FIXTURE_H

#include <asm/svm.h>
#include <asm/vmx.h>

#include "unit.h"

#include "model/report.h"

#define L2_A 0x104c8000ULL
#define L2_B 0x1f2b6000ULL

static const struct nvx_vm fixture_svm = {
	.index = 0, .pid = 4242, .kvm = 0xffffa0,
	.id = { .vmm = NVX_VMM_LIBVIRT, .name = "web-1",
		.uuid = "0d5b2c2e-7b3f-4a55-9c55-0f4a7d6f9a11" },
};

/* A name that CSV has to quote. */
static const struct nvx_vm fixture_vmx = {
	.index = 1, .pid = 977, .kvm = 0xffffb0,
	.id = { .vmm = NVX_VMM_KUBEVIRT, .name = "win,\"11\"", .ns = "tenant-7" },
};

static const struct nvx_vm *const fixture_vms[] = { &fixture_svm, &fixture_vmx };

static struct nvx_probe_section fixture_sections[NVX_SECTION_COUNT];

static inline struct nvx_row *fixture_row(struct nvx_rows *rows, struct nvx_labels l,
					  uint64_t count)
{
	struct nvx_row *row = nvx_rows__at(rows, &l);

	assert_non_null(row);
	row->v[NVX_V_COUNT] = count;
	return row;
}

/* Exits: how many were handed on, made up, and when the guest ran again (all in one slot). */
static inline void fixture_exits(struct nvx_rows *rows, struct nvx_labels l, uint64_t count,
				 uint64_t reflected, uint64_t synthesised, uint64_t open,
				 uint64_t avg_ns)
{
	struct nvx_row *row;

	l.set = NVX_SET_EXITS;
	row = fixture_row(rows, l, count);
	row->v[NVX_V_REFLECTED] = reflected;
	row->v[NVX_V_SYNTHESISED] = synthesised;
	row->v[NVX_V_DONE] = count - open;
	row->v[NVX_V_TIME] = (count - open) * avg_ns;
	row->hist[nvx_hist_slot(avg_ns)] = count - open;
}

static inline void fixture_number(struct nvx_rows *rows, struct nvx_labels l, uint64_t count,
				  uint64_t reflected, uint64_t time)
{
	struct nvx_row *row = fixture_row(rows, l, count);

	row->v[NVX_V_REFLECTED] = reflected;
	row->v[NVX_V_TIME] = time;
}

static inline void fixture_totals(struct nvx_rows *rows)
{
	struct nvx_labels vm = { .set = NVX_SET_VMS, .isa = NVX_ISA_SVM, .vm = 0 };
	struct nvx_labels l2 = { .set = NVX_SET_L2S, .isa = NVX_ISA_SVM, .vm = 0,
				 .level = NVX_LEVEL_2, .l2 = L2_A };
	struct nvx_row *row = fixture_row(rows, vm, 20514);

	row->v[NVX_V_L2_EXITS] = 10321;
	row->v[NVX_V_UNKNOWN] = 3;
	row->v[NVX_V_ENTRIES] = 10120;
	row->v[NVX_V_LEAVES] = 10119;
	row->v[NVX_V_NOEXIT] = 12;
	row->v[NVX_V_FAILED] = 1;
	row->v[NVX_V_RESYNCS] = 2;
	row->v[NVX_V_VCPUS] = 2;
	vm.vm = 1;
	vm.isa = NVX_ISA_VMX;
	row = fixture_row(rows, vm, 31);
	row->v[NVX_V_L2_EXITS] = 11;
	row->v[NVX_V_ENTRIES] = 11;
	row->v[NVX_V_LEAVES] = 11;
	row->v[NVX_V_VCPUS] = 1;
	row->v[NVX_V_OPAQUE] = 1;
	fixture_row(rows, l2, 0)->v[NVX_V_ENTRIES] = 10007;
	l2.l2 = L2_B;
	fixture_row(rows, l2, 0)->v[NVX_V_ENTRIES] = 113;
	l2.l2 = L2_A;
	l2.vm = 1;
	l2.isa = NVX_ISA_VMX;
	fixture_row(rows, l2, 0)->v[NVX_V_ENTRIES] = 11;
}

static inline void fixture_exit_rows(struct nvx_rows *rows)
{
	const struct nvx_labels l1 = { .isa = NVX_ISA_SVM, .level = NVX_LEVEL_1 };
	const struct nvx_labels a = { .isa = NVX_ISA_SVM, .level = NVX_LEVEL_2, .l2 = L2_A };
	struct nvx_labels l;

#define WITH(base, ...) (l = base, (void)(__VA_ARGS__), l)
	fixture_exits(rows, WITH(a, l.key = SVM_EXIT_CPUID), 10007, 10007, 0, 0, 1900);
	fixture_exits(rows, WITH(a, l.key = SVM_EXIT_INTR), 201, 0, 90, 1, 512);
	fixture_exits(rows, WITH(a, (l.key = SVM_EXIT_CPUID, l.l2 = L2_B)), 113, 110, 0, 0, 2048);
	fixture_exits(rows, WITH(l1, l.key = SVM_EXIT_VMRUN), 10121, 0, 0, 1, 1024);
	fixture_exits(rows, WITH(l1, l.key = SVM_EXIT_HLT), 7, 0, 0, 0, 1200000000);
	fixture_exits(rows, WITH(l1, l.key = 0x7ff), 1, 0, 0, 0, 100);
	fixture_exits(rows, WITH(l1, (l.key = SVM_EXIT_NPF, l.level = NVX_LEVEL_UNKNOWN)), 3, 0, 0,
		      0, 700);
	fixture_exits(rows, WITH(a, (l.key = EXIT_REASON_EPT_VIOLATION, l.isa = NVX_ISA_VMX,
				     l.vm = 1)), 11, 11, 0, 0, 3000);
	fixture_exits(rows, WITH(l1, (l.key = EXIT_REASON_VMRESUME, l.isa = NVX_ISA_VMX, l.vm = 1)),
		      11, 0, 0, 0, 2500);
}

static inline void fixture_numbers(struct nvx_rows *rows)
{
	struct nvx_labels l = { .set = NVX_SET_MSRS, .isa = NVX_ISA_SVM, .level = NVX_LEVEL_2,
				.l2 = L2_A, .kind = NVX_DRILL_WRMSR, .key = 0x830 };

	fixture_number(rows, l, 503, 503, 503 * 2100);
	l.kind = NVX_DRILL_RDMSR;
	l.key = 0xc0011029;
	fixture_number(rows, l, 2, 0, 900);
	l.level = NVX_LEVEL_1;
	l.l2 = 0;
	l.key = NVX_DRILL_OTHER;
	fixture_number(rows, l, 44, 0, 44 * 600);
	l.set = NVX_SET_HYPERCALLS;
	l.kind = NVX_DRILL_HYPERCALL;
	l.key = 10;
	fixture_number(rows, l, 307, 0, 307 * 800);
	l.set = NVX_SET_PIO;
	l.kind = NVX_DRILL_PIO_OUT;
	l.key = 0x3f8;
	fixture_number(rows, l, 61, 0, 61 * 9000);
	l.kind = NVX_DRILL_PIO_IN;
	l.key = 0x60;
	fixture_number(rows, l, 5, 0, 5 * 8000);
	l.set = NVX_SET_MMIO;
	l.kind = NVX_DRILL_MMIO;
	l.key = 0xfebc1;
	l.vm = 1;
	l.isa = NVX_ISA_VMX;
	fixture_number(rows, l, 11, 0, 11 * 30000);
}

static inline void fixture_chains(struct nvx_rows *rows)
{
	struct nvx_labels c = { .set = NVX_SET_CHAINS, .isa = NVX_ISA_SVM, .level = NVX_LEVEL_2,
				.key = SVM_EXIT_CPUID };
	struct nvx_labels cell = { .set = NVX_SET_CELLS, .isa = NVX_ISA_SVM, .level = NVX_LEVEL_1,
				   .key = SVM_EXIT_CPUID, .key2 = SVM_EXIT_VMRUN };
	struct nvx_row *row = fixture_row(rows, c, 10117);

	row->v[NVX_V_REFLECTED] = 10117;
	row->v[NVX_V_DONE] = 10116;
	row->v[NVX_V_TIME] = 10116ULL * 6100;
	row->hist[5] = 9000;
	row->hist[7] = 1110;
	row->hist[17] = 6;
	c.key = SVM_EXIT_INTR;
	row = fixture_row(rows, c, 102);
	row->v[NVX_V_SYNTHESISED] = 102;
	row->v[NVX_V_NOEXIT] = 12;
	row->v[NVX_V_DONE] = 102;
	row->v[NVX_V_TIME] = 102 * 40000;
	row->hist[18] = 102;
	fixture_number(rows, cell, 10116, 0, 10116ULL * 1024);
	cell.key2 = SVM_EXIT_MSR;
	fixture_number(rows, cell, 40464, 0, 40464ULL * 700);
	cell.key = SVM_EXIT_INTR;
	fixture_number(rows, cell, 5000, 0, 5000 * 650);
}

static inline void fixture_ledgers(struct nvx_rows *rows)
{
	struct nvx_labels l = { .set = NVX_SET_IPIS, .isa = NVX_ISA_SVM, .level = NVX_LEVEL_2,
				.l2 = L2_A, .key = NVX_IPI_X2APIC, .kind = NVX_IPI_KIND_UNICAST };
	struct nvx_row *row = fixture_row(rows, l, 503);

	row->v[NVX_V_DESTS] = 503;
	row->v[NVX_V_EXITS] = 503;
	l.kind = NVX_IPI_KIND_UNKNOWN;
	l.key = NVX_IPI_XAPIC;
	row = fixture_row(rows, l, 20);
	row->v[NVX_V_EXITS] = 40;
	row->v[NVX_V_NODESTS] = 20;
	l = (struct nvx_labels){ .set = NVX_SET_TLB, .isa = NVX_ISA_SVM, .level = NVX_LEVEL_1,
				 .key = NVX_FLUSH_CURRENT, .key2 = NVX_CAUSE_SWITCH };
	fixture_row(rows, l, 20000);
	l = (struct nvx_labels){ .set = NVX_SET_FLUSHES, .isa = NVX_ISA_SVM, .level = NVX_LEVEL_2,
				 .key = NVX_L1_TO_L2 };
	row = fixture_row(rows, l, 10120);
	row->hist[0] = 120;
	row->hist[1] = 9999;
	row->hist[5] = 1;
	for (uint64_t p = NVX_T_NONE + 1; p < NVX_PHASES; p++) {
		l = (struct nvx_labels){ .set = NVX_SET_TIME, .key = p };
		fixture_row(rows, l, 0)->v[NVX_V_TIME] = p * 1000000007ULL;
	}
}

/* Rows belong to the caller: nvx_rows__free((struct nvx_rows *)r->rows). */
static inline void fixture_report(struct nvx_report *r)
{
	struct nvx_rows *rows = nvx_rows__new();

	assert_non_null(rows);
	fixture_totals(rows);
	fixture_exit_rows(rows);
	fixture_numbers(rows);
	fixture_chains(rows);
	fixture_ledgers(rows);
	for (int s = 0; s < NVX_SECTION_COUNT; s++)
		fixture_sections[s] = (struct nvx_probe_section){ .have = NVX_HAVE_YES };
	*r = (struct nvx_report){
		.rows = rows, .vms = fixture_vms, .nr_vms = 2, .host = "host-a",
		.release = "6.12.0-example", .tier = NVX_TIER_BTF, .source = "stock KVM with BTF",
		.source_reason = "the feature module is not loaded", .section = fixture_sections,
		.duration_ns = 10000000000ULL,
		.cost = { .events = 61000, .run_ns = 61000 * 131ULL, .window_ns = 200000000 },
		.sections = (1u << NVX_SECTION_COUNT) - 1, .sort = NVX_SORT_COUNT, .top = 20,
	};
}

#endif
