// SPDX-License-Identifier: GPL-2.0-only
#include "model/metric.h"

#include <inttypes.h>
#include <stdio.h>

#include "model/ledger.h"
#include "model/reason.h"

uint64_t nvx_row__handled(const struct nvx_row *row)
{
	uint64_t others = row->v[NVX_V_REFLECTED] + row->v[NVX_V_SYNTHESISED];

	/* a reading between two of the writer's increments may be one ahead */
	if (row->l.level != NVX_LEVEL_2 || others > row->v[NVX_V_COUNT])
		return 0;
	return row->v[NVX_V_COUNT] - others;
}

uint64_t nvx_row__open(const struct nvx_row *row)
{
	uint64_t count = row->v[NVX_V_COUNT], done = row->v[NVX_V_DONE];

	return count > done ? count - done : 0;
}

#define GETTER(name, value)                               \
	static uint64_t get_##name(const struct nvx_row *row) \
	{                                                     \
		return row->v[value];                         \
	}

GETTER(count, NVX_V_COUNT)
GETTER(reflected, NVX_V_REFLECTED)
GETTER(synthesised, NVX_V_SYNTHESISED)
GETTER(noexit, NVX_V_NOEXIT)
GETTER(time, NVX_V_TIME)
GETTER(l2_exits, NVX_V_L2_EXITS)
GETTER(unknown, NVX_V_UNKNOWN)
GETTER(entries, NVX_V_ENTRIES)
GETTER(leaves, NVX_V_LEAVES)
GETTER(failed, NVX_V_FAILED)
GETTER(resyncs, NVX_V_RESYNCS)
GETTER(vcpus, NVX_V_VCPUS)
GETTER(opaque, NVX_V_OPAQUE)
GETTER(detail, NVX_V_DETAIL)
GETTER(lost, NVX_V_LOST)
GETTER(dests, NVX_V_DESTS)
GETTER(exits, NVX_V_EXITS)
GETTER(nodests, NVX_V_NODESTS)

#define COUNTER(set_, name_, key_, get_, help_)                              \
	{                                                                    \
		.name = name_, .key = key_, .set = set_, .type = NVX_COUNTER, \
		.unit = NVX_UNIT_NONE, .help = help_, .get = get_            \
	}
/* May go back: an exit is handled, or open, until more is known of it. */
#define GAUGE(set_, name_, key_, get_, help_)                              \
	{                                                                  \
		.name = name_, .key = key_, .set = set_, .type = NVX_GAUGE, \
		.unit = NVX_UNIT_NONE, .help = help_, .get = get_          \
	}
#define TIME(set_, name_, key_, help_)                                       \
	{                                                                    \
		.name = name_, .key = key_, .set = set_, .type = NVX_COUNTER, \
		.unit = NVX_UNIT_NS, .help = help_, .get = get_time          \
	}
#define HISTOGRAM(set_, name_, key_, unit_, help_)                             \
	{                                                                      \
		.name = name_, .key = key_, .set = set_, .type = NVX_HISTOGRAM, \
		.unit = unit_, .help = help_                                   \
	}

