// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "model/probe.h"

static const char *const tp_names[NVX_PROBE_TP_COUNT] = {
	[NVX_PROBE_TP_KVM_EXIT] = "kvm_exit",
	[NVX_PROBE_TP_KVM_ENTRY] = "kvm_entry",
	[NVX_PROBE_TP_NESTED_VMENTER] = "kvm_nested_vmenter",
	[NVX_PROBE_TP_NESTED_VMRUN] = "kvm_nested_vmrun",
	[NVX_PROBE_TP_NESTED_VMENTER_FAILED] = "kvm_nested_vmenter_failed",
	[NVX_PROBE_TP_NESTED_VMEXIT] = "kvm_nested_vmexit",
	[NVX_PROBE_TP_NESTED_VMEXIT_INJECT] = "kvm_nested_vmexit_inject",
	[NVX_PROBE_TP_NESTED_INTR_VMEXIT] = "kvm_nested_intr_vmexit",
	[NVX_PROBE_TP_USERSPACE_EXIT] = "kvm_userspace_exit",
	[NVX_PROBE_TP_MSR] = "kvm_msr",
	[NVX_PROBE_TP_HYPERCALL] = "kvm_hypercall",
	[NVX_PROBE_TP_PIO] = "kvm_pio",
	[NVX_PROBE_TP_MMIO] = "kvm_mmio",
	[NVX_PROBE_TP_FAST_MMIO] = "kvm_fast_mmio",
	[NVX_PROBE_TP_PAGE_FAULT] = "kvm_page_fault",
	[NVX_PROBE_TP_APIC_IPI] = "kvm_apic_ipi",
	[NVX_PROBE_TP_SCHED_PROCESS_EXIT] = "sched_process_exit",
};

static const char *const field_names[NVX_FIELD_COUNT] = {
	[NVX_FIELD_GUEST_MODE] = "kvm_vcpu.stat.guest_mode",
	[NVX_FIELD_HFLAGS] = "kvm_vcpu.arch.hflags",
	[NVX_FIELD_REGS] = "kvm_vcpu.arch.regs",
	[NVX_FIELD_SVM_VMCB] = "vcpu_svm.vmcb",
	[NVX_FIELD_SVM_VMCB12] = "vcpu_svm.nested.vmcb12_gpa",
	[NVX_FIELD_VMX_EXIT_REASON] = "vcpu_vmx.exit_reason",
	[NVX_FIELD_VMX_EXIT_QUAL] = "vcpu_vmx.exit_qualification",
	[NVX_FIELD_VMX_VMPTR] = "vcpu_vmx.nested.current_vmptr",
};

const char *nvx_probe_tp__name(enum nvx_probe_tp tp)
{
	return tp < NVX_PROBE_TP_COUNT ? tp_names[tp] : "";
}

const char *nvx_probe_tp__system(enum nvx_probe_tp tp)
{
	return tp == NVX_PROBE_TP_SCHED_PROCESS_EXIT ? "sched" : "kvm";
}

const char *nvx_probe_field__name(enum nvx_probe_field field)
{
	return field < NVX_FIELD_COUNT ? field_names[field] : "";
}

const char *nvx_tier__name(enum nvx_tier tier)
{
	switch (tier) {
	case NVX_TIER_MODULE:
		return "nvx tracepoints";
	case NVX_TIER_BTF:
		return "stock KVM with BTF";
	case NVX_TIER_CLASSIC:
		return "stock KVM without BTF";
	case NVX_TIER_NONE:
		break;
	}
	return "none";
}

const char *nvx_tier__id(enum nvx_tier tier)
{
	static const char *const id[] = {"none", "module", "btf", "classic"};

	return tier <= NVX_TIER_CLASSIC ? id[tier] : "none";
}

const char *nvx_section__name(enum nvx_section section)
{
	static const char *const name[NVX_SECTION_COUNT] = {"exits", "msrs", "io",  "chains",
							    "ipis",  "tlb",  "time"};

	return section < NVX_SECTION_COUNT ? name[section] : "";
}

const char *nvx_cpu_vendor__name(enum nvx_cpu_vendor vendor)
{
	return vendor == NVX_CPU_INTEL ? "Intel" : vendor == NVX_CPU_AMD ? "AMD" : "other";
}

const char *nvx_have__name(enum nvx_have have)
{
	return have == NVX_HAVE_YES ? "yes" : have == NVX_HAVE_NO ? "no" : "unknown";
}

