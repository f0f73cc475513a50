/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The values that the nvx tracepoints carry.  Shared by the kernel module, by BPF
 * and by userspace, so: enums only, nothing included.  They are ABI: a value is
 * never renumbered or reused, new ones go to the end.
 *
 * raw_tp programs read ctx->args[i]; the order of each tracepoint's arguments is
 * in docs/tracepoints.md, and every one begins with these three.
 */
#ifndef NVX_TP_H
#define NVX_TP_H

enum nvx_tp_header {
	NVX_TP_VM_PID = 0,	/* process that created the VM (struct kvm, userspace_pid) */
	NVX_TP_VCPU = 1,	/* vcpu_id */
	NVX_TP_LEVEL = 2,	/* 1: L1 was running, 2: L2 */
};

/* Index of the arguments of nvx_exit. */
enum nvx_exit_arg {
	NVX_EXIT_ISA = 3,
	NVX_EXIT_REASON,
	NVX_EXIT_QUALIFICATION,
	NVX_EXIT_INFO2,
	NVX_EXIT_INTR_INFO,
	NVX_EXIT_RCX,
	NVX_EXIT_RAX,
	NVX_EXIT_FASTPATH,
	NVX_EXIT_RDX,
};

/* Index of the arguments of nvx_switch. */
enum nvx_switch_arg {
	NVX_SWITCH_DIRECTION = 3,
	NVX_SWITCH_REASON,
	NVX_SWITCH_VPID12,
	NVX_SWITCH_VPID02,
	NVX_SWITCH_CAUSE,
	NVX_SWITCH_EPTP_CHANGED,
	NVX_SWITCH_VMCS12,
};

/* Index of the arguments of nvx_tlb_flush. */
enum nvx_tlb_flush_arg {
	NVX_TLB_KIND = 3,
	NVX_TLB_CAUSE,
	NVX_TLB_VPID,
	NVX_TLB_ADDRESS,
};

/* Index of the arguments of nvx_ipi. */
enum nvx_ipi_arg {
	NVX_IPI_ARG_PATH = 3,
	NVX_IPI_ARG_VECTOR,
	NVX_IPI_ARG_MODE,
	NVX_IPI_ARG_DEST_MODE,
	NVX_IPI_ARG_SHORTHAND,
	NVX_IPI_ARG_DESTINATIONS,
	NVX_IPI_ARG_FASTPATH,
};

/* Index of the arguments of nvx_pv_ipi. */
enum nvx_pv_ipi_arg {
	NVX_PV_VECTOR = 3,
	NVX_PV_MODE,
	NVX_PV_ASKED,
	NVX_PV_DELIVERED,
	NVX_PV_ABSENT,
	NVX_PV_ERROR,
};

/* As in the kernel's KVM_ISA_*. */
enum nvx_isa {
	NVX_ISA_VMX = 1,
	NVX_ISA_SVM = 2,
};

/* Fast path of an exit: handled with interrupts off, before the exit handler. */
enum nvx_fastpath {
	NVX_FASTPATH_NONE = 0,
	NVX_FASTPATH_REENTER = 1,	/* handled, the guest went on at once */
	NVX_FASTPATH_HANDLED = 2,	/* handled, through the outer loop */
	NVX_FASTPATH_USERSPACE = 3,	/* handled, user space must see it */
};

enum nvx_direction {
	NVX_L1_TO_L2 = 1,
	NVX_L2_TO_L1 = 2,
};

/* What was flushed, by the name of KVM's hook. */
enum nvx_flush_kind {
	NVX_FLUSH_ALL = 1,	/* everything of the vCPU */
	NVX_FLUSH_CURRENT = 2,	/* the running context: INVEPT with EPT, else INVVPID */
	NVX_FLUSH_GUEST = 3,	/* guest-linear mappings: INVVPID of one VPID */
	NVX_FLUSH_GVA = 4,	/* one linear address of one VPID */
};

/* Why: of a flush (nvx_tlb_flush), or of the flush that a switch asked for (nvx_switch). */
enum nvx_cause {
	NVX_CAUSE_NONE = 0,		/* nvx_switch: no flush asked for */
	NVX_CAUSE_OTHER = 1,		/* asked for at a place that nvx does not tell apart */
	NVX_CAUSE_VPID_OFF = 2,		/* switch: L2 runs without VPID */
	NVX_CAUSE_VPID12_CHANGED = 3,	/* switch: not the vpid12 that vpid02 holds */
	NVX_CAUSE_VPID02_NEW = 4,	/* switch: vpid02 never used */
	NVX_CAUSE_VPID02_RECYCLED = 5,	/* switch: vpid02 taken from another vpid12 */
	NVX_CAUSE_NO_TAG = 6,		/* switch: L2 has no tag of its own in the TLB */
	NVX_CAUSE_FORCED = 7,		/* switch: nvx was told to flush always */
	NVX_CAUSE_INVVPID = 8,		/* L1's INVVPID, at once or put off to this switch */
	NVX_CAUSE_MMU_LOAD = 9,		/* a new page-table root was loaded */
	NVX_CAUSE_NEW_PGD = 10,		/* another cached root became current */
	NVX_CAUSE_GUEST = 11,		/* CR0, CR3, CR4 or INVPCID of the guest */
	NVX_CAUSE_INVLPG = 12,		/* one address: INVLPG, INVPCID, shadow paging */
	NVX_CAUSE_REMOTE = 13,		/* L0's MMU changed page tables of the VM */
	NVX_CAUSE_MIGRATED = 14,	/* the vCPU came to another CPU */
	NVX_CAUSE_PV = 15,		/* KVM's paravirtual flush */
	NVX_CAUSE_HYPERV = 16,		/* Hyper-V flush hypercall */
	NVX_CAUSE_APIC = 17,		/* APIC mode or APIC access page changed */
	NVX_CAUSE_VMFUNC = 18,		/* L2 switched its EPTP */
	NVX_CAUSE_SWITCH = 19,		/* at a switch; stock KVM does not tell more */
	NVX_CAUSE_INVEPT = 20,		/* L1's INVEPT */
	NVX_CAUSE_COUNT
};

