/* SPDX-License-Identifier: GPL-2.0-only */
/* What a host and a VM look like: the part of a session that says what was changed between two. */
#ifndef NVX_SOURCE_HOSTINFO_H
#define NVX_SOURCE_HOSTINFO_H

#include "model/session.h"

/*
 * Kernel, CPU, mitigations, KVM's modules with their parameters, and what the probe found.
 * root: "" for this host, or a directory with proc/ and sys/ of another.  0 or -ENOMEM.
 */
int nvx_hostinfo__host(const char *root, const struct nvx_probe *probe, struct nvx_config *config);

/*
 * The options of the command line of a VM's process, as "qemu.-m" = "2G"; an option that stands
 * there twice is "qemu.-device", "qemu.-device.2".  Secrets are not taken.  A process that is gone
 * has none.  0 or -ENOMEM.
 */
int nvx_hostinfo__vm(const char *root, const struct nvx_vm *vm, struct nvx_config *config);

/* The same from bytes of /proc/PID/cmdline. */
int nvx_hostinfo__cmdline(const char *prefix, const char *cmdline, size_t len,
			  struct nvx_config *config);

#endif
