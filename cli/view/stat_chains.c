// SPDX-License-Identifier: GPL-2.0-only
/* Chains: what one L2 exit costs in L1 exits. */
#include <errno.h>
#include <inttypes.h>

#include "util/fmt.h"
#include "view/sheet.h"
#include "view/stat_priv.h"

/* The chain length seen most often; ties go to the shorter. */
static void usual_length(struct nvx_sheet *s, const struct nvx_row *row)
{
	unsigned int best = 0;
	uint64_t b;

	for (unsigned int i = 1; i < NVX_LEN_SLOTS; i++)
		if (row->hist[i] > row->hist[best])
			best = i;
	b = nvx_len__bound(best);
	if (!row->hist[best])
		nvx_sheet__text(s, "-");
	else if (best < NVX_LEN_EXACT)
		nvx_sheet__count(s, b);
	else
		snprintf(nvx_sheet__cell(s), NVX_LABEL_MAX, ">%" PRIu64, nvx_len__bound(best - 1));
}

/* The L1 exits of one chain row, most frequent first, as sub-rows. */
static void chain_cells(struct nvx_sheet *s, const struct nvx_row *chain,
			const struct nvx_row **cell, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const struct nvx_row *c = cell[i];
		char name[NVX_LABEL_MAX], *at;

		if (c->l.vm != chain->l.vm || c->l.isa != chain->l.isa || c->l.key != chain->l.key)
			continue;
		nvx_sheet__line(s, c);
		at = nvx_sheet__cell(s);
		snprintf(at, NVX_LABEL_MAX, "  L1 %s",
			 nvx_label__text(NVX_LABEL_L1_REASON, c, s->r->vms, name, sizeof(name)));
		nvx_sheet__count(s, c->v[NVX_V_COUNT]);
		for (int k = 0; k < 3; k++)
			nvx_sheet__text(s, "");
		nvx_fmt__ratio(nvx_sheet__cell(s), NVX_LABEL_MAX, c->v[NVX_V_COUNT],
			       chain->v[NVX_V_COUNT], 2);
		nvx_sheet__text(s, "");
		nvx_sheet__ns(s, c->v[NVX_V_TIME]);
		nvx_sheet__ns(s, c->v[NVX_V_COUNT] ? c->v[NVX_V_TIME] / c->v[NVX_V_COUNT] : 0);
		nvx_sheet__text(s, "");
		nvx_sheet__end(s);
	}
}

static uint64_t chain_exits(const struct nvx_row *chain, const struct nvx_row **cell, size_t nr)
{
	uint64_t n = chain->v[NVX_V_COUNT];

	for (size_t i = 0; i < nr; i++)
		if (cell[i]->l.vm == chain->l.vm && cell[i]->l.isa == chain->l.isa &&
		    cell[i]->l.key == chain->l.key)
			n += cell[i]->v[NVX_V_COUNT];
	return n;
}

int nvx_stat__chains(const struct nvx_report *r, FILE *out)
{
	struct nvx_report whole = *r;
	const struct nvx_row **row, **cell;
	struct nvx_rows *owner, *cells;
	size_t nr, nr_cells;
	struct nvx_sheet s;
	long all = nvx_sheet__rows(r, NVX_SET_CHAINS, &owner, &row, &nr, out,
			   "Chains: switches to L1 by the reason that L1 saw, and the L1 exits until "
			   "L2 runs again");

	if (all <= 0)
		return all;
	whole.top = 0;
	if (nvx_report__rows(&whole, NVX_SET_CELLS, &cells, &cell, &nr_cells) < 0 ||
	    nvx_sheet__begin(&s, r, "<L1_SAW >CHAINS >REFLECTED >SYNTH >NO_EXIT >EXITS/CHAIN "
				    ">USUAL >TIME >AVG "
			 ">OPEN"))
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		const uint64_t *v = row[i]->v;

		nvx_sheet__line(&s, row[i]);
		nvx_sheet__label(&s, row[i], NVX_LABEL_L2_REASON);
		nvx_sheet__count(&s, v[NVX_V_COUNT]);
		nvx_sheet__count(&s, v[NVX_V_REFLECTED]);
		nvx_sheet__count(&s, v[NVX_V_SYNTHESISED]);
		nvx_sheet__count(&s, v[NVX_V_NOEXIT]);
		nvx_fmt__ratio(nvx_sheet__cell(&s), NVX_LABEL_MAX,
			       chain_exits(row[i], cell, nr_cells),
			       v[NVX_V_COUNT], 2);
		usual_length(&s, row[i]);
		nvx_sheet__ns(&s, v[NVX_V_TIME]);
		nvx_sheet__ns(&s, v[NVX_V_DONE] ? v[NVX_V_TIME] / v[NVX_V_DONE] : 0);
		nvx_sheet__count(&s, nvx_row__open(row[i]));
		nvx_sheet__end(&s);
		chain_cells(&s, row[i], cell, nr_cells);
	}
	nvx_rows__free(cells);
	nvx_rows__free(owner);
	return nvx_sheet__finish(&s, out, nr, all);
}
