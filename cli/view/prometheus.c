// SPDX-License-Identifier: GPL-2.0-only
#include "view/prometheus.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct writer {
	const struct nvx_report *r;
	const struct nvx_prometheus *p;
	FILE *out;
	/* of the set being written: each row's VM has so many series before it */
	size_t *rank;
	struct nvx_row *other; /* by VM: what has no series of its own */
	char (*vm)[NVX_LABEL_MAX]; /* a name each, no two the same */
};

/* Backslash, quote and newline are all that a label's value escapes. */
static void put_value(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\n') {
			fputs("\\n", out);
			continue;
		}
		if (*text == '\\' || *text == '"')
			fputc('\\', out);
		fputc(*text, out);
	}
}

/* A number that OpenMetrics takes for a bound: always with a point. */
static void put_float(FILE *out, double v)
{
	char buf[40];

	snprintf(buf, sizeof(buf), "%.9g", v);
	fprintf(out, "%s%s", buf, strpbrk(buf, ".en") ? "" : ".0");
}

/* The name of a counter's family has no _total in OpenMetrics. */
static void put_family(const struct writer *w, const char *name, const char *type, const char *help)
{
	size_t n = strlen(name);

	if (w->p->openmetrics && n > 6 && !strcmp(name + n - 6, "_total"))
		n -= 6;
	fprintf(w->out, "# HELP %.*s %s\n# TYPE %.*s %s\n", (int)n, name, help, (int)n, name, type);
}

/* The labels of a row, the last one open for more.  `other`: a row of those without a series. */
static void put_labels(const struct writer *w, const struct nvx_row *row, bool other)
{
	unsigned int labels = nvx_set__info(row->l.set)->labels & ~(1u << NVX_LABEL_L2);
	const char *comma = "";
	char buf[NVX_LABEL_MAX];

	for (unsigned int l = 0; l < NVX_LABEL_COUNT; l++) {
		const char *text = "other";

		if (!(labels & 1u << l))
			continue;
		if (l == NVX_LABEL_VM)
			text = w->vm[row->l.vm];
		else if (!other)
			text = nvx_label__text(l, row, w->r->vms, buf, sizeof(buf));
		fprintf(w->out, "%s%s=\"", comma, nvx_label__name(l));
		put_value(w->out, text);
		fputc('"', w->out);
		comma = ",";
	}
}

static void put_series(const struct writer *w, const char *name, const char *suffix,
		       const struct nvx_row *row, bool other)
{
	fprintf(w->out, "%s%s{", name, suffix);
	put_labels(w, row, other);
	fputs("} ", w->out);
}

static void put_histogram(const struct writer *w, const struct nvx_metric *m,
			  const struct nvx_row *row, bool other)
{
	double unit = m->unit == NVX_UNIT_NS ? 1e-9 : 1;
	uint64_t sum = 0;

	for (unsigned int i = 0; i < nvx_metric__slots(m); i++) {
		uint64_t bound = nvx_metric__bound(m, i);

		sum += row->hist[i];
		fprintf(w->out, "%s_bucket{", m->name);
		put_labels(w, row, other);
		fputs(",le=\"", w->out);
		if (bound == UINT64_MAX)
			fputs("+Inf", w->out);
		else
			put_float(w->out, bound * unit);
		fprintf(w->out, "\"} %" PRIu64 "\n", sum);
	}
	/* of lengths there is no sum, and so no count either */
	if (m->unit != NVX_UNIT_NS)
		return;
	put_series(w, m->name, "_sum", row, other);
	fprintf(w->out, "%.9f\n", row->v[NVX_V_TIME] * 1e-9);
	put_series(w, m->name, "_count", row, other);
	fprintf(w->out, "%" PRIu64 "\n", sum);
}

static void put_row(const struct writer *w, const struct nvx_metric *m, const struct nvx_row *row,
		    bool other)
{
	if (!m->get) {
		put_histogram(w, m, row, other);
		return;
	}
	put_series(w, m->name, "", row, other);
	if (m->unit == NVX_UNIT_NS)
		fprintf(w->out, "%.9f\n", m->get(row) * 1e-9);
	else
		fprintf(w->out, "%" PRIu64 "\n", m->get(row));
}

/* Which rows of a set have a series of their own, and the sums of those that have none. */
static void rank_rows(struct writer *w, enum nvx_set set)
{
	size_t *seen = calloc(w->r->nr_vms + 1, sizeof(*seen));

	memset(w->other, 0, w->r->nr_vms * sizeof(*w->other));
	for (size_t i = 0; seen && i < w->r->rows->nr; i++) {
		const struct nvx_row *row = w->r->rows->row[i];
		struct nvx_row *o;

		if (row->l.set != set || row->l.vm >= w->r->nr_vms)
			continue;
		w->rank[i] = seen[row->l.vm]++;
		if (!w->p->top || w->rank[i] < w->p->top)
			continue;
		o = &w->other[row->l.vm];
		o->l = row->l;
		for (int v = 0; v < NVX_V_NR; v++)
			o->v[v] += row->v[v];
		for (int h = 0; h < NVX_HIST_SLOTS; h++)
			o->hist[h] += row->hist[h];
	}
	free(seen);
}

