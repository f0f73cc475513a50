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

int nvx_switch__set(const struct nvx_switch *s, const char *value, char *err)
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

int nvx_switch__restore(const struct nvx_switch *s, char *err)
{
	return nvx_switch__set(s, s->original, err);
}
