/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The words that trace-cmd and perf print for the enums of nvx_tp.h, in the idiom of
 * the kernel's own trace headers: EM() first hands the enum's value to user space,
 * then becomes a table row.
 */
#if !defined(NVX_TRACE_NAMES_H) || defined(TRACE_HEADER_MULTI_READ)
#define NVX_TRACE_NAMES_H

#define NVX_FASTPATH_NAMES			\
	EM(NVX_FASTPATH_NONE, "none")		\
	EM(NVX_FASTPATH_REENTER, "reenter")	\
	EM(NVX_FASTPATH_HANDLED, "handled")	\
	EMe(NVX_FASTPATH_USERSPACE, "userspace")

#define NVX_DIRECTION_NAMES			\
	EM(NVX_L1_TO_L2, "L1->L2")		\
	EMe(NVX_L2_TO_L1, "L2->L1")

#define NVX_FLUSH_NAMES				\
	EM(NVX_FLUSH_ALL, "all")		\
	EM(NVX_FLUSH_CURRENT, "current")	\
	EM(NVX_FLUSH_GUEST, "guest")		\
	EMe(NVX_FLUSH_GVA, "gva")

#define NVX_CAUSE_NAMES					\
	EM(NVX_CAUSE_NONE, "none")			\
	EM(NVX_CAUSE_OTHER, "other")			\
	EM(NVX_CAUSE_VPID_OFF, "vpid_off")		\
	EM(NVX_CAUSE_VPID12_CHANGED, "vpid12_changed")	\
	EM(NVX_CAUSE_VPID02_NEW, "vpid02_new")		\
	EM(NVX_CAUSE_VPID02_RECYCLED, "vpid02_recycled") \
	EM(NVX_CAUSE_NO_TAG, "no_tag")			\
	EM(NVX_CAUSE_FORCED, "forced")			\
	EM(NVX_CAUSE_INVVPID, "invvpid")		\
	EM(NVX_CAUSE_MMU_LOAD, "mmu_load")		\
	EM(NVX_CAUSE_NEW_PGD, "new_pgd")		\
	EM(NVX_CAUSE_GUEST, "guest")			\
	EM(NVX_CAUSE_INVLPG, "invlpg")			\
	EM(NVX_CAUSE_REMOTE, "remote")			\
	EM(NVX_CAUSE_MIGRATED, "migrated")		\
	EM(NVX_CAUSE_PV, "pv")				\
	EM(NVX_CAUSE_HYPERV, "hyperv")			\
	EM(NVX_CAUSE_APIC, "apic")			\
	EM(NVX_CAUSE_VMFUNC, "vmfunc")			\
	EM(NVX_CAUSE_SWITCH, "switch")			\
	EMe(NVX_CAUSE_INVEPT, "invept")

#define NVX_IPI_PATH_NAMES				\
	EM(NVX_IPI_OTHER, "other")			\
	EM(NVX_IPI_X2APIC, "x2apic")			\
	EM(NVX_IPI_X2APIC_SELF, "x2apic_self")		\
	EM(NVX_IPI_HV_ICR, "hv_icr")			\
	EM(NVX_IPI_XAPIC, "xapic")			\
	EM(NVX_IPI_APIC_WRITE, "apic_write")		\
	EM(NVX_IPI_AVIC_INCOMPLETE, "avic_incomplete")	\
	EM(NVX_IPI_HV_HYPERCALL, "hv_hypercall")	\
	EMe(NVX_IPI_PV, "pv")

#define NVX_SHORTHAND_NAMES			\
	EM(NVX_IPI_NO_SHORTHAND, "none")	\
	EM(NVX_IPI_SELF, "self")		\
	EM(NVX_IPI_ALL, "all")			\
	EMe(NVX_IPI_ALL_BUT_SELF, "all_but_self")

#define NVX_EVMCS_NAMES			\
	EM(NVX_EVMCS_IN, "in")		\
	EMe(NVX_EVMCS_OUT, "out")

#define NVX_EVMCS_REASON_NAMES				\
	EM(NVX_EVMCS_CLEAN_FIELDS, "clean_fields")	\
	EM(NVX_EVMCS_LAUNCH, "launch")			\
	EM(NVX_EVMCS_OTHER_PAGE, "other_page")		\
	EM(NVX_EVMCS_CACHED_PAGE, "cached_page")	\
	EM(NVX_EVMCS_FORCED, "forced")			\
	EM(NVX_EVMCS_SAVED, "saved")			\
	EM(NVX_EVMCS_COPY_ALL, "copy_all")		\
	EMe(NVX_EVMCS_CHANGED, "changed")

#define NVX_PI_NAMES				\
	EM(NVX_PI_NOTIFIED, "notified")		\
	EMe(NVX_PI_MERGED, "merged")

#undef EM
#undef EMe
#define EM(value, name)		TRACE_DEFINE_ENUM(value);
#define EMe(value, name)	TRACE_DEFINE_ENUM(value);

NVX_FASTPATH_NAMES
NVX_DIRECTION_NAMES
NVX_FLUSH_NAMES
NVX_CAUSE_NAMES
NVX_IPI_PATH_NAMES
NVX_SHORTHAND_NAMES
NVX_EVMCS_NAMES
NVX_EVMCS_REASON_NAMES
NVX_PI_NAMES

#undef EM
#undef EMe
#define EM(value, name)		{ value, name },
#define EMe(value, name)	{ value, name }

#endif
