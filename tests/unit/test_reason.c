// SPDX-License-Identifier: GPL-2.0-only
#include <asm/kvm.h>
#include <asm/svm.h>
#include <asm/vmx.h>

#include "unit.h"

#include <nvx_abi.h>

#include "model/reason.h"

struct uapi {
	uint32_t code;
	const char *name;
};

/* Every entry of the kernel's own tables, in both directions. */
static void uapi_tables(void **state)
{
	static const struct uapi vmx[] = {VMX_EXIT_REASONS}, svm[] = {SVM_EXIT_REASONS};
	char buf[NVX_NAME_MAX];
	uint32_t code;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(vmx); i++) {
		assert_string_equal(nvx_reason__name(NVX_ISA_VMX, vmx[i].code, buf, sizeof(buf)),
				    vmx[i].name);
		assert_int_equal(nvx_reason__code(NVX_ISA_VMX, vmx[i].name, &code), 0);
		assert_int_equal(code, vmx[i].code);
	}
	for (size_t i = 0; i < ARRAY_SIZE(svm); i++) {
		assert_string_equal(nvx_reason__name(NVX_ISA_SVM, svm[i].code, buf, sizeof(buf)),
				    svm[i].name);
		assert_int_equal(nvx_reason__code(NVX_ISA_SVM, svm[i].name, &code), 0);
		assert_int_equal(code, svm[i].code);
	}
}

static void printed_names(void **state)
{
	static const struct {
		unsigned int isa;
		uint32_t code;
		const char *name;
	} cases[] = {
		{NVX_ISA_VMX, 10, "CPUID"},
		{NVX_ISA_VMX, 48, "EPT_VIOLATION"},
		{NVX_ISA_VMX, 75, "NOTIFY"},
		{NVX_ISA_VMX, 76, "SEAMCALL"},
		{NVX_ISA_VMX, 77, "TDCALL"},
		{NVX_ISA_VMX, 85, "MSR_WRITE_IMM"},
		{NVX_ISA_VMX, 0x1ff, "0x1ff"},
		{NVX_ISA_VMX, 131072, "EXCEPTION_NMI|0x20000"},
		{NVX_ISA_VMX, 0x80000021, "INVALID_STATE|FAILED_VMENTRY"},
		{NVX_ISA_VMX, 0x84000021, "INVALID_STATE|FAILED_VMENTRY|0x4000000"},
		{NVX_ISA_VMX, 0x800001ff, "0x1ff|FAILED_VMENTRY"},
		{NVX_ISA_VMX, 0xffffffff, "0xffff|FAILED_VMENTRY|0x7fff0000"},
		{NVX_ISA_SVM, 0x72, "cpuid"},
		{NVX_ISA_SVM, 0x400, "npf"},
		{NVX_ISA_SVM, 0x80, "vmrun"},
		{NVX_ISA_SVM, 0x81, "hypercall"},
		{NVX_ISA_SVM, 0x4e, "PF excp"},
		{NVX_ISA_SVM, 0xa5, "buslock"},
		{NVX_ISA_SVM, 0xa6, "idle-halt"},
		{NVX_ISA_SVM, 0x8e, "rdpru"},
		{NVX_ISA_SVM, 0x401, "avic_incomplete_ipi"},
		{NVX_ISA_SVM, 0x80000001, "vmgexit_mmio_read"},
		{NVX_ISA_SVM, 0xf0000000, "sw"},
		{NVX_ISA_SVM, 0xffffffff, "invalid_guest_state"},
		{NVX_ISA_SVM, 0x1ff, "0x1ff"},
		{NVX_ISA_SVM, 0xf0000001, "0xf0000001"},
		{0, 10, "0xa"},
		{77, 10, "0xa"},
	};
	char buf[NVX_NAME_MAX];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(nvx_reason__name(cases[i].isa, cases[i].code, buf, sizeof(buf)),
				    cases[i].name);
}

/* A buffer that is too small cuts the text and nothing else. */
static void short_buffers(void **state)
{
	char buf[NVX_NAME_MAX];

	(void)state;
	for (size_t size = 1; size < sizeof(buf); size++) {
		memset(buf, 'x', sizeof(buf));
		nvx_reason__name(NVX_ISA_VMX, 0x84000021, buf, size);
		assert_true(strlen(buf) < size);
		assert_int_equal(
			strncmp(buf, "INVALID_STATE|FAILED_VMENTRY|0x4000000", strlen(buf)), 0);
	}
}

