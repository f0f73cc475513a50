/* SPDX-License-Identifier: GPL-2.0-only */
/* Looks at a host: fills the struct nvx_probe of cli/model/probe.h.  Needs no privileges. */
#ifndef NVX_SOURCE_PROBE_H
#define NVX_SOURCE_PROBE_H

#include "model/probe.h"

/* Where to look.  NULL members mean the running system's own places; tests give fixtures. */
struct nvx_probe_roots {
	const char *proc;    /* "/proc" */
	const char *sys;     /* "/sys" */
	const char *tracefs; /* SYS/kernel/tracing, else SYS/kernel/debug/tracing */
	const char *btf;     /* SYS/kernel/btf: raw BTF in files vmlinux, kvm, kvm_intel, ... */
	const char *dev;     /* "/dev" */
};

/*
 * Gather all facts and conclude.  What is missing on the host is a finding, not a failure:
 * 0, or -ENOMEM.  roots may be NULL.
 */
int nvx_probe__run(const struct nvx_probe_roots *roots, struct nvx_probe *out);

#endif
