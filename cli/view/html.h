/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A session, or two of them as before and after, as one self-contained page: no scripts, nothing
 * fetched, every drawing inline SVG with its numbers in titles and tables beside it.
 */
#ifndef NVX_VIEW_HTML_H
#define NVX_VIEW_HTML_H

#include <stdio.h>

#include "view/diff.h"

/* Exits of a delta, for the timeline. */
struct nvx_html_point {
	uint64_t t_ns, duration_ns, l1, l2;
};

struct nvx_html_session {
	const char *path, *note, *by, *created, *trouble; /* trouble NULL: whole */
	struct nvx_report report;
	const struct nvx_config *config;
	const struct nvx_html_point *point;
	size_t nr_points;
};

struct nvx_html_page {
	size_t nr; /* 1, or 2: before and after */
	struct nvx_html_session session[2];
	const struct nvx_diff_page *diff; /* of two */
};

/* Write the page.  0, -EIO or -ENOMEM. */
int nvx_view__html(const struct nvx_html_page *p, FILE *out);

#endif
