// SPDX-License-Identifier: GPL-2.0-only
#include "nvx_switches.h"
#include "nvx_evmcs.h"
#include "nvx_vpid.h"

static const struct {
	const char *name;
	u32 min, max, stock;
	bool live;
	const char *effect;
} switches[NVX_SWITCH_COUNT] = {
	[NVX_SWITCH_VPID_SLOTS] = {
		"nested-vpid.slots", 1, NVX_VPID_SLOTS, 1, true,
		"next entry of each vCPU to L2" },
	[NVX_SWITCH_VPID_KEEP_ROOTS] = {
		"nested-vpid.keep-roots", 0, 1, 0, true,
		"next VMPTRLD or VMCLEAR of each vCPU" },
	[NVX_SWITCH_VPID_ALWAYS_FLUSH] = {
		"nested-vpid.always-flush", 0, 1, 0, true,
		"next entry of each vCPU to L2" },
	[NVX_SWITCH_EVMCS_CACHED] = {
		"evmcs.cached", 1, NVX_EVMCS_SLOTS, 1, true,
		"next entry by another enlightened VMCS" },
	[NVX_SWITCH_EVMCS_COPY_ALL_OUT] = {
		"evmcs.copy-all-out", 0, 1, 1, true,
		"next exit of each vCPU to L1" },
	[NVX_SWITCH_EVMCS_ALL_DIRTY] = {
		"evmcs.all-dirty", 0, 1, 0, true,
		"next entry of each vCPU to L2" },
};

void nvx_settings_stock(struct nvx_settings *s)
{
	u32 id;

	for (id = 0; id < NVX_SWITCH_COUNT; id++)
		s->value[id] = switches[id].stock;
}

static void copy_text(char *to, const char *from, u32 size)
{
	u32 i;

	for (i = 0; i + 1 < size && from[i]; i++)
		to[i] = from[i];
}

bool nvx_switch_describe(u32 id, struct nvx_switch_info *info)
{
	if (id >= NVX_SWITCH_COUNT)
		return false;
	*info = (struct nvx_switch_info) {
		.id = id,
		.flags = switches[id].live ? NVX_SWITCH_LIVE : 0,
		.min = switches[id].min,
		.max = switches[id].max,
		.stock = switches[id].stock,
	};
	copy_text(info->name, switches[id].name, sizeof(info->name));
	copy_text(info->effect, switches[id].effect, sizeof(info->effect));
	return true;
}

enum nvx_switch_verdict nvx_switch_check(u32 id, u32 value, bool exists)
{
	if (id >= NVX_SWITCH_COUNT)
		return NVX_SWITCH_NONE;
	if (value < switches[id].min || value > switches[id].max)
		return NVX_SWITCH_RANGE;
	if (exists && !switches[id].live)
		return NVX_SWITCH_FIXED;
	return NVX_SWITCH_OK;
}
