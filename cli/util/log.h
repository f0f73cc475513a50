/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Messages for the person at the terminal: one line each, on stderr, `nvx: ...`.
 * stdout belongs to the views, so that `nvx stat --json | jq` never meets a warning.
 */
#ifndef NVX_UTIL_LOG_H
#define NVX_UTIL_LOG_H

#include <stdarg.h>
#include <stdbool.h>

enum nvx_log_level {
	NVX_LOG_ERROR, /* the command fails because of this */
	NVX_LOG_WARN,  /* the command goes on, its result is affected */
	NVX_LOG_INFO,  /* what the command decided; shown with -v */
	NVX_LOG_DEBUG, /* details for who debugs nvx; shown with -vv */
};

/* The highest level that is printed; NVX_LOG_WARN at start.  The one global of the program. */
extern enum nvx_log_level nvx_log_level;

/* Would a message of this level be printed? */
bool nvx_log__enabled(enum nvx_log_level level);

/* Print one line; a newline is added unless the text already ends in one. */
void nvx_log(enum nvx_log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* As nvx_log, for callbacks such as libbpf's print function. */
void nvx_vlog(enum nvx_log_level level, const char *fmt, va_list ap)
	__attribute__((format(printf, 2, 0)));

#define nvx_error(...) nvx_log(NVX_LOG_ERROR, __VA_ARGS__)
#define nvx_warn(...) nvx_log(NVX_LOG_WARN, __VA_ARGS__)
#define nvx_info(...) nvx_log(NVX_LOG_INFO, __VA_ARGS__)
#define nvx_debug(...) nvx_log(NVX_LOG_DEBUG, __VA_ARGS__)

#endif
