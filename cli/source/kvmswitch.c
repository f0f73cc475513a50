// SPDX-License-Identifier: GPL-2.0-only
#include "source/kvmswitch.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "source/switches.h"
#include "util/argutil.h"

static const char *const modules[] = { "kvm", "kvm_intel", "kvm_amd" };

static int read_value(const char *path, char *buf, size_t size)
{
	FILE *f = fopen(path, "re");
	int ret = 0;

	if (!f)
		return -errno;
	if (!fgets(buf, size, f))
		ret = ferror(f) ? -EIO : (*buf = '\0', 0);
	fclose(f);
	buf[strcspn(buf, "\n")] = '\0';
	return ret;
}

/* The parameters that someone may write, as one list for a message. */
static void list(const char *root, char *buf, size_t size)
{
	size_t n = 0;

	*buf = '\0';
	for (size_t m = 0; m < sizeof(modules) / sizeof(*modules); m++) {
		struct dirent *e;
		char path[400];
		struct stat st;
		DIR *d;

		snprintf(path, sizeof(path), "%s/sys/module/%s/parameters", root, modules[m]);
		d = opendir(path);
		while (d && (e = readdir(d)))
			if (!fstatat(dirfd(d), e->d_name, &st, 0) && S_ISREG(st.st_mode) &&
			    st.st_mode & 0200 && n < size)
				n += snprintf(buf + n, size - n, "%s%s", n ? ", " : "", e->d_name);
		if (d)
			closedir(d);
	}
}

int nvx_switch__find(const char *root, const char *name, struct nvx_switch *s, char *err)
{
	const char *dot = strchr(name, '.'), *param = dot ? dot + 1 : name;
	char there[200];
	struct stat st;
	int ret;

	*s = (struct nvx_switch){ 0 };
	for (size_t m = 0; m < sizeof(modules) / sizeof(*modules); m++) {
		if (dot && (strlen(modules[m]) != (size_t)(dot - name) ||
			    strncmp(modules[m], name, dot - name)))
			continue;
		snprintf(s->path, sizeof(s->path), "%s/sys/module/%s/parameters/%s", root,
			 modules[m], param);
		snprintf(s->name, sizeof(s->name), "%s.%s", modules[m], param);
		if (strchr(param, '/') || stat(s->path, &st))
			continue;
		if (!(st.st_mode & 0222)) {
			snprintf(err, NVX_SWITCH_ERR, "%s cannot change while its module is loaded",
				 s->name);
			return -EACCES;
		}
		ret = read_value(s->path, s->original, sizeof(s->original));
		if (ret)
			snprintf(err, NVX_SWITCH_ERR, "cannot read %s: %s", s->path, strerror(-ret));
		return ret;
	}
	list(root, there, sizeof(there));
	snprintf(err, NVX_SWITCH_ERR, "no switch `%.60s`; there are: %s", name,
		 *there ? there : "none, KVM is not loaded");
	return -ENOENT;
}

/* The kernel shows a bool as Y or N, whatever was written. */
static int same(const char *got, const char *want)
{
	static const char *const yes[] = { "Y", "y", "1", "on" }, *const no[] = { "N", "n", "0", "off" };
	int g = -1, w = -1;

	if (!strcmp(got, want))
		return 1;
	for (size_t i = 0; i < 4; i++) {
		g = !strcasecmp(got, yes[i]) ? 1 : !strcasecmp(got, no[i]) ? 0 : g;
		w = !strcasecmp(want, yes[i]) ? 1 : !strcasecmp(want, no[i]) ? 0 : w;
	}
	return g >= 0 && g == w;
}

static int set_parameter(const struct nvx_switch *s, const char *value, char *err)
{
	int fd = open(s->path, O_WRONLY | O_CLOEXEC), ret = 0;
	char now[128] = "";

	if (fd < 0 || write(fd, value, strlen(value)) < 0)
		ret = -errno;
	if (fd >= 0)
		close(fd);
	if (ret) {
		snprintf(err, NVX_SWITCH_ERR, "cannot set %s to %s: %s", s->name, value,
			 strerror(-ret));
		return ret;
	}
	ret = read_value(s->path, now, sizeof(now));
	if (!ret && !same(now, value))
		ret = -EINVAL;
	if (ret)
		snprintf(err, NVX_SWITCH_ERR, "%s was set to %s, but reads %s", s->name, value,
			 ret == -EINVAL ? now : strerror(-ret));
	return ret;
}

