// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "source/probe_priv.h"

int nvx_probe__read(char *buf, size_t size, const char *fmt, ...)
{
	char path[8192];
	ssize_t n;
	va_list ap;
	int fd, err = 0;

	buf[0] = '\0';
	va_start(ap, fmt);
	vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	n = read(fd, buf, size - 1);
	if (n < 0) {
		err = -errno;
		n = 0;
	}
	close(fd);
	buf[n] = '\0';
	if (n > 0 && buf[n - 1] == '\n')
		buf[n - 1] = '\0';
	return err;
}

enum nvx_have nvx_probe__exists(const char *fmt, ...)
{
	char path[8192];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	/* as this process would open it: access() asks for the real user */
	if (!faccessat(AT_FDCWD, path, R_OK, AT_EACCESS))
		return NVX_HAVE_YES;
	return errno == ENOENT || errno == ENOTDIR ? NVX_HAVE_NO : NVX_HAVE_UNKNOWN;
}

void nvx_probe__row(struct nvx_probe *p, const char *group, const char *id, const char *label,
		    enum nvx_have have, const char *consequence, const char *fmt, ...)
{
	struct nvx_probe_row *row;
	va_list ap;

	if (p->nr_rows == NVX_PROBE_ROWS_MAX)
		return;
	row = &p->row[p->nr_rows++];
	*row = (struct nvx_probe_row){.id = id,
				      .group = group,
				      .label = label,
				      .have = have,
				      .consequence = consequence ? consequence : ""};
	va_start(ap, fmt);
	vsnprintf(row->detail, sizeof(row->detail), fmt, ap);
	va_end(ap);
}

static void find_tracefs(struct nvx_probe_paths *paths, const char *wanted)
{
	static const char *const places[] = {"kernel/tracing", "kernel/debug/tracing"};

	if (wanted) {
		snprintf(paths->tracefs, sizeof(paths->tracefs), "%s", wanted);
		return;
	}
	for (size_t i = 0; i < 2; i++) {
		/*
		 * The directory is there, empty, where tracefs is not mounted; to those who may not
		 * look inside it is a question without answer, which also ends the search.
		 */
		snprintf(paths->tracefs, sizeof(paths->tracefs), "%s/%s", paths->sys, places[i]);
		if (nvx_probe__exists("%s/events", paths->tracefs) != NVX_HAVE_NO)
			return;
	}
	paths->tracefs[0] = '\0';
}

int nvx_probe__run(const struct nvx_probe_roots *roots, struct nvx_probe *out)
{
	static const struct nvx_probe_roots none;
	struct nvx_probe_paths paths = {0};

	if (!roots)
		roots = &none;
	paths.proc = roots->proc ? roots->proc : "/proc";
	paths.sys = roots->sys ? roots->sys : "/sys";
	paths.dev = roots->dev ? roots->dev : "/dev";
	if (roots->btf)
		snprintf(paths.btf, sizeof(paths.btf), "%s", roots->btf);
	else
		snprintf(paths.btf, sizeof(paths.btf), "%s/kernel/btf", paths.sys);
	find_tracefs(&paths, roots->tracefs);

	memset(out, 0, sizeof(*out));
	nvx_probe__host(out, &paths);
	nvx_probe__kvm(out, &paths);
	nvx_probe__btf(out, &paths);
	nvx_probe__tracefs(out, &paths);
	nvx_probe__privileges(out, &paths);
	nvx_probe__conclude(out);
	return 0;
}
