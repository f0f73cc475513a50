/* SPDX-License-Identifier: GPL-2.0-only */
/* The switches of the feature module, through its device (include/nvx_switch.h). */
#ifndef NVX_SOURCE_SWITCHES_H
#define NVX_SOURCE_SWITCHES_H

#include "model/features.h"

/*
 * Open the device; NULL stands for NVX_SWITCH_DEVICE.  A file descriptor to close() afterwards, or
 * -ENOENT (the module is not loaded), -EACCES or -EPERM (not root), another -errno.
 */
int nvx_switches__open(const char *device);

/*
 * Read all switches, the defaults, and the VMs with their names (by /proc) into *f, which is
 * overwritten; nvx_features__free() it.  0, -ENOMEM, or what the device answered.
 */
int nvx_switches__read(int fd, struct nvx_features *f);

/*
 * Set one switch of a VM, or of the defaults (NVX_SWITCH_DEFAULTS).  0; -ERANGE: no value of this
 * switch, -EBUSY: not of a VM that exists, -ESRCH: the VM is gone, -ENOENT: no such switch.
 */
int nvx_switches__set(int fd, uint64_t vm, uint32_t id, uint32_t value);

/* Read one switch of a VM into *value.  As nvx_switches__set. */
int nvx_switches__get(int fd, uint64_t vm, uint32_t id, uint32_t *value);

/* Why nvx_switches__open() failed, and what to do. */
const char *nvx_switches__reason(int err);

#endif
