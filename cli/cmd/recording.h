/* SPDX-License-Identifier: GPL-2.0-only */
/* What holds for the events of any recording: which sections they can fill. */
#ifndef NVX_CMD_RECORDING_H
#define NVX_CMD_RECORDING_H

#include "model/probe.h"
#include "source/events.h"

/*
 * Fill a section array (NVX_SECTION_COUNT).  What was not recorded is known when all is read:
 * before `at_end` everything may still come.
 */
void recording__sections(const struct nvx_events_info *info, bool at_end,
			 struct nvx_probe_section *section);

/* The kernel counts what it lost, and leaves gaps that the reader meets: the same events. */
uint64_t recording__lost(const struct nvx_events_info *info);

/* Warnings about totals that do not agree, and losses; `name` is the file's. */
void recording__check(const struct nvx_events_info *info, const char *name);

#endif
