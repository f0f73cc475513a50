// SPDX-License-Identifier: GPL-2.0-only
#include "util/screen.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "util/utf8.h"

struct nvx_screen *nvx_screen__new(unsigned int rows, unsigned int cols, bool ascii)
{
	struct nvx_screen *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->rows = rows ? rows : 1;
	s->cols = cols ? cols : 1;
	s->ascii = ascii;
	s->cell = malloc((size_t)s->rows * s->cols * sizeof(*s->cell));
	if (!s->cell) {
		free(s);
		return NULL;
	}
	for (size_t i = 0; i < (size_t)s->rows * s->cols; i++)
		s->cell[i] = (struct nvx_cell){ ' ', NVX_LOOK_PLAIN };
	return s;
}

void nvx_screen__free(struct nvx_screen *s)
{
	if (!s)
		return;
	free(s->cell);
	free(s);
}

/* Columns of a printable character: 0 for what stands on the one before it. */
static unsigned int columns(uint32_t cp)
{
	int w = cp < 0x80 ? 1 : wcwidth((wchar_t)cp);

	return w < 0 ? 1 : (unsigned int)w;
}

static uint32_t next_char(const struct nvx_screen *s, const char **text, size_t *len)
{
	uint32_t cp;
	size_t n = nvx_utf8__decode(*text, *len, &cp);

	if (!n || !nvx_utf8__printable(cp) || (s->ascii && cp >= 0x80))
		cp = '?';
	n = n ? n : 1;
	*text += n;
	*len -= n;
	return cp;
}

unsigned int nvx_screen__text(struct nvx_screen *s, unsigned int row, unsigned int col,
			      unsigned int width, enum nvx_look look, const char *text)
{
	unsigned int room = col < s->cols ? s->cols - col : 0, used = 0;
	struct nvx_cell *at;
	size_t len = strlen(text);

	if (row >= s->rows)
		return 0;
	if (width && width < room)
		room = width;
	at = &s->cell[(size_t)row * s->cols + col];
	while (len && used < room) {
		uint32_t cp = next_char(s, &text, &len);
		unsigned int w = columns(cp);

		if (!w)
			continue;
		/* what does not fit ends in a sign that says so */
		if (used + w > room || (used + w == room && len)) {
			at[used++] = (struct nvx_cell){ s->ascii ? '~' : 0x2026, look };
			break;
		}
		at[used++] = (struct nvx_cell){ cp, look };
		if (w == 2)
			at[used++] = (struct nvx_cell){ 0, look };
	}
	return used;
}

unsigned int nvx_screen__printf(struct nvx_screen *s, unsigned int row, unsigned int col,
				unsigned int width, enum nvx_look look, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return nvx_screen__text(s, row, col, width, look, text);
}

void nvx_screen__look(struct nvx_screen *s, unsigned int row, unsigned int col,
		      unsigned int width, enum nvx_look look)
{
	for (unsigned int c = col; row < s->rows && c < s->cols && c - col < width; c++)
		s->cell[(size_t)row * s->cols + c].look = look;
}

void nvx_screen__fill(struct nvx_screen *s, unsigned int row, unsigned int col, unsigned int n,
		      enum nvx_look look, uint32_t ch)
{
	for (unsigned int c = col; row < s->rows && c < s->cols && c - col < n; c++)
		s->cell[(size_t)row * s->cols + c] = (struct nvx_cell){ ch, look };
}

unsigned int nvx_screen__utf8(uint32_t cp, char buf[5])
{
	unsigned int n = cp < 0x80 ? 1 : cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;

	buf[n] = '\0';
	for (unsigned int i = n; i-- > 1; cp >>= 6)
		buf[i] = 0x80 | (cp & 0x3f);
	buf[0] = n == 1 ? cp : (0xf00 >> n & 0xff) | cp;
	return n;
}

static unsigned int used_cols(const struct nvx_screen *s, unsigned int row)
{
	const struct nvx_cell *cell = &s->cell[(size_t)row * s->cols];
	unsigned int end = s->cols;

	while (end && cell[end - 1].ch == ' ')
		end--;
	return end;
}

static int print_rows(const struct nvx_screen *s, unsigned int rows, FILE *out)
{
	char utf8[5] = "";

	for (unsigned int r = 0; r < rows; r++) {
		const struct nvx_cell *cell = &s->cell[(size_t)r * s->cols];
		unsigned int end = used_cols(s, r);

		for (unsigned int c = 0; c < end; c++) {
			if (!cell[c].ch)
				continue;
			nvx_screen__utf8(cell[c].ch, utf8);
			fputs(utf8, out);
		}
		fputc('\n', out);
	}
	return ferror(out) ? -EIO : 0;
}

int nvx_screen__print(const struct nvx_screen *s, FILE *out)
{
	return print_rows(s, s->rows, out);
}

int nvx_screen__print_used(const struct nvx_screen *s, FILE *out)
{
	unsigned int rows = s->rows;

	while (rows && !used_cols(s, rows - 1))
		rows--;
	return print_rows(s, rows, out);
}

unsigned int nvx_screen__eighths(uint64_t part, uint64_t whole, unsigned int width,
				 unsigned int *rest)
{
	unsigned int n = whole ? (unsigned int)((double)part * width * 8 / whole + 0.5) : 0;

	*rest = n % 8;
	return n / 8;
}

uint32_t nvx_screen__spark(const struct nvx_screen *s, unsigned int n)
{
	n = n > 8 ? 8 : n;
	if (s->ascii)
		return " ..--==##"[n];
	return n ? 0x2580 + n : ' ';
}

uint32_t nvx_screen__block(const struct nvx_screen *s, unsigned int n)
{
	n = n > 8 ? 8 : n ? n : 1;
	if (s->ascii)
		return '#';
	return 0x2590 - n;
}
