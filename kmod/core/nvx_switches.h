/* SPDX-License-Identifier: GPL-2.0-only */
/* The switches: names, ranges, when they take effect.  What they do is in their features. */
#ifndef NVX_SWITCHES_H
#define NVX_SWITCHES_H

#include "nvx_core.h"
#include "nvx_switch.h"

/* One value a switch, by enum nvx_switch_id. */
struct nvx_settings {
	u32 value[NVX_SWITCH_COUNT];
};

/* Everything as the distribution's KVM does it. */
void nvx_settings_stock(struct nvx_settings *s);

/* Fill *info for switch @id; false: there is none. */
bool nvx_switch_describe(u32 id, struct nvx_switch_info *info);

enum nvx_switch_verdict {
	NVX_SWITCH_OK,
	NVX_SWITCH_NONE,	/* no such switch */
	NVX_SWITCH_RANGE,	/* not a value of it */
	NVX_SWITCH_FIXED,	/* not of a VM that exists */
};

/* Whether a switch may be set to @value; @exists: of a VM, not of the defaults. */
enum nvx_switch_verdict nvx_switch_check(u32 id, u32 value, bool exists);

#endif
