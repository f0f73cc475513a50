/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Golden files: what a view prints, compared byte by byte with tests/golden/.
 * `make golden` writes them anew; the diff is then to be read and committed.
 */
#ifndef NVX_TESTS_GOLDEN_H
#define NVX_TESTS_GOLDEN_H

#include "unit.h"

#ifndef GOLDEN_DIR
#define GOLDEN_DIR "tests/golden"
#endif

static inline char *golden_read(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;
	ssize_t len;

	if (!f)
		return NULL;
	len = getdelim(&text, &size, '\0', f);
	fclose(f);
	if (len >= 0)
		return text;
	free(text);
	return strdup("");
}

static inline void golden_write(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

/* The first line that differs says more than two pages side by side. */
static inline void golden(const char *name, const char *got)
{
	char path[256], *want, *w;
	unsigned int line = 1;
	const char *g = got;

	snprintf(path, sizeof(path), GOLDEN_DIR "/%s", name);
	if (getenv("NVX_GOLDEN_WRITE")) {
		golden_write(path, got);
		return;
	}
	want = golden_read(path);
	if (!want)
		fail_msg("%s is missing; `make golden` writes it", path);
	for (w = want; *w && *w == *g; w++, g++)
		line += *w == '\n';
	if (*w || *g) {
		while (w > want && w[-1] != '\n') {
			w--;
			g--;
		}
		print_error("%s, line %u differs\n", path, line);
		print_error("want: %.*s\n", (int)strcspn(w, "\n"), w);
		print_error("got:  %.*s\n", (int)strcspn(g, "\n"), g);
		free(want);
		fail();
	}
	free(want);
}

#endif
