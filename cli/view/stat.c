// SPDX-License-Identifier: GPL-2.0-only
#include "view/stat.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "util/fmt.h"
#include "util/table.h"

#define MAX_COLUMNS 18

/* One table being written: cells of a line are formatted into their own buffers. */
struct sheet {
	const struct nvx_report *r;
	struct nvx_table *t;
	unsigned int nr, columns;
	const char *cell[MAX_COLUMNS];
	char buf[MAX_COLUMNS][NVX_LABEL_MAX];
	bool with_vm;
};

static char *next(struct sheet *s)
{
	s->cell[s->nr] = s->buf[s->nr];
	return s->buf[s->nr++];
}

static void text(struct sheet *s, const char *value)
{
	snprintf(next(s), NVX_LABEL_MAX, "%s", value);
}

static void count(struct sheet *s, uint64_t n)
{
	nvx_fmt__count(next(s), NVX_LABEL_MAX, n);
}

static void time_ns(struct sheet *s, uint64_t ns)
{
	nvx_fmt__ns(next(s), NVX_LABEL_MAX, ns);
}

static void percent(struct sheet *s, uint64_t part, uint64_t whole)
{
	nvx_fmt__percent(next(s), NVX_LABEL_MAX, part, whole);
}

/* An upper bound: what the histogram's slots can tell. */
static void bound(struct sheet *s, uint64_t ns)
{
	char *buf = next(s);

	if (!ns) {
		strcpy(buf, "-");
	} else if (ns == UINT64_MAX) {
		strcpy(buf, ">1.07s");
	} else {
		buf[0] = '<';
		nvx_fmt__ns(buf + 1, NVX_LABEL_MAX - 1, ns);
	}
}

static void label(struct sheet *s, const struct nvx_row *row, enum nvx_label l)
{
	char *buf = next(s);
	const char *got = nvx_label__text(l, row, s->r->vms, buf, NVX_LABEL_MAX);

	if (got != buf)
		snprintf(buf, NVX_LABEL_MAX, "%s", got);
}

static void end_line(struct sheet *s)
{
	nvx_table__row(s->t, s->cell);
	s->nr = 0;
}

/*
 * Start a table: `spec` is one word a column, `<` or `>` for its alignment and the heading.
 * The VM column comes by itself where more than one VM is shown.
 */
static int begin(struct sheet *s, const struct nvx_report *r, const char *spec)
{
	enum nvx_align align[MAX_COLUMNS];
	char word[32];
	int used;

	memset(s, 0, sizeof(*s));
	s->r = r;
	s->with_vm = r->nr_vms > 1 && !r->by_host;
	if (s->with_vm) {
		align[s->nr] = NVX_LEFT;
		text(s, "VM");
	}
	while (s->nr < MAX_COLUMNS && sscanf(spec, " %31s%n", word, &used) == 1) {
		align[s->nr] = *word == '<' ? NVX_LEFT : NVX_RIGHT;
		for (char *c = word; *c; c++)
			*c = *c == '_' ? ' ' : *c;
		text(s, word + 1);
		spec += used;
	}
	s->columns = s->nr;
	s->t = nvx_table__new(s->columns, align);
	if (!s->t)
		return -ENOMEM;
	end_line(s);
	return 0;
}

static void start_line(struct sheet *s, const struct nvx_row *row)
{
	if (s->with_vm)
		label(s, row, NVX_LABEL_VM);
}

static int finish(struct sheet *s, FILE *out)
{
	int ret = nvx_table__print(s->t, out, 2);

	nvx_table__free(s->t);
	return ret;
}

static void cut_note(FILE *out, size_t shown, size_t all)
{
	if (shown < all)
		fprintf(out, "  ... %zu more rows; --top 0 shows all\n", all - shown);
}

