/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a host offers to nvx, and what follows from it.
 *
 * cli/source/probe.c gathers the facts, nvx_probe__conclude() (pure) draws the conclusions: the
 * source tier, and which section of `nvx stat` can be filled.  cli/view/probe.c shows both.
 */
#ifndef NVX_MODEL_PROBE_H
#define NVX_MODEL_PROBE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A fact that an unprivileged reader may be unable to see. UNKNOWN means: ask again as root. */
enum nvx_have { NVX_HAVE_UNKNOWN, NVX_HAVE_NO, NVX_HAVE_YES };

enum nvx_cpu_vendor { NVX_CPU_OTHER, NVX_CPU_INTEL, NVX_CPU_AMD };

/* Order of the arguments behind raw_tp/tp_btf kvm_exit; VCPU_FIRST since 5.16 (0a62a0319abb). */
enum nvx_exit_args { NVX_EXIT_ARGS_UNKNOWN, NVX_EXIT_ARGS_VCPU_FIRST, NVX_EXIT_ARGS_REASON_FIRST };

/* Where the exit reason lives in struct vcpu_vmx; in vt since 6.16 (commit 7172c753c26a). */
enum nvx_vmx_layout { NVX_VMX_UNKNOWN, NVX_VMX_EXIT_REASON, NVX_VMX_VT_EXIT_REASON };

/* The tracepoints that nvx knows how to use; names by nvx_probe_tp__name(). */
enum nvx_probe_tp {
	NVX_PROBE_TP_KVM_EXIT,
	NVX_PROBE_TP_KVM_ENTRY,
	NVX_PROBE_TP_NESTED_VMENTER, /* L1 to L2 */
	NVX_PROBE_TP_NESTED_VMRUN,   /* its name, and SVM only, before kernel 6.1 (commit
					89e54ec59232) */
	NVX_PROBE_TP_NESTED_VMENTER_FAILED,
	NVX_PROBE_TP_NESTED_VMEXIT,
	NVX_PROBE_TP_NESTED_VMEXIT_INJECT,
	NVX_PROBE_TP_NESTED_INTR_VMEXIT,
	NVX_PROBE_TP_USERSPACE_EXIT,
	NVX_PROBE_TP_MSR,
	NVX_PROBE_TP_HYPERCALL,
	NVX_PROBE_TP_PIO,
	NVX_PROBE_TP_MMIO,
	NVX_PROBE_TP_FAST_MMIO,
	NVX_PROBE_TP_PAGE_FAULT,
	NVX_PROBE_TP_APIC_IPI,
	NVX_PROBE_TP_SCHED_PROCESS_EXIT,
	NVX_PROBE_TP_COUNT
};

/* Kernel struct members that tier NVX_TIER_BTF reads; text by nvx_probe_field__name(). */
enum nvx_probe_field {
	NVX_FIELD_GUEST_MODE,	   /* kvm_vcpu.stat.guest_mode: the level, right from the start */
	NVX_FIELD_HFLAGS,	   /* kvm_vcpu.arch.hflags: the level before kernel 5.14 */
	NVX_FIELD_REGS,		   /* kvm_vcpu.arch.regs: MSR and hypercall numbers */
	NVX_FIELD_SVM_VMCB,	   /* vcpu_svm.vmcb: exit code, I/O port, MMIO address */
	NVX_FIELD_SVM_VMCB12,	   /* vcpu_svm.nested.vmcb12_gpa: which L2 */
	NVX_FIELD_VMX_EXIT_REASON, /* vcpu_vmx.exit_reason, or vcpu_vmx.vt.exit_reason */
	NVX_FIELD_VMX_EXIT_QUAL,   /* vcpu_vmx.exit_qualification, or in vt: the I/O port */
	NVX_FIELD_VMX_VMPTR,	   /* vcpu_vmx.nested.current_vmptr: which L2 */
	NVX_FIELD_COUNT
};

/* Where events come from, best first; NONE: this host or user cannot profile. */
enum nvx_tier {
	NVX_TIER_NONE,
	NVX_TIER_MODULE,  /* nvx's own tracepoints: scalars, no BTF needed */
	NVX_TIER_BTF,	  /* stock KVM: tp_btf and CO-RE into its structs */
	NVX_TIER_CLASSIC, /* stock KVM: classic tracepoints with offsets from tracefs */
};

