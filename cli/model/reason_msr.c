// SPDX-License-Identifier: GPL-2.0-only
/*
 * MSR names as in the kernel's msr-index.h without MSR_, which no uapi header carries; the KVM
 * ones come from <asm/kvm_para.h>.  Numbers: SDM vol. 4; APM vol. 2, appendix A; TLFS appendix F.
 */
#include <asm/kvm_para.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "model/reason.h"
#include "util/argutil.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define KVM_MSR(c)                                                                                 \
	{                                                                                          \
		c, #c                                                                              \
	}

/* Ascending, for the binary search; a unit test checks it. */
static const struct msr {
	uint32_t msr;
	const char *name;
} msrs[] = {
	{0x10, "IA32_TSC"},
	KVM_MSR(MSR_KVM_WALL_CLOCK),
	KVM_MSR(MSR_KVM_SYSTEM_TIME),
	{0x17, "IA32_PLATFORM_ID"},
	{0x1b, "IA32_APICBASE"},
	{0x34, "SMI_COUNT"},
	{0x35, "CORE_THREAD_COUNT"},
	{0x3a, "IA32_FEAT_CTL"},
	{0x3b, "IA32_TSC_ADJUST"},
	{0x48, "IA32_SPEC_CTRL"},
	{0x49, "IA32_PRED_CMD"},
	{0x79, "IA32_UCODE_WRITE"},
	{0x8b, "IA32_UCODE_REV"},
	{0xce, "PLATFORM_INFO"},
	{0xe1, "IA32_UMWAIT_CONTROL"},
	{0xe2, "PKG_CST_CONFIG_CONTROL"},
	{0xe7, "IA32_MPERF"},
	{0xe8, "IA32_APERF"},
	{0xfe, "MTRRcap"},
	{0x10a, "IA32_ARCH_CAPABILITIES"},
	{0x10b, "IA32_FLUSH_CMD"},
	{0x122, "IA32_TSX_CTRL"},
	{0x140, "MISC_FEATURES_ENABLES"},
	{0x174, "IA32_SYSENTER_CS"},
	{0x175, "IA32_SYSENTER_ESP"},
	{0x176, "IA32_SYSENTER_EIP"},
	{0x179, "IA32_MCG_CAP"},
	{0x17a, "IA32_MCG_STATUS"},
	{0x17b, "IA32_MCG_CTL"},
	{0x186, "P6_EVNTSEL0"},
	{0x187, "P6_EVNTSEL1"},
	{0x198, "IA32_PERF_STATUS"},
	{0x199, "IA32_PERF_CTL"},
	{0x19a, "IA32_THERM_CONTROL"},
	{0x19b, "IA32_THERM_INTERRUPT"},
	{0x19c, "IA32_THERM_STATUS"},
	{0x1a0, "IA32_MISC_ENABLE"},
	{0x1a4, "MISC_FEATURE_CONTROL"},
	{0x1ad, "TURBO_RATIO_LIMIT"},
	{0x1b0, "IA32_ENERGY_PERF_BIAS"},
	{0x1c4, "IA32_XFD"},
	{0x1c5, "IA32_XFD_ERR"},
	{0x1c8, "LBR_SELECT"},
	{0x1c9, "LBR_TOS"},
	{0x1d9, "IA32_DEBUGCTLMSR"},
	{0x1db, "IA32_LASTBRANCHFROMIP"},
	{0x1dc, "IA32_LASTBRANCHTOIP"},
	{0x1dd, "IA32_LASTINTFROMIP"},
	{0x1de, "IA32_LASTINTTOIP"},
	{0x277, "IA32_CR_PAT"},
	{0x2ff, "MTRRdefType"},
	{0x309, "CORE_PERF_FIXED_CTR0"},
	{0x30a, "CORE_PERF_FIXED_CTR1"},
	{0x30b, "CORE_PERF_FIXED_CTR2"},
	{0x30c, "CORE_PERF_FIXED_CTR3"},
	{0x345, "IA32_PERF_CAPABILITIES"},
	{0x38d, "CORE_PERF_FIXED_CTR_CTRL"},
	{0x38e, "CORE_PERF_GLOBAL_STATUS"},
	{0x38f, "CORE_PERF_GLOBAL_CTRL"},
	{0x390, "CORE_PERF_GLOBAL_OVF_CTRL"},
	{0x3f1, "IA32_PEBS_ENABLE"},
	{0x3f2, "PEBS_DATA_CFG"},
	{0x480, "IA32_VMX_BASIC"},
	{0x481, "IA32_VMX_PINBASED_CTLS"},
	{0x482, "IA32_VMX_PROCBASED_CTLS"},
	{0x483, "IA32_VMX_EXIT_CTLS"},
	{0x484, "IA32_VMX_ENTRY_CTLS"},
	{0x485, "IA32_VMX_MISC"},
	{0x486, "IA32_VMX_CR0_FIXED0"},
	{0x487, "IA32_VMX_CR0_FIXED1"},
	{0x488, "IA32_VMX_CR4_FIXED0"},
	{0x489, "IA32_VMX_CR4_FIXED1"},
	{0x48a, "IA32_VMX_VMCS_ENUM"},
	{0x48b, "IA32_VMX_PROCBASED_CTLS2"},
	{0x48c, "IA32_VMX_EPT_VPID_CAP"},
	{0x48d, "IA32_VMX_TRUE_PINBASED_CTLS"},
	{0x48e, "IA32_VMX_TRUE_PROCBASED_CTLS"},
	{0x48f, "IA32_VMX_TRUE_EXIT_CTLS"},
	{0x490, "IA32_VMX_TRUE_ENTRY_CTLS"},
	{0x491, "IA32_VMX_VMFUNC"},
	{0x4c1, "IA32_PMC0"},
	{0x4c2, "IA32_PMC1"},
	{0x560, "IA32_RTIT_OUTPUT_BASE"},
	{0x570, "IA32_RTIT_CTL"},
	{0x571, "IA32_RTIT_STATUS"},
	{0x600, "IA32_DS_AREA"},
	{0x606, "RAPL_POWER_UNIT"},
	{0x610, "PKG_POWER_LIMIT"},
	{0x611, "PKG_ENERGY_STATUS"},
	{0x619, "DRAM_ENERGY_STATUS"},
	{0x639, "PP0_ENERGY_STATUS"},
	{0x6a0, "IA32_U_CET"},
	{0x6a2, "IA32_S_CET"},
	{0x6a4, "IA32_PL0_SSP"},
	{0x6a7, "IA32_PL3_SSP"},
	{0x6a8, "IA32_INT_SSP_TAB"},
	{0x6e0, "IA32_TSC_DEADLINE"},
	{0x6e1, "IA32_PKRS"},
	{0x770, "IA32_PM_ENABLE"},
	{0x771, "IA32_HWP_CAPABILITIES"},
	{0x774, "IA32_HWP_REQUEST"},
	/* SDM vol. 3, table 11-6: the x2APIC's registers, MSR 0x800 + (offset >> 4) */
	{0x802, "X2APIC_ID"},
	{0x803, "X2APIC_LVR"},
	{0x808, "X2APIC_TPR"},
	{0x80a, "X2APIC_PPR"},
	{0x80b, "X2APIC_EOI"},
	{0x80d, "X2APIC_LDR"},
	{0x80f, "X2APIC_SIVR"},
	{0x828, "X2APIC_ESR"},
	{0x82f, "X2APIC_LVT_CMCI"},
	{0x830, "X2APIC_ICR"},
	{0x832, "X2APIC_LVTT"},
	{0x833, "X2APIC_LVTTHMR"},
	{0x834, "X2APIC_LVTPC"},
	{0x835, "X2APIC_LVT0"},
	{0x836, "X2APIC_LVT1"},
	{0x837, "X2APIC_LVTERR"},
	{0x838, "X2APIC_TMICT"},
	{0x839, "X2APIC_TMCCT"},
	{0x83e, "X2APIC_TDCR"},
	{0x83f, "X2APIC_SELF_IPI"},
	{0xd90, "IA32_BNDCFGS"},
	{0xda0, "IA32_XSS"},
	/* TLFS appendix F */
	{0x40000000, "HV_X64_MSR_GUEST_OS_ID"},
	{0x40000001, "HV_X64_MSR_HYPERCALL"},
	{0x40000002, "HV_X64_MSR_VP_INDEX"},
	{0x40000003, "HV_X64_MSR_RESET"},
	{0x40000010, "HV_X64_MSR_VP_RUNTIME"},
	{0x40000020, "HV_X64_MSR_TIME_REF_COUNT"},
	{0x40000021, "HV_X64_MSR_REFERENCE_TSC"},
	{0x40000022, "HV_X64_MSR_TSC_FREQUENCY"},
	{0x40000023, "HV_X64_MSR_APIC_FREQUENCY"},
	{0x40000070, "HV_X64_MSR_EOI"},
	{0x40000071, "HV_X64_MSR_ICR"},
	{0x40000072, "HV_X64_MSR_TPR"},
	{0x40000073, "HV_X64_MSR_VP_ASSIST_PAGE"},
	{0x40000080, "HV_X64_MSR_SCONTROL"},
	{0x40000081, "HV_X64_MSR_SVERSION"},
	{0x40000082, "HV_X64_MSR_SIEFP"},
	{0x40000083, "HV_X64_MSR_SIMP"},
	{0x40000084, "HV_X64_MSR_EOM"},
	{0x400000b0, "HV_X64_MSR_STIMER0_CONFIG"},
	{0x400000b1, "HV_X64_MSR_STIMER0_COUNT"},
	{0x400000b2, "HV_X64_MSR_STIMER1_CONFIG"},
	{0x400000b3, "HV_X64_MSR_STIMER1_COUNT"},
	{0x400000b4, "HV_X64_MSR_STIMER2_CONFIG"},
	{0x400000b5, "HV_X64_MSR_STIMER2_COUNT"},
	{0x400000b6, "HV_X64_MSR_STIMER3_CONFIG"},
	{0x400000b7, "HV_X64_MSR_STIMER3_COUNT"},
	{0x400000f0, "HV_X64_MSR_GUEST_IDLE"},
	{0x40000100, "HV_X64_MSR_CRASH_P0"},
	{0x40000105, "HV_X64_MSR_CRASH_CTL"},
	{0x40000106, "HV_X64_MSR_REENLIGHTENMENT_CONTROL"},
	{0x40000107, "HV_X64_MSR_TSC_EMULATION_CONTROL"},
	{0x40000108, "HV_X64_MSR_TSC_EMULATION_STATUS"},
	{0x40000118, "HV_X64_MSR_TSC_INVARIANT_CONTROL"},
	KVM_MSR(MSR_KVM_WALL_CLOCK_NEW),
	KVM_MSR(MSR_KVM_SYSTEM_TIME_NEW),
	KVM_MSR(MSR_KVM_ASYNC_PF_EN),
	KVM_MSR(MSR_KVM_STEAL_TIME),
	KVM_MSR(MSR_KVM_PV_EOI_EN),
	KVM_MSR(MSR_KVM_POLL_CONTROL),
	KVM_MSR(MSR_KVM_ASYNC_PF_INT),
	KVM_MSR(MSR_KVM_ASYNC_PF_ACK),
	KVM_MSR(MSR_KVM_MIGRATION_CONTROL),
	{0xc0000080, "EFER"},
	{0xc0000081, "STAR"},
	{0xc0000082, "LSTAR"},
	{0xc0000083, "CSTAR"},
	{0xc0000084, "SYSCALL_MASK"},
	{0xc0000100, "FS_BASE"},
	{0xc0000101, "GS_BASE"},
	{0xc0000102, "KERNEL_GS_BASE"},
	{0xc0000103, "TSC_AUX"},
	{0xc0000104, "AMD64_TSC_RATIO"},
	{0xc0000300, "AMD64_PERF_CNTR_GLOBAL_STATUS"},
	{0xc0000301, "AMD64_PERF_CNTR_GLOBAL_CTL"},
	{0xc0000302, "AMD64_PERF_CNTR_GLOBAL_STATUS_CLR"},
	{0xc0010000, "K7_EVNTSEL0"},
	{0xc0010004, "K7_PERFCTR0"},
	{0xc0010010, "AMD64_SYSCFG"},
	{0xc0010015, "K7_HWCR"},
	{0xc0010055, "K8_INT_PENDING_MSG"},
	{0xc0010061, "AMD_PSTATE_LIMIT"},
	{0xc0010063, "AMD_PSTATE_STATUS"},
	{0xc0010064, "AMD_PSTATE_DEF_BASE"},
	{0xc0010114, "VM_CR"},
	{0xc0010115, "VM_IGNNE"},
	{0xc0010117, "VM_HSAVE_PA"},
	{0xc001011f, "AMD64_VIRT_SPEC_CTRL"},
	{0xc0010130, "AMD64_SEV_ES_GHCB"},
	{0xc0010131, "AMD64_SEV"},
	{0xc0010140, "AMD64_OSVW_ID_LENGTH"},
	{0xc0010141, "AMD64_OSVW_STATUS"},
	{0xc0010200, "F15H_PERF_CTL0"},
	{0xc0010201, "F15H_PERF_CTR0"},
	{0xc0011020, "AMD64_LS_CFG"},
	{0xc0011022, "AMD64_DC_CFG"},
	{0xc0011029, "AMD64_DE_CFG"},
	{0xc0011030, "AMD64_IBSFETCHCTL"},
	{0xc0011033, "AMD64_IBSOPCTL"},
};

