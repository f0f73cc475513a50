// SPDX-License-Identifier: GPL-2.0-only
#include "source/tpformat.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *nvx_tracefs(void)
{
	static const char *const at[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	char path[80];

	for (unsigned int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/events", at[i]);
		if (!access(path, R_OK | X_OK))
			return at[i];
	}
	return NULL;
}

static void format_path(char *buf, size_t size, const char *tracefs, const char *system,
			const char *event)
{
	snprintf(buf, size, "%s/events/%s/%s/format", tracefs, system, event);
}

int nvx_tpformat__exists(const char *tracefs, const char *system, const char *event)
{
	char path[256];

	format_path(path, sizeof(path), tracefs, system, event);
	if (!access(path, R_OK))
		return 1;
	return errno == ENOENT ? 0 : -errno;
}

/* "	field:unsigned int exit_reason;	offset:8;	size:4;	signed:0;" */
static int parse_line(const char *line, const char *field)
{
	const char *at = strstr(line, "field:"), *end, *off;
	size_t len = strlen(field);
	int value;

	if (!at)
		return -ENOENT;
	end = strchr(at, ';');
	if (!end || (size_t)(end - at) <= len || strncmp(end - len, field, len) ||
	    (end[-(long)len - 1] != ' ' && end[-(long)len - 1] != '*'))
		return -ENOENT;
	off = strstr(end, "offset:");
	if (!off || sscanf(off, "offset:%d;", &value) != 1 || value < 0 || value > 4096)
		return -EINVAL;
	return value;
}

int nvx_tpformat__offset(const char *tracefs, const char *system, const char *event,
			 const char *field)
{
	char path[256], line[1024];
	int ret = -ENOENT;
	FILE *f;

	format_path(path, sizeof(path), tracefs, system, event);
	f = fopen(path, "re");
	if (!f)
		return -errno;
	/* the last line is the print format, longer than the buffer and of no interest */
	while (ret == -ENOENT && fgets(line, sizeof(line), f) && strncmp(line, "print fmt", 9))
		ret = parse_line(line, field);
	fclose(f);
	return ret;
}
