/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The switches of the feature module: ioctls of NVX_SWITCH_DEVICE, shared by kvm.ko and
 * user space.  ABI: numbers are never reused, structs keep their size and order, new
 * switches go to the end.  docs/switches.md explains them.
 */
#ifndef NVX_SWITCH_H
#define NVX_SWITCH_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define NVX_SWITCH_DEVICE "/dev/nvx"

/* VMs are named by a number that no other VM gets as long as kvm.ko is loaded. */
#define NVX_SWITCH_DEFAULTS 0		/* in place of a VM: what new VMs begin with */
#define NVX_SWITCH_UNKNOWN 0xffffffffU	/* in a state: cannot be told */

enum nvx_switch_id {
	NVX_SWITCH_VPID_SLOTS = 0,	/* nested-vpid.slots */
	NVX_SWITCH_VPID_KEEP_ROOTS = 1,	/* nested-vpid.keep-roots */
	NVX_SWITCH_VPID_ALWAYS_FLUSH = 2, /* nested-vpid.always-flush */
	NVX_SWITCH_EVMCS_CACHED = 3,	/* evmcs.cached */
	NVX_SWITCH_EVMCS_COPY_ALL_OUT = 4, /* evmcs.copy-all-out */
	NVX_SWITCH_EVMCS_ALL_DIRTY = 5,	/* evmcs.all-dirty */
	NVX_SWITCH_COUNT
};

enum nvx_switch_flag {
	NVX_SWITCH_LIVE = 1,		/* may be set while the VM runs */
};

struct nvx_switch_info {
	__u32 id;			/* in */
	__u32 flags;			/* enum nvx_switch_flag */
	__u32 min;
	__u32 max;
	__u32 stock;			/* the value that is the distribution's KVM */
	__u32 reserved;			/* 0 */
	char name[32];
	char effect[64];		/* when a new value takes effect */
};

struct nvx_switch_vm {
	__u64 vm;			/* in: the VM before, 0: the first; out: the next one */
	__u32 pid;			/* process that created it */
	__u32 vcpus;
};

struct nvx_switch_state {
	__u64 vm;			/* in: a VM, or NVX_SWITCH_DEFAULTS */
	__u32 id;			/* in */
	__u32 value;			/* in for NVX_SWITCH_SET */
	__u32 offered;			/* 1: the VM can make use of it */
	__u32 negotiated;		/* vCPUs that took the offer */
	__u32 in_use;			/* the most that a vCPU uses now */
	__u32 reserved;			/* 0 */
};

#define NVX_SWITCH_IOC 0xf7

/* ENOENT: no switch of this number, and none behind it. */
#define NVX_SWITCH_INFO _IOWR(NVX_SWITCH_IOC, 0, struct nvx_switch_info)
/* ENOENT: no VM behind this one. */
#define NVX_SWITCH_NEXT_VM _IOWR(NVX_SWITCH_IOC, 1, struct nvx_switch_vm)
/* ENOENT: no such switch, ESRCH: no such VM. */
#define NVX_SWITCH_GET _IOWR(NVX_SWITCH_IOC, 2, struct nvx_switch_state)
/* Likewise; ERANGE: not a value of this switch, EBUSY: the VM exists already. */
#define NVX_SWITCH_SET _IOWR(NVX_SWITCH_IOC, 3, struct nvx_switch_state)

#endif
