// SPDX-License-Identifier: GPL-2.0-only
/* nvx top: the histogram of one row, and the help. */
#include <string.h>

#include "util/fmt.h"
#include "view/top_priv.h"

/* What a slot holds, as text: "<4.10us", ">1.07s", "6", "2". */
static void slot_text(enum nvx_set set, unsigned int slot, char *buf, size_t size)
{
	uint64_t bound = set == NVX_SET_CHAINS ? nvx_len__bound(slot) : nvx_hist__bound(slot);
	char ns[NVX_FMT_MAX];

	if (set == NVX_SET_FLUSHES)
		snprintf(buf, size, slot + 1 < NVX_FLUSH_SLOTS ? "%u" : "%u or more", slot);
	else if (set == NVX_SET_CHAINS && bound == UINT64_MAX)
		snprintf(buf, size, "more");
	else if (set == NVX_SET_CHAINS)
		snprintf(buf, size, slot < NVX_LEN_EXACT ? "%llu" : "up to %llu",
			 (unsigned long long)bound);
	else if (bound == UINT64_MAX)
		snprintf(buf, size, ">1.07s");
	else
		snprintf(buf, size, "<%s", nvx_fmt__ns(ns, sizeof(ns), bound));
}

static unsigned int slots_of(enum nvx_set set)
{
	return set == NVX_SET_EXITS ? NVX_HIST_SLOTS : set == NVX_SET_CHAINS ? NVX_LEN_SLOTS :
	       set == NVX_SET_FLUSHES ? NVX_FLUSH_SLOTS : 0;
}

/* The row again: what its scope is now may have no such row. */
static const struct nvx_row *find(const struct top_draw *d)
{
	return nvx_rows__find(d->rows, &d->ui->hist);
}

static void bar(struct nvx_screen *s, unsigned int row, unsigned int col, unsigned int width,
		uint64_t n, uint64_t most)
{
	unsigned int rest, full = nvx_screen__eighths(n, most, width, &rest);

	nvx_screen__fill(s, row, col, full, NVX_LOOK_BAR, nvx_screen__block(s, 8));
	if (s->ascii ? n && !full : rest || (n && !full))
		nvx_screen__fill(s, row, col + full, 1, NVX_LOOK_BAR, nvx_screen__block(s, rest));
}

static void draw_slots(const struct nvx_row *r, struct nvx_screen *s, unsigned int row)
{
	unsigned int slots = slots_of(r->l.set), first = slots, last = 0;
	uint64_t most = 0, sum = 0;

	for (unsigned int i = 0; i < slots; i++) {
		if (!r->hist[i])
			continue;
		first = i < first ? i : first;
		last = i;
		sum += r->hist[i];
		most = r->hist[i] > most ? r->hist[i] : most;
	}
	if (!sum) {
		nvx_screen__text(s, row, 2, 0, NVX_LOOK_DIM, "nothing in this time");
		return;
	}
	for (unsigned int i = first; i <= last && row < s->rows - 1; i++, row++) {
		char text[48], n[NVX_FMT_MAX], share[NVX_FMT_MAX];

		slot_text(r->l.set, i, text, sizeof(text));
		nvx_screen__printf(s, row, 0, 0, NVX_LOOK_PLAIN, "%12s %14s %7s ", text,
				   nvx_fmt__count(n, sizeof(n), r->hist[i]),
				   nvx_fmt__percent(share, sizeof(share), r->hist[i], sum));
		if (s->cols > 40)
			bar(s, row, 37, s->cols < 120 ? s->cols - 38 : 80, r->hist[i], most);
	}
}

void top_draw_hist(struct top_draw *d, struct nvx_screen *s, unsigned int row)
{
	static const char *const of[] = {
		[NVX_SET_EXITS] = "time until the vCPU runs again",
		[NVX_SET_CHAINS] = "exits that a chain has",
		[NVX_SET_FLUSHES] = "flushes that a switch brings",
	};
	const struct nvx_labels *l = &d->ui->hist;
	const struct nvx_row *r = find(d);
	struct nvx_row none = { .l = *l };
	enum nvx_label label = l->set == NVX_SET_EXITS ? NVX_LABEL_REASON :
			       l->set == NVX_SET_CHAINS ? NVX_LABEL_L2_REASON : NVX_LABEL_DIRECTION;
	char buf[NVX_LABEL_MAX], n[NVX_FMT_MAX];

	r = r ? r : &none;
	nvx_screen__printf(s, row, 0, 0, NVX_LOOK_BOLD, "%s%s: %s, %s in all",
			   nvx_label__text(label, r, d->info->vms, buf, sizeof(buf)),
			   l->set != NVX_SET_EXITS ? "" : l->level == NVX_LEVEL_2 ? " of L2" :
			   l->level == NVX_LEVEL_1 ? " of L1" : " of an unknown level", of[l->set],
			   nvx_fmt__count(n, sizeof(n), r->v[NVX_V_COUNT]));
	if (l->set == NVX_SET_EXITS) {
		nvx_screen__printf(s, row + 1, 0, 0, NVX_LOOK_PLAIN,
				   "reflected %llu, synthesised %llu, handled %llu, open %llu",
				   (unsigned long long)r->v[NVX_V_REFLECTED],
				   (unsigned long long)r->v[NVX_V_SYNTHESISED],
				   (unsigned long long)(l->level == NVX_LEVEL_2 ?
							nvx_row__handled(r) : 0),
				   (unsigned long long)nvx_row__open(r));
		row++;
	}
	draw_slots(r, s, row + 2);
}

void top_draw_help(struct nvx_screen *s, unsigned int row)
{
	static const char *const line[] = {
		"1-9 0, Tab    views: VMs Exits Chains MSRs IPIs TLB APICv eVMCS vCPUs Features",
		"Up Down j k   select; PgUp PgDn Home End",
		"Enter         into it: VM, vCPU, exit or chain; Esc: out again; a: all VMs",
		"+             chains: show or hide the L1 exits of a chain",
		"< >  R        sort by another column; the other way round",
		"/             only rows with a text; empty: all",
		"w             figures of the last interval, or since the start or reset",
		"p Space       hold the screen; what happens meanwhile is one interval",
		"d             another interval (2, 500ms)",
		"r             reset: what is shown as since the start begins now",
		"m  M          mark: every figure shows its change since then, ~ where it is no",
		"              more than noise, .. where it takes more intervals; M: no mark",
		"n             a recording: go on by one interval (nvx top --replay)",
		"s             write the whole view to a file, as text",
		"S             record a session to a file (nvx report, nvx diff); again: end it",
		"q             quit",
		"",
		"layer: 2 in L2, 1 in L1, a in L0 for L1, b in L0 for L2, u in user space,",
		"       . halted, w waiting for a CPU, ? level not known yet",
	};

	for (size_t i = 0; i < sizeof(line) / sizeof(*line) && row + i < s->rows - 1; i++)
		nvx_screen__text(s, row + i, 0, 0, NVX_LOOK_PLAIN, line[i]);
}
