/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the files of nvx top's screen. */
#ifndef NVX_VIEW_TOP_PRIV_H
#define NVX_VIEW_TOP_PRIV_H

#include "view/top.h"

#define TOP_OPEN_MAX 32 /* chains that are shown with their L1 exits */

enum top_mode { TOP_GRID, TOP_HIST, TOP_HELP };
enum top_prompt { TOP_NO_PROMPT, TOP_FILTER, TOP_SAVE_TO, TOP_RECORD_TO, TOP_INTERVAL_OF };

struct nvx_topui {
	enum nvx_top_view view;
	enum top_mode mode;
	enum nvx_top_window window;
	struct nvx_top_scope scope;
	struct nvx_labels hist; /* the row whose histogram is shown */
	struct nvx_grid grid;	/* as it was drawn last */
	struct nvx_grid_state state[NVX_VIEW_COUNT];
	uint64_t open[TOP_OPEN_MAX]; /* rows of chains, by id */
	unsigned int nr_open;
	size_t page; /* rows of a page */
	unsigned int header; /* lines above the rows */
	bool printing; /* to a file: no keys are of use there */
	enum top_prompt prompt;
	char typed[120];
	uint64_t interval_ns;
	char message[200];
	bool recording;
};

/* One drawing: what everything in it is made from. */
struct top_draw {
	struct nvx_topui *ui;
	const struct nvx_top *t;
	const struct nvx_top_info *info;
	bool ascii;
	const struct nvx_rows *rows; /* of the scope and the window */
	struct nvx_rows *owner;
	uint64_t ns; /* of the window */
	const char *na; /* why the view has nothing to show; NULL: it has */
	struct nvx_report report; /* for what reports know of rows */
};

/* A view: its columns, and what makes its rows. */
struct top_view {
	const char *name, *title;
	const struct nvx_grid_column *column;
	unsigned int nr_columns;
	unsigned int sort;
	int section; /* enum nvx_section that it needs; -1: none */
	void (*build)(struct top_draw *d, struct nvx_grid *g);
	/* columns that show changes since a mark, and of which figure; 0: none */
	unsigned char change[2], figure[2];
};

extern const struct top_view top_views[NVX_VIEW_COUNT];

/* The builders of each view, in top_rows.c and top_lists.c. */
void top_build_vms(struct top_draw *d, struct nvx_grid *g);
void top_build_exits(struct top_draw *d, struct nvx_grid *g);
void top_build_chains(struct top_draw *d, struct nvx_grid *g);
void top_build_msrs(struct top_draw *d, struct nvx_grid *g);
void top_build_ipis(struct top_draw *d, struct nvx_grid *g);
void top_build_tlb(struct top_draw *d, struct nvx_grid *g);
void top_build_apicv(struct top_draw *d, struct nvx_grid *g);
void top_build_evmcs(struct top_draw *d, struct nvx_grid *g);
void top_build_vcpus(struct top_draw *d, struct nvx_grid *g);
void top_build_features(struct top_draw *d, struct nvx_grid *g);

/* The next cell: the recent past of a row as a sparkline; of a label, the level. */
void top_trend(struct top_draw *d, struct nvx_grid_row *r, unsigned int *col,
	       const struct nvx_labels *l, enum nvx_top_value v);
void top_label(struct top_draw *d, struct nvx_grid_row *r, unsigned int *col,
	       const struct nvx_row *row, enum nvx_label what);
void top_level(struct nvx_grid_row *r, unsigned int *col, unsigned int level);

/* A number that stands for labels. */
uint64_t top_id(const struct nvx_labels *l);

/* Parts of time as they are shown: "L2", "L1", ..., and the sum of phases that each is. */
#define TOP_PARTS 8
struct top_part {
	const char *name;
	char letter;
};
extern const struct top_part top_parts[TOP_PARTS];
uint64_t top_part(const struct nvx_top_sum *s, unsigned int part);
uint64_t top_time(const struct nvx_top_sum *s);

/* Parts of the screen; each returns the line behind it. */
unsigned int top_draw_header(struct top_draw *d, struct nvx_screen *s);
void top_draw_status(struct top_draw *d, struct nvx_screen *s);
void top_draw_hist(struct top_draw *d, struct nvx_screen *s, unsigned int row);
void top_draw_help(struct nvx_screen *s, unsigned int row);

/*
 * A proven change as text ("-45.2%"), `~` where it is no more than noise, `..` where so few
 * intervals cannot tell; look: better or worse.
 */
const char *top_change(const struct nvx_comparison *c, char *buf, size_t size, uint8_t *look);

#endif