/* Rows of a set, or the line that says there are none. */
static long rows_of(const struct nvx_report *r, enum nvx_set set, struct nvx_rows **owner,
		    const struct nvx_row ***row, size_t *nr, FILE *out, const char *title)
{
	long all = nvx_report__rows(r, set, owner, row, nr);

	if (all >= 0)
		fprintf(out, "\n%s\n", title);
	if (all == 0) {
		fprintf(out, "  none\n");
		nvx_rows__free(*owner);
	}
	return all;
}

static int show_vms(const struct nvx_report *r, FILE *out)
{
	const struct nvx_row **row;
	struct nvx_rows *owner;
	struct sheet s;
	size_t nr;
	long all = rows_of(r, NVX_SET_VMS, &owner, &row, &nr, out, "VMs");

	if (all <= 0)
		return all;
	if (begin(&s, r, "<NAME >PID >VCPUS >L1_EXITS >L2_EXITS >L1->L2 >L2->L1 >NO_EXIT >FAILED >RESYNC"))
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		const uint64_t *v = row[i]->v;

		start_line(&s, row[i]);
		label(&s, row[i], NVX_LABEL_VM);
		if (r->by_host)
			text(&s, "-");
		else
			snprintf(next(&s), NVX_LABEL_MAX, "%u", r->vms[row[i]->l.vm]->pid);
		count(&s, v[NVX_V_VCPUS]);
		count(&s, v[NVX_V_COUNT]);
		count(&s, v[NVX_V_L2_EXITS]);
		count(&s, v[NVX_V_ENTRIES]);
		count(&s, v[NVX_V_LEAVES]);
		count(&s, v[NVX_V_NOEXIT]);
		count(&s, v[NVX_V_FAILED]);
		count(&s, v[NVX_V_RESYNCS]);
		end_line(&s);
	}
	nvx_rows__free(owner);
	return finish(&s, out);
}

/* Which L2s there are, by the address of the structure that L1 describes them with. */
static int show_l2s(const struct nvx_report *r, FILE *out)
{
	const struct nvx_row **row;
	struct nvx_rows *owner;
	struct sheet s;
	size_t nr;
	long all = nvx_report__rows(r, NVX_SET_L2S, &owner, &row, &nr);

	if (all < 0)
		return all;
	if (!all) {
		nvx_rows__free(owner);
		return 0;
	}
	fprintf(out, "\nL2s, by the address of their vmcs12 or VMCB12\n");
	if (begin(&s, r, "<L2 >ENTRIES >EXITS >REFLECTED >SYNTHESISED >HANDLED"))
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		uint64_t n = 0, refl = 0, synth = 0;

		for (size_t k = 0; k < r->rows->nr; k++) {
			const struct nvx_row *e = r->rows->row[k];

			if (e->l.set != NVX_SET_EXITS || e->l.l2 != row[i]->l.l2 ||
			    (!r->by_host && e->l.vm != row[i]->l.vm))
				continue;
			n += e->v[NVX_V_COUNT];
			refl += e->v[NVX_V_REFLECTED];
			synth += e->v[NVX_V_SYNTHESISED];
		}
		start_line(&s, row[i]);
		label(&s, row[i], NVX_LABEL_L2);
		count(&s, row[i]->v[NVX_V_ENTRIES]);
		count(&s, n);
		count(&s, refl);
		count(&s, synth);
		count(&s, n - refl - synth);
		end_line(&s);
	}
	nvx_rows__free(owner);
	return finish(&s, out);
}