static bool yes(enum nvx_have have)
{
	return have == NVX_HAVE_YES;
}

static bool is_amd(const struct nvx_probe *p)
{
	return !strcmp(p->vendor_module, "kvm_amd");
}

/* A vendor module whose exits nvx cannot read. */
static bool is_other(const struct nvx_probe *p)
{
	return yes(p->kvm) && p->vendor_module[0] && !is_amd(p) &&
	       strcmp(p->vendor_module, "kvm_intel");
}

/* NULL: this host can be profiled at all, given the privileges. */
static const char *why_nothing(const struct nvx_probe *p)
{
	if (!yes(p->kvm))
		return "KVM is not loaded on this host: there is no VM to profile";
	if (!p->vendor_module[0])
		return "KVM is there, but neither kvm_intel nor kvm_amd is loaded: no VM can run";
	if (is_other(p))
		return "KVM runs here on another module than kvm_intel or kvm_amd";
	if (yes(p->lockdown_confidentiality))
		return "kernel lockdown (confidentiality) forbids tracing kernel memory";
	return NULL;
}

/* NULL: tier BTF works, given the privileges. */
static const char *why_no_btf(const struct nvx_probe *p)
{
	if (!yes(p->vmlinux_btf))
		return "the kernel has no BTF (CONFIG_DEBUG_INFO_BTF)";
	if (!yes(p->kvm_btf))
		return "module kvm has no BTF (CONFIG_DEBUG_INFO_BTF_MODULES)";
	if (!yes(p->vendor_btf))
		return "the vendor module has no BTF (CONFIG_DEBUG_INFO_BTF_MODULES)";
	if (p->tp[NVX_PROBE_TP_KVM_EXIT] == NVX_HAVE_NO ||
	    p->tp[NVX_PROBE_TP_KVM_ENTRY] == NVX_HAVE_NO)
		return "this KVM has no tracepoint kvm_exit or kvm_entry";
	if (p->exit_args == NVX_EXIT_ARGS_UNKNOWN)
		return "the arguments of kvm_exit are unknown";
	if (is_amd(p) && !yes(p->field[NVX_FIELD_SVM_VMCB]))
		return "struct vcpu_svm has no member vmcb: the exit code is out of reach";
	if (!is_amd(p) && !yes(p->field[NVX_FIELD_VMX_EXIT_REASON]))
		return "struct vcpu_vmx has no member exit_reason that nvx knows";
	return NULL;
}

/* NULL: tier CLASSIC works.  With `root`, what only root can see is taken to be there. */
static const char *why_no_classic(const struct nvx_probe *p, bool root)
{
	if (p->tracefs == NVX_HAVE_NO)
		return "tracefs is not mounted (mount -t tracefs tracefs /sys/kernel/tracing)";
	if (p->tp[NVX_PROBE_TP_KVM_EXIT] == NVX_HAVE_NO ||
	    p->tp[NVX_PROBE_TP_KVM_ENTRY] == NVX_HAVE_NO)
		return "this KVM has no tracepoint kvm_exit or kvm_entry";
	if (!root && (!yes(p->tracefs) || !yes(p->tp_classic)))
		return "tracefs cannot be read";
	return NULL;
}

static const char *why_no_privilege(const struct nvx_probe *p, enum nvx_tier tier)
{
	if (!p->init_userns)
		return "run nvx outside of the user namespace (container)";
	if (!p->may_load)
		return "run nvx as root (it needs CAP_BPF and CAP_PERFMON, or CAP_SYS_ADMIN)";
	if (tier == NVX_TIER_BTF && !p->kvm_builtin && !p->may_module_btf)
		return "run nvx as root (the BTF of modules needs CAP_SYS_ADMIN)";
	return NULL;
}

static enum nvx_tier best_tier(const struct nvx_probe *p, bool root)
{
	if (why_nothing(p))
		return NVX_TIER_NONE;
	if (yes(p->nvx_tp) && (root || !why_no_privilege(p, NVX_TIER_MODULE)))
		return NVX_TIER_MODULE;
	if (!why_no_btf(p) && (root || !why_no_privilege(p, NVX_TIER_BTF)))
		return NVX_TIER_BTF;
	if (!why_no_classic(p, root) && (root || !why_no_privilege(p, NVX_TIER_CLASSIC)))
		return NVX_TIER_CLASSIC;
	return NVX_TIER_NONE;
}

