// SPDX-License-Identifier: GPL-2.0-only
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/log.h"

enum nvx_log_level nvx_log_level = NVX_LOG_WARN;

bool nvx_log__enabled(enum nvx_log_level level)
{
	return level <= nvx_log_level;
}

void nvx_vlog(enum nvx_log_level level, const char *fmt, va_list ap)
{
	static const char *const prefix[] = {
		[NVX_LOG_ERROR] = "nvx: ",
		[NVX_LOG_WARN] = "nvx: warning: ",
		[NVX_LOG_INFO] = "nvx: ",
		[NVX_LOG_DEBUG] = "nvx: debug: ",
	};
	char *line = NULL;
	int len;

	if (!nvx_log__enabled(level))
		return;
	/* A verifier's log is one message, and its end is what matters. */
	len = vasprintf(&line, fmt, ap);
	if (len < 0) {
		fprintf(stderr, "%sout of memory for a message: %s\n", prefix[level], fmt);
		return;
	}
	/* One call a line, so that lines of threads do not mix. */
	fprintf(stderr, "%s%s%s", prefix[level], line, len && line[len - 1] == '\n' ? "" : "\n");
	free(line);
}

void nvx_log(enum nvx_log_level level, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	nvx_vlog(level, fmt, ap);
	va_end(ap);
}