static int show_exits(const struct nvx_report *r, FILE *out)
{
	uint64_t exits = nvx_rows__sum(r->rows, NVX_SET_EXITS, NVX_V_COUNT, -1, NVX_VM_ALL);
	uint64_t total = nvx_rows__sum(r->rows, NVX_SET_EXITS, NVX_V_TIME, -1, NVX_VM_ALL);
	const struct nvx_row **row;
	struct nvx_rows *owner;
	struct sheet s;
	size_t nr;
	long all = rows_of(r, NVX_SET_EXITS, &owner, &row, &nr, out, "Exits by level and reason");

	if (all <= 0)
		return all;
	if (begin(&s, r, r->by_l2 ? "<LEVEL <L2 <REASON >EXITS >SHARE >REFLECTED >SYNTH >HANDLED >TIME "
				    ">SHARE >AVG >P50 >P99 >OPEN" :
				    "<LEVEL <REASON >EXITS >SHARE >REFLECTED >SYNTH >HANDLED >TIME "
				    ">SHARE >AVG >P50 >P99 >OPEN"))
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		const uint64_t *v = row[i]->v;
		bool l2 = row[i]->l.level == NVX_LEVEL_2;

		start_line(&s, row[i]);
		snprintf(next(&s), NVX_LABEL_MAX, "%s", l2 ? "L2" : row[i]->l.level ? "L1" : "?");
		if (r->by_l2)
			label(&s, row[i], NVX_LABEL_L2);
		label(&s, row[i], NVX_LABEL_REASON);
		count(&s, v[NVX_V_COUNT]);
		percent(&s, v[NVX_V_COUNT], exits);
		if (l2) {
			count(&s, v[NVX_V_REFLECTED]);
			count(&s, v[NVX_V_SYNTHESISED]);
			count(&s, nvx_row__handled(row[i]));
		} else {
			text(&s, "-");
			text(&s, "-");
			text(&s, "-");
		}
		time_ns(&s, v[NVX_V_TIME]);
		percent(&s, v[NVX_V_TIME], total);
		time_ns(&s, v[NVX_V_DONE] ? v[NVX_V_TIME] / v[NVX_V_DONE] : 0);
		bound(&s, nvx_hist__quantile(row[i]->hist, 0.5));
		bound(&s, nvx_hist__quantile(row[i]->hist, 0.99));
		count(&s, nvx_row__open(row[i]));
		end_line(&s);
	}
	nvx_rows__free(owner);
	all = finish(&s, out) ? -EIO : all;
	cut_note(out, nr, all);
	return all < 0 ? all : 0;
}

static int show_drill(const struct nvx_report *r, enum nvx_set set, enum nvx_label what,
		      const char *title, const char *heading, FILE *out)
{
	const struct nvx_row **row;
	struct nvx_rows *owner;
	char spec[128];
	struct sheet s;
	size_t nr;
	bool access = nvx_set__info(set)->labels & 1u << NVX_LABEL_ACCESS;
	long all = rows_of(r, set, &owner, &row, &nr, out, title);

	if (all <= 0)
		return all;
	snprintf(spec, sizeof(spec), "<LEVEL %s<%s %s>EXITS >REFLECTED >TIME >AVG",
		 r->by_l2 ? "<L2 " : "", heading, access ? "<ACCESS " : "");
	if (begin(&s, r, spec))
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		const uint64_t *v = row[i]->v;
		bool l2 = row[i]->l.level == NVX_LEVEL_2;

		start_line(&s, row[i]);
		text(&s, l2 ? "L2" : row[i]->l.level ? "L1" : "?");
		if (r->by_l2)
			label(&s, row[i], NVX_LABEL_L2);
		label(&s, row[i], what);
		if (access)
			label(&s, row[i], NVX_LABEL_ACCESS);
		count(&s, v[NVX_V_COUNT]);
		if (l2)
			count(&s, v[NVX_V_REFLECTED]);
		else
			text(&s, "-");
		time_ns(&s, v[NVX_V_TIME]);
		time_ns(&s, v[NVX_V_COUNT] ? v[NVX_V_TIME] / v[NVX_V_COUNT] : 0);
		end_line(&s);
	}
	nvx_rows__free(owner);
	all = finish(&s, out) ? -EIO : all;
	cut_note(out, nr, all);
	return all < 0 ? all : 0;
}

