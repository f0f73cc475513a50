/* SPDX-License-Identifier: GPL-2.0-only */
/* A diff as text, Markdown and JSON. */
#ifndef NVX_VIEW_DIFF_H
#define NVX_VIEW_DIFF_H

#include <stdio.h>

#include "model/diff.h"

/* A session of a side, for the heading. */
struct nvx_diff_file {
	enum nvx_side side;
	const char *path, *host, *release, *note, *by;
	uint64_t duration_ns, deltas;
	const char *trouble; /* NULL: whole */
};

/* A key of the configurations whose values differ; NULL: that side has none. */
struct nvx_diff_config {
	const char *key, *value[NVX_SIDES];
};

struct nvx_diff_page {
	const struct nvx_diff *diff;
	size_t nr_files, nr_config;
	const struct nvx_diff_file *file;
	const struct nvx_diff_config *config;
	const char (*lacks)[NVX_LACK_MAX]; /* of either side, why; "" where it is there */
	bool all; /* figures without proof too */
};

/* Each prints the page: 0 or -EIO, -ENOMEM. */
int nvx_view__diff_text(const struct nvx_diff_page *p, FILE *out);
int nvx_view__diff_markdown(const struct nvx_diff_page *p, FILE *out);
int nvx_view__diff_json(const struct nvx_diff_page *p, FILE *out);

/* "L2 cpuid", "msr L2 X2APIC_ICR write": what a figure is about.  Returns buf. */
char *nvx_figure__name(const struct nvx_figure *f, char *buf, size_t size);

/* Title of a table, and its name in JSON. */
const char *nvx_diff_group__title(enum nvx_diff_group group);
const char *nvx_diff_group__id(enum nvx_diff_group group);

/* A value of a figure in its unit: "1,234/s", "2.41", "1.88ms", "32.45%"; "n/a" for NAN. */
char *nvx_figure__value(enum nvx_diff_group group, double v, char *buf, size_t size);

/* "+12.3%", "~" where nothing is proven, "new" where A has none. */
char *nvx_figure__change(const struct nvx_comparison *c, char *buf, size_t size);

/* What the units are, in words: "12 periods a side". */
char *nvx_diff__units(const struct nvx_diff *d, char *buf, size_t size);

#endif
