// SPDX-License-Identifier: GPL-2.0-only
#include "view/stat.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "util/fmt.h"
#include "view/sheet.h"
#include "view/stat_priv.h"

static int show_vms(const struct nvx_report *r, FILE *out)
{
	const struct nvx_row **row;
	struct nvx_rows *owner;
	struct nvx_sheet s;
	size_t nr;
	bool unknown;
	long all = nvx_sheet__rows(r, NVX_SET_VMS, &owner, &row, &nr, out, "VMs");

	if (all <= 0)
		return all;
	unknown = nvx_rows__sum(r->rows, NVX_SET_VMS, NVX_V_UNKNOWN, -1, NVX_VM_ALL) != 0;
	if (nvx_sheet__begin(&s, r, unknown ?
				     "<NAME >PID >VCPUS >L1_EXITS >L2_EXITS >?_EXITS >L1->L2 >L2->L1 "
				     ">NO_EXIT >FAILED >RESYNC" :
				     "<NAME >PID >VCPUS >L1_EXITS >L2_EXITS >L1->L2 >L2->L1 "
				     ">NO_EXIT >FAILED >RESYNC"))
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		const uint64_t *v = row[i]->v;

		nvx_sheet__line(&s, row[i]);
		nvx_sheet__label(&s, row[i], NVX_LABEL_VM);
		if (r->by_host)
			nvx_sheet__text(&s, "-");
		else
			snprintf(nvx_sheet__cell(&s), NVX_LABEL_MAX, "%u",
				 r->vms[row[i]->l.vm]->pid);
		/* a table tells no vCPUs, and nothing else by level */
		if (v[NVX_V_VCPUS])
			nvx_sheet__count(&s, v[NVX_V_VCPUS]);
		else
			nvx_sheet__text(&s, "n/a");
		if (!nvx_sheet__lacks(&s, NVX_LACK_SWITCH, 2)) {
			nvx_sheet__count(&s, v[NVX_V_COUNT]);
			nvx_sheet__count(&s, v[NVX_V_L2_EXITS]);
		}
		if (unknown)
			nvx_sheet__count(&s, v[NVX_V_UNKNOWN]);
		if (!nvx_sheet__lacks(&s, NVX_LACK_SWITCH, 5)) {
			nvx_sheet__count(&s, v[NVX_V_ENTRIES]);
			nvx_sheet__count(&s, v[NVX_V_LEAVES]);
			nvx_sheet__count(&s, v[NVX_V_NOEXIT]);
			nvx_sheet__count(&s, v[NVX_V_FAILED]);
			nvx_sheet__count(&s, v[NVX_V_RESYNCS]);
		}
		nvx_sheet__end(&s);
	}
	nvx_rows__free(owner);
	return nvx_sheet__finish(&s, out, nr, all);
}

/* Which L2s there are, by the address of the structure that L1 describes them with. */
static int show_l2s(const struct nvx_report *r, FILE *out)
{
	const struct nvx_row **row;
	struct nvx_rows *owner;
	struct nvx_sheet s;
	size_t nr;
	long all = nvx_report__rows(r, NVX_SET_L2S, &owner, &row, &nr);

	if (all < 0)
		return all;
	if (!all) {
		nvx_rows__free(owner);
		return 0;
	}
	fprintf(out, "\nL2s, by the address of their vmcs12 or VMCB12\n");
	if (nvx_sheet__begin(&s, r, "<L2 >ENTRIES >EXITS >REFLECTED >SYNTHESISED >HANDLED"))
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
		nvx_sheet__line(&s, row[i]);
		nvx_sheet__label(&s, row[i], NVX_LABEL_L2);
		nvx_sheet__count(&s, row[i]->v[NVX_V_ENTRIES]);
		nvx_sheet__count(&s, n);
		nvx_sheet__count(&s, refl);
		nvx_sheet__count(&s, synth);
		nvx_sheet__count(&s, n - refl - synth);
		nvx_sheet__end(&s);
	}
	nvx_rows__free(owner);
	return nvx_sheet__finish(&s, out, nr, all);
}

