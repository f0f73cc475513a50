// SPDX-License-Identifier: GPL-2.0-only
/* nvx top: what keys do. */
#include <ctype.h>
#include <string.h>

#include "util/argutil.h"
#include "view/top_priv.h"

const char *nvx_topui__input(const struct nvx_topui *ui)
{
	return ui->typed;
}

uint64_t nvx_topui__interval(const struct nvx_topui *ui)
{
	return ui->interval_ns;
}

static struct nvx_grid_state *state(struct nvx_topui *ui)
{
	return &ui->state[ui->view];
}

static void ask(struct nvx_topui *ui, enum top_prompt prompt, const char *typed)
{
	ui->prompt = prompt;
	snprintf(ui->typed, sizeof(ui->typed), "%s", typed);
}

/* What was typed is complete. */
static enum nvx_top_action answered(struct nvx_topui *ui)
{
	enum top_prompt prompt = ui->prompt;
	uint64_t ns;

	ui->prompt = TOP_NO_PROMPT;
	switch (prompt) {
	case TOP_FILTER:
		snprintf(state(ui)->filter, sizeof(state(ui)->filter), "%s", ui->typed);
		return NVX_TOP_NOTHING;
	case TOP_SAVE_TO:
		return *ui->typed ? NVX_TOP_SAVE : NVX_TOP_NOTHING;
	case TOP_RECORD_TO:
		return *ui->typed ? NVX_TOP_RECORD : NVX_TOP_NOTHING;
	case TOP_INTERVAL_OF:
		if (!*ui->typed)
			return NVX_TOP_NOTHING;
		if (nvx_arg__duration(ui->typed, &ns) || ns < 100000000 || ns > 3600000000000) {
			nvx_topui__say(ui, "an interval is 100ms to 1h, not `%s`", ui->typed);
			return NVX_TOP_NOTHING;
		}
		ui->interval_ns = ns;
		return NVX_TOP_INTERVAL;
	default:
		return NVX_TOP_NOTHING;
	}
}

static enum nvx_top_action typing(struct nvx_topui *ui, uint32_t key)
{
	size_t len = strlen(ui->typed);
	char utf8[5];

	if (key == NVX_KEY_ENTER)
		return answered(ui);
	if (key == NVX_KEY_BACK)
		ui->prompt = TOP_NO_PROMPT;
	if (key == NVX_KEY_ERASE && len) {
		do
			len--;
		while (len && ((unsigned char)ui->typed[len] & 0xc0) == 0x80);
		ui->typed[len] = '\0';
	}
	if (key >= ' ' && key != 0x7f && key < NVX_KEY_UP &&
	    len + nvx_screen__utf8(key, utf8) < sizeof(ui->typed))
		strcat(ui->typed, utf8);
	return NVX_TOP_NOTHING;
}

static void toggle_open(struct nvx_topui *ui, uint64_t id)
{
	for (unsigned int i = 0; i < ui->nr_open; i++)
		if (ui->open[i] == id) {
			ui->open[i] = ui->open[--ui->nr_open];
			return;
		}
	if (ui->nr_open < TOP_OPEN_MAX)
		ui->open[ui->nr_open++] = id;
	else
		nvx_topui__say(ui, "%d chains are open; close one first", TOP_OPEN_MAX);
}

static void into(struct nvx_topui *ui)
{
	const struct nvx_grid_row *r = nvx_grid__selected(&ui->grid, state(ui));

	if (!r || ui->mode != TOP_GRID)
		return;
	switch (ui->view) {
	case NVX_VIEW_VMS:
		ui->scope = (struct nvx_top_scope){ r->l.vm, NVX_TOP_NO_SLOT };
		ui->view = NVX_VIEW_VCPUS;
		break;
	case NVX_VIEW_VCPUS:
		ui->scope = (struct nvx_top_scope){ r->l.vm, r->slot };
		ui->view = NVX_VIEW_EXITS;
		break;
	case NVX_VIEW_EXITS:
	case NVX_VIEW_CHAINS:
	case NVX_VIEW_TLB:
	case NVX_VIEW_APICV:
		if (r->l.set == NVX_SET_EXITS || r->l.set == NVX_SET_CHAINS ||
		    r->l.set == NVX_SET_FLUSHES) {
			ui->hist = r->l;
			ui->mode = TOP_HIST;
		}
		break;
	default:
		break;
	}
}

/* One step out: of a histogram, of a vCPU, of a VM. */
static void out_of(struct nvx_topui *ui)
{
	if (ui->mode != TOP_GRID) {
		ui->mode = TOP_GRID;
	} else if (ui->scope.slot != NVX_TOP_NO_SLOT) {
		ui->scope.slot = NVX_TOP_NO_SLOT;
		ui->view = NVX_VIEW_VCPUS;
	} else if (ui->scope.vm != NVX_VM_ALL) {
		ui->scope.vm = NVX_VM_ALL;
		ui->view = NVX_VIEW_VMS;
	}
}

