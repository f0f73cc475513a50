/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A screen as a grid of characters with attributes, drawn without a terminal: what a program
 * shows can be tested, printed as text, and sent to ncurses by one small file.
 */
#ifndef NVX_UTIL_SCREEN_H
#define NVX_UTIL_SCREEN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* How a cell looks.  What a terminal cannot show is left out; no meaning may hang on it alone. */
enum nvx_look {
	NVX_LOOK_PLAIN,
	NVX_LOOK_BOLD,
	NVX_LOOK_DIM,
	NVX_LOOK_HEAD,	 /* headings of columns */
	NVX_LOOK_SELECT, /* the row that keys work on */
	NVX_LOOK_TAB,	 /* the view that is shown */
	NVX_LOOK_WARN,
	NVX_LOOK_BETTER, /* a proven change: less */
	NVX_LOOK_WORSE,	 /* a proven change: more */
	NVX_LOOK_BAR,	 /* the first of NVX_LOOK_BARS looks of bars */
};
#define NVX_LOOK_BARS 8
#define NVX_LOOK_COUNT (NVX_LOOK_BAR + NVX_LOOK_BARS)

struct nvx_cell {
	uint32_t ch;   /* a code point; 0: the second half of a wide one */
	uint8_t look;  /* enum nvx_look */
};

struct nvx_screen {
	unsigned int rows, cols;
	bool ascii; /* nothing but ASCII may be shown: the drawing functions obey */
	struct nvx_cell *cell; /* rows * cols */
};

/* A blank screen, at least 1 by 1; NULL without memory. */
struct nvx_screen *nvx_screen__new(unsigned int rows, unsigned int cols, bool ascii);
void nvx_screen__free(struct nvx_screen *s);

/*
 * Write UTF-8 text at a place, at most `width` columns of it (0: as far as the screen goes).
 * Unprintable characters read `?`, in an ASCII screen also those outside of ASCII.  Text that is
 * cut ends in an ellipsis (`~` in ASCII).  Returns the columns taken.
 */
unsigned int nvx_screen__text(struct nvx_screen *s, unsigned int row, unsigned int col,
			      unsigned int width, enum nvx_look look, const char *text);

/* The same from a format. */
__attribute__((format(printf, 6, 7)))
unsigned int nvx_screen__printf(struct nvx_screen *s, unsigned int row, unsigned int col,
				unsigned int width, enum nvx_look look, const char *fmt, ...);

/* Give a stretch of a row a look, whatever stands there. */
void nvx_screen__look(struct nvx_screen *s, unsigned int row, unsigned int col,
		      unsigned int width, enum nvx_look look);

/* Put one character n times. */
void nvx_screen__fill(struct nvx_screen *s, unsigned int row, unsigned int col, unsigned int n,
		      enum nvx_look look, uint32_t ch);

/* Write the screen as lines of text, without blanks at their ends.  0 or -EIO. */
int nvx_screen__print(const struct nvx_screen *s, FILE *out);

/* The same up to the last line that is not blank. */
int nvx_screen__print_used(const struct nvx_screen *s, FILE *out);

/*
 * The share `part` of `whole` in eighths of a column, for bars: full columns by the return value,
 * the eighths of the last one in *rest.
 */
unsigned int nvx_screen__eighths(uint64_t part, uint64_t whole, unsigned int width,
				 unsigned int *rest);

/* The character of a column that is filled to n eighths from below (0-8): for sparklines. */
uint32_t nvx_screen__spark(const struct nvx_screen *s, unsigned int n);

/* The character of a column that is filled to n eighths from the left (1-8): for bars. */
uint32_t nvx_screen__block(const struct nvx_screen *s, unsigned int n);

/* One code point as UTF-8, with its NUL; returns the bytes before that. */
unsigned int nvx_screen__utf8(uint32_t cp, char buf[5]);

#endif
