/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Settings that can be changed while VMs run, which is what `nvx tune` switches: parameters of
 * KVM's modules, and switches of the feature module, which are of one VM each.
 */
#ifndef NVX_SOURCE_KVMSWITCH_H
#define NVX_SOURCE_KVMSWITCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NVX_SWITCH_ERR 300

struct nvx_switch {
	char path[256];	    /* of its file, or of the module's device */
	char name[100];	    /* "kvm.halt_poll_ns" */
	char original[128]; /* its value when it was found */
	bool feature;	    /* a switch of the feature module: */
	uint64_t vm;	    /* ... of this VM, by the module's number */
	uint32_t id;
};

/*
 * Find a setting: "halt_poll_ns" or "kvm.halt_poll_ns" is a parameter of kvm, kvm_intel or kvm_amd.
 * root is "" for this host.  0, or -errno with one line for the user in err (NVX_SWITCH_ERR
 * bytes); -ENOENT lists what there is to switch.
 */
int nvx_switch__find(const char *root, const char *name, struct nvx_switch *s, char *err);

/*
 * Find a switch of the feature module: "nested-vpid.slots", of the VM that is named or runs in this
 * process.  device NULL: the module's own.  As above; -ENODEV: no module, err stays as it was.
 */
int nvx_switch__find_feature(const char *device, const char *name, const char *vm_name,
			     uint32_t pid, struct nvx_switch *s, char *err);

/* Set it and see that it took.  As above. */
int nvx_switch__set(const struct nvx_switch *s, const char *value, char *err);

/* Give it back the value that it had. */
int nvx_switch__restore(const struct nvx_switch *s, char *err);

#endif