static int show_msrs(const struct nvx_report *r, FILE *out)
{
	int ret = show_drill(r, NVX_SET_MSRS, NVX_LABEL_MSR, "MSR exits", "MSR", out);

	if (!ret)
		ret = show_drill(r, NVX_SET_HYPERCALLS, NVX_LABEL_HYPERCALL, "Hypercalls",
				 "HYPERCALL", out);
	return ret;
}

static int show_io(const struct nvx_report *r, FILE *out)
{
	int ret = show_drill(r, NVX_SET_PIO, NVX_LABEL_PORT, "I/O port exits", "PORT", out);

	if (!ret)
		ret = show_drill(r, NVX_SET_MMIO, NVX_LABEL_PAGE, "Accesses to device pages", "PAGE",
				 out);
	return ret;
}

/* The chain length seen most often; ties go to the shorter. */
static void usual_length(struct sheet *s, const struct nvx_row *row)
{
	unsigned int best = 0;
	uint64_t b;

	for (unsigned int i = 1; i < NVX_LEN_SLOTS; i++)
		if (row->hist[i] > row->hist[best])
			best = i;
	b = nvx_len__bound(best);
	if (!row->hist[best])
		text(s, "-");
	else if (best < NVX_LEN_EXACT)
		count(s, b);
	else
		snprintf(next(s), NVX_LABEL_MAX, ">%" PRIu64, nvx_len__bound(best - 1));
}

/* The L1 exits of one chain row, most frequent first, as sub-rows. */
static void chain_cells(struct sheet *s, const struct nvx_row *chain, const struct nvx_row **cell,
			size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		const struct nvx_row *c = cell[i];
		char name[NVX_LABEL_MAX], *at;

		if (c->l.vm != chain->l.vm || c->l.isa != chain->l.isa || c->l.key != chain->l.key)
			continue;
		start_line(s, c);
		at = next(s);
		snprintf(at, NVX_LABEL_MAX, "  L1 %s",
			 nvx_label__text(NVX_LABEL_L1_REASON, c, s->r->vms, name, sizeof(name)));
		count(s, c->v[NVX_V_COUNT]);
		for (int k = 0; k < 3; k++)
			text(s, "");
		nvx_fmt__ratio(next(s), NVX_LABEL_MAX, c->v[NVX_V_COUNT], chain->v[NVX_V_COUNT], 2);
		text(s, "");
		time_ns(s, c->v[NVX_V_TIME]);
		time_ns(s, c->v[NVX_V_COUNT] ? c->v[NVX_V_TIME] / c->v[NVX_V_COUNT] : 0);
		text(s, "");
		end_line(s);
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

static int show_chains(const struct nvx_report *r, FILE *out)
{
	struct nvx_report whole = *r;
	const struct nvx_row **row, **cell;
	struct nvx_rows *owner, *cells;
	size_t nr, nr_cells;
	struct sheet s;
	long all = rows_of(r, NVX_SET_CHAINS, &owner, &row, &nr, out,
			   "Chains: switches to L1 by the reason that L1 saw, and the L1 exits until "
			   "L2 runs again");

	if (all <= 0)
		return all;
	whole.top = 0;
	if (nvx_report__rows(&whole, NVX_SET_CELLS, &cells, &cell, &nr_cells) < 0 ||
	    begin(&s, r, "<L1_SAW >CHAINS >REFLECTED >SYNTH >NO_EXIT >EXITS/CHAIN >USUAL >TIME >AVG "
			 ">OPEN"))
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		const uint64_t *v = row[i]->v;

		start_line(&s, row[i]);
		label(&s, row[i], NVX_LABEL_L2_REASON);
		count(&s, v[NVX_V_COUNT]);
		count(&s, v[NVX_V_REFLECTED]);
		count(&s, v[NVX_V_SYNTHESISED]);
		count(&s, v[NVX_V_NOEXIT]);
		nvx_fmt__ratio(next(&s), NVX_LABEL_MAX, chain_exits(row[i], cell, nr_cells),
			       v[NVX_V_COUNT], 2);
		usual_length(&s, row[i]);
		time_ns(&s, v[NVX_V_TIME]);
		time_ns(&s, v[NVX_V_DONE] ? v[NVX_V_TIME] / v[NVX_V_DONE] : 0);
		count(&s, nvx_row__open(row[i]));
		end_line(&s);
		chain_cells(&s, row[i], cell, nr_cells);
	}
	nvx_rows__free(cells);
	nvx_rows__free(owner);
	all = finish(&s, out) ? -EIO : all;
	cut_note(out, nr, all);
	return all < 0 ? all : 0;
}