const struct nvx_metric nvx_metrics[] = {
	COUNTER(NVX_SET_VMS, "nvx_vm_l1_exits_total", "l1_exits", get_count, "VM exits of L1"),
	COUNTER(NVX_SET_VMS, "nvx_vm_l2_exits_total", "l2_exits", get_l2_exits, "VM exits of L2"),
	COUNTER(NVX_SET_VMS, "nvx_vm_unknown_exits_total", "unknown_exits", get_unknown,
		"VM exits before the level was known"),
	COUNTER(NVX_SET_VMS, "nvx_vm_entries_total", "entries", get_entries,
		"Switches from L1 to L2"),
	COUNTER(NVX_SET_VMS, "nvx_vm_leaves_total", "leaves", get_leaves, "Switches from L2 to L1"),
	COUNTER(NVX_SET_VMS, "nvx_vm_leaves_noexit_total", "noexit", get_noexit,
		"Switches from L2 to L1 without an L2 exit before them"),
	COUNTER(NVX_SET_VMS, "nvx_vm_entries_failed_total", "entries_failed", get_failed,
		"Switches to L2 that failed their checks and returned to L1"),
	COUNTER(NVX_SET_VMS, "nvx_vm_resyncs_total", "resyncs", get_resyncs,
		"Level found changed without a switch event (nested state restored, SMM, reset)"),
	COUNTER(NVX_SET_VMS, "nvx_vm_vcpus_seen_total", "vcpus", get_vcpus, "vCPUs seen"),
	COUNTER(NVX_SET_VMS, "nvx_vm_encrypted_vcpus_total", "encrypted_vcpus", get_opaque,
		"vCPUs whose registers are encrypted, so that MSR and port numbers are n/a"),
	COUNTER(NVX_SET_VMS, "nvx_vm_detail_dropped_total", "detail_dropped", get_detail,
		"Events counted without their detail because a table was full"),
	COUNTER(NVX_SET_VMS, "nvx_vm_events_dropped_total", "dropped", get_lost,
		"Events that could not be counted"),
	COUNTER(NVX_SET_L2S, "nvx_l2_entries_total", "entries", get_entries,
		"Switches from L1 into this L2"),
	COUNTER(NVX_SET_EXITS, "nvx_exits_total", "count", get_count, "VM exits"),
	COUNTER(NVX_SET_EXITS, "nvx_exits_reflected_total", "reflected", get_reflected,
		"L2 exits that L0 handed to L1"),
	COUNTER(NVX_SET_EXITS, "nvx_exits_synthesised_total", "synthesised", get_synthesised,
		"L2 exits that L0 handled before it made L2 exit to L1 for another cause"),
	GAUGE(NVX_SET_EXITS, "nvx_exits_handled", "handled", nvx_row__handled,
		"L2 exits that L0 handled without a switch"),
	GAUGE(NVX_SET_EXITS, "nvx_exits_open", "open", nvx_row__open,
		"VM exits that no entry followed"),
	TIME(NVX_SET_EXITS, "nvx_exit_time_seconds_total", "time_ns",
	     "Time from a VM exit to the next entry"),
	HISTOGRAM(NVX_SET_EXITS, "nvx_exit_duration_seconds", "hist", NVX_UNIT_NS,
		  "Time from a VM exit to the next entry"),
	COUNTER(NVX_SET_MSRS, "nvx_msr_exits_total", "count", get_count, "VM exits by MSR"),
	COUNTER(NVX_SET_MSRS, "nvx_msr_exits_reflected_total", "reflected", get_reflected,
		"MSR exits of L2 that L0 handed to L1"),
	TIME(NVX_SET_MSRS, "nvx_msr_exit_time_seconds_total", "time_ns",
	     "Time from an MSR exit to the next entry"),
	COUNTER(NVX_SET_HYPERCALLS, "nvx_hypercall_exits_total", "count", get_count,
		"VM exits by hypercall"),
	COUNTER(NVX_SET_HYPERCALLS, "nvx_hypercall_exits_reflected_total", "reflected",
		get_reflected, "Hypercalls of L2 that L0 handed to L1"),
	TIME(NVX_SET_HYPERCALLS, "nvx_hypercall_exit_time_seconds_total", "time_ns",
	     "Time from a hypercall to the next entry"),
	COUNTER(NVX_SET_PIO, "nvx_pio_exits_total", "count", get_count, "VM exits by I/O port"),
	COUNTER(NVX_SET_PIO, "nvx_pio_exits_reflected_total", "reflected", get_reflected,
		"I/O exits of L2 that L0 handed to L1"),
	TIME(NVX_SET_PIO, "nvx_pio_exit_time_seconds_total", "time_ns",
	     "Time from an I/O exit to the next entry"),
	COUNTER(NVX_SET_MMIO, "nvx_mmio_exits_total", "count", get_count,
		"VM exits by page accessed"),
	COUNTER(NVX_SET_MMIO, "nvx_mmio_exits_reflected_total", "reflected", get_reflected,
		"Page accesses of L2 that L0 handed to L1"),
	TIME(NVX_SET_MMIO, "nvx_mmio_exit_time_seconds_total", "time_ns",
	     "Time from a page access to the next entry"),
	COUNTER(NVX_SET_CHAINS, "nvx_chains_total", "count", get_count,
		"Switches from L2 to L1, by the reason that L1 saw"),
	COUNTER(NVX_SET_CHAINS, "nvx_chains_reflected_total", "reflected", get_reflected,
		"... that handed the L2 exit to L1"),
	COUNTER(NVX_SET_CHAINS, "nvx_chains_synthesised_total", "synthesised", get_synthesised,
		"... for another cause than the L2 exit"),
	COUNTER(NVX_SET_CHAINS, "nvx_chains_noexit_total", "noexit", get_noexit,
		"... of those synthesised, without any L2 exit"),
	GAUGE(NVX_SET_CHAINS, "nvx_chains_open", "open", nvx_row__open,
		"... after which L2 has not run again yet"),
	TIME(NVX_SET_CHAINS, "nvx_chain_time_seconds_total", "time_ns",
	     "Time from the L2 exit until L2 runs again"),
	HISTOGRAM(NVX_SET_CHAINS, "nvx_chain_length_exits", "length", NVX_UNIT_EXITS,
		  "Exits of a chain: the L2 exit and the L1 exits until L2 runs again"),
	COUNTER(NVX_SET_CELLS, "nvx_chain_l1_exits_total", "count", get_count,
		"L1 exits within chains"),
	TIME(NVX_SET_CELLS, "nvx_chain_l1_exit_time_seconds_total", "time_ns",
	     "Time of L1 exits within chains"),
	COUNTER(NVX_SET_IPIS, "nvx_ipis_total", "count", get_count, "IPIs asked for"),
	COUNTER(NVX_SET_IPIS, "nvx_ipi_destinations_total", "destinations", get_dests,
		"Destinations of IPIs, of those whose number is known"),
	COUNTER(NVX_SET_IPIS, "nvx_ipi_exits_total", "exits", get_exits,
		"VM exits that asking for IPIs took"),
	COUNTER(NVX_SET_IPIS, "nvx_ipi_unknown_destinations_total", "unknown_destinations",
		get_nodests, "IPIs whose destinations could not be counted"),
	COUNTER(NVX_SET_TLB, "nvx_tlb_flushes_total", "count", get_count, "TLB flushes"),
	COUNTER(NVX_SET_FLUSHES, "nvx_switches_total", "switches", get_count,
		"Switches between L1 and L2 that were entered"),
	HISTOGRAM(NVX_SET_FLUSHES, "nvx_switch_tlb_flushes", "hist", NVX_UNIT_FLUSHES,
		  "TLB flushes between a switch and the entry after it"),
	TIME(NVX_SET_TIME, "nvx_vcpu_time_seconds_total", "time_ns", "Time of vCPUs by phase"),
};

