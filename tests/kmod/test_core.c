// SPDX-License-Identifier: GPL-2.0-only
/* The pure decisions of kmod/core, and the numbers of nvx_tp.h that are ABI. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <asm/svm.h>
#include <asm/vmx.h>
#include "nvx_core.h"
#include "nvx_roots.h"
#include "nvx_switches.h"
#include "nvx_vpid.h"

static void icr(void **state)
{
	static const struct {
		u32 low, high;
		bool x2apic;
		struct nvx_icr want;
	} cases[] = {
		/* Fixed, vector 0xfb, physical, to APIC 3. */
		{ 0x000000fb, 3, true, { 3, 0xfb, 0, NVX_DEST_PHYSICAL, NVX_IPI_NO_SHORTHAND } },
		{ 0x000000fb, 3u << 24, false,
		  { 3, 0xfb, 0, NVX_DEST_PHYSICAL, NVX_IPI_NO_SHORTHAND } },
		/* The other bits of ICR2 are no part of the destination. */
		{ 0x000000fb, 0x03ffffff, false,
		  { 3, 0xfb, 0, NVX_DEST_PHYSICAL, NVX_IPI_NO_SHORTHAND } },
		/* Logical, cluster 1. */
		{ 0x00000830, 0x00010005, true,
		  { 0x10005, 0x30, 0, NVX_DEST_LOGICAL, NVX_IPI_NO_SHORTHAND } },
		/* NMI to all but self, asserted. */
		{ 0x000c4400, 0, true, { 0, 0, 4, NVX_DEST_PHYSICAL, NVX_IPI_ALL_BUT_SELF } },
		{ 0x000800f3, 0, false, { 0, 0xf3, 0, NVX_DEST_PHYSICAL, NVX_IPI_ALL } },
		{ 0x000400f6, 0, true, { 0, 0xf6, 0, NVX_DEST_PHYSICAL, NVX_IPI_SELF } },
		/* SIPI, vector 0x9a. */
		{ 0x0000469a, 0xff000000, false,
		  { 255, 0x9a, 6, NVX_DEST_PHYSICAL, NVX_IPI_NO_SHORTHAND } },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct nvx_icr got = nvx_icr_decode(cases[i].low, cases[i].high, cases[i].x2apic);

		assert_int_equal(got.dest, cases[i].want.dest);
		assert_int_equal(got.vector, cases[i].want.vector);
		assert_int_equal(got.mode, cases[i].want.mode);
		assert_int_equal(got.dest_mode, cases[i].want.dest_mode);
		assert_int_equal(got.shorthand, cases[i].want.shorthand);
	}
}