static void spellings(void **state)
{
	static const struct {
		unsigned int isa;
		const char *name;
		uint32_t code;
	} cases[] = {
		{NVX_ISA_SVM, "npf", 0x400},
		{NVX_ISA_SVM, "NPF", 0x400},
		{NVX_ISA_SVM, "EXIT_NPF", 0x400},
		{NVX_ISA_SVM, "SVM_EXIT_NPF", 0x400},
		{NVX_ISA_SVM, "svm_exit_npf", 0x400},
		{NVX_ISA_SVM, "0x400", 0x400},
		{NVX_ISA_SVM, "1024", 0x400},
		{NVX_ISA_SVM, "hypercall", 0x81},
		{NVX_ISA_SVM, "VMMCALL", 0x81},
		{NVX_ISA_SVM, "SVM_EXIT_VMMCALL", 0x81},
		{NVX_ISA_SVM, "io", 0x7b},
		{NVX_ISA_SVM, "ioio", 0x7b},
		{NVX_ISA_SVM, "intr", 0x60},
		{NVX_ISA_SVM, "interrupt", 0x60},
		{NVX_ISA_SVM, "PF excp", 0x4e},
		{NVX_ISA_SVM, "pf_excp", 0x4e},
		{NVX_ISA_SVM, "pf-excp", 0x4e},
		{NVX_ISA_SVM, "SVM_VMGEXIT_MMIO_READ", 0x80000001},
		{NVX_ISA_SVM, "SVM_VMGEXIT_PSC", 0x80000010},
		{NVX_ISA_SVM, "SVM_EXIT_ERR", 0xffffffff},
		{NVX_ISA_SVM, "SVM_EXIT_IDLE_HLT", 0xa6},
		{NVX_ISA_SVM, "idle_halt", 0xa6},
		{NVX_ISA_VMX, "cpuid", 10},
		{NVX_ISA_VMX, "EXIT_REASON_CPUID", 10},
		{NVX_ISA_VMX, "exit_reason_ept_violation", 48},
		{NVX_ISA_VMX, "ept-violation", 48},
		{NVX_ISA_VMX, "INTERRUPT_WINDOW", 7},
		{NVX_ISA_VMX, "PENDING_INTERRUPT", 7},
		{NVX_ISA_VMX, "vmxon", 27},
		{NVX_ISA_VMX, "0x72", 0x72},
		{NVX_ISA_VMX, "114", 114},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		uint32_t code = 4711;

		assert_int_equal(nvx_reason__code(cases[i].isa, cases[i].name, &code), 0);
		assert_int_equal(code, cases[i].code);
	}
}

static void no_spellings(void **state)
{
	static const char *const names[] = {
		"",   "EXIT_",	     "SVM_EXIT_",      "EXIT_REASON_", "cpuidx", "cpui",
		"-5", "0x1ffffffff", "EPT VIOLATIONS", "\xff",	       "%s%n"};
	uint32_t code = 4711;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		assert_int_equal(nvx_reason__code(NVX_ISA_VMX, names[i], &code), -ENOENT);
		assert_int_equal(nvx_reason__code(NVX_ISA_SVM, names[i], &code), -ENOENT);
	}
	/* an SVM name means nothing on VMX, and a name nothing without an isa */
	assert_int_equal(nvx_reason__code(NVX_ISA_VMX, "npf", &code), -ENOENT);
	assert_int_equal(nvx_reason__code(0, "CPUID", &code), -ENOENT);
	assert_int_equal(code, 4711);
}

/* The listing is ascending, without duplicates, and agrees with the names. */
static void listing(void **state)
{
	static const unsigned int isas[] = {NVX_ISA_VMX, NVX_ISA_SVM};
	char buf[NVX_NAME_MAX];

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(isas); k++) {
		uint32_t code, last = 0, back;
		const char *name;
		size_t i;

		for (i = 0; !nvx_reason__at(isas[k], i, &code, &name); i++) {
			assert_true(i == 0 || code > last);
			last = code;
			assert_string_equal(nvx_reason__name(isas[k], code, buf, sizeof(buf)),
					    name);
			assert_int_equal(nvx_reason__code(isas[k], name, &back), 0);
			assert_int_equal(back, code);
		}
		assert_true(i > 60);
	}
}