static void show_head(const struct nvx_report *r, FILE *out)
{
	char dur[NVX_FMT_MAX], n[NVX_FMT_MAX];

	nvx_fmt__ns(dur, sizeof(dur), r->duration_ns);
	if (r->interval)
		fprintf(out, "interval %" PRIu64 ", ", r->interval);
	fprintf(out, "%s on %s, kernel %s, source: %s\n", dur, r->host, r->release,
		nvx_tier__name(r->tier));
	fprintf(out, "Dropped events: %s", nvx_fmt__count(n, sizeof(n), nvx_report__dropped(r)));
	if (nvx_report__dropped(r)) {
		fprintf(out, " (no vCPU slot %" PRIu64, r->gdrops[NVX_GDROP_VCPUS_FULL]);
		fprintf(out, ", missed by BPF %" PRIu64, r->misses);
		fprintf(out, ", no table slot or unreadable %" PRIu64 ")",
			nvx_rows__sum(r->rows, NVX_SET_VMS, NVX_V_LOST, -1, NVX_VM_ALL));
	}
	if (nvx_rows__sum(r->rows, NVX_SET_VMS, NVX_V_DETAIL, -1, NVX_VM_ALL))
		fprintf(out, "; counted as \"other\": %s",
			nvx_fmt__count(n, sizeof(n), nvx_rows__sum(r->rows, NVX_SET_VMS, NVX_V_DETAIL,
								   -1, NVX_VM_ALL)));
	fprintf(out, "\nOwn cost: ");
	if (r->cost.events)
		fprintf(out, "%" PRIu64 " ns an event (%s events in %s of measuring, %s of one CPU)\n",
			r->cost.run_ns / r->cost.events,
			nvx_fmt__count(n, sizeof(n), r->cost.events),
			nvx_fmt__ns(dur, sizeof(dur), r->cost.window_ns),
			nvx_fmt__percent((char[NVX_FMT_MAX]){ 0 }, NVX_FMT_MAX, r->cost.run_ns,
					 r->cost.window_ns));
	else
		fprintf(out, "n/a (no event while it was measured)\n");
}

int nvx_view__stat(const struct nvx_report *r, FILE *out)
{
	static int (*const show[NVX_SECTION_COUNT])(const struct nvx_report *, FILE *) = {
		[NVX_SECTION_EXITS] = show_exits,
		[NVX_SECTION_MSRS] = show_msrs,
		[NVX_SECTION_IO] = show_io,
		[NVX_SECTION_CHAINS] = show_chains,
	};
	int ret;

	show_head(r, out);
	ret = show_vms(r, out);
	if (!ret)
		ret = show_l2s(r, out);
	for (unsigned int s = 0; s < NVX_SECTION_COUNT && !ret; s++) {
		const struct nvx_probe_section *have = &r->section[s];

		if (!(r->sections & 1u << s))
			continue;
		if (have->have == NVX_HAVE_NO) {
			fprintf(out, "\n%s: n/a (%s)\n", nvx_section__name(s), have->reason);
			continue;
		}
		ret = show[s](r, out);
		if (have->partial)
			fprintf(out, "  n/a in part: %s\n", have->reason);
	}
	if (fflush(out) || ferror(out))
		ret = -EIO;
	return ret;
}
