/* SPDX-License-Identifier: GPL-2.0-only */
/* A report for programs: JSON (one object), and CSV in long form. */
#ifndef NVX_VIEW_JSON_H
#define NVX_VIEW_JSON_H

#include <stdio.h>

#include "model/report.h"

/*
 * One JSON object and a newline.  Every set of every section asked for is an array of rows with
 * the registry's labels and keys; a section that the host cannot fill is {"na": "reason"}.
 * 0, -ENOMEM or -EIO.
 */
int nvx_view__json(const struct nvx_report *r, FILE *out);

/*
 * Lines `interval,set,vm,level,l2,key,key2,metric,value` under a header line (where `header`).
 * Histograms are one line a slot that is not empty, metric `hist_le_<bound>`.  0 or -EIO.
 */
int nvx_view__csv(const struct nvx_report *r, FILE *out, bool header);

#endif
