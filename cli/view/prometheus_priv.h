/* SPDX-License-Identifier: GPL-2.0-only */
/* What the two parts of the exposition share: the rows' metrics, and nvx's own. */
#ifndef NVX_VIEW_PROMETHEUS_PRIV_H
#define NVX_VIEW_PROMETHEUS_PRIV_H

#include "view/prometheus.h"

/* name="text", escaped. */
void prom_label(struct nvx_text *out, const char *name, const char *text);

/* The length of a name without its _total. */
size_t prom_stem(const char *name);

/* Help and type; the name of a counter's family has no _total in OpenMetrics. */
void prom_family(struct nvx_text *out, const struct nvx_prometheus *p, const char *name,
		 const char *type, const char *help);

/* What nvx says of itself and of its source. */
void prom_own(const struct nvx_report *r, const struct nvx_prometheus *p, struct nvx_text *out);

#endif