static void __attribute__((format(printf, 3, 4))) say(char *buf, size_t size, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(buf, size, fmt, ap);
	va_end(ap);
}

static void give_reason(struct nvx_probe *p)
{
	const char *nothing = why_nothing(p), *no_btf = why_no_btf(p);
	const char *no_privilege = why_no_privilege(p, p->tier_root);
	char *buf = p->tier_reason;
	size_t size = sizeof(p->tier_reason);

	buf[0] = '\0';
	if (is_other(p))
		say(buf, size,
		    "KVM runs here on %s: nvx reads the exits of kvm_intel and kvm_amd only",
		    p->vendor_module);
	else if (nothing)
		say(buf, size, "%s", nothing);
	else if (p->tier_root == NVX_TIER_NONE)
		say(buf, size, "%s, and %s", no_btf, why_no_classic(p, true));
	else if (p->tier != p->tier_root && no_privilege)
		say(buf, size, "%s", no_privilege);
	else if (p->tier == NVX_TIER_NONE)
		say(buf, size, "%s, and %s", no_btf, why_no_classic(p, false));
	else if (p->tier == NVX_TIER_CLASSIC)
		say(buf, size, "%s", no_btf);
	else if (p->tier == NVX_TIER_BTF && p->nvx_tp != NVX_HAVE_UNKNOWN)
		say(buf, size, "the nvx module is not loaded");
}

static void section(struct nvx_probe *p, enum nvx_section which, enum nvx_have have, bool partial,
		    const char *reason)
{
	struct nvx_probe_section *s = &p->section[which];

	s->have = have;
	s->partial = have == NVX_HAVE_YES && partial;
	say(s->reason, sizeof(s->reason), "%s", reason);
}

static void conclude_exits(struct nvx_probe *p)
{
	bool level = yes(p->field[NVX_FIELD_GUEST_MODE]) || yes(p->field[NVX_FIELD_HFLAGS]);

	if (p->tier_root == NVX_TIER_CLASSIC || (p->tier_root == NVX_TIER_BTF && !level))
		section(p, NVX_SECTION_EXITS, NVX_HAVE_YES, true,
			"the level of a vCPU reads ? until its first nested event");
	else
		section(p, NVX_SECTION_EXITS, NVX_HAVE_YES, false, "");
}

static void conclude_msrs(struct nvx_probe *p)
{
	if (p->tier_root == NVX_TIER_CLASSIC)
		section(p, NVX_SECTION_MSRS, NVX_HAVE_NO, false,
			"without BTF the registers that hold MSR and hypercall numbers cannot be "
			"read");
	else if (p->tier_root == NVX_TIER_BTF && !yes(p->field[NVX_FIELD_REGS]))
		section(p, NVX_SECTION_MSRS, NVX_HAVE_NO, false,
			"struct kvm_vcpu has no member arch.regs that nvx knows");
	else
		section(p, NVX_SECTION_MSRS, NVX_HAVE_YES, false, "");
}

static void conclude_io(struct nvx_probe *p)
{
	bool vmx = !is_amd(p);

	if (p->tier_root == NVX_TIER_BTF && vmx && !yes(p->field[NVX_FIELD_VMX_EXIT_QUAL]))
		section(p, NVX_SECTION_IO, NVX_HAVE_YES, true,
			"struct vcpu_vmx has no member exit_qualification: no I/O ports");
	else if (p->tier_root == NVX_TIER_BTF && vmx && p->tp[NVX_PROBE_TP_MMIO] == NVX_HAVE_NO)
		section(p, NVX_SECTION_IO, NVX_HAVE_YES, true,
			"this KVM has no tracepoint kvm_mmio: no MMIO pages");
	else
		section(p, NVX_SECTION_IO, NVX_HAVE_YES, false, "");
}