/* What stands in a line of exits behind its labels. */
static void exit_cells(struct nvx_sheet *s, const struct nvx_row *row, uint64_t exits,
		       uint64_t time)
{
	const uint64_t *v = row->v;

	nvx_sheet__count(s, v[NVX_V_COUNT]);
	nvx_sheet__percent(s, v[NVX_V_COUNT], exits);
	if (row->l.level != NVX_LEVEL_2) {
		nvx_sheet__text(s, "-");
		nvx_sheet__text(s, "-");
		nvx_sheet__text(s, "-");
	} else if (!nvx_sheet__lacks(s, NVX_LACK_OUTCOME, 3)) {
		nvx_sheet__count(s, v[NVX_V_REFLECTED]);
		nvx_sheet__count(s, v[NVX_V_SYNTHESISED]);
		nvx_sheet__count(s, nvx_row__handled(row));
	}
	if (!nvx_sheet__lacks(s, NVX_LACK_TIME, 3)) {
		nvx_sheet__ns(s, v[NVX_V_TIME]);
		nvx_sheet__percent(s, v[NVX_V_TIME], time);
		nvx_sheet__ns(s, v[NVX_V_DONE] ? v[NVX_V_TIME] / v[NVX_V_DONE] : 0);
	}
	if (!nvx_sheet__lacks(s, NVX_LACK_HIST, 2)) {
		nvx_sheet__bound(s, nvx_hist__quantile(row->hist, 0.5));
		nvx_sheet__bound(s, nvx_hist__quantile(row->hist, 0.99));
	}
	if (!nvx_sheet__lacks(s, NVX_LACK_OPEN, 1))
		nvx_sheet__count(s, nvx_row__open(row));
}

static int show_exits(const struct nvx_report *r, FILE *out)
{
	uint64_t exits = nvx_rows__sum(r->rows, NVX_SET_EXITS, NVX_V_COUNT, -1, NVX_VM_ALL);
	uint64_t total = nvx_rows__sum(r->rows, NVX_SET_EXITS, NVX_V_TIME, -1, NVX_VM_ALL);
	const struct nvx_row **row;
	struct nvx_rows *owner;
	struct nvx_sheet s;
	size_t nr;
	long all = nvx_sheet__rows(r, NVX_SET_EXITS, &owner, &row, &nr, out,
				   "Exits by level and reason");

	if (all <= 0)
		return all;
	if (nvx_sheet__begin(&s, r, r->by_l2 ?
				     "<LEVEL <L2 <REASON >EXITS >SHARE >REFLECTED >SYNTH >HANDLED "
				     ">TIME >SHARE >AVG >P50 >P99 >OPEN" :
				     "<LEVEL <REASON >EXITS >SHARE >REFLECTED >SYNTH >HANDLED "
				     ">TIME >SHARE >AVG >P50 >P99 >OPEN"))
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		nvx_sheet__line(&s, row[i]);
		nvx_sheet__level(&s, row[i]);
		if (r->by_l2)
			nvx_sheet__label(&s, row[i], NVX_LABEL_L2);
		nvx_sheet__label(&s, row[i], NVX_LABEL_REASON);
		exit_cells(&s, row[i], exits, total);
		nvx_sheet__end(&s);
	}
	nvx_rows__free(owner);
	return nvx_sheet__finish(&s, out, nr, all);
}

