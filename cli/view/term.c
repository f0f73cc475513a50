// SPDX-License-Identifier: GPL-2.0-only
#define _XOPEN_SOURCE_EXTENDED 1
#include "view/term.h"

#include <curses.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "view/top.h"

struct nvx_term {
	SCREEN *screen;
	bool colour;
	unsigned int nothing; /* times that input was there and held no key */
	attr_t attr[NVX_LOOK_COUNT];
};

/* Pairs by look: text on background, -1 the terminal's own: light and dark ones alike. */
static const struct {
	short look, text, back;
} pairs[] = {
	{ NVX_LOOK_WARN, COLOR_RED, -1 },	  { NVX_LOOK_BETTER, COLOR_GREEN, -1 },
	{ NVX_LOOK_WORSE, COLOR_MAGENTA, -1 },	  { NVX_LOOK_BAR, COLOR_BLACK, COLOR_GREEN },
	{ NVX_LOOK_BAR + 1, COLOR_BLACK, COLOR_CYAN },
	{ NVX_LOOK_BAR + 2, COLOR_BLACK, COLOR_YELLOW },
	{ NVX_LOOK_BAR + 3, COLOR_BLACK, COLOR_MAGENTA },
	{ NVX_LOOK_BAR + 4, COLOR_WHITE, COLOR_BLUE },
	{ NVX_LOOK_BAR + 5, -1, -1 },		  { NVX_LOOK_BAR + 6, COLOR_WHITE, COLOR_RED },
	{ NVX_LOOK_BAR + 7, -1, -1 },
};

static void choose_looks(struct nvx_term *t)
{
	t->attr[NVX_LOOK_BOLD] = A_BOLD;
	t->attr[NVX_LOOK_HEAD] = A_REVERSE;
	t->attr[NVX_LOOK_SELECT] = A_REVERSE;
	t->attr[NVX_LOOK_TAB] = A_BOLD;
	t->attr[NVX_LOOK_WARN] = A_BOLD;
	t->attr[NVX_LOOK_BETTER] = A_BOLD;
	t->attr[NVX_LOOK_WORSE] = A_BOLD;
	if (!t->colour)
		return;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++) {
		init_pair(i + 1, pairs[i].text, pairs[i].back);
		t->attr[pairs[i].look] |= COLOR_PAIR(i + 1);
	}
}

struct nvx_term *nvx_term__open(bool colour)
{
	struct nvx_term *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->screen = newterm(NULL, stdout, stdin);
	if (!t->screen) {
		free(t);
		return NULL;
	}
	set_term(t->screen);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(25);
	curs_set(0);
	t->colour = colour && has_colors() && start_color() == OK && use_default_colors() == OK;
	choose_looks(t);
	return t;
}

void nvx_term__close(struct nvx_term *t)
{
	if (!t)
		return;
	endwin();
	delscreen(t->screen);
	free(t);
}

void nvx_term__size(const struct nvx_term *t, unsigned int *rows, unsigned int *cols)
{
	(void)t;
	*rows = LINES > 0 ? LINES : 24;
	*cols = COLS > 0 ? COLS : 80;
}

void nvx_term__draw(struct nvx_term *t, const struct nvx_screen *s)
{
	char text[4 * 512 + 5];

	erase();
	for (unsigned int r = 0; r < s->rows; r++) {
		const struct nvx_cell *cell = &s->cell[(size_t)r * s->cols];
		unsigned int c = 0;

		while (c < s->cols) {
			unsigned int from = c;
			size_t n = 0;

			/* what looks alike goes out together */
			for (; c < s->cols && cell[c].look == cell[from].look && n < 4 * 512; c++)
				if (cell[c].ch)
					n += nvx_screen__utf8(cell[c].ch, text + n);
			attrset(t->attr[cell[from].look % NVX_LOOK_COUNT]);
			mvaddnstr(r, from, text, n);
		}
	}
	attrset(A_NORMAL);
	refresh();
}

static uint32_t function_key(wint_t key)
{
	switch (key) {
	case KEY_UP: return NVX_KEY_UP;
	case KEY_DOWN: return NVX_KEY_DOWN;
	case KEY_PPAGE: return NVX_KEY_PAGE_UP;
	case KEY_NPAGE: return NVX_KEY_PAGE_DOWN;
	case KEY_HOME: return NVX_KEY_HOME;
	case KEY_END: return NVX_KEY_END;
	case KEY_LEFT: return NVX_KEY_BACK;
	case KEY_RIGHT:
	case KEY_ENTER: return NVX_KEY_ENTER;
	case KEY_BACKSPACE: return NVX_KEY_ERASE;
	case KEY_BTAB: return NVX_KEY_PREVIOUS;
	case KEY_F(1): return NVX_KEY_HELP;
	case KEY_F(10): return 'q';
	default: return 0;
	}
}

static uint32_t character(wint_t key)
{
	switch (key) {
	case '\r':
	case '\n': return NVX_KEY_ENTER;
	case '\t': return NVX_KEY_NEXT;
	case 27: return NVX_KEY_BACK;
	case 8:
	case 127: return NVX_KEY_ERASE;
	default: return key < ' ' ? 0 : key;
	}
}

int nvx_term__key(struct nvx_term *t, uint64_t wait_ns, uint32_t *key)
{
	struct pollfd fd = { .fd = STDIN_FILENO, .events = POLLIN };
	struct timespec wait = { wait_ns / 1000000000, wait_ns % 1000000000 };
	wint_t got;
	int n, ret;

	n = ppoll(&fd, 1, &wait, NULL);
	if (n > 0 && fd.revents & (POLLHUP | POLLERR | POLLNVAL))
		return -1;
	ret = wget_wch(stdscr, &got);
	if (ret == ERR) {
		/* readable, and nothing to read: its other end is closed */
		t->nothing = n > 0 ? t->nothing + 1 : 0;
		return t->nothing > 3 ? -1 : 0;
	}
	t->nothing = 0;
	if (ret == KEY_CODE_YES && got == KEY_RESIZE)
		return 2;
	*key = ret == KEY_CODE_YES ? function_key(got) : character(got);
	return *key != 0;
}
