// SPDX-License-Identifier: GPL-2.0-only
/* The tracepoints of this kernel, as tracefs lists them. */
#include <errno.h>
#include <string.h>

#include "source/probe_priv.h"

static const struct {
	enum nvx_probe_tp tp;
	const char *consequence;
} wanted[] = {
	{NVX_PROBE_TP_KVM_EXIT, "nothing can be profiled"},
	{NVX_PROBE_TP_KVM_ENTRY, "nothing can be profiled"},
	{NVX_PROBE_TP_NESTED_VMENTER, ""},
	{NVX_PROBE_TP_NESTED_VMRUN, ""},
	{NVX_PROBE_TP_NESTED_VMENTER_FAILED, ""},
	{NVX_PROBE_TP_NESTED_VMEXIT, "without BTF the level is learnt later"},
	{NVX_PROBE_TP_NESTED_VMEXIT_INJECT, "no outcome of L2 exits and no chains"},
	{NVX_PROBE_TP_NESTED_INTR_VMEXIT, ""},
	{NVX_PROBE_TP_USERSPACE_EXIT, ""},
	{NVX_PROBE_TP_MSR, ""},
	{NVX_PROBE_TP_HYPERCALL, ""},
	{NVX_PROBE_TP_PIO, ""},
	{NVX_PROBE_TP_MMIO, "no MMIO pages on VMX"},
	{NVX_PROBE_TP_FAST_MMIO, ""},
	{NVX_PROBE_TP_PAGE_FAULT, "no addresses of EPT violations"},
	{NVX_PROBE_TP_APIC_IPI, ""},
	{NVX_PROBE_TP_SCHED_PROCESS_EXIT, "slots of ended threads are not given back"},
};

/* Each event has a directory; BTF has told already of those that no user may see here. */
static void probe_tp(struct nvx_probe *p, const struct nvx_probe_paths *paths, enum nvx_probe_tp tp,
		     const char *consequence)
{
	const char *name = nvx_probe_tp__name(tp), *detail = "";
	enum nvx_have seen = NVX_HAVE_UNKNOWN;

	if (p->tracefs == NVX_HAVE_YES)
		seen = nvx_probe__exists("%s/events/%s/%s", paths->tracefs,
					 nvx_probe_tp__system(tp), name);
	if (seen != NVX_HAVE_UNKNOWN)
		p->tp[tp] = seen;
	else if (p->tp[tp] != NVX_HAVE_UNKNOWN)
		detail = "by BTF";
	else
		detail = "needs root, or BTF";
	nvx_probe__row(p, "Tracepoints", name, name, p->tp[tp],
		       p->tp[tp] == NVX_HAVE_NO ? consequence : "", "%s", detail);
}

/* kvm_nested_vmenter took the place of kvm_nested_vmrun: either will do. */
static void note_nested_entry(struct nvx_probe *p)
{
	if (p->tp[NVX_PROBE_TP_NESTED_VMENTER] != NVX_HAVE_NO ||
	    p->tp[NVX_PROBE_TP_NESTED_VMRUN] != NVX_HAVE_NO)
		return;
	for (size_t i = 0; i < p->nr_rows; i++)
		if (!strcmp(p->row[i].id, "kvm_nested_vmenter"))
			p->row[i].consequence = "no chains: neither this nor kvm_nested_vmrun";
}

void nvx_probe__tracefs(struct nvx_probe *p, const struct nvx_probe_paths *paths)
{
	static const char lost[] = "without BTF there is no other way to the events";
	const char *detail = paths->tracefs;

	p->tracefs = NVX_HAVE_NO;
	if (paths->tracefs[0])
		p->tracefs = nvx_probe__exists("%s/events", paths->tracefs);
	if (p->tracefs == NVX_HAVE_NO)
		detail = "not mounted: mount -t tracefs tracefs /sys/kernel/tracing";
	else if (p->tracefs == NVX_HAVE_UNKNOWN)
		detail = "needs root";
	nvx_probe__row(p, "Tracepoints", "tracefs", "tracefs", p->tracefs,
		       nvx_probe__lost(p->tracefs, p->kvm_btf == NVX_HAVE_YES ? "" : lost), "%s",
		       detail);
	if (p->tracefs == NVX_HAVE_YES)
		p->tp_classic = nvx_probe__exists("%s/events/kvm/kvm_exit/format", paths->tracefs);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		probe_tp(p, paths, wanted[i].tp, wanted[i].consequence);
	note_nested_entry(p);

	p->nvx_tp = p->tracefs;
	if (p->tracefs == NVX_HAVE_YES)
		p->nvx_tp = nvx_probe__exists("%s/events/nvx/nvx_exit", paths->tracefs);
	nvx_probe__row(p, "Tracepoints", "nvx", "of the nvx module", p->nvx_tp, "", "%s",
		       p->nvx_tp == NVX_HAVE_UNKNOWN ? "needs root"
		       : p->nvx_tp == NVX_HAVE_NO    ? "the module is not loaded"
						     : "");
}
