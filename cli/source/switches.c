// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "source/switches.h"
#include "source/vmname.h"

int nvx_switches__open(const char *device)
{
	int fd = open(device ? device : NVX_SWITCH_DEVICE, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

const char *nvx_switches__reason(int err)
{
	switch (err) {
	case -ENOENT:
	case -ENXIO:
	case -ENODEV:
		return "the feature module is not loaded: stock KVM has no switches; "
		       "`make kmod-install` installs it";
	case -EACCES:
	case -EPERM:
		return "only root may use " NVX_SWITCH_DEVICE ": run this as root";
	default:
		return "cannot open " NVX_SWITCH_DEVICE;
	}
}

static int call(int fd, unsigned long request, void *arg)
{
	return ioctl(fd, request, arg) ? -errno : 0;
}

static int read_switches(int fd, struct nvx_features *f)
{
	int err = 0;

	for (f->nr = 0; f->nr < NVX_FEATURES_MAX; f->nr++) {
		struct nvx_switch_info *info = &f->info[f->nr];

		*info = (struct nvx_switch_info){.id = f->nr};
		err = call(fd, NVX_SWITCH_INFO, info);
		if (err)
			break;
		info->name[sizeof(info->name) - 1] = '\0';
		info->effect[sizeof(info->effect) - 1] = '\0';
	}
	return err == -ENOENT ? 0 : err;
}

static int read_states(int fd, const struct nvx_features *f, struct nvx_feature_vm *vm)
{
	for (unsigned int i = 0; i < f->nr; i++) {
		int err;

		vm->state[i] = (struct nvx_switch_state){.vm = vm->vm, .id = i};
		err = call(fd, NVX_SWITCH_GET, &vm->state[i]);
		if (err)
			return err;
	}
	return 0;
}

/* A VM that ends meanwhile is left out. */
static int add_vm(int fd, struct nvx_features *f, const struct nvx_switch_vm *found)
{
	struct nvx_feature_vm *grown = realloc(f->vm, (f->nr_vms + 1) * sizeof(*f->vm));
	struct nvx_feature_vm *vm;
	struct nvx_vmname id;
	int err;

	if (!grown)
		return -ENOMEM;
	f->vm = grown;
	vm = &f->vm[f->nr_vms];
	*vm = (struct nvx_feature_vm){.vm = found->vm, .pid = found->pid, .vcpus = found->vcpus};
	nvx_vmname__read("/proc", vm->pid, &id);
	snprintf(vm->name, sizeof(vm->name), "%s", id.name);
	err = read_states(fd, f, vm);
	if (!err)
		f->nr_vms++;
	return err == -ESRCH ? 0 : err;
}

int nvx_switches__read(int fd, struct nvx_features *f)
{
	struct nvx_switch_vm next = {0};
	int err;

	*f = (struct nvx_features){.module = true};
	err = read_switches(fd, f);
	if (!err)
		err = read_states(fd, f, &f->defaults);
	while (!err) {
		err = call(fd, NVX_SWITCH_NEXT_VM, &next);
		if (!err)
			err = add_vm(fd, f, &next);
		else if (err == -ENOENT)
			return 0;
	}
	if (err)
		nvx_features__free(f);
	return err;
}

int nvx_switches__set(int fd, uint64_t vm, uint32_t id, uint32_t value)
{
	struct nvx_switch_state state = {.vm = vm, .id = id, .value = value};

	return call(fd, NVX_SWITCH_SET, &state);
}

int nvx_switches__get(int fd, uint64_t vm, uint32_t id, uint32_t *value)
{
	struct nvx_switch_state state = {.vm = vm, .id = id};
	int err = call(fd, NVX_SWITCH_GET, &state);

	if (!err)
		*value = state.value;
	return err;
}
