/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who a virtual machine is, from the command line of the process that runs it.
 *
 * Pure: the caller brings the bytes of /proc/PID/cmdline (cli/source/vmname.h reads them).  The
 * bytes are a stranger's: any length, no NUL at the end, quotes, newlines, broken UTF-8.
 */
#ifndef NVX_MODEL_VMNAME_H
#define NVX_MODEL_VMNAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum nvx_vmm {
	NVX_VMM_UNKNOWN,
	NVX_VMM_QEMU,
	NVX_VMM_LIBVIRT,  /* QEMU started by libvirt */
	NVX_VMM_KUBEVIRT, /* QEMU started by KubeVirt's virt-launcher */
	NVX_VMM_FIRECRACKER,
	NVX_VMM_CLOUD_HYPERVISOR,
	NVX_VMM_CROSVM,
};

struct nvx_vmname {
	enum nvx_vmm vmm;
	bool fallback;	/* name is `comm-PID`: the command line gave none */
	char name[128]; /* never empty, valid UTF-8 without control characters, cut at a character
			 */
	char ns[64];	/* KubeVirt: the namespace; name is then the VMI's; else "" */
	char uuid[40];	/* lower case as given by -uuid and friends; "" where unknown */
	char pod[40];	/* UID of the Kubernetes pod that it runs in; "" where it is in none */
};

/* "qemu", "libvirt", "kubevirt", "firecracker", "cloud-hypervisor", "crosvm", "unknown" */
const char *nvx_vmm__name(enum nvx_vmm vmm);

/*
 * Identify a VM from len bytes of NUL-separated arguments; comm and pid serve the fallback name.
 * Never fails: what cannot be understood is NVX_VMM_UNKNOWN with the name `comm-PID`.
 */
void nvx_vmname__parse(const char *cmdline, size_t len, const char *comm, uint32_t pid,
		       struct nvx_vmname *out);

/*
 * The pod of a VM, from len bytes of its /proc/PID/cgroup: the names that either of Kubernetes's
 * cgroup drivers makes, of version 1 and 2.  Leaves "" where there is none.
 */
void nvx_vmname__pod(const char *cgroup, size_t len, struct nvx_vmname *out);

#endif
