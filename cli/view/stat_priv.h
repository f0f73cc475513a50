/* SPDX-License-Identifier: GPL-2.0-only */
/* The sections of `nvx stat`'s text with files of their own.  Each writes itself: 0 or -errno. */
#ifndef NVX_VIEW_STAT_PRIV_H
#define NVX_VIEW_STAT_PRIV_H

#include <stdio.h>

#include "model/report.h"

int nvx_stat__chains(const struct nvx_report *r, FILE *out);
int nvx_stat__ipis(const struct nvx_report *r, FILE *out);
int nvx_stat__tlb(const struct nvx_report *r, FILE *out);
int nvx_stat__time(const struct nvx_report *r, FILE *out);

#endif
