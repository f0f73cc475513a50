// SPDX-License-Identifier: GPL-2.0-only
/* The ledgers: IPIs, TLB flushes and flushes per switch, time. */
#include <errno.h>

#include "view/sheet.h"
#include "view/stat_priv.h"

/* The figure, or n/a where some of what it is made of is not known. */
static void known(struct nvx_sheet *s, uint64_t n, uint64_t unknown)
{
	if (unknown)
		nvx_sheet__text(s, "n/a");
	else
		nvx_sheet__count(s, n);
}

int nvx_stat__ipis(const struct nvx_report *r, FILE *out)
{
	const struct nvx_row **row;
	struct nvx_rows *owner;
	struct nvx_sheet s;
	size_t nr;
	long all = nvx_sheet__rows(r, NVX_SET_IPIS, &owner, &row, &nr, out,
				   "IPIs by path and destination");

	if (all <= 0)
		return all;
	if (nvx_sheet__begin(&s, r, r->by_l2 ?
			     "<LEVEL <L2 <PATH <TO >IPIS >DESTINATIONS >EXITS >EXITS/DEST >SAVED" :
			     "<LEVEL <PATH <TO >IPIS >DESTINATIONS >EXITS >EXITS/DEST >SAVED"))
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		const uint64_t *v = row[i]->v;
		uint64_t unknown = v[NVX_V_NODESTS];

		nvx_sheet__line(&s, row[i]);
		nvx_sheet__level(&s, row[i]);
		if (r->by_l2)
			nvx_sheet__label(&s, row[i], NVX_LABEL_L2);
		nvx_sheet__label(&s, row[i], NVX_LABEL_PATH);
		nvx_sheet__label(&s, row[i], NVX_LABEL_DEST);
		nvx_sheet__count(&s, v[NVX_V_COUNT]);
		known(&s, v[NVX_V_DESTS], unknown);
		nvx_sheet__count(&s, v[NVX_V_EXITS]);
		if (unknown)
			nvx_sheet__text(&s, "n/a");
		else
			nvx_sheet__ratio(&s, v[NVX_V_EXITS], v[NVX_V_DESTS]);
		/* against one exit a destination: what unicast IPIs would have taken */
		known(&s, v[NVX_V_DESTS] > v[NVX_V_EXITS] ? v[NVX_V_DESTS] - v[NVX_V_EXITS] : 0,
		      unknown);
		nvx_sheet__end(&s);
	}
	nvx_rows__free(owner);
	return nvx_sheet__finish(&s, out, nr, all);
}

static int show_flushes(const struct nvx_report *r, FILE *out)
{
	const struct nvx_row **row;
	struct nvx_rows *owner;
	struct nvx_sheet s;
	size_t nr;
	long all = nvx_sheet__rows(r, NVX_SET_TLB, &owner, &row, &nr, out,
				   "TLB flushes by level, kind and cause");

	if (all <= 0)
		return all;
	if (nvx_sheet__begin(&s, r, "<LEVEL <KIND <CAUSE >FLUSHES"))
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		nvx_sheet__line(&s, row[i]);
		nvx_sheet__level(&s, row[i]);
		nvx_sheet__label(&s, row[i], NVX_LABEL_FLUSH);
		nvx_sheet__label(&s, row[i], NVX_LABEL_CAUSE);
		nvx_sheet__count(&s, row[i]->v[NVX_V_COUNT]);
		nvx_sheet__end(&s);
	}
	nvx_rows__free(owner);
	return nvx_sheet__finish(&s, out, nr, all);
}

int nvx_stat__tlb(const struct nvx_report *r, FILE *out)
{
	const struct nvx_row **row;
	struct nvx_rows *owner;
	struct nvx_sheet s;
	size_t nr;
	int ret = show_flushes(r, out);
	long all = ret ? ret :
			 nvx_sheet__rows(r, NVX_SET_FLUSHES, &owner, &row, &nr, out,
					 "Switches by the number of flushes before the entry");

	if (all <= 0)
		return all;
	if (nvx_sheet__begin(&s, r, "<DIRECTION >SWITCHES >0 >1 >2 >3 >4 >5+ >FLUSHES/SWITCH"))
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		uint64_t sum = 0;

		nvx_sheet__line(&s, row[i]);
		nvx_sheet__label(&s, row[i], NVX_LABEL_DIRECTION);
		nvx_sheet__count(&s, row[i]->v[NVX_V_COUNT]);
		for (unsigned int n = 0; n < NVX_FLUSH_SLOTS; n++) {
			nvx_sheet__count(&s, row[i]->hist[n]);
			sum += n * row[i]->hist[n];
		}
		nvx_sheet__ratio(&s, sum, row[i]->v[NVX_V_COUNT]);
		nvx_sheet__end(&s);
	}
	nvx_rows__free(owner);
	return nvx_sheet__finish(&s, out, nr, all);
}

static uint64_t phase(const struct nvx_rows *rows, uint32_t vm, unsigned int p)
{
	struct nvx_labels l = { .set = NVX_SET_TIME, .vm = vm, .key = p };

	for (size_t i = 0; i < rows->nr; i++)
		if (rows->row[i]->l.vm == l.vm && rows->row[i]->l.key == l.key)
			return rows->row[i]->v[NVX_V_TIME];
	return 0;
}

/* One line a VM: the answer to "which layer is slow?" */
int nvx_stat__time(const struct nvx_report *r, FILE *out)
{
	static const unsigned char columns[] = {
		NVX_T_L2,   NVX_T_L1,	  NVX_T_L0_L1, NVX_T_L0_L2,
		NVX_T_USER, NVX_T_HALTED, NVX_T_POLL,  NVX_T_WAIT,
	};
	struct nvx_report whole = *r;
	const struct nvx_row **row;
	struct nvx_rows *owner;
	struct nvx_sheet s;
	size_t nr;
	long all;

	whole.top = 0;
	all = nvx_sheet__rows(&whole, NVX_SET_TIME, &owner, &row, &nr, out,
			      "Time of vCPUs: in L2, in L1, in L0 for either, in user space, halted, "
			      "waiting for a CPU");
	if (all <= 0)
		return all;
	if (nvx_sheet__begin(&s, r, "<NAME >VCPU-TIME >L2 >L1 >L0:L1 >L0:L2 >USER >HALTED >POLL "
				    ">WAIT >?"))
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		uint64_t sum = 0;

		/* rows of one VM stand together: once each */
		if (i && row[i]->l.vm == row[i - 1]->l.vm)
			continue;
		for (unsigned int p = NVX_T_NONE + 1; p < NVX_PHASES; p++)
			sum += phase(owner, row[i]->l.vm, p);
		nvx_sheet__line(&s, row[i]);
		nvx_sheet__label(&s, row[i], NVX_LABEL_VM);
		nvx_sheet__ns(&s, sum);
		for (unsigned int c = 0; c < sizeof(columns); c++)
			nvx_sheet__percent(&s, phase(owner, row[i]->l.vm, columns[c]), sum);
		nvx_sheet__percent(&s, phase(owner, row[i]->l.vm, NVX_T_GUEST) +
					       phase(owner, row[i]->l.vm, NVX_T_L0), sum);
		nvx_sheet__end(&s);
	}
	nvx_rows__free(owner);
	return nvx_sheet__finish(&s, out, 0, 0);
}
