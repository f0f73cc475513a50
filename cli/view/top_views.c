// SPDX-License-Identifier: GPL-2.0-only
/* nvx top: the views and their columns. */
#include <errno.h>
#include <string.h>

#include "view/top_priv.h"

/* heading, left, text, give_way: the highest gives way first */
static const struct nvx_grid_column vms[] = {
	{ "NAME", 1, 1, 0 },  { "PID", 0, 0, 9 },    { "VCPUS", 0, 0, 8 },  { "L1/s", 0, 0, 0 },
	{ "L2/s", 0, 0, 0 },  { "SWITCH/s", 0, 0, 3 }, { "FL/SW", 0, 0, 2 }, { "IPI/s", 0, 0, 2 },
	{ "L2%", 0, 0, 1 },   { "L1%", 0, 0, 1 },    { "L0:L1%", 0, 0, 1 }, { "L0:L2%", 0, 0, 1 },
	{ "USER%", 0, 0, 5 }, { "HALT%", 0, 0, 4 },  { "WAIT%", 0, 0, 6 },  { "L2 TREND", 1, 1, 7 },
	{ "L1 CHANGE", 0, 1, 0 }, { "L2 CHANGE", 0, 1, 0 },
};

static const struct nvx_grid_column vcpus[] = {
	{ "VM", 1, 1, 0 },    { "VCPU", 0, 0, 0 },   { "TID", 0, 0, 8 },    { "L1/s", 0, 0, 0 },
	{ "L2/s", 0, 0, 0 },  { "SWITCH/s", 0, 0, 3 }, { "FL/SW", 0, 0, 2 }, { "IPI/s", 0, 0, 2 },
	{ "L2%", 0, 0, 1 },   { "L1%", 0, 0, 1 },    { "L0:L1%", 0, 0, 1 }, { "L0:L2%", 0, 0, 1 },
	{ "USER%", 0, 0, 5 }, { "HALT%", 0, 0, 4 },  { "WAIT%", 0, 0, 6 },
};

static const struct nvx_grid_column exits[] = {
	{ "REASON", 1, 1, 0 }, { "LEVEL", 1, 1, 0 }, { "EXITS", 0, 0, 3 }, { "/s", 0, 0, 0 },
	{ "SHARE%", 0, 0, 4 }, { "TIME", 0, 0, 0 },  { "TIME%", 0, 0, 1 }, { "AVG", 0, 0, 0 },
	{ "P50", 0, 0, 2 },    { "P99", 0, 0, 1 },   { "REFL%", 0, 0, 1 }, { "TREND", 1, 1, 5 },
	{ "CHANGE", 0, 1, 0 }, { "TIME CHANGE", 0, 1, 0 },
};

static const struct nvx_grid_column chains[] = {
	{ "L1 SAW", 1, 1, 0 },	{ "CHAINS", 0, 0, 2 }, { "/s", 0, 0, 0 },
	{ "EXITS/CHAIN", 0, 0, 0 }, { "TIME", 0, 0, 0 }, { "AVG", 0, 0, 0 },
	{ "SYNTH", 0, 0, 3 },	{ "NO_EXIT", 0, 0, 4 }, { "TREND", 1, 1, 5 },
	{ "CHANGE", 0, 1, 0 },	{ "TIME CHANGE", 0, 1, 0 },
};

static const struct nvx_grid_column msrs[] = {
	{ "WHICH", 1, 1, 0 },  { "KIND", 1, 1, 0 }, { "LEVEL", 1, 1, 0 }, { "EXITS", 0, 0, 3 },
	{ "/s", 0, 0, 0 },     { "TIME", 0, 0, 0 }, { "AVG", 0, 0, 0 },   { "REFL%", 0, 0, 1 },
	{ "TREND", 1, 1, 5 },  { "CHANGE", 0, 1, 0 }, { "TIME CHANGE", 0, 1, 0 },
};

static const struct nvx_grid_column ipis[] = {
	{ "PATH", 1, 1, 0 },  { "TO", 1, 1, 0 },    { "LEVEL", 1, 1, 0 },     { "IPIS", 0, 0, 3 },
	{ "/s", 0, 0, 0 },    { "EXITS", 0, 0, 2 }, { "DESTS", 0, 0, 4 }, { "EXITS/DEST", 0, 0, 0 },
	{ "SAVED", 0, 0, 1 }, { "TREND", 1, 1, 5 }, { "CHANGE", 0, 1, 0 },    { "EXITS CHANGE", 0, 1, 0 },
};