/* The VM that a switch is to be set of; NULL with a message in err. */
static const struct nvx_feature_vm *which_vm(const struct nvx_features *f, const char *name,
					     const char *vm_name, uint32_t pid, char *err)
{
	const struct nvx_feature_vm *vm = NULL;
	char text[16];
	size_t nr;

	snprintf(text, sizeof(text), "%u", pid);
	if (!vm_name && !pid) {
		snprintf(err, NVX_SWITCH_ERR, "%s is a switch of one VM: which? --vm NAME or -p PID",
			 name);
		return NULL;
	}
	nr = nvx_features__find(f, pid ? text : vm_name, &vm);
	if (!nr)
		snprintf(err, NVX_SWITCH_ERR, "no VM `%.60s`; `nvx features` lists them",
			 pid ? text : vm_name);
	if (nr > 1)
		snprintf(err, NVX_SWITCH_ERR, "%zu VMs are called `%.60s`; give -p PID", nr,
			 pid ? text : vm_name);
	return nr == 1 ? vm : NULL;
}

int nvx_switch__find_feature(const char *device, const char *name, const char *vm_name,
			     uint32_t pid, struct nvx_switch *s, char *err)
{
	const struct nvx_feature_vm *vm;
	struct nvx_features f;
	int fd = nvx_switches__open(device), ret = fd < 0 ? fd : nvx_switches__read(fd, &f);
	unsigned int i = 0;

	if (fd >= 0)
		close(fd);
	if (ret)
		return -ENODEV;
	while (i < f.nr && strcmp(f.info[i].name, name))
		i++;
	ret = i < f.nr ? -EINVAL : -ENODEV;
	vm = i < f.nr ? which_vm(&f, name, vm_name, pid, err) : NULL;
	if (vm && !(f.info[i].flags & NVX_SWITCH_LIVE)) {
		snprintf(err, NVX_SWITCH_ERR, "%s cannot change while its VM runs", name);
	} else if (vm) {
		*s = (struct nvx_switch){ .feature = true, .vm = vm->vm, .id = f.info[i].id };
		snprintf(s->path, sizeof(s->path), "%s", device ? device : NVX_SWITCH_DEVICE);
		snprintf(s->name, sizeof(s->name), "%s", name);
		snprintf(s->original, sizeof(s->original), "%u", vm->state[i].value);
		ret = 0;
	}
	nvx_features__free(&f);
	return ret;
}

static int set_feature(const struct nvx_switch *s, const char *value, char *err)
{
	int fd = nvx_switches__open(s->path), ret = fd < 0 ? fd : 0;
	uint32_t now = 0;
	uint64_t want;

	if (!ret)
		ret = nvx_arg__u64(value, UINT32_MAX, &want);
	if (!ret)
		ret = nvx_switches__set(fd, s->vm, s->id, want);
	if (!ret)
		ret = nvx_switches__get(fd, s->vm, s->id, &now);
	if (fd >= 0)
		close(fd);
	if (ret)
		snprintf(err, NVX_SWITCH_ERR, "cannot set %s to %s: %s", s->name, value,
			 ret == -ESRCH ? "the VM is gone" : strerror(-ret));
	else if (now != want)
		snprintf(err, NVX_SWITCH_ERR, "%s was set to %s, but reads %u", s->name, value, now);
	return ret ? ret : now == want ? 0 : -EINVAL;
}

int nvx_switch__set(const struct nvx_switch *s, const char *value, char *err)
{
	if (s->feature)
		return set_feature(s, value, err);
	return set_parameter(s, value, err);
}

int nvx_switch__restore(const struct nvx_switch *s, char *err)
{
	return nvx_switch__set(s, s->original, err);
}
