/* SPDX-License-Identifier: GPL-2.0-only */
/* Comparing two sides of session files, as `nvx diff` and `nvx tune` do. */
#ifndef NVX_CMD_DIFF_H
#define NVX_CMD_DIFF_H

#include <stddef.h>
#include <stdio.h>

#include "model/rows.h"
#include "view/diff.h"

enum diff_format { DIFF_TEXT, DIFF_MARKDOWN, DIFF_JSON };

struct diff_want {
	const char *const *file[2]; /* of side A and B */
	size_t nr[2];
	struct nvx_filter filter;
	size_t top;
	enum diff_format format;
};

/* Read the files, compare, print.  0, or 1 after a message. */
int diff_files(const struct diff_want *want, FILE *out);

/* Show a page; 0 or -errno. */
typedef int (*diff_show_fn)(const struct nvx_diff_page *page, void *arg);

/* The same with the page for someone else to show. */
int diff_compare(const struct diff_want *want, diff_show_fn show, void *arg);

#endif