static const char *strip(const char *name, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncasecmp(name, prefix, len) ? name : name + len;
}

/* The part of a name that tells MSRs apart. */
static const char *core_name(const char *name)
{
	return strip(strip(name, "MSR_"), "IA32_");
}

const char *nvx_msr__name(uint32_t msr, char *buf, size_t size)
{
	size_t low = 0, high = ARRAY_SIZE(msrs);

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (msrs[mid].msr == msr)
			return strip(msrs[mid].name, "MSR_");
		if (msrs[mid].msr < msr)
			low = mid + 1;
		else
			high = mid;
	}
	/* Machine check banks: four registers each (SDM vol. 3, 16.3.2). */
	if (msr >= 0x400 && msr < 0x480) {
		static const char *const reg[] = {"CTL", "STATUS", "ADDR", "MISC"};

		snprintf(buf, size, "IA32_MC%u_%s", (msr - 0x400) / 4, reg[msr % 4]);
	} else if (msr >= 0x40000090 && msr < 0x400000a0) {
		snprintf(buf, size, "HV_X64_MSR_SINT%u", msr - 0x40000090);
	} else {
		snprintf(buf, size, "0x%x", msr);
	}
	return buf;
}

/* Names that nvx_msr__name() forms from the number instead of looking them up. */
static int formed_code(const char *name, uint32_t *msr)
{
	static const struct {
		uint32_t from, to;
	} range[] = {{0x400, 0x480}, {0x40000090, 0x400000a0}};
	char buf[NVX_NAME_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(range); i++)
		for (uint32_t m = range[i].from; m < range[i].to; m++)
			if (!strcasecmp(core_name(nvx_msr__name(m, buf, sizeof(buf))),
					core_name(name))) {
				*msr = m;
				return 0;
			}
	return -ENOENT;
}

int nvx_msr__code(const char *name, uint32_t *msr)
{
	uint64_t number;

	if (!nvx_arg__u64(name, UINT32_MAX, &number)) {
		*msr = (uint32_t)number;
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(msrs); i++) {
		if (!strcasecmp(core_name(msrs[i].name), core_name(name))) {
			*msr = msrs[i].msr;
			return 0;
		}
	}
	return formed_code(name, msr);
}