const size_t nvx_nr_metrics = sizeof(nvx_metrics) / sizeof(*nvx_metrics);

#define L(x) (1u << NVX_LABEL_##x)

const struct nvx_set_info *nvx_set__info(enum nvx_set set)
{
	static const struct nvx_set_info info[NVX_SET_COUNT] = {
		[NVX_SET_VMS] = { "vms", NVX_SECTION_EXITS, L(VM) },
		[NVX_SET_L2S] = { "l2s", NVX_SECTION_EXITS, L(VM) | L(L2) },
		[NVX_SET_EXITS] = { "exits", NVX_SECTION_EXITS,
				    L(VM) | L(LEVEL) | L(L2) | L(REASON) },
		[NVX_SET_MSRS] = { "msrs", NVX_SECTION_MSRS,
				   L(VM) | L(LEVEL) | L(L2) | L(MSR) | L(ACCESS) },
		[NVX_SET_HYPERCALLS] = { "hypercalls", NVX_SECTION_MSRS,
					 L(VM) | L(LEVEL) | L(L2) | L(HYPERCALL) },
		[NVX_SET_PIO] = { "pio", NVX_SECTION_IO,
				  L(VM) | L(LEVEL) | L(L2) | L(PORT) | L(ACCESS) },
		[NVX_SET_MMIO] = { "mmio", NVX_SECTION_IO, L(VM) | L(LEVEL) | L(L2) | L(PAGE) },
		[NVX_SET_CHAINS] = { "chains", NVX_SECTION_CHAINS, L(VM) | L(L2_REASON) },
		[NVX_SET_CELLS] = { "cells", NVX_SECTION_CHAINS,
				    L(VM) | L(L2_REASON) | L(L1_REASON) },
		[NVX_SET_IPIS] = { "ipis", NVX_SECTION_IPIS,
				   L(VM) | L(LEVEL) | L(L2) | L(PATH) | L(DEST) },
		[NVX_SET_TLB] = { "flushes", NVX_SECTION_TLB,
				  L(VM) | L(LEVEL) | L(L2) | L(FLUSH) | L(CAUSE) },
		[NVX_SET_FLUSHES] = { "switches", NVX_SECTION_TLB, L(VM) | L(DIRECTION) },
		[NVX_SET_TIME] = { "time", NVX_SECTION_TIME, L(VM) | L(PHASE) },
	};

	return &info[set];
}

