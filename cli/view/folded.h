/* SPDX-License-Identifier: GPL-2.0-only */
/* Stacks of exits as text, one a line: "L2:cpuid;L1:vmrun 123", as flame graph tools take it. */
#ifndef NVX_VIEW_FOLDED_H
#define NVX_VIEW_FOLDED_H

#include <stdio.h>

#include "model/folded.h"

/* 0, -EIO or -ENOMEM. */
int nvx_view__folded(const struct nvx_rows *rows, FILE *out);

#endif
