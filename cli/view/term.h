/* SPDX-License-Identifier: GPL-2.0-only */
/* The terminal: screens to it, keys from it.  The only user of ncurses. */
#ifndef NVX_VIEW_TERM_H
#define NVX_VIEW_TERM_H

#include <stdbool.h>
#include <stdint.h>

#include "util/screen.h"

struct nvx_term;

/*
 * Take over the terminal of standard input and output.  NULL where TERM names none that ncurses
 * knows; `colour` false: none, whatever the terminal can.
 */
struct nvx_term *nvx_term__open(bool colour);

/* Give it back as it was.  NULL is fine. */
void nvx_term__close(struct nvx_term *t);

/* Its size now. */
void nvx_term__size(const struct nvx_term *t, unsigned int *rows, unsigned int *cols);

/* Show a screen; what did not change is not sent. */
void nvx_term__draw(struct nvx_term *t, const struct nvx_screen *s);

/*
 * Wait for a key, at most so long: a character or one of enum nvx_top_key (view/top.h) in *key.
 * 1: a key; 2: the size changed; 0: none came, or a signal did; -1: the terminal is gone.
 */
int nvx_term__key(struct nvx_term *t, uint64_t wait_ns, uint32_t *key);

#endif