static void ipi_path(void **state)
{
	static const struct {
		enum nvx_isa isa;
		u32 reason, rcx;
		bool x2apic;
		enum nvx_ipi_path want;
	} cases[] = {
		{ NVX_ISA_VMX, EXIT_REASON_MSR_WRITE, 0x830, true, NVX_IPI_X2APIC },
		{ NVX_ISA_VMX, EXIT_REASON_MSR_WRITE, 0x83f, true, NVX_IPI_X2APIC_SELF },
		{ NVX_ISA_VMX, EXIT_REASON_MSR_WRITE, 0x40000071, false, NVX_IPI_HV_ICR },
		{ NVX_ISA_VMX, EXIT_REASON_MSR_WRITE, 0x10, true, NVX_IPI_OTHER },
		{ NVX_ISA_VMX, EXIT_REASON_APIC_WRITE, 0, true, NVX_IPI_APIC_WRITE },
		{ NVX_ISA_VMX, EXIT_REASON_APIC_ACCESS, 0x830, false, NVX_IPI_XAPIC },
		{ NVX_ISA_VMX, EXIT_REASON_EPT_VIOLATION, 0, false, NVX_IPI_XAPIC },
		{ NVX_ISA_VMX, EXIT_REASON_EPT_MISCONFIG, 0, false, NVX_IPI_XAPIC },
		/* In x2APIC mode a memory access is no ICR write. */
		{ NVX_ISA_VMX, EXIT_REASON_EPT_MISCONFIG, 0, true, NVX_IPI_OTHER },
		{ NVX_ISA_VMX, EXIT_REASON_HLT, 0x830, true, NVX_IPI_OTHER },
		{ NVX_ISA_SVM, SVM_EXIT_MSR, 0x830, true, NVX_IPI_X2APIC },
		{ NVX_ISA_SVM, SVM_EXIT_MSR, 0x40000071, false, NVX_IPI_HV_ICR },
		{ NVX_ISA_SVM, SVM_EXIT_NPF, 0, false, NVX_IPI_XAPIC },
		{ NVX_ISA_SVM, SVM_EXIT_NPF, 0, true, NVX_IPI_OTHER },
		{ NVX_ISA_SVM, SVM_EXIT_AVIC_INCOMPLETE_IPI, 0, true, NVX_IPI_AVIC_INCOMPLETE },
		{ NVX_ISA_SVM, SVM_EXIT_AVIC_UNACCELERATED_ACCESS, 0, true, NVX_IPI_APIC_WRITE },
		/* The same number is another exit in the other vendor's numbering. */
		{ NVX_ISA_SVM, EXIT_REASON_MSR_WRITE, 0x830, true, NVX_IPI_OTHER },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(nvx_ipi_path(cases[i].isa, cases[i].reason, cases[i].rcx,
					      cases[i].x2apic), cases[i].want);
}

static void switch_cause(void **state)
{
	static const struct {
		struct nvx_transition t;
		enum nvx_cause want;
	} cases[] = {
		/* enter, vpid, tag, pending, vpid12, last_vpid */
		{ { true, false, true, 0, 0, 0 }, NVX_CAUSE_VPID_OFF },
		{ { false, false, true, 0, 0, 7 }, NVX_CAUSE_VPID_OFF },
		{ { true, true, true, 0, 1, 0 }, NVX_CAUSE_VPID02_NEW },
		{ { true, true, true, 0, 1, 2 }, NVX_CAUSE_VPID12_CHANGED },
		{ { true, true, true, 0, 1, 1 }, NVX_CAUSE_NONE },
		{ { true, true, true, NVX_CAUSE_INVVPID, 1, 0 }, NVX_CAUSE_INVVPID },
		/* Put off, but another vpid12 comes first: that is the cause. */
		{ { true, true, true, NVX_CAUSE_INVVPID, 1, 2 }, NVX_CAUSE_VPID12_CHANGED },
		{ { false, true, true, 0, 1, 2 }, NVX_CAUSE_NONE },
		{ { true, true, false, 0, 1, 1 }, NVX_CAUSE_NO_TAG },
		{ { false, true, false, 0, 1, 2 }, NVX_CAUSE_NO_TAG },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(nvx_switch_cause(&cases[i].t), cases[i].want);
}

/* Whatever the cause is called, the flush asked for must be the one that mainline asks for. */
static void switch_flush_is_mainlines(void **state)
{
	u32 bits, vpid12, last;

	(void)state;
	for (bits = 0; bits < 16; bits++)
		for (vpid12 = 0; vpid12 < 3; vpid12++)
			for (last = 0; last < 3; last++) {
				struct nvx_transition t = {
					.enter = bits & 1, .vpid = bits & 2, .tag = bits & 4,
					.pending = bits & 8 ? NVX_CAUSE_INVVPID : 0,
					.vpid12 = vpid12, .last_vpid = last,
				};
				enum nvx_flush_kind want = 0;

				if (!t.vpid || (t.enter && vpid12 != last))
					want = NVX_FLUSH_GUEST;
				else if (!t.tag)
					want = NVX_FLUSH_CURRENT;
				assert_int_equal(nvx_switch_flush(nvx_switch_cause(&t)), want);
			}
}

static int next_vpid;

static int get_vpid(void)
{
	return next_vpid ? next_vpid++ : 0;
}

static void put_vpid(int vpid)
{
	assert_int_not_equal(vpid, 0);
}

/* Entries that flush, of 60 over k L2s in turn, by mainline's rule on the pool's pair. */
static u32 flushes_of(struct nvx_vpid_pool *pool, u32 k, u32 slots, bool force)
{
	struct nvx_vpid_pair pair = nvx_vpid_pair(pool);
	u32 flushes = 0;
	u32 i;

	for (i = 0; i < 60; i++) {
		u16 vpid12 = 1 + i % k;

		pair = nvx_vpid_enter(pool, pair, vpid12, nvx_vpid_limit(pool, slots, true), force,
				      get_vpid, put_vpid);
		flushes += pair.last != vpid12;
		pair.last = vpid12;
	}
	nvx_vpid_save(pool, pair);
	return flushes;
}

/* What the pool is for: with as many slots as L2s only the first entry to each flushes. */
static void vpid_pool_is_warm(void **state)
{
	u32 k, slots;

	(void)state;
	for (k = 1; k <= 10; k++) {
		/* whole rounds only, so that one run follows the other */
		for (slots = 1; slots <= NVX_VPID_SLOTS && 60 % k == 0; slots++) {
			struct nvx_vpid_pool pool;

			next_vpid = 100;
			nvx_vpid_init(&pool, 99);
			assert_int_equal(flushes_of(&pool, k, slots, false), slots >= k ? k : 60);
			assert_int_equal(flushes_of(&pool, k, slots, false), slots >= k ? 0 : 60);
			assert_int_equal(flushes_of(&pool, k, slots, true), 60);
			/* no VPID is left: as with one slot */
			next_vpid = 0;
			nvx_vpid_init(&pool, 99);
			assert_int_equal(flushes_of(&pool, k, slots, false), k == 1 ? 1 : 60);
		}
	}
}

/* Ten tables in turn: a cache of four in KVM and six of ours holds them all. */
static void roots_are_kept(void **state)
{
	struct nvx_roots roots = { .nr = 0 };
	struct nvx_root oldest;
	u64 pgd;

	(void)state;
	for (pgd = 1; pgd <= NVX_ROOTS; pgd++) {
		oldest = (struct nvx_root) { .hpa = pgd + 100, .pgd = pgd << 12 };
		assert_true(nvx_roots_exchange(&roots, 99 << 12, &oldest).hpa == NVX_NO_ROOT);
		assert_true(oldest.hpa == NVX_NO_ROOT);
	}
	oldest = (struct nvx_root) { .hpa = 200, .pgd = 50 << 12 };
	assert_true(nvx_roots_exchange(&roots, 3 << 12, &oldest).hpa == NVX_NO_ROOT);
	assert_int_equal(oldest.hpa, 103);
	oldest = (struct nvx_root) { .hpa = 201, .pgd = 51 << 12 };
	/* full: the one that was used longest ago is given up */
	assert_int_equal(nvx_roots_exchange(&roots, 99 << 12, &oldest).hpa, 101);
	/* INVEPT names a table, whatever else is in EPTP */
	assert_int_equal(nvx_roots_take(&roots, 2 << 12 | 0x5e).hpa, 102);
	assert_true(nvx_roots_take(&roots, 2 << 12).hpa == NVX_NO_ROOT);
}

static void switches(void **state)
{
	struct nvx_switch_info info;
	struct nvx_settings stock;
	u32 id;

	(void)state;
	nvx_settings_stock(&stock);
	for (id = 0; nvx_switch_describe(id, &info); id++) {
		assert_int_equal(info.id, id);
		assert_true(info.name[0] && strlen(info.name) < sizeof(info.name) - 1);
		assert_true(info.effect[0] && strlen(info.effect) < sizeof(info.effect) - 1);
		assert_int_equal(stock.value[id], info.stock);
		assert_int_equal(nvx_switch_check(id, info.stock, false), NVX_SWITCH_OK);
		assert_int_equal(nvx_switch_check(id, info.max + 1, false), NVX_SWITCH_RANGE);
		if (info.min)
			assert_int_equal(nvx_switch_check(id, info.min - 1, false),
					 NVX_SWITCH_RANGE);
		assert_int_equal(nvx_switch_check(id, info.max, true),
				 info.flags & NVX_SWITCH_LIVE ? NVX_SWITCH_OK : NVX_SWITCH_FIXED);
	}
	assert_int_equal(id, NVX_SWITCH_COUNT);
	assert_int_equal(nvx_switch_check(id, 0, false), NVX_SWITCH_NONE);
	/* ABI */
	assert_int_equal(sizeof(info), 120);
	assert_int_equal(sizeof(struct nvx_switch_vm), 16);
	assert_int_equal(sizeof(struct nvx_switch_state), 32);
	assert_int_equal(NVX_SWITCH_INFO, 0xc078f700);
	assert_int_equal(NVX_SWITCH_SET, 0xc020f703);
}

static void flush_cause(void **state)
{
	u32 kind;

	(void)state;
	assert_int_equal(nvx_flush_cause(NVX_FLUSH_ALL, 0), NVX_CAUSE_REMOTE);
	assert_int_equal(nvx_flush_cause(NVX_FLUSH_CURRENT, 0), NVX_CAUSE_GUEST);
	assert_int_equal(nvx_flush_cause(NVX_FLUSH_GUEST, 0), NVX_CAUSE_GUEST);
	assert_int_equal(nvx_flush_cause(NVX_FLUSH_GVA, 0), NVX_CAUSE_INVLPG);
	for (kind = NVX_FLUSH_ALL; kind <= NVX_FLUSH_GVA; kind++)
		assert_int_equal(nvx_flush_cause(kind, NVX_CAUSE_PV), NVX_CAUSE_PV);
}

static void msr_bitmap(void **state)
{
	uint64_t map[512];
	struct nvx_msr_count n;
	u32 round, i, reads, writes;

	(void)state;
	memset(map, 0xff, sizeof(map));
	n = nvx_msr_passed(map);
	assert_int_equal(n.reads, 0);
	assert_int_equal(n.writes, 0);

	/* FS_BASE, c0000100: high MSRs, read block at 1024, write block at 3072. */
	((unsigned char *)map)[1024 + 0x20] = 0xfe;
	((unsigned char *)map)[3072 + 0x20] = 0xfe;
	/* PRED_CMD, 49: writes only. */
	((unsigned char *)map)[2048 + 9] = 0xfd;
	n = nvx_msr_passed(map);
	assert_int_equal(n.reads, 1);
	assert_int_equal(n.writes, 2);

	memset(map, 0, sizeof(map));
	n = nvx_msr_passed(map);
	assert_int_equal(n.reads, 16384);
	assert_int_equal(n.writes, 16384);

	srand(1);
	for (round = 0; round < 50; round++) {
		reads = writes = 0;
		for (i = 0; i < 4096; i++) {
			((unsigned char *)map)[i] = rand();
			*(i < 2048 ? &reads : &writes) +=
				8 - __builtin_popcount(((unsigned char *)map)[i]);
		}
		n = nvx_msr_passed(map);
		assert_int_equal(n.reads, reads);
		assert_int_equal(n.writes, writes);
	}
}

/* A recording made today must read the same tomorrow. */
static void numbers_are_abi(void **state)
{
	(void)state;
	assert_int_equal(NVX_TP_LEVEL, 2);
	assert_int_equal(NVX_EXIT_ISA, 3);
	assert_int_equal(NVX_EXIT_FASTPATH, 10);
	assert_int_equal(NVX_SWITCH_DIRECTION, 3);
	assert_int_equal(NVX_SWITCH_VMCS12, 9);
	assert_int_equal(NVX_L1_TO_L2, 1);
	assert_int_equal(NVX_L2_TO_L1, 2);
	assert_int_equal(NVX_FLUSH_ALL, 1);
	assert_int_equal(NVX_FLUSH_GVA, 4);
	assert_int_equal(NVX_CAUSE_VPID_OFF, 2);
	assert_int_equal(NVX_CAUSE_INVVPID, 8);
	assert_int_equal(NVX_CAUSE_VMFUNC, 18);
	assert_int_equal(NVX_IPI_HV_HYPERCALL, 7);
	assert_int_equal(NVX_FASTPATH_USERSPACE, 3);
	assert_int_equal(NVX_EVMCS_OUT, 2);
	assert_int_equal(NVX_EVMCS_CHANGED, 8);
	assert_int_equal(NVX_EVMCS_ARG_REASON, 10);
	assert_int_equal(NVX_PI_MERGED, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(icr),
		cmocka_unit_test(ipi_path),
		cmocka_unit_test(switch_cause),
		cmocka_unit_test(switch_flush_is_mainlines),
		cmocka_unit_test(flush_cause),
		cmocka_unit_test(vpid_pool_is_warm),
		cmocka_unit_test(roots_are_kept),
		cmocka_unit_test(switches),
		cmocka_unit_test(msr_bitmap),
		cmocka_unit_test(numbers_are_abi),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
