// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <locale.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "util/table.h"
#include "util/utf8.h"

struct row {
	bool line;    /* one text over all columns: cell[0] */
	char *cell[]; /* `columns` of them, or one */
};

struct nvx_table {
	unsigned int columns;
	size_t nr, capacity;
	bool failed; /* a row was lost for want of memory */
	struct row **row;
	enum nvx_align align[];
};

struct nvx_table *nvx_table__new(unsigned int columns, const enum nvx_align *align)
{
	struct nvx_table *t = calloc(1, sizeof(*t) + columns * sizeof(t->align[0]));

	if (!t)
		return NULL;
	t->columns = columns;
	memcpy(t->align, align, columns * sizeof(t->align[0]));
	return t;
}

/* A copy that is valid, printable UTF-8; never longer than its source. */
static char *clean_copy(const char *text)
{
	size_t len = text ? strlen(text) : 0;
	char *copy = malloc(len + 1);

	if (copy)
		nvx_utf8__sanitize(copy, len + 1, text ? text : "", len);
	return copy;
}

static void free_row(struct row *row, unsigned int cells)
{
	if (!row)
		return;
	for (unsigned int i = 0; i < cells; i++)
		free(row->cell[i]);
	free(row);
}

static void append(struct nvx_table *t, const char *const *cells, unsigned int nr, bool line)
{
	struct row *row = calloc(1, sizeof(*row) + nr * sizeof(row->cell[0]));

	if (!row)
		goto fail;
	row->line = line;
	for (unsigned int i = 0; i < nr; i++) {
		row->cell[i] = clean_copy(cells[i]);
		if (!row->cell[i])
			goto fail;
	}
	if (t->nr == t->capacity) {
		size_t capacity = t->capacity ? 2 * t->capacity : 32;
		struct row **grown = realloc(t->row, capacity * sizeof(*grown));

		if (!grown)
			goto fail;
		t->row = grown;
		t->capacity = capacity;
	}
	t->row[t->nr++] = row;
	return;
fail:
	free_row(row, nr);
	t->failed = true;
}

void nvx_table__row(struct nvx_table *t, const char *const *cells)
{
	append(t, cells, t->columns, false);
}

void nvx_table__line(struct nvx_table *t, const char *text)
{
	append(t, &text, 1, true);
}

/* Columns of one printable character. */
static unsigned int char_width(uint32_t cp)
{
	int w = cp < 0x80 ? 1 : wcwidth((wchar_t)cp);

	/* Where the C library has no table for it, one column is the best guess. */
	return w < 0 ? 1 : (unsigned int)w;
}

static unsigned int text_width(const char *text)
{
	size_t len = strlen(text);
	unsigned int width = 0;

	while (len > 0) {
		uint32_t cp;
		size_t n = nvx_utf8__decode(text, len, &cp);

		width += n > 0 && nvx_utf8__printable(cp) ? char_width(cp) : 1;
		n = n ? n : 1;
		text += n;
		len -= n;
	}
	return width;
}

/*
 * wcwidth() knows only the characters of the current locale.  C.UTF-8 exists on every Debian; a
 * rescue system without it gets one column a character.
 */
static locale_t enter_utf8(locale_t *old)
{
	locale_t loc = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);

	*old = loc ? uselocale(loc) : (locale_t)0;
	return loc;
}

static void leave_utf8(locale_t loc, locale_t old)
{
	if (!loc)
		return;
	uselocale(old);
	freelocale(loc);
}

unsigned int nvx_table__width(const char *text)
{
	locale_t old, loc = enter_utf8(&old);
	unsigned int width = text_width(text);

	leave_utf8(loc, old);
	return width;
}

static void print_row(const struct nvx_table *t, const struct row *row, const unsigned int *width,
		      FILE *out)
{
	unsigned int pending = 0; /* blanks that are only printed when text follows */

	for (unsigned int i = 0; i < t->columns; i++) {
		unsigned int own = text_width(row->cell[i]);
		unsigned int pad = width[i] - own;

		if (t->align[i] == NVX_RIGHT)
			pending += pad;
		if (own > 0) {
			fprintf(out, "%*s%s", (int)pending, "", row->cell[i]);
			pending = 0;
		}
		if (t->align[i] == NVX_LEFT)
			pending += pad;
		pending += 2;
	}
	fputc('\n', out);
}

int nvx_table__print(const struct nvx_table *t, FILE *out, unsigned int indent)
{
	unsigned int *width = calloc(t->columns ? t->columns : 1, sizeof(*width));
	locale_t old, loc;

	if (!width || t->failed) {
		free(width);
		return -ENOMEM;
	}
	loc = enter_utf8(&old);
	for (size_t r = 0; r < t->nr; r++) {
		for (unsigned int i = 0; !t->row[r]->line && i < t->columns; i++) {
			unsigned int own = text_width(t->row[r]->cell[i]);

			if (own > width[i])
				width[i] = own;
		}
	}
	for (size_t r = 0; r < t->nr; r++) {
		if (t->row[r]->line) {
			if (t->row[r]->cell[0][0])
				fprintf(out, "%*s%s", (int)indent, "", t->row[r]->cell[0]);
			fputc('\n', out);
			continue;
		}
		fprintf(out, "%*s", (int)indent, "");
		print_row(t, t->row[r], width, out);
	}
	leave_utf8(loc, old);
	free(width);
	return ferror(out) ? -EIO : 0;
}

void nvx_table__free(struct nvx_table *t)
{
	if (!t)
		return;
	for (size_t r = 0; r < t->nr; r++)
		free_row(t->row[r], t->row[r]->line ? 1 : t->columns);
	free(t->row);
	free(t);
}