static void conclude_chains(struct nvx_probe *p)
{
	bool enter = p->tp[NVX_PROBE_TP_NESTED_VMENTER] != NVX_HAVE_NO;
	bool vmrun = p->tp[NVX_PROBE_TP_NESTED_VMRUN] != NVX_HAVE_NO;

	if (p->nested == NVX_HAVE_NO)
		section(p, NVX_SECTION_CHAINS, NVX_HAVE_NO, false,
			"nested virtualization is off on this host: no guest can run VMs");
	else if (p->tier_root == NVX_TIER_MODULE)
		section(p, NVX_SECTION_CHAINS, NVX_HAVE_YES, false, "");
	else if (p->tp[NVX_PROBE_TP_NESTED_VMEXIT_INJECT] == NVX_HAVE_NO)
		section(p, NVX_SECTION_CHAINS, NVX_HAVE_NO, false,
			"this KVM has no tracepoint kvm_nested_vmexit_inject");
	else if (!enter && !vmrun)
		section(p, NVX_SECTION_CHAINS, NVX_HAVE_NO, false,
			"this KVM has neither kvm_nested_vmenter nor kvm_nested_vmrun");
	else if (!enter && !is_amd(p))
		/* kernel commit 37ef0be26954 gave VMX its event, in 6.1 */
		section(p, NVX_SECTION_CHAINS, NVX_HAVE_NO, false,
			"before 6.1 a nested entry has no event on VMX (kvm_nested_vmrun is "
			"SVM's)");
	else
		section(p, NVX_SECTION_CHAINS, NVX_HAVE_YES, false, "");
}

static void conclude_ipis(struct nvx_probe *p)
{
	if (p->tier_root == NVX_TIER_CLASSIC)
		section(p, NVX_SECTION_IPIS, NVX_HAVE_NO, false,
			"without BTF the registers that say what an IPI is cannot be read");
	else if (p->tier_root == NVX_TIER_MODULE)
		section(p, NVX_SECTION_IPIS, NVX_HAVE_YES, true,
			"the paravirtual IPIs of L2 (the module's tracepoint is L1's)");
	else if (!yes(p->field[NVX_FIELD_REGS]))
		section(p, NVX_SECTION_IPIS, NVX_HAVE_NO, false,
			"struct kvm_vcpu has no member arch.regs that nvx knows");
	else
		section(p, NVX_SECTION_IPIS, NVX_HAVE_YES, false, "");
}

static void conclude_tlb(struct nvx_probe *p)
{
	if (p->tier_root == NVX_TIER_CLASSIC)
		section(p, NVX_SECTION_TLB, NVX_HAVE_NO, false,
			"stock KVM has no tracepoint for flushes, and its functions are traced by "
			"BTF");
	else if (p->tier_root == NVX_TIER_MODULE && is_amd(p))
		section(p, NVX_SECTION_TLB, NVX_HAVE_NO, false,
			"the module's tracepoint for flushes is kvm-intel's; --source btf sees "
			"kvm-amd's");
	else
		section(p, NVX_SECTION_TLB, NVX_HAVE_YES, false, "");
}

static void conclude_time(struct nvx_probe *p)
{
	if (p->tier_root == NVX_TIER_BTF)
		section(p, NVX_SECTION_TIME, NVX_HAVE_YES, false, "");
	else
		section(p, NVX_SECTION_TIME, NVX_HAVE_YES, true,
			"waiting for a CPU is counted where it happens: the run delay of a thread "
			"is read by BTF");
}

static void conclude_sections(struct nvx_probe *p)
{
	conclude_exits(p);
	conclude_msrs(p);
	conclude_io(p);
	conclude_chains(p);
	conclude_ipis(p);
	conclude_tlb(p);
	conclude_time(p);
}

void nvx_probe__conclude(struct nvx_probe *p)
{
	p->tier = best_tier(p, false);
	p->tier_root = best_tier(p, true);
	give_reason(p);
	if (p->tier_root == NVX_TIER_NONE) {
		for (int i = 0; i < NVX_SECTION_COUNT; i++)
			section(p, (enum nvx_section)i, NVX_HAVE_NO, false, "no source of events");
		return;
	}
	conclude_sections(p);
}

const char *nvx_probe__use(struct nvx_probe *p, enum nvx_tier tier)
{
	const char *why = why_nothing(p);

	if (!why && tier == NVX_TIER_MODULE && !yes(p->nvx_tp))
		why = "the nvx module is not loaded";
	if (!why && tier == NVX_TIER_BTF)
		why = why_no_btf(p);
	if (!why && tier == NVX_TIER_CLASSIC)
		why = why_no_classic(p, false);
	if (!why)
		why = why_no_privilege(p, tier);
	if (why)
		return why;
	p->tier = p->tier_root = tier;
	say(p->tier_reason, sizeof(p->tier_reason), "asked for with --source");
	conclude_sections(p);
	return NULL;
}
