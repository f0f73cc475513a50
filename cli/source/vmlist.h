/* SPDX-License-Identifier: GPL-2.0-only */
/* The processes of this host that run VMs now, by their open kvm-vm files. */
#ifndef NVX_SOURCE_VMLIST_H
#define NVX_SOURCE_VMLIST_H

#include <stddef.h>
#include <stdint.h>

#include "model/vmname.h"

struct nvx_vmlist_entry {
	uint32_t pid;
	unsigned int vms; /* VMs of this process */
	unsigned int vcpus;
	struct nvx_vmname id;
};

/*
 * List them, ascending by pid; free(*out) afterwards.  Processes that the caller may not look
 * into are left out.  Number of entries, or -ENOMEM.
 */
long nvx_vmlist(const char *proc, struct nvx_vmlist_entry **out);

/* vCPUs of all of them. */
uint32_t nvx_vmlist__vcpus(const char *proc);

#endif