static void put_metric(const struct writer *w, const struct nvx_metric *m)
{
	static const char *const type[] = { [NVX_COUNTER] = "counter", [NVX_GAUGE] = "gauge",
					    [NVX_HISTOGRAM] = "histogram" };

	put_family(w, m->name, type[m->type], m->help);
	for (size_t i = 0; i < w->r->rows->nr; i++) {
		const struct nvx_row *row = w->r->rows->row[i];

		if (row->l.set == m->set && row->l.vm < w->r->nr_vms && *w->vm[row->l.vm] &&
		    (!w->p->top || w->rank[i] < w->p->top))
			put_row(w, m, row, false);
	}
	for (size_t i = 0; i < w->r->nr_vms; i++)
		if (w->other[i].l.set == m->set && *w->vm[i] &&
		    (w->other[i].v[NVX_V_COUNT] || w->other[i].v[NVX_V_TIME]))
			put_row(w, m, &w->other[i], true);
}

static void put_sets(struct writer *w)
{
	for (unsigned int set = 0; set < NVX_SET_COUNT; set++) {
		const struct nvx_set_info *info = nvx_set__info(set);

		/* L2s are named by addresses: a new series each time that one starts */
		if (set == NVX_SET_L2S || w->r->section[info->section].have == NVX_HAVE_NO)
			continue;
		rank_rows(w, set);
		for (size_t i = 0; i < nvx_nr_metrics; i++)
			if (nvx_metrics[i].set == set &&
			    !nvx_report__lacks_metric(w->r, &nvx_metrics[i]))
				put_metric(w, &nvx_metrics[i]);
	}
}

static void put_vms(const struct writer *w)
{
	put_family(w, "nvx_vm_info", "gauge", "VMs, to join with: 1");
	for (size_t i = 0; i < w->r->nr_vms; i++) {
		const struct nvx_vm *vm = w->r->vms[i];

		if (!*w->vm[i])
			continue;
		fputs("nvx_vm_info{vm=\"", w->out);
		put_value(w->out, w->vm[i]);
		fputs("\",uuid=\"", w->out);
		put_value(w->out, vm->id.uuid);
		fputs("\",namespace=\"", w->out);
		put_value(w->out, vm->id.ns);
		fprintf(w->out, "\",pid=\"%u\",vmm=\"%s\"} 1\n", vm->pid, nvx_vmm__name(vm->id.vmm));
	}
}

/* What nvx says of itself and of its source. */
static void put_own(const struct writer *w)
{
	const struct nvx_report *r = w->r;

	put_family(w, "nvx_build_info", "gauge", "Version and source of events: 1");
	fprintf(w->out, "nvx_build_info{version=\"%s\",source=\"", w->p->version);
	put_value(w->out, r->source);
	fputs("\"} 1\n", w->out);
	put_family(w, "nvx_section_available", "gauge",
		   "Whether the source of events can fill a section");
	for (unsigned int s = 0; s < NVX_SECTION_COUNT; s++)
		fprintf(w->out, "nvx_section_available{section=\"%s\"} %d\n", nvx_section__name(s),
			r->section[s].have != NVX_HAVE_NO);
	put_family(w, "nvx_events_dropped_total", "counter", "Events that could not be counted");
	fprintf(w->out, "nvx_events_dropped_total %" PRIu64 "\n", nvx_report__dropped(r));
	put_family(w, "nvx_scrapes_total", "counter", "Readings asked for");
	fprintf(w->out, "nvx_scrapes_total %" PRIu64 "\n", w->p->scrapes);
	put_family(w, "nvx_scrape_duration_seconds", "gauge", "Time that this reading took");
	fprintf(w->out, "nvx_scrape_duration_seconds %.9f\n", w->p->scrape_seconds);
	put_family(w, "nvx_start_time_seconds", "gauge", "When counting began, since 1970");
	fprintf(w->out, "nvx_start_time_seconds %.3f\n", w->p->created);
	if (!r->cost.events)
		return;
	put_family(w, "nvx_bpf_event_seconds", "gauge",
		   "Time that nvx's programs take an event, as measured when it started");
	fprintf(w->out, "nvx_bpf_event_seconds %.9f\n", r->cost.run_ns * 1e-9 / r->cost.events);
}

/*
 * VMs of one name would be one series: the later ones get their process's number behind it, and
 * keep it when the first is gone.  A VM without rows, or one to hide, is left out: it has no name.
 */
static void name_vms(struct writer *w)
{
	for (size_t i = 0; i < w->r->rows->nr; i++) {
		uint32_t vm = w->r->rows->row[i]->l.vm;

		if (vm < w->r->nr_vms && !(w->p->hide && w->p->hide[vm]))
			w->vm[vm][0] = 1;
	}
	for (size_t i = 0; i < w->r->nr_vms; i++) {
		const struct nvx_vm *vm = w->r->vms[i];
		bool again = false;

		for (size_t k = 0; k < i && w->vm[i][0] && !again; k++)
			again = !strcmp(w->r->vms[k]->id.name, vm->id.name);
		if (w->vm[i][0])
			snprintf(w->vm[i], NVX_LABEL_MAX, again ? "%.130s-%u" : "%s", vm->id.name,
				 vm->pid);
	}
}

int nvx_view__prometheus(const struct nvx_report *r, const struct nvx_prometheus *p, FILE *out)
{
	struct writer w = { .r = r, .p = p, .out = out };
	int ret = -ENOMEM;

	w.rank = calloc(r->rows->nr + 1, sizeof(*w.rank));
	w.other = calloc(r->nr_vms + 1, sizeof(*w.other));
	w.vm = calloc(r->nr_vms + 1, sizeof(*w.vm));
	if (w.rank && w.other && w.vm) {
		name_vms(&w);
		put_own(&w);
		put_vms(&w);
		put_sets(&w);
		if (p->openmetrics)
			fputs("# EOF\n", out);
		ret = ferror(out) ? -EIO : 0;
	}
	free(w.rank);
	free(w.other);
	free(w.vm);
	return ret;
}
