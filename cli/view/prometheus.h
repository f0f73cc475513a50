/* SPDX-License-Identifier: GPL-2.0-only */
/* The exposition formats of Prometheus: text 0.0.4 and OpenMetrics 1.0.0. */
#ifndef NVX_VIEW_PROMETHEUS_H
#define NVX_VIEW_PROMETHEUS_H

#include "model/report.h"
#include "util/text.h"

struct nvx_prometheus {
	bool openmetrics;
	/*
	 * OpenMetrics: say of every counter and histogram since when it counts (_created), which
	 * is a line more each.  Otherwise nvx's own counters and a VM's totals say so.
	 */
	bool created;
	/*
	 * Series of a table that a VM may have (or each of its vCPUs, where rows keep them apart),
	 * by first appearance; the others of a level are one series called "other".  A series
	 * never changes sides, so neither goes backwards.  0: no limit.
	 */
	size_t top;
	uint64_t start_ns;	  /* when counting began, since 1970 */
	const uint64_t *since_ns; /* the same by VM; NULL: as the start */
	uint64_t scrape_ns;	  /* what the reading before this text took */
	uint64_t scrapes;
	const char *version;
};

/*
 * Append a report, whose rows are sums since counting began with L2s summed up, as metrics of the
 * registry; what its source cannot tell is left out, and so is a VM that is NULL.  0 or -ENOMEM.
 */
int nvx_view__prometheus(const struct nvx_report *r, const struct nvx_prometheus *p,
			 struct nvx_text *out);

#endif
