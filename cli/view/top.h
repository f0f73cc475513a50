/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nvx top's screen: what the user chose, keys in, a screen out.  It knows no terminal and no
 * source, so that tests and --plain use what the terminal shows.
 */
#ifndef NVX_VIEW_TOP_H
#define NVX_VIEW_TOP_H

#include <stdio.h>

#include "model/features.h"
#include "model/report.h"
#include "model/top.h"
#include "util/screen.h"
#include "view/grid.h"

enum nvx_top_view {
	NVX_VIEW_VMS,
	NVX_VIEW_EXITS,
	NVX_VIEW_CHAINS,
	NVX_VIEW_MSRS,
	NVX_VIEW_IPIS,
	NVX_VIEW_TLB,
	NVX_VIEW_APICV,
	NVX_VIEW_EVMCS,
	NVX_VIEW_VCPUS,
	NVX_VIEW_FEATURES,
	NVX_VIEW_COUNT
};

/* What the screen says besides what was counted.  All of it stays the caller's. */
struct nvx_top_info {
	const char *host, *release;
	const char *source;		 /* where events come from, for people */
	const struct nvx_probe *probe;	 /* NULL: a recording */
	const struct nvx_features *features; /* NULL: a recording */
	const struct nvx_probe_section *section; /* NVX_SECTION_COUNT */
	const struct nvx_vm *const *vms;
	size_t nr_vms;
	uint64_t interval_ns;
	struct nvx_cost cost;
	uint64_t dropped; /* events that could not be counted, those without a VM */
	double own_cpu;	  /* share of one CPU that nvx itself takes; negative: not known */
	const char *recording; /* the file that is written, or NULL */
	const char *at;	       /* time of day, or of the recording */
	bool ended;	       /* a recording that was read to its end */
};

/* Keys besides characters. */
enum nvx_top_key {
	NVX_KEY_UP = 0x110000, /* beyond Unicode */
	NVX_KEY_DOWN,
	NVX_KEY_PAGE_UP,
	NVX_KEY_PAGE_DOWN,
	NVX_KEY_HOME,
	NVX_KEY_END,
	NVX_KEY_ENTER,
	NVX_KEY_BACK, /* Escape, backspace, left */
	NVX_KEY_ERASE, /* backspace while something is typed */
	NVX_KEY_NEXT, /* Tab */
	NVX_KEY_PREVIOUS,
	NVX_KEY_HELP,
};

/* What the caller has to do after a key. */
enum nvx_top_action {
	NVX_TOP_NOTHING,
	NVX_TOP_QUIT,
	NVX_TOP_SAVE,	  /* the whole view as text to nvx_topui__input() */
	NVX_TOP_RECORD,	  /* a session to nvx_topui__input(), or end it */
	NVX_TOP_INTERVAL, /* nvx_topui__interval() is new */
	NVX_TOP_STEP,	  /* a recording: go on by one interval */
	NVX_TOP_FAILED,	  /* out of memory */
};

struct nvx_topui;

/* A user interface at its beginning; NULL without memory. */
struct nvx_topui *nvx_topui__new(void);
void nvx_topui__free(struct nvx_topui *ui);

/* Begin with a view, by its name ("exits").  0 or -ENOENT. */
int nvx_topui__show(struct nvx_topui *ui, const char *view);

/* Show figures of this time: NVX_TOP_LAST at the beginning. */
void nvx_topui__window(struct nvx_topui *ui, enum nvx_top_window w);

/* "vms", "exits", ...: the view's name; NULL past the last. */
const char *nvx_top_view__name(unsigned int view);

/* A key was pressed; t may change (mark, reset, hold). */
enum nvx_top_action nvx_topui__key(struct nvx_topui *ui, struct nvx_top *t, uint32_t key);

/* What was typed for an action; the interval that was asked for. */
const char *nvx_topui__input(const struct nvx_topui *ui);
uint64_t nvx_topui__interval(const struct nvx_topui *ui);

/* Say something in the last line until the next key. */
__attribute__((format(printf, 2, 3)))
void nvx_topui__say(struct nvx_topui *ui, const char *fmt, ...);

/* Draw everything.  0 or -ENOMEM. */
int nvx_topui__draw(struct nvx_topui *ui, const struct nvx_top *t,
		    const struct nvx_top_info *info, struct nvx_screen *s);

/* The view as text, all of its rows, `cols` wide (0: as wide as it needs).  0 or -errno. */
int nvx_topui__print(struct nvx_topui *ui, const struct nvx_top *t,
		     const struct nvx_top_info *info, unsigned int cols, bool ascii, FILE *out);

#endif