static const struct nvx_grid_column tlb[] = {
	{ "CAUSE", 1, 1, 0 },  { "KIND", 1, 1, 0 },  { "LEVEL", 1, 1, 0 }, { "FLUSHES", 0, 0, 1 },
	{ "/s", 0, 0, 0 },     { "SHARE%", 0, 0, 2 }, { "TREND", 1, 1, 5 }, { "SWITCHES", 0, 0, 3 },
	{ "FL/SW", 0, 0, 0 },  { "CHANGE", 0, 1, 0 },
};

static const struct nvx_grid_column apicv[] = {
	{ "EXIT", 1, 1, 0 },  { "WHAT", 1, 1, 3 },  { "LEVEL", 1, 1, 0 }, { "EXITS", 0, 0, 2 },
	{ "/s", 0, 0, 0 },    { "TIME", 0, 0, 0 },  { "REFL%", 0, 0, 1 }, { "TREND", 1, 1, 5 },
	{ "CHANGE", 0, 1, 0 }, { "TIME CHANGE", 0, 1, 0 },
};

static const struct nvx_grid_column evmcs[] = {
	{ "GROUP", 1, 1, 0 },
};

static const struct nvx_grid_column features[] = {
	{ "WHAT", 1, 1, 0 }, { "STATE", 1, 1, 0 }, { "CONSEQUENCE", 1, 1, 0 },
};

#define COLUMNS(c) c, sizeof(c) / sizeof(*c)

const struct top_view top_views[NVX_VIEW_COUNT] = {
	[NVX_VIEW_VMS] = { "vms", "VMs", COLUMNS(vms), 4, -1, top_build_vms, { 16, 17 },
			   { NVX_TOP_COUNT, NVX_TOP_SECOND } },
	[NVX_VIEW_EXITS] = { "exits", "Exits", COLUMNS(exits), 3, NVX_SECTION_EXITS,
			     top_build_exits, { 12, 13 }, { NVX_TOP_COUNT, NVX_TOP_SECOND } },
	[NVX_VIEW_CHAINS] = { "chains", "Chains", COLUMNS(chains), 2, NVX_SECTION_CHAINS,
			      top_build_chains, { 9, 10 }, { NVX_TOP_COUNT, NVX_TOP_SECOND } },
	[NVX_VIEW_MSRS] = { "msrs", "MSRs", COLUMNS(msrs), 4, NVX_SECTION_MSRS, top_build_msrs,
			    { 9, 10 }, { NVX_TOP_COUNT, NVX_TOP_SECOND } },
	[NVX_VIEW_IPIS] = { "ipis", "IPIs", COLUMNS(ipis), 4, NVX_SECTION_IPIS, top_build_ipis,
			    { 10, 11 }, { NVX_TOP_COUNT, NVX_TOP_SECOND } },
	[NVX_VIEW_TLB] = { "tlb", "TLB", COLUMNS(tlb), 4, NVX_SECTION_TLB, top_build_tlb,
			   { 9, 0 }, { NVX_TOP_COUNT, 0 } },
	[NVX_VIEW_APICV] = { "apicv", "APICv", COLUMNS(apicv), 4, NVX_SECTION_EXITS,
			     top_build_apicv, { 8, 9 }, { NVX_TOP_COUNT, NVX_TOP_SECOND } },
	[NVX_VIEW_EVMCS] = { "evmcs", "eVMCS", COLUMNS(evmcs), 0, -1, top_build_evmcs, { 0 },
			     { 0 } },
	[NVX_VIEW_VCPUS] = { "vcpus", "vCPUs", COLUMNS(vcpus), 4, -1, top_build_vcpus, { 0 },
			     { 0 } },
	[NVX_VIEW_FEATURES] = { "features", "Features", COLUMNS(features), NVX_GRID_COLUMNS, -1,
				top_build_features, { 0 }, { 0 } },
};

const char *nvx_top_view__name(unsigned int view)
{
	return view < NVX_VIEW_COUNT ? top_views[view].name : NULL;
}

int nvx_topui__show(struct nvx_topui *ui, const char *view)
{
	for (unsigned int i = 0; i < NVX_VIEW_COUNT; i++)
		if (!strcmp(top_views[i].name, view)) {
			ui->view = i;
			return 0;
		}
	return -ENOENT;
}