/* The sections of `nvx stat`. */
enum nvx_section {
	NVX_SECTION_EXITS,
	NVX_SECTION_MSRS,
	NVX_SECTION_IO,
	NVX_SECTION_CHAINS,
	NVX_SECTION_IPIS,
	NVX_SECTION_TLB,
	NVX_SECTION_TIME,
	NVX_SECTION_COUNT
};

struct nvx_probe_section {
	enum nvx_have have; /* UNKNOWN: depends on what only root can see */
	bool partial;	    /* YES, but some figures inside read n/a */
	char reason[200];   /* why not, or what is missing; "" where all is there */
};

/* One line of `nvx probe`. */
struct nvx_probe_row {
	const char *id;	   /* stable, for JSON: "kvm_exit", "kernel" */
	const char *group; /* heading that the row stands under */
	const char *label; /* for people */
	enum nvx_have have;
	char detail[120];	 /* what was found: "6.1.0-32-amd64", "Y" */
	const char *consequence; /* what follows from this finding; "" when nothing does */
};

#define NVX_PROBE_ROWS_MAX 72

struct nvx_probe {
	char release[65];
	enum nvx_cpu_vendor cpu;
	bool cpu_virt; /* the CPU announces vmx or svm */

	enum nvx_have dev_kvm; /* /dev/kvm opens and speaks API version 12 */
	enum nvx_have kvm;     /* kvm is loaded or built in */
	enum nvx_have kvm_intel, kvm_amd;
	bool kvm_builtin;	/* all of KVM's types are in vmlinux's BTF, none in a module's */
	char vendor_module[32]; /* the vendor module in use: "kvm_intel", "kvm_amd", another; "" */
	enum nvx_have nested;	/* its nested parameter */

	enum nvx_have vmlinux_btf, kvm_btf, vendor_btf;
	enum nvx_have tracefs; /* mounted and readable by this user */
	enum nvx_have tp[NVX_PROBE_TP_COUNT];
	enum nvx_have tp_classic; /* kvm_exit's format file can be read (tier CLASSIC) */
	enum nvx_have field[NVX_FIELD_COUNT];
	enum nvx_exit_args exit_args;
	enum nvx_vmx_layout vmx_layout;
	enum nvx_have nvx_tp; /* the feature module's tracepoints (events/nvx) */

	uint32_t euid;
	bool cap_bpf, cap_perfmon, cap_sys_admin;
	bool init_userns;    /* capabilities of another user namespace do not count */
	bool may_load;	     /* privileges to load and attach tracing programs */
	bool may_module_btf; /* privileges to use a module's BTF (CAP_SYS_ADMIN) */
	enum nvx_have lockdown_confidentiality;
	enum nvx_have bpf_stats;

	enum nvx_tier tier;	 /* what nvx would use now */
	enum nvx_tier tier_root; /* what nvx would use as root; equals tier for root */
	char tier_reason[200];	 /* why not a better one; for NONE: why none, one clear line */
	struct nvx_probe_section section[NVX_SECTION_COUNT]; /* for tier_root */

	struct nvx_probe_row row[NVX_PROBE_ROWS_MAX];
	size_t nr_rows;
};

/* "kvm_exit", "kvm_nested_vmenter", ... and "kvm", "sched" for the tracefs directory. */
const char *nvx_probe_tp__name(enum nvx_probe_tp tp);
const char *nvx_probe_tp__system(enum nvx_probe_tp tp);

/* "kvm_vcpu.stat.guest_mode", ... */
const char *nvx_probe_field__name(enum nvx_probe_field field);

/* "nvx tracepoints", "stock KVM with BTF", "stock KVM without BTF", "none" */
const char *nvx_tier__name(enum nvx_tier tier);

/* "module", "btf", "classic", "none": stable, for JSON */
const char *nvx_tier__id(enum nvx_tier tier);

/* "exits", "msrs", "io", "chains", "ipis", "tlb", "time" */
const char *nvx_section__name(enum nvx_section section);

/* "Intel", "AMD", "other" */
const char *nvx_cpu_vendor__name(enum nvx_cpu_vendor vendor);

/* "yes", "no", "unknown" */
const char *nvx_have__name(enum nvx_have have);

/* Fill tier, tier_root, tier_reason and section[] from the facts above them. */
void nvx_probe__conclude(struct nvx_probe *probe);

/*
 * Conclude for a tier that the user chose over the best one.
 * NULL, or why this host or user cannot have it.
 */
const char *nvx_probe__use(struct nvx_probe *probe, enum nvx_tier tier);

#endif
