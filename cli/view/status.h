/* SPDX-License-Identifier: GPL-2.0-only */
/* The small page of nvx export for people. */
#ifndef NVX_VIEW_STATUS_H
#define NVX_VIEW_STATUS_H

#include "model/report.h"
#include "util/text.h"

struct nvx_status {
	const char *version;
	uint64_t scrapes, scrape_ns, start_ns;
};

/* Append the page: where from, since when, each VM with its exits, what cannot be told and why. */
void nvx_view__status(const struct nvx_report *r, const struct nvx_status *s,
		      struct nvx_text *out);

#endif
