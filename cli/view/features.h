/* SPDX-License-Identifier: GPL-2.0-only */
/* What `nvx features` prints. */
#ifndef NVX_VIEW_FEATURES_H
#define NVX_VIEW_FEATURES_H

#include <stdio.h>

#include "model/features.h"

/* Tables of the switches and of each VM's.  0, -ENOMEM or -EIO. */
int nvx_view_features__text(const struct nvx_features *f, FILE *out);

/* One JSON object and a newline.  0, -ENOMEM or -EIO. */
int nvx_view_features__json(const struct nvx_features *f, FILE *out);

#endif