/* Where an IPI was asked for. */
enum nvx_ipi_path {
	NVX_IPI_OTHER = 0,		/* no path of the list: user space, emulation */
	NVX_IPI_X2APIC = 1,		/* MSR 0x830 */
	NVX_IPI_X2APIC_SELF = 2,	/* MSR 0x83f */
	NVX_IPI_HV_ICR = 3,		/* HV_X64_MSR_ICR 0x40000071 */
	NVX_IPI_XAPIC = 4,		/* MMIO write to the ICR */
	NVX_IPI_APIC_WRITE = 5,		/* trap-like exit after the write: VMX APIC_WRITE, AVIC */
	NVX_IPI_AVIC_INCOMPLETE = 6,	/* AVIC could not deliver it */
	NVX_IPI_HV_HYPERCALL = 7,	/* HVCALL_SEND_IPI, HVCALL_SEND_IPI_EX */
	NVX_IPI_PV = 8,			/* KVM_HC_SEND_IPI */
	NVX_IPI_PATH_COUNT
};

/* Destination shorthand of the ICR (SDM vol. 3, 11.6.1). */
enum nvx_ipi_shorthand {
	NVX_IPI_NO_SHORTHAND = 0,
	NVX_IPI_SELF = 1,
	NVX_IPI_ALL = 2,
	NVX_IPI_ALL_BUT_SELF = 3,
};

enum nvx_dest_mode {
	NVX_DEST_PHYSICAL = 0,
	NVX_DEST_LOGICAL = 1,
};

enum nvx_evmcs_direction {
	NVX_EVMCS_IN = 1,	/* enlightened VMCS to vmcs12 */
	NVX_EVMCS_OUT = 2,
};

/* Groups of fields, by their bit in hv_clean_fields (TLFS) and in the argument groups. */
enum nvx_evmcs_group {
	NVX_EVMCS_IO_BITMAP,
	NVX_EVMCS_MSR_BITMAP,
	NVX_EVMCS_CONTROL_GRP2,
	NVX_EVMCS_CONTROL_GRP1,
	NVX_EVMCS_CONTROL_PROC,
	NVX_EVMCS_CONTROL_EVENT,
	NVX_EVMCS_CONTROL_ENTRY,
	NVX_EVMCS_CONTROL_EXCPN,
	NVX_EVMCS_CRDR,
	NVX_EVMCS_CONTROL_XLAT,
	NVX_EVMCS_GUEST_BASIC,
	NVX_EVMCS_GUEST_GRP1,
	NVX_EVMCS_GUEST_GRP2,
	NVX_EVMCS_HOST_POINTER,
	NVX_EVMCS_HOST_GRP1,
	NVX_EVMCS_CONTROL_ENL,		/* enlightenments: no field of vmcs12 */
	NVX_EVMCS_ALWAYS,		/* has no bit */
	NVX_EVMCS_GROUP_COUNT
};

/* Why nvx_evmcs copied what it copied. */
enum nvx_evmcs_reason {
	NVX_EVMCS_CLEAN_FIELDS = 1,	/* in: what L1 did not mark as clean */
	NVX_EVMCS_LAUNCH = 2,		/* in: VMLAUNCH, everything */
	NVX_EVMCS_OTHER_PAGE = 3,	/* in: another page than before, everything */
	NVX_EVMCS_CACHED_PAGE = 4,	/* in: another page, its vmcs12 was cached: by clean bits */
	NVX_EVMCS_FORCED = 5,		/* in: nvx was told to take everything as dirty */
	NVX_EVMCS_SAVED = 6,		/* in: user space saves the nested state, everything */
	NVX_EVMCS_COPY_ALL = 7,		/* out: everything */
	NVX_EVMCS_CHANGED = 8,		/* out: what the page does not hold already */
};

/* Index of the arguments of nvx_evmcs. */
enum nvx_evmcs_arg {
	NVX_EVMCS_ARG_DIRECTION = 3,
	NVX_EVMCS_ARG_CLEAN,
	NVX_EVMCS_ARG_COPIED,
	NVX_EVMCS_ARG_SKIPPED,
	NVX_EVMCS_ARG_GROUPS,
	NVX_EVMCS_ARG_FIELDS,
	NVX_EVMCS_ARG_FIELDS_SKIPPED,
	NVX_EVMCS_ARG_REASON,
};

enum nvx_pi_how {
	NVX_PI_NOTIFIED = 1,	/* a notification was raised for L2's descriptor */
	NVX_PI_MERGED = 2,	/* L0 moved PIR to the virtual-APIC page in software */
};

#endif
