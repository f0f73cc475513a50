// SPDX-License-Identifier: GPL-2.0-only
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/hashtable.h>
#include <linux/kvm_host.h>
#include <linux/miscdevice.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include "nvx_ctl.h"

static void (*describe_vcpu)(struct kvm_vcpu *vcpu, struct nvx_switch_state *state);

/* Readers of one VM go by RCU; the lock keeps all VMs and their vCPUs alive. */
static DEFINE_HASHTABLE(vms, 6);
static DEFINE_MUTEX(vms_lock);
static struct nvx_settings defaults;
static u64 last_id;

/* Under the lock, or RCU. */
static struct nvx_vm *find_kvm(struct kvm *kvm)
{
	struct nvx_vm *vm;

	hash_for_each_possible_rcu(vms, vm, node, (unsigned long)kvm, lockdep_is_held(&vms_lock))
		if (vm->kvm == kvm)
			return vm;
	return NULL;
}

struct nvx_vm *nvx_vm_find(struct kvm *kvm)
{
	struct nvx_vm *vm;

	rcu_read_lock();
	vm = find_kvm(kvm);
	rcu_read_unlock();
	return vm;
}
EXPORT_SYMBOL_GPL(nvx_vm_find);

void nvx_ctl_vendor(void (*describe)(struct kvm_vcpu *vcpu, struct nvx_switch_state *state))
{
	mutex_lock(&vms_lock);
	describe_vcpu = describe;
	mutex_unlock(&vms_lock);
}
EXPORT_SYMBOL_GPL(nvx_ctl_vendor);

void nvx_vm_add(struct kvm *kvm)
{
	struct nvx_vm *vm = kzalloc(sizeof(*vm), GFP_KERNEL_ACCOUNT);

	if (!vm)
		return;
	vm->kvm = kvm;
	mutex_lock(&vms_lock);
	vm->id = ++last_id;
	vm->set = defaults;
	hash_add_rcu(vms, &vm->node, (unsigned long)kvm);
	mutex_unlock(&vms_lock);
}

/* Before its vCPUs go. */
void nvx_vm_remove(struct kvm *kvm)
{
	struct nvx_vm *vm;

	mutex_lock(&vms_lock);
	vm = find_kvm(kvm);
	if (vm)
		hash_del_rcu(&vm->node);
	mutex_unlock(&vms_lock);
	if (vm)
		kfree_rcu(vm, rcu);
}

static struct nvx_vm *find_id(u64 id)
{
	struct nvx_vm *vm;
	int bucket;

	hash_for_each(vms, bucket, vm, node)
		if (vm->id == id)
			return vm;
	return NULL;
}

static int next_vm(struct nvx_switch_vm *next)
{
	struct nvx_vm *vm, *found = NULL;
	int bucket;

	hash_for_each(vms, bucket, vm, node)
		if (vm->id > next->vm && (!found || vm->id < found->id))
			found = vm;
	if (!found)
		return -ENOENT;
	next->vm = found->id;
	next->pid = found->kvm->userspace_pid;
	next->vcpus = atomic_read(&found->kvm->online_vcpus);
	return 0;
}

static void describe(struct nvx_vm *vm, struct nvx_switch_state *state)
{
	struct kvm_vcpu *vcpu;
	unsigned long i;

	state->offered = 0;
	state->negotiated = 0;
	state->in_use = 0;
	state->reserved = 0;
	if (!vm || !describe_vcpu)
		return;
	kvm_for_each_vcpu(i, vcpu, vm->kvm)
		describe_vcpu(vcpu, state);
}

static int access_state(struct nvx_switch_state *state, bool set)
{
	struct nvx_settings *settings = &defaults;
	struct nvx_vm *vm = NULL;

	if (state->vm != NVX_SWITCH_DEFAULTS) {
		vm = find_id(state->vm);
		if (!vm)
			return -ESRCH;
		settings = &vm->set;
	}
	if (state->id >= NVX_SWITCH_COUNT)
		return -ENOENT;
	if (set) {
		switch (nvx_switch_check(state->id, state->value, vm)) {
		case NVX_SWITCH_OK:
			break;
		case NVX_SWITCH_NONE:
			return -ENOENT;
		case NVX_SWITCH_RANGE:
			return -ERANGE;
		case NVX_SWITCH_FIXED:
			return -EBUSY;
		}
		WRITE_ONCE(settings->value[state->id], state->value);
	}
	state->value = settings->value[state->id];
	describe(vm, state);
	return 0;
}

static long ctl_info(void __user *user)
{
	struct nvx_switch_info info;

	if (copy_from_user(&info, user, sizeof(info)))
		return -EFAULT;
	if (!nvx_switch_describe(info.id, &info))
		return -ENOENT;
	return copy_to_user(user, &info, sizeof(info)) ? -EFAULT : 0;
}

static long ctl_next(void __user *user)
{
	struct nvx_switch_vm next;
	int r;

	if (copy_from_user(&next, user, sizeof(next)))
		return -EFAULT;
	mutex_lock(&vms_lock);
	r = next_vm(&next);
	mutex_unlock(&vms_lock);
	if (r)
		return r;
	return copy_to_user(user, &next, sizeof(next)) ? -EFAULT : 0;
}

static long ctl_state(void __user *user, bool set)
{
	struct nvx_switch_state state;
	int r;

	if (copy_from_user(&state, user, sizeof(state)))
		return -EFAULT;
	mutex_lock(&vms_lock);
	r = access_state(&state, set);
	mutex_unlock(&vms_lock);
	if (r)
		return r;
	return copy_to_user(user, &state, sizeof(state)) ? -EFAULT : 0;
}

static long ctl_ioctl(struct file *file, unsigned int request, unsigned long arg)
{
	void __user *user = (void __user *)arg;

	switch (request) {
	case NVX_SWITCH_INFO:
		return ctl_info(user);
	case NVX_SWITCH_NEXT_VM:
		return ctl_next(user);
	case NVX_SWITCH_GET:
		return ctl_state(user, false);
	case NVX_SWITCH_SET:
		return ctl_state(user, true);
	}
	return -ENOTTY;
}

/* The file's mode may be changed; who may change how guests run may not. */
static int ctl_open(struct inode *inode, struct file *file)
{
	return capable(CAP_SYS_ADMIN) ? 0 : -EPERM;
}

static const struct file_operations ctl_fops = {
	.owner = THIS_MODULE,
	.open = ctl_open,
	.unlocked_ioctl = ctl_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.llseek = noop_llseek,
};

static struct miscdevice ctl_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "nvx",
	.fops = &ctl_fops,
	.mode = 0600,
};

static bool registered;

void nvx_ctl_init(void)
{
	int r;

	nvx_settings_stock(&defaults);
	r = misc_register(&ctl_device);
	registered = !r;
	if (r)
		pr_err("nvx: no " NVX_SWITCH_DEVICE " (%d): switches stay as in stock KVM\n", r);
}

void nvx_ctl_exit(void)
{
	if (registered)
		misc_deregister(&ctl_device);
}
