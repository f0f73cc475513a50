/* SPDX-License-Identifier: GPL-2.0-only */
/* Shows a struct nvx_probe. */
#ifndef NVX_VIEW_PROBE_H
#define NVX_VIEW_PROBE_H

#include <stdio.h>

#include "model/probe.h"

/* The table that `nvx probe` prints.  0, -ENOMEM or -EIO. */
int nvx_view_probe__text(const struct nvx_probe *probe, FILE *out);

/* The same as one JSON object.  0, -ENOMEM or -EIO. */
int nvx_view_probe__json(const struct nvx_probe *probe, FILE *out);

#endif
