/* SPDX-License-Identifier: GPL-2.0-only */
/* Which kernel functions an fentry program can be attached to. */
#ifndef NVX_SOURCE_LIVE_FENTRY_H
#define NVX_SOURCE_LIVE_FENTRY_H

#include <stdbool.h>

struct nvx_fentry;

/* Reads the types of the kernel and of KVM's modules, once for all questions.  NULL: none. */
struct nvx_fentry *nvx_fentry__new(void);

/* Is there a function of this name, with types, that this kernel lets be traced? */
bool nvx_fentry__takes(const struct nvx_fentry *f, const char *function);

/* NULL is fine. */
void nvx_fentry__free(struct nvx_fentry *f);

#endif
