// SPDX-License-Identifier: GPL-2.0-only
#include "model/ledger.h"

#include <nvx_abi.h>

static const char *name(const char *const *names, unsigned int nr, unsigned int value)
{
	return value < nr && names[value] ? names[value] : "?";
}

#define NAME(names, value) name(names, sizeof(names) / sizeof(*(names)), value)

const char *nvx_ipi_path__name(unsigned int path)
{
	static const char *const names[] = {
		[NVX_IPI_OTHER] = "other",
		[NVX_IPI_X2APIC] = "x2apic_icr",
		[NVX_IPI_X2APIC_SELF] = "x2apic_self",
		[NVX_IPI_HV_ICR] = "hyperv_icr",
		[NVX_IPI_XAPIC] = "xapic_icr",
		[NVX_IPI_APIC_WRITE] = "apic_write",
		[NVX_IPI_AVIC_INCOMPLETE] = "avic_incomplete",
		[NVX_IPI_HV_HYPERCALL] = "hyperv_call",
		[NVX_IPI_PV] = "pv",
	};

	return NAME(names, path);
}

const char *nvx_ipi_kind__name(unsigned int kind)
{
	static const char *const names[] = {
		[NVX_IPI_KIND_UNICAST] = "one", [NVX_IPI_KIND_SUBSET] = "subset",
		[NVX_IPI_KIND_SELF] = "self",	[NVX_IPI_KIND_ALL] = "all",
		[NVX_IPI_KIND_OTHERS] = "others",
	};

	return NAME(names, kind);
}

const char *nvx_flush_kind__name(unsigned int kind)
{
	static const char *const names[] = {
		[NVX_FLUSH_ALL] = "all",
		[NVX_FLUSH_CURRENT] = "current",
		[NVX_FLUSH_GUEST] = "guest",
		[NVX_FLUSH_GVA] = "gva",
	};

	return NAME(names, kind);
}

const char *nvx_cause__name(unsigned int cause)
{
	static const char *const names[NVX_CAUSE_COUNT] = {
		[NVX_CAUSE_NONE] = "none",
		[NVX_CAUSE_OTHER] = "other",
		[NVX_CAUSE_VPID_OFF] = "vpid_off",
		[NVX_CAUSE_VPID12_CHANGED] = "vpid12_changed",
		[NVX_CAUSE_VPID02_NEW] = "vpid02_new",
		[NVX_CAUSE_VPID02_RECYCLED] = "vpid02_recycled",
		[NVX_CAUSE_NO_TAG] = "no_tag",
		[NVX_CAUSE_FORCED] = "forced",
		[NVX_CAUSE_INVVPID] = "invvpid",
		[NVX_CAUSE_MMU_LOAD] = "mmu_load",
		[NVX_CAUSE_NEW_PGD] = "new_pgd",
		[NVX_CAUSE_GUEST] = "guest",
		[NVX_CAUSE_INVLPG] = "invlpg",
		[NVX_CAUSE_REMOTE] = "remote",
		[NVX_CAUSE_MIGRATED] = "migrated",
		[NVX_CAUSE_PV] = "pv",
		[NVX_CAUSE_HYPERV] = "hyperv",
		[NVX_CAUSE_APIC] = "apic",
		[NVX_CAUSE_VMFUNC] = "vmfunc",
		[NVX_CAUSE_SWITCH] = "switch",
		[NVX_CAUSE_INVEPT] = "invept",
	};

	return NAME(names, cause);
}

const char *nvx_phase__name(unsigned int phase)
{
	static const char *const names[NVX_PHASES] = {
		[NVX_T_L1] = "l1",	     [NVX_T_L2] = "l2",		  [NVX_T_GUEST] = "guest",
		[NVX_T_L0_L1] = "l0_for_l1", [NVX_T_L0_L2] = "l0_for_l2", [NVX_T_L0] = "l0",
		[NVX_T_USER] = "user",	     [NVX_T_HALTED] = "halted",	  [NVX_T_POLL] = "polling",
		[NVX_T_WAIT] = "waiting",
	};

	return NAME(names, phase);
}
