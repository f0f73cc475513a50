/* SPDX-License-Identifier: GPL-2.0-only */
/* What the unit tests share: cmocka and its includes, and directories of fixture files. */
#ifndef NVX_TESTS_UNIT_H
#define NVX_TESTS_UNIT_H

#include <errno.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* A new empty directory; rm_dir removes it with all that is in it. */
static inline char *make_dir(void)
{
	char *dir = strdup("/tmp/nvx-unit-XXXXXX");

	assert_non_null(mkdtemp(dir));
	return dir;
}

static inline int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline void rm_dir(char *dir)
{
	assert_int_equal(nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
	free(dir);
}

/* Write a file below dir, its directories included; a path that ends in / is a directory. */
static inline void put_bytes(const char *dir, const char *path, const void *data, size_t len)
{
	char full[4096];
	FILE *f;

	snprintf(full, sizeof(full), "%s/%s", dir, path);
	for (char *p = full + strlen(dir) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		if (mkdir(full, 0755))
			assert_int_equal(errno, EEXIST);
		*p = '/';
	}
	if (full[strlen(full) - 1] == '/')
		return;
	f = fopen(full, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static inline void put(const char *dir, const char *path, const char *text)
{
	put_bytes(dir, path, text, strlen(text));
}

#endif