static int show_drill(const struct nvx_report *r, enum nvx_set set, enum nvx_label what,
		      const char *title, const char *heading, FILE *out)
{
	const struct nvx_row **row;
	struct nvx_rows *owner;
	char spec[128];
	struct nvx_sheet s;
	size_t nr;
	bool access = nvx_set__info(set)->labels & 1u << NVX_LABEL_ACCESS;
	long all = nvx_sheet__rows(r, set, &owner, &row, &nr, out, title);

	if (all <= 0)
		return all;
	snprintf(spec, sizeof(spec), "<LEVEL %s<%s %s>EXITS >REFLECTED >TIME >AVG",
		 r->by_l2 ? "<L2 " : "", heading, access ? "<ACCESS " : "");
	if (nvx_sheet__begin(&s, r, spec))
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++) {
		const uint64_t *v = row[i]->v;
		bool l2 = row[i]->l.level == NVX_LEVEL_2;

		nvx_sheet__line(&s, row[i]);
		nvx_sheet__level(&s, row[i]);
		if (r->by_l2)
			nvx_sheet__label(&s, row[i], NVX_LABEL_L2);
		nvx_sheet__label(&s, row[i], what);
		if (access)
			nvx_sheet__label(&s, row[i], NVX_LABEL_ACCESS);
		nvx_sheet__count(&s, v[NVX_V_COUNT]);
		if (!l2)
			nvx_sheet__text(&s, "-");
		else if (!nvx_sheet__lacks(&s, NVX_LACK_OUTCOME, 1))
			nvx_sheet__count(&s, v[NVX_V_REFLECTED]);
		if (!nvx_sheet__lacks(&s, NVX_LACK_TIME, 2)) {
			nvx_sheet__ns(&s, v[NVX_V_TIME]);
			nvx_sheet__ns(&s, v[NVX_V_COUNT] ? v[NVX_V_TIME] / v[NVX_V_COUNT] : 0);
		}
		nvx_sheet__end(&s);
	}
	nvx_rows__free(owner);
	return nvx_sheet__finish(&s, out, nr, all);
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
		ret = show_drill(r, NVX_SET_MMIO, NVX_LABEL_PAGE, "Accesses to device pages",
				 "PAGE", out);
	return ret;
}

static void show_head(const struct nvx_report *r, FILE *out)
{
	char dur[NVX_FMT_MAX], n[NVX_FMT_MAX];
	uint64_t detail;

	if (r->duration_ns)
		nvx_fmt__ns(dur, sizeof(dur), r->duration_ns);
	else
		strcpy(dur, "n/a");
	if (r->interval)
		fprintf(out, "interval %" PRIu64 ", ", r->interval);
	fprintf(out, "%s on %s, kernel %s, source: %s\n", dur, r->host, r->release,
		r->source);
	if (nvx_report__lacks(r, NVX_LACK_DROPS))
		fprintf(out, "Dropped events: n/a (%s)", nvx_report__lacks(r, NVX_LACK_DROPS));
	else
		fprintf(out, "Dropped events: %s",
			nvx_fmt__count(n, sizeof(n), nvx_report__dropped(r)));
	if (nvx_report__dropped(r)) {
		fprintf(out, " (no vCPU slot %" PRIu64, r->gdrops[NVX_GDROP_VCPUS_FULL]);
		fprintf(out, ", missed by BPF %" PRIu64 ", lost by the recording %" PRIu64,
			r->misses, r->lost);
		fprintf(out, ", no table slot or unreadable %" PRIu64 ")",
			nvx_rows__sum(r->rows, NVX_SET_VMS, NVX_V_LOST, -1, NVX_VM_ALL));
	}
	detail = nvx_rows__sum(r->rows, NVX_SET_VMS, NVX_V_DETAIL, -1, NVX_VM_ALL);
	if (detail)
		fprintf(out, "; counted as \"other\": %s", nvx_fmt__count(n, sizeof(n), detail));
	fputc('\n', out);
	if (r->tier == NVX_TIER_NONE)
		return;
	fprintf(out, "Own cost: ");
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
		[NVX_SECTION_CHAINS] = nvx_stat__chains,
		[NVX_SECTION_IPIS] = nvx_stat__ipis,
		[NVX_SECTION_TLB] = nvx_stat__tlb,
		[NVX_SECTION_TIME] = nvx_stat__time,
	};
	uint64_t opaque = nvx_rows__sum(r->rows, NVX_SET_VMS, NVX_V_OPAQUE, -1, NVX_VM_ALL);
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
		if (opaque && (1u << s) & (1u << NVX_SECTION_MSRS | 1u << NVX_SECTION_IO |
					   1u << NVX_SECTION_IPIS))
			fprintf(out, "  n/a for %" PRIu64 " vCPUs of encrypted guests (SEV-ES, TDX): "
				"their registers cannot be read\n", opaque);
	}
	if (fflush(out) || ferror(out))
		ret = -EIO;
	return ret;
}