static void go_to(struct nvx_topui *ui, unsigned int view)
{
	ui->view = view % NVX_VIEW_COUNT;
	ui->mode = TOP_GRID;
}

static void sort_by(struct nvx_topui *ui, int step)
{
	struct nvx_grid_state *s = state(ui);
	unsigned int nr = ui->grid.nr_columns;

	if (!nr)
		return;
	s->sort = s->sort >= nr ? 0 : (s->sort + nr + step) % nr;
	s->reverse = false;
}

static bool moves(struct nvx_topui *ui, uint32_t key)
{
	long page = ui->page, far = ui->grid.nr;
	long by = key == NVX_KEY_UP || key == 'k' ? -1 : key == NVX_KEY_DOWN || key == 'j' ? 1 :
		  key == NVX_KEY_PAGE_UP ? -page : key == NVX_KEY_PAGE_DOWN ? page :
		  key == NVX_KEY_HOME || key == 'g' ? -far :
		  key == NVX_KEY_END || key == 'G' ? far : 0;

	if (by)
		nvx_grid__move(&ui->grid, state(ui), by);
	return by != 0;
}

static enum nvx_top_action marks(struct nvx_topui *ui, struct nvx_top *t, bool on)
{
	size_t before, after;

	nvx_top__mark(t, on);
	if (on && !nvx_top__marked(t, &before, &after))
		nvx_topui__say(ui, "nothing to compare with yet: mark after some intervals");
	else if (on)
		nvx_topui__say(ui, "marked: %zu intervals before are compared with what comes",
			       before);
	return NVX_TOP_NOTHING;
}

static enum nvx_top_action does(struct nvx_topui *ui, struct nvx_top *t, uint32_t key)
{
	switch (key) {
	case 'm':
	case 'M':
		return marks(ui, t, key == 'm');
	case 'r':
		return nvx_top__reset(t) ? NVX_TOP_FAILED : NVX_TOP_NOTHING;
	case 'p':
	case ' ':
		return nvx_top__hold(t, !nvx_top__held(t)) ? NVX_TOP_FAILED : NVX_TOP_NOTHING;
	case 'n':
		return NVX_TOP_STEP;
	case 'q':
		return NVX_TOP_QUIT;
	case '/':
		ask(ui, TOP_FILTER, state(ui)->filter);
		break;
	case 'd':
		ask(ui, TOP_INTERVAL_OF, "");
		break;
	case 's':
		ask(ui, TOP_SAVE_TO, "nvx-top.txt");
		break;
	case 'S':
		if (ui->recording)
			return NVX_TOP_RECORD;
		ask(ui, TOP_RECORD_TO, "nvx-top.nvx");
		break;
	default:
		break;
	}
	return NVX_TOP_NOTHING;
}

enum nvx_top_action nvx_topui__key(struct nvx_topui *ui, struct nvx_top *t, uint32_t key)
{
	const struct nvx_grid_row *r;

	*ui->message = '\0';
	if (ui->prompt)
		return typing(ui, key);
	if (moves(ui, key))
		return NVX_TOP_NOTHING;
	if (key >= '0' && key <= '9') {
		go_to(ui, (key - '0' + NVX_VIEW_COUNT - 1) % 10);
		return NVX_TOP_NOTHING;
	}
	switch (key) {
	case NVX_KEY_NEXT:
		go_to(ui, ui->view + 1);
		break;
	case NVX_KEY_PREVIOUS:
		go_to(ui, ui->view + NVX_VIEW_COUNT - 1);
		break;
	case NVX_KEY_ENTER:
		into(ui);
		break;
	case NVX_KEY_BACK:
	case NVX_KEY_ERASE:
		out_of(ui);
		break;
	case '+':
		r = nvx_grid__selected(&ui->grid, state(ui));
		if (ui->view == NVX_VIEW_CHAINS && r && r->l.set == NVX_SET_CHAINS)
			toggle_open(ui, r->id);
		break;
	case 'a':
		ui->scope = (struct nvx_top_scope){ NVX_VM_ALL, NVX_TOP_NO_SLOT };
		break;
	case '<':
	case '>':
		sort_by(ui, key == '<' ? -1 : 1);
		break;
	case 'R':
		state(ui)->reverse = !state(ui)->reverse;
		break;
	case 'w':
		ui->window = ui->window == NVX_TOP_LAST ? NVX_TOP_SINCE : NVX_TOP_LAST;
		break;
	case '?':
	case 'h':
	case NVX_KEY_HELP:
		ui->mode = ui->mode == TOP_HELP ? TOP_GRID : TOP_HELP;
		break;
	default:
		return does(ui, t, key);
	}
	return NVX_TOP_NOTHING;
}
