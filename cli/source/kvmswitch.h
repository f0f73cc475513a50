/* SPDX-License-Identifier: GPL-2.0-only */
/* Settings of KVM's modules that can be changed while VMs run: what `nvx tune` switches. */
#ifndef NVX_SOURCE_KVMSWITCH_H
#define NVX_SOURCE_KVMSWITCH_H

#include <stddef.h>

#define NVX_SWITCH_ERR 300

struct nvx_switch {
	char path[256];	    /* of its file */
	char name[100];	    /* "kvm.halt_poll_ns" */
	char original[128]; /* its value when it was found */
};

/*
 * Find a setting: "halt_poll_ns" or "kvm.halt_poll_ns" is a parameter of kvm, kvm_intel or kvm_amd.
 * root is "" for this host.  0, or -errno with one line for the user in err (NVX_SWITCH_ERR
 * bytes); -ENOENT lists what there is to switch.
 */
int nvx_switch__find(const char *root, const char *name, struct nvx_switch *s, char *err);

/* Set it and see that it took.  As above. */
int nvx_switch__set(const struct nvx_switch *s, const char *value, char *err);

/* Give it back the value that it had. */
int nvx_switch__restore(const struct nvx_switch *s, char *err);

#endif
