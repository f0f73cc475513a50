/* SPDX-License-Identifier: GPL-2.0-only */
/* In kvm.ko: the switches of each VM, of whatever vendor, and the device that sets them. */
#ifndef NVX_CTL_H
#define NVX_CTL_H
#include <linux/kvm_host.h>
#include "nvx_switches.h"

/*
 * Beside struct kvm, which other modules know.  It outlives its VM's vCPUs; what it holds is
 * written by nvx_ctl.c only and read with READ_ONCE().
 */
struct nvx_vm {
	struct hlist_node node;
	struct kvm *kvm;
	u64 id;
	struct nvx_settings set;
	struct rcu_head rcu;
};

/* The VM's entry; NULL when there was no memory for one: then nothing is switched on. */
struct nvx_vm *nvx_vm_find(struct kvm *kvm);

static inline u32 nvx_switch(const struct nvx_vm *vm, enum nvx_switch_id id, u32 stock)
{
	return vm ? READ_ONCE(vm->set.value[id]) : stock;
}

/*
 * The vendor's part of a state: @describe raises ->offered, ->negotiated and ->in_use by what
 * @vcpu makes of the switch.  NULL, as at start: the vendor module is not ours.
 */
void nvx_ctl_vendor(void (*describe)(struct kvm_vcpu *vcpu, struct nvx_switch_state *state));

void nvx_ctl_init(void);
void nvx_ctl_exit(void);
void nvx_vm_add(struct kvm *kvm);
void nvx_vm_remove(struct kvm *kvm);

#endif
