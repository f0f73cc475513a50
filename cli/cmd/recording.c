// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/recording.h"

#include <stdio.h>

#include "util/log.h"

void recording__sections(const struct nvx_events_info *info, bool at_end,
			 struct nvx_probe_section *section)
{
	unsigned int have = at_end ? info->present : ~0u;
	const struct {
		enum nvx_section section;
		unsigned int any; /* of these kinds one must be there */
		const char *why;  /* no, or in part */
	} rule[] = {
		{ NVX_SECTION_EXITS, 1u << NVX_EV_EXIT, "the recording has no kvm_exit" },
		{ NVX_SECTION_MSRS, 1u << NVX_EV_MSR | 1u << NVX_EV_HYPERCALL,
		  "the recording has neither kvm_msr nor kvm_hypercall" },
		{ NVX_SECTION_IO, 1u << NVX_EV_EXIT, "the recording has no kvm_exit" },
		{ NVX_SECTION_CHAINS, 1u << NVX_EV_INJECT,
		  "the recording has no kvm_nested_vmexit_inject: no L2 ran, or it was not recorded" },
		{ NVX_SECTION_IPIS, 1u << NVX_EV_APIC_WRITE, "the recording has no kvm_apic" },
		{ NVX_SECTION_TLB, 0, "stock KVM has no tracepoint for TLB flushes" },
		{ NVX_SECTION_TIME, 1u << NVX_EV_ENTRY, "the recording has no kvm_entry" },
	};

	for (size_t i = 0; i < NVX_SECTION_COUNT; i++) {
		struct nvx_probe_section *s = &section[rule[i].section];

		s->have = have & rule[i].any ? NVX_HAVE_YES : NVX_HAVE_NO;
		snprintf(s->reason, sizeof(s->reason), "%s",
			 s->have == NVX_HAVE_YES ? "" : rule[i].why);
	}
#define PARTIAL(which, text)                                                                   \
	do {                                                                                   \
		struct nvx_probe_section *s = &section[which];                              \
		s->partial = s->have == NVX_HAVE_YES;                                          \
		if (s->partial)                                                                \
			snprintf(s->reason, sizeof(s->reason), "%s", text);                    \
	} while (0)
	PARTIAL(NVX_SECTION_EXITS, "the level of a vCPU reads ? until its first nested event");
	PARTIAL(NVX_SECTION_MSRS, "numbers of exits that L0 hands to L1: they have no event");
	PARTIAL(NVX_SECTION_IPIS, "only those by the xAPIC page: a recording has no registers");
	PARTIAL(NVX_SECTION_TIME, "waiting for a CPU is counted where it happens");
#undef PARTIAL
}

uint64_t recording__lost(const struct nvx_events_info *info)
{
	return info->lost > info->missed ? info->lost : info->missed;
}

void recording__check(const struct nvx_events_info *info, const char *name)
{
	if (info->expected >= 0 && (uint64_t)info->expected != info->records)
		nvx_warn("%s: its statistics speak of %lld records, it holds %llu", name,
			 (long long)info->expected, (unsigned long long)info->records);
	if (recording__lost(info))
		nvx_warn("%s: %llu events were lost while it was recorded; larger buffers help "
			 "(trace-cmd record -b, perf record -m)", name,
			 (unsigned long long)recording__lost(info));
	if (info->foreign)
		nvx_info("%s: %llu lines are no events", name, (unsigned long long)info->foreign);
	if (info->expected < 0)
		nvx_info("%s has no statistics to check its totals against", name);
}