static void msr_names(void **state)
{
	static const struct {
		uint32_t msr;
		const char *name;
	} cases[] = {
		{0x10, "IA32_TSC"},
		{0x11, "KVM_WALL_CLOCK"},
		{0x1b, "IA32_APICBASE"},
		{0x48, "IA32_SPEC_CTRL"},
		{0x49, "IA32_PRED_CMD"},
		{0x1d9, "IA32_DEBUGCTLMSR"},
		{0x400, "IA32_MC0_CTL"},
		{0x405, "IA32_MC1_STATUS"},
		{0x47f, "IA32_MC31_MISC"},
		{0x480, "IA32_VMX_BASIC"},
		{0x6e0, "IA32_TSC_DEADLINE"},
		{0x80b, "X2APIC_EOI"},
		{0x830, "X2APIC_ICR"},
		{0x83f, "X2APIC_SELF_IPI"},
		{0x40000070, "HV_X64_MSR_EOI"},
		{0x40000071, "HV_X64_MSR_ICR"},
		{0x4000009f, "HV_X64_MSR_SINT15"},
		{0x4b564d04, "KVM_PV_EOI_EN"},
		{0xc0000080, "EFER"},
		{0xc0000100, "FS_BASE"},
		{0xc0000101, "GS_BASE"},
		{0xc0010117, "VM_HSAVE_PA"},
		{0xc0011033, "AMD64_IBSOPCTL"},
		{0, "0x0"},
		{0xffffffff, "0xffffffff"},
		{0xc0011028, "0xc0011028"},
		{0x4000008f, "0x4000008f"},
		{0x400000a0, "0x400000a0"},
	};
	char buf[NVX_NAME_MAX];
	uint32_t msr;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(nvx_msr__name(cases[i].msr, buf, sizeof(buf)), cases[i].name);
	/* whatever is printed for a table's MSR finds it again: holds only if the table is sorted
	 */
	for (uint64_t n = 0; n < 0x2000; n++) {
		static const uint32_t base[] = {0, 0x40000000, 0x4b564d00, 0xc0000000, 0xc0010000};

		for (size_t k = 0; k < ARRAY_SIZE(base); k++) {
			uint32_t m = base[k] + (uint32_t)n;
			const char *name = nvx_msr__name(m, buf, sizeof(buf));

			if (name == buf && strncmp(name, "0x", 2))
				continue; /* a computed name: banks and SINTs */
			assert_int_equal(nvx_msr__code(name, &msr), 0);
			assert_int_equal(msr, m);
		}
	}
}

static void msr_codes(void **state)
{
	static const struct {
		const char *name;
		uint32_t msr;
	} cases[] = {
		{"X2APIC_ICR", 0x830},
		{"x2apic_icr", 0x830},
		{"0x830", 0x830},
		{"2096", 0x830},
		{"MSR_IA32_TSC_DEADLINE", 0x6e0},
		{"TSC_DEADLINE", 0x6e0},
		{"IA32_SPEC_CTRL", 0x48},
		{"MSR_KVM_STEAL_TIME", 0x4b564d03},
		{"efer", 0xc0000080},
		{"HV_X64_MSR_ICR", 0x40000071},
		{"AMD64_TSC_RATIO", 0xc0000104},
		{"AMD64_DE_CFG", 0xc0011029},
	};
	uint32_t msr;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(nvx_msr__code(cases[i].name, &msr), 0);
		assert_int_equal(msr, cases[i].msr);
	}
	assert_int_equal(nvx_msr__code("", &msr), -ENOENT);
	assert_int_equal(nvx_msr__code("MSR_", &msr), -ENOENT);
	assert_int_equal(nvx_msr__code("X2APIC_ICRX", &msr), -ENOENT);
	assert_int_equal(nvx_msr__code("0x100000000", &msr), -ENOENT);
}

static void hypercalls(void **state)
{
	static const struct {
		enum nvx_hypercall_abi abi;
		uint64_t nr;
		const char *name;
	} cases[] = {
		{NVX_HYPERCALL_KVM, 10, "SEND_IPI"},
		{NVX_HYPERCALL_KVM, 5, "KICK_CPU"},
		{NVX_HYPERCALL_KVM, 12, "MAP_GPA_RANGE"},
		{NVX_HYPERCALL_KVM, 99, "0x63"},
		{NVX_HYPERCALL_KVM, UINT64_MAX, "0xffffffffffffffff"},
		{NVX_HYPERCALL_HYPERV, 0x0b, "HvCallSendSyntheticClusterIpi"},
		{NVX_HYPERCALL_HYPERV, 0x1000b, "HvCallSendSyntheticClusterIpi"}, /* fast */
		{NVX_HYPERCALL_HYPERV, 0x13, "HvCallFlushVirtualAddressSpaceEx"},
		{NVX_HYPERCALL_HYPERV, 0x10fff, "0xfff"},
		{(enum nvx_hypercall_abi)9, 10, "0xa"},
	};
	char buf[NVX_NAME_MAX];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_string_equal(
			nvx_hypercall__name(cases[i].abi, cases[i].nr, buf, sizeof(buf)),
			cases[i].name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(uapi_tables),	 cmocka_unit_test(printed_names),
		cmocka_unit_test(short_buffers), cmocka_unit_test(spellings),
		cmocka_unit_test(no_spellings),	 cmocka_unit_test(listing),
		cmocka_unit_test(msr_names),	 cmocka_unit_test(msr_codes),
		cmocka_unit_test(hypercalls),
	};

	return cmocka_run_group_tests_name("reason", tests, NULL, NULL);
}