const char *nvx_label__name(enum nvx_label label)
{
	static const char *const name[NVX_LABEL_COUNT] = {
		[NVX_LABEL_VM] = "vm",			[NVX_LABEL_VCPU] = "vcpu",
		[NVX_LABEL_LEVEL] = "level",		[NVX_LABEL_L2] = "l2",
		[NVX_LABEL_REASON] = "reason",		[NVX_LABEL_L2_REASON] = "l2_reason",
		[NVX_LABEL_L1_REASON] = "l1_reason",	[NVX_LABEL_MSR] = "msr",
		[NVX_LABEL_HYPERCALL] = "hypercall",	[NVX_LABEL_PORT] = "port",
		[NVX_LABEL_PAGE] = "page",		[NVX_LABEL_ACCESS] = "access",
		[NVX_LABEL_PATH] = "path",		[NVX_LABEL_DEST] = "to",
		[NVX_LABEL_FLUSH] = "kind",		[NVX_LABEL_CAUSE] = "cause",
		[NVX_LABEL_DIRECTION] = "direction",	[NVX_LABEL_PHASE] = "phase",
	};

	return name[label];
}

static const char *l2_text(const struct nvx_row *row, char *buf, size_t size)
{
	if (row->l.l2 == NVX_L2_NONE)
		return "";
	if (row->l.l2 == NVX_L2_OTHER)
		return "other";
	if (row->l.l2 == NVX_L2_UNKNOWN)
		return "?";
	snprintf(buf, size, "0x%" PRIx64, row->l.l2);
	return buf;
}

/* A number of a drill-down row; all ones stand for the rows that found no slot. */
static const char *number_text(enum nvx_label label, const struct nvx_row *row, char *buf,
			       size_t size)
{
	if (row->l.key == NVX_DRILL_OTHER)
		return "other";
	switch (label) {
	case NVX_LABEL_MSR:
		return nvx_msr__name(row->l.key, buf, size);
	case NVX_LABEL_HYPERCALL:
		return nvx_hypercall__name(NVX_HYPERCALL_KVM, row->l.key, buf, size);
	case NVX_LABEL_PORT:
		snprintf(buf, size, "0x%" PRIx64, row->l.key);
		return buf;
	default:
		snprintf(buf, size, "0x%" PRIx64, row->l.key << 12);
		return buf;
	}
}

const char *nvx_label__text(enum nvx_label label, const struct nvx_row *row,
			    const struct nvx_vm *const *vms, char *buf, size_t size)
{
	static const char *const levels[] = { "?", "1", "2" };

	switch (label) {
	case NVX_LABEL_VM:
		return row->l.vm == NVX_VM_ALL ? "all" : vms[row->l.vm]->id.name;
	case NVX_LABEL_VCPU:
		snprintf(buf, size, "%" PRIu32, row->l.vcpu - 1);
		return buf;
	case NVX_LABEL_LEVEL:
		return levels[row->l.level % 3];
	case NVX_LABEL_L2:
		return l2_text(row, buf, size);
	case NVX_LABEL_REASON:
	case NVX_LABEL_L2_REASON:
		return nvx_reason__name(row->l.isa, row->l.key, buf, size);
	case NVX_LABEL_L1_REASON:
		return nvx_reason__name(row->l.isa, row->l.key2, buf, size);
	case NVX_LABEL_ACCESS:
		return row->l.kind == NVX_DRILL_RDMSR || row->l.kind == NVX_DRILL_PIO_IN ? "read" :
											    "write";
	case NVX_LABEL_PATH:
		return nvx_ipi_path__name(row->l.key);
	case NVX_LABEL_DEST:
		return nvx_ipi_kind__name(row->l.kind);
	case NVX_LABEL_FLUSH:
		return nvx_flush_kind__name(row->l.key);
	case NVX_LABEL_CAUSE:
		return nvx_cause__name(row->l.key2);
	case NVX_LABEL_DIRECTION:
		return row->l.key == NVX_L1_TO_L2 ? "L1->L2" : "L2->L1";
	case NVX_LABEL_PHASE:
		return nvx_phase__name(row->l.key);
	default:
		return number_text(label, row, buf, size);
	}
}

uint64_t nvx_metric__bound(const struct nvx_metric *m, unsigned int slot)
{
	if (m->unit == NVX_UNIT_NS)
		return nvx_hist__bound(slot);
	if (m->unit == NVX_UNIT_EXITS)
		return nvx_len__bound(slot);
	return slot >= NVX_FLUSH_SLOTS - 1 ? UINT64_MAX : slot;
}

unsigned int nvx_metric__slots(const struct nvx_metric *m)
{
	if (m->unit == NVX_UNIT_NS)
		return NVX_HIST_SLOTS;
	return m->unit == NVX_UNIT_EXITS ? NVX_LEN_SLOTS : NVX_FLUSH_SLOTS;
}
