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
		/* enter, vpid, tag, deferred, vpid12, last_vpid */
		{ { true, false, true, false, 0, 0 }, NVX_CAUSE_VPID_OFF },
		{ { false, false, true, false, 0, 7 }, NVX_CAUSE_VPID_OFF },
		{ { true, true, true, false, 1, 0 }, NVX_CAUSE_VPID02_NEW },
		{ { true, true, true, false, 1, 2 }, NVX_CAUSE_VPID12_CHANGED },
		{ { true, true, true, false, 1, 1 }, NVX_CAUSE_NONE },
		{ { true, true, true, true, 1, 0 }, NVX_CAUSE_INVVPID },
		/* Put off, but another vpid12 comes first: that is the cause. */
		{ { true, true, true, true, 1, 2 }, NVX_CAUSE_VPID12_CHANGED },
		{ { false, true, true, false, 1, 2 }, NVX_CAUSE_NONE },
		{ { true, true, false, false, 1, 1 }, NVX_CAUSE_NO_TAG },
		{ { false, true, false, false, 1, 2 }, NVX_CAUSE_NO_TAG },
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
					.deferred = bits & 8, .vpid12 = vpid12, .last_vpid = last,
				};
				enum nvx_flush_kind want = 0;

				if (!t.vpid || (t.enter && vpid12 != last))
					want = NVX_FLUSH_GUEST;
				else if (!t.tag)
					want = NVX_FLUSH_CURRENT;
				assert_int_equal(nvx_switch_flush(nvx_switch_cause(&t)), want);
			}
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
		cmocka_unit_test(msr_bitmap),
		cmocka_unit_test(numbers_are_abi),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
