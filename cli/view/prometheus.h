/* SPDX-License-Identifier: GPL-2.0-only */
/* The exposition formats of Prometheus: text 0.0.4 and OpenMetrics 1.0.0. */
#ifndef NVX_VIEW_PROMETHEUS_H
#define NVX_VIEW_PROMETHEUS_H

#include <stdio.h>

#include "model/report.h"

struct nvx_prometheus {
	bool openmetrics;
	/*
	 * Series of a set that a VM may have, by first appearance; the others are one series
	 * called "other".  A series never changes sides, so neither goes backwards.  0: no limit.
	 */
	size_t top;
	const bool *hide;	/* by VM: leave it out; NULL: none */
	double created;		/* when counting began, seconds since 1970 */
	double scrape_seconds;	/* what the reading before this text took */
	uint64_t scrapes;
	const char *version;
};

/*
 * Write a report, whose rows are sums since counting began with L2s summed up, as metrics of the
 * registry; what its source cannot tell is left out.  0 or -errno.
 */
int nvx_view__prometheus(const struct nvx_report *r, const struct nvx_prometheus *p, FILE *out);

#endif
