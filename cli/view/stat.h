/* SPDX-License-Identifier: GPL-2.0-only */
/* The report of `nvx stat` as text for people. */
#ifndef NVX_VIEW_STAT_H
#define NVX_VIEW_STAT_H

#include <stdio.h>

#include "model/report.h"

/* Write the report.  0, -ENOMEM or -EIO. */
int nvx_view__stat(const struct nvx_report *r, FILE *out);

#endif
