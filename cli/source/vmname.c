// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "source/vmname.h"

/* No VMM's own command line is larger; a hostile one is cut here. */
#define CMDLINE_MAX (2u << 20)

#define CGROUP_MAX (64u << 10)

/* Up to max bytes of a /proc file, which has no size before it is read.  -errno or 0. */
static int read_all(const char *path, size_t max, char **data, size_t *len)
{
	size_t capacity = 4096, used = 0;
	char *buf = malloc(capacity);
	int fd, err = 0;

	if (!buf)
		return -ENOMEM;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		err = -errno;
		goto free_buf;
	}
	while (used < max) {
		ssize_t n;

		if (used == capacity) {
			char *grown = realloc(buf, 2 * capacity);

			if (!grown) {
				err = -ENOMEM;
				goto close_fd;
			}
			buf = grown;
			capacity *= 2;
		}
		n = read(fd, buf + used, (capacity < max ? capacity : max) - used);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			err = -errno;
			goto close_fd;
		}
		if (n == 0)
			break;
		used += (size_t)n;
	}
	close(fd);
	*data = buf;
	*len = used;
	return 0;
close_fd:
	close(fd);
free_buf:
	free(buf);
	return err;
}

static void read_comm(const char *proc, uint32_t pid, char *comm, size_t size)
{
	char path[4096];
	char *data;
	size_t len;

	comm[0] = '\0';
	snprintf(path, sizeof(path), "%s/%" PRIu32 "/comm", proc, pid);
	if (read_all(path, size - 1, &data, &len))
		return;
	if (len > 0 && data[len - 1] == '\n')
		len--;
	memcpy(comm, data, len);
	comm[len] = '\0';
	free(data);
}

int nvx_vmname__read(const char *proc, uint32_t pid, struct nvx_vmname *out)
{
	char path[4096], comm[64];
	char *cmdline = NULL, *cgroup;
	size_t len = 0;
	int err;

	read_comm(proc, pid, comm, sizeof(comm));
	snprintf(path, sizeof(path), "%s/%" PRIu32 "/cmdline", proc, pid);
	err = read_all(path, CMDLINE_MAX, &cmdline, &len);
	/* Whatever went wrong, the VM keeps a name: its counts are worth more than the title. */
	nvx_vmname__parse(err ? "" : cmdline, err ? 0 : len, comm, pid, out);
	free(cmdline);
	snprintf(path, sizeof(path), "%s/%" PRIu32 "/cgroup", proc, pid);
	if (!read_all(path, CGROUP_MAX, &cgroup, &len)) {
		nvx_vmname__pod(cgroup, len, out);
		free(cgroup);
	}
	return err == -ENOENT || err == -ESRCH ? -ESRCH : 0;
}
