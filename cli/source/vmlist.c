// SPDX-License-Identifier: GPL-2.0-only
#include "source/vmlist.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "source/vmname.h"

static void count_fds(const char *proc, const char *pid, struct nvx_vmlist_entry *e)
{
	char path[512], target[64];
	struct dirent *d;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/%s/fd", proc, pid);
	dir = opendir(path);
	if (!dir)
		return;
	while ((d = readdir(dir))) {
		ssize_t len = readlinkat(dirfd(dir), d->d_name, target, sizeof(target) - 1);

		if (len < 0)
			continue;
		target[len] = 0;
		e->vms += !strcmp(target, "anon_inode:kvm-vm");
		e->vcpus += !strncmp(target, "anon_inode:kvm-vcpu", 19);
	}
	closedir(dir);
}

static int by_pid(const void *a, const void *b)
{
	const struct nvx_vmlist_entry *x = a, *y = b;

	return x->pid < y->pid ? -1 : x->pid > y->pid;
}

/* Call back for every process that runs a VM; stops at the first result that is not 0. */
static int each(const char *proc, int (*fn)(const struct nvx_vmlist_entry *, void *), void *arg)
{
	struct dirent *d;
	DIR *dir = opendir(proc);
	int ret = 0;

	while (!ret && dir && (d = readdir(dir))) {
		struct nvx_vmlist_entry e = {};

		if (d->d_name[0] < '1' || d->d_name[0] > '9')
			continue;
		count_fds(proc, d->d_name, &e);
		e.pid = strtoul(d->d_name, NULL, 10);
		if (e.vms)
			ret = fn(&e, arg);
	}
	if (dir)
		closedir(dir);
	return ret;
}

struct list {
	const char *proc;
	struct nvx_vmlist_entry *v;
	size_t nr;
};

static int append(const struct nvx_vmlist_entry *e, void *arg)
{
	struct list *l = arg;
	struct nvx_vmlist_entry *more = realloc(l->v, (l->nr + 1) * sizeof(*more));

	if (!more)
		return -ENOMEM;
	l->v = more;
	more[l->nr] = *e;
	nvx_vmname__read(l->proc, e->pid, &more[l->nr].id);
	l->nr++;
	return 0;
}

long nvx_vmlist(const char *proc, struct nvx_vmlist_entry **out)
{
	struct list l = { .proc = proc };
	int ret = each(proc, append, &l);

	if (ret) {
		free(l.v);
		return ret;
	}
	if (l.nr)
		qsort(l.v, l.nr, sizeof(*l.v), by_pid);
	*out = l.v;
	return l.nr;
}

static int add_vcpus(const struct nvx_vmlist_entry *e, void *arg)
{
	*(uint32_t *)arg += e->vcpus;
	return 0;
}

uint32_t nvx_vmlist__vcpus(const char *proc)
{
	uint32_t n = 0;

	each(proc, add_vcpus, &n);
	return n;
}
