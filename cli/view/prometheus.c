// SPDX-License-Identifier: GPL-2.0-only
/*
 * A host with a thousand VMs has a million lines, so each series' labels are made once for all
 * metrics of its set, and each bucket's bound once a metric.
 */
#include "view/prometheus_priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEVELS (NVX_LEVEL_2 + 1)

/* What is written of the set at hand: a row, or what a group has no series for. */
struct series {
	const struct nvx_row *row;
	size_t labels, len; /* in the writer's text of labels: "{vm=..}" */
};

struct writer {
	const struct nvx_report *r;
	const struct nvx_prometheus *p;
	struct nvx_text *out;
	bool failed;
	/* a VM, or a vCPU where they are kept apart, is a group: those of a VM stand together */
	size_t *group, nr_groups; /* by VM: its first */
	size_t *rank;		  /* by group: rows of the set so far */
	struct nvx_row **other;	  /* by group and level: those beyond the limit, or NULL */
	const struct nvx_row **row; /* those to show, by set */
	size_t end[NVX_SET_COUNT];  /* where each set's end in it */
	/* the set being written */
	struct series *series;
	size_t nr;
	struct nvx_text labels;
};

static void put_labels(struct writer *w, const struct nvx_row *row, bool other)
{
	unsigned int labels = nvx_set__info(row->l.set)->labels & ~(1u << NVX_LABEL_L2);
	const struct nvx_vmname *id = &w->r->vms[row->l.vm]->id;
	char buf[NVX_LABEL_MAX];

	nvx_text__put(&w->labels, "{", 1);
	prom_label(&w->labels, "vm", id->name);
	if (*id->ns) {
		nvx_text__put(&w->labels, ",", 1);
		prom_label(&w->labels, "namespace", id->ns);
	}
	if (row->l.vcpu)
		labels |= 1u << NVX_LABEL_VCPU;
	for (unsigned int l = NVX_LABEL_VM + 1; l < NVX_LABEL_COUNT; l++) {
		if (!(labels & 1u << l))
			continue;
		nvx_text__put(&w->labels, ",", 1);
		prom_label(&w->labels, nvx_label__name(l),
			  other && l != NVX_LABEL_VCPU && l != NVX_LABEL_LEVEL ?
				  "other" :
				  nvx_label__text(l, row, w->r->vms, buf, sizeof(buf)));
	}
	nvx_text__put(&w->labels, "}", 1);
}

static void add_series(struct writer *w, const struct nvx_row *row, bool other)
{
	struct series *s = &w->series[w->nr++];

	s->row = row;
	s->labels = w->labels.len;
	put_labels(w, row, other);
	s->len = w->labels.len - s->labels;
}

static void put_name(const struct writer *w, const char *name, const char *suffix,
		     const struct series *s)
{
	nvx_text__str(w->out, name);
	nvx_text__str(w->out, suffix);
	nvx_text__put(w->out, w->labels.s + s->labels, s->len);
	nvx_text__put(w->out, " ", 1);
}

static void put_integer(const struct writer *w, uint64_t v)
{
	nvx_text__u64(w->out, v);
	nvx_text__put(w->out, "\n", 1);
}

static void put_seconds(const struct writer *w, uint64_t ns)
{
	nvx_text__seconds(w->out, ns);
	nvx_text__put(w->out, "\n", 1);
}

/* Buckets are most of the lines: of a long histogram every second bound is one. */
#define BUCKETS 12

struct bounds {
	unsigned int nr, step;
	char end[NVX_HIST_SLOTS][48]; /* `,le="..."} ` */
	size_t len[NVX_HIST_SLOTS];
};

/* A bound is a float to OpenMetrics: always with a point. */
static void make_bounds(const struct nvx_metric *m, struct bounds *b)
{
	double unit = m->unit == NVX_UNIT_NS ? 1e-9 : 1;

	b->nr = nvx_metric__slots(m);
	b->step = b->nr > BUCKETS ? 2 : 1;
	for (unsigned int i = b->step - 1; i < b->nr; i += b->step) {
		uint64_t bound = nvx_metric__bound(m, i);
		char number[24] = "+Inf";

		if (bound != UINT64_MAX)
			snprintf(number, sizeof(number), "%.9g", bound * unit);
		b->len[i] = snprintf(b->end[i], sizeof(b->end[i]), ",le=\"%s%s\"} ", number,
				     strpbrk(number, ".en") ? "" : ".0");
		if (bound == UINT64_MAX)
			b->len[i] = snprintf(b->end[i], sizeof(b->end[i]), ",le=\"+Inf\"} ");
	}
}

static void put_histogram(const struct writer *w, const struct nvx_metric *m,
			  const struct series *s, const struct bounds *b)
{
	size_t begin = w->out->len, len;
	uint64_t sum = 0;

	nvx_text__str(w->out, m->name);
	nvx_text__str(w->out, "_bucket");
	/* one label more before the bracket that ends them */
	nvx_text__put(w->out, w->labels.s + s->labels, s->len - 1);
	len = w->out->len - begin;
	for (unsigned int i = 0; i < b->nr; i++) {
		sum += s->row->hist[i];
		if ((i + 1) % b->step)
			continue;
		/* each line begins as the first does */
		if (i >= b->step && nvx_text__room(w->out, len))
			nvx_text__put(w->out, w->out->s + begin, len);
		nvx_text__put(w->out, b->end[i], b->len[i]);
		put_integer(w, sum);
	}
	/* of lengths there is no sum, and so no count either */
	if (m->unit != NVX_UNIT_NS)
		return;
	put_name(w, m->name, "_count", s);
	put_integer(w, sum);
	put_name(w, m->name, "_sum", s);
	put_seconds(w, s->row->v[NVX_V_TIME]);
}

static void put_number(const struct writer *w, const struct nvx_metric *m, const struct series *s)
{
	put_name(w, m->name, "", s);
	if (m->unit == NVX_UNIT_NS)
		put_seconds(w, m->get(s->row));
	else
		put_integer(w, m->get(s->row));
}

/* Since when a series counts, where that is to be said. */
static void put_created(const struct writer *w, const struct nvx_metric *m, const struct series *s)
{
	if (!w->p->openmetrics || m->type == NVX_GAUGE ||
	    (!w->p->created && m->set != NVX_SET_VMS))
		return;
	nvx_text__put(w->out, m->name, prom_stem(m->name));
	nvx_text__str(w->out, "_created");
	nvx_text__put(w->out, w->labels.s + s->labels, s->len);
	nvx_text__put(w->out, " ", 1);
	put_seconds(w, w->p->since_ns ? w->p->since_ns[s->row->l.vm] : w->p->start_ns);
}

/* Rows of a set lie apart, in a table that no cache holds: the next ones are fetched meanwhile. */
static void fetch_row(const struct writer *w, size_t i)
{
	const char *row = i < w->nr ? (const char *)w->series[i].row : NULL;

	for (size_t at = 0; row && at < sizeof(struct nvx_row); at += 64)
		__builtin_prefetch(row + at);
}

static void put_metric(const struct writer *w, const struct nvx_metric *m)
{
	static const char *const type[] = { [NVX_COUNTER] = "counter", [NVX_GAUGE] = "gauge",
					    [NVX_HISTOGRAM] = "histogram" };
	struct bounds bounds;

	prom_family(w->out, w->p, m->name, type[m->type], m->help);
	if (!m->get)
		make_bounds(m, &bounds);
	for (size_t i = 0; i < w->nr; i++) {
		fetch_row(w, i + 4);
		if (m->get)
			put_number(w, m, &w->series[i]);
		else
			put_histogram(w, m, &w->series[i], &bounds);
		put_created(w, m, &w->series[i]);
	}
}

/* A row beyond the limit goes into the sum of its group's and level's. */
static void add_other(struct writer *w, size_t group, const struct nvx_row *row)
{
	struct nvx_row **at = &w->other[group * LEVELS + row->l.level % LEVELS], *o = *at;

	if (!o) {
		o = *at = calloc(1, sizeof(*o));
		if (!o) {
			w->failed = true;
			return;
		}
		o->l = row->l;
	}
	for (int v = 0; v < NVX_V_NR; v++)
		o->v[v] += row->v[v];
	for (int h = 0; h < NVX_HIST_SLOTS; h++)
		o->hist[h] += row->hist[h];
}

static bool shown(const struct writer *w, const struct nvx_row *row)
{
	return row->l.vm < w->r->nr_vms && w->r->vms[row->l.vm];
}

/* The series of a set: its rows up to the limit, then what is beyond. */
static void choose_series(struct writer *w, enum nvx_set set)
{
	w->nr = 0;
	w->labels.len = 0;
	memset(w->rank, 0, w->nr_groups * sizeof(*w->rank));
	for (size_t i = set ? w->end[set - 1] : 0; i < w->end[set]; i++) {
		const struct nvx_row *row = w->row[i];
		size_t group = w->group[row->l.vm] + row->l.vcpu;

		if (!w->p->top || w->rank[group]++ < w->p->top)
			add_series(w, row, false);
		else
			add_other(w, group, row);
	}
	for (size_t g = 0; g < w->nr_groups * LEVELS; g++)
		if (w->other[g] && (w->other[g]->v[NVX_V_COUNT] || w->other[g]->v[NVX_V_TIME]))
			add_series(w, w->other[g], true);
}

static void put_sets(struct writer *w)
{
	for (unsigned int set = 0; set < NVX_SET_COUNT; set++) {
		const struct nvx_set_info *info = nvx_set__info(set);

		/* L2s are named by addresses: a new series each time that one starts */
		if (set == NVX_SET_L2S || w->r->section[info->section].have == NVX_HAVE_NO)
			continue;
		choose_series(w, set);
		for (size_t i = 0; i < nvx_nr_metrics; i++)
			if (nvx_metrics[i].set == set &&
			    !nvx_report__lacks_metric(w->r, &nvx_metrics[i]))
				put_metric(w, &nvx_metrics[i]);
		for (size_t g = 0; g < w->nr_groups * LEVELS; g++) {
			free(w->other[g]);
			w->other[g] = NULL;
		}
	}
}

static void put_vms(const struct writer *w)
{
	prom_family(w->out, w->p, "nvx_vm_info", "gauge", "VMs, to join with: 1");
	for (size_t i = 0; i < w->r->nr_vms; i++) {
		const struct nvx_vm *vm = w->r->vms[i];

		/* a VM without rows is one that the filter leaves out */
		if (!vm || w->group[i] == w->group[i + 1])
			continue;
		nvx_text__str(w->out, "nvx_vm_info{");
		prom_label(w->out, "vm", vm->id.name);
		nvx_text__put(w->out, ",", 1);
		prom_label(w->out, "namespace", vm->id.ns);
		nvx_text__put(w->out, ",", 1);
		prom_label(w->out, "uuid", vm->id.uuid);
		if (*vm->id.pod) {
			nvx_text__put(w->out, ",", 1);
			prom_label(w->out, "pod_uid", vm->id.pod);
		}
		nvx_text__fmt(w->out, ",pid=\"%u\",vmm=\"%s\"} 1\n", vm->pid,
			      nvx_vmm__name(vm->id.vmm));
	}
}

/* The rows to show by set, in their order: a table is far larger than a cache. */
static int sort_rows(struct writer *w)
{
	const struct nvx_rows *rows = w->r->rows;
	size_t sum = 0;

	w->row = calloc(rows->nr + 1, sizeof(*w->row));
	if (!w->row)
		return -ENOMEM;
	for (size_t i = 0; i < rows->nr; i++)
		w->end[rows->row[i]->l.set] += shown(w, rows->row[i]);
	for (unsigned int set = 0; set < NVX_SET_COUNT; set++) {
		size_t nr = w->end[set];

		w->end[set] = sum;
		sum += nr;
	}
	for (size_t i = 0; i < rows->nr; i++)
		if (shown(w, rows->row[i]))
			w->row[w->end[rows->row[i]->l.set]++] = rows->row[i];
	return 0;
}

/* Room for the groups: of each VM that has rows one, and one for each of its vCPUs. */
static int make_groups(struct writer *w)
{
	size_t rows = w->end[NVX_SET_COUNT - 1], sum = 0;

	w->group = calloc(w->r->nr_vms + 1, sizeof(*w->group));
	if (!w->group)
		return -ENOMEM;
	for (size_t i = 0; i < rows; i++) {
		const struct nvx_labels *l = &w->row[i]->l;

		if (w->group[l->vm] < l->vcpu + 1)
			w->group[l->vm] = l->vcpu + 1;
	}
	for (size_t i = 0; i <= w->r->nr_vms; i++) {
		size_t groups = w->group[i];

		w->group[i] = sum;
		sum += groups;
	}
	w->nr_groups = sum;
	w->rank = calloc(sum + 1, sizeof(*w->rank));
	w->other = calloc(sum * LEVELS + 1, sizeof(*w->other));
	w->series = calloc(rows + sum * LEVELS + 1, sizeof(*w->series));
	return w->rank && w->other && w->series ? 0 : -ENOMEM;
}

int nvx_view__prometheus(const struct nvx_report *r, const struct nvx_prometheus *p,
			 struct nvx_text *out)
{
	struct writer w = { .r = r, .p = p, .out = out };
	int ret = sort_rows(&w);

	if (!ret)
		ret = make_groups(&w);
	if (!ret) {
		prom_own(r, p, out);
		put_vms(&w);
		put_sets(&w);
		if (p->openmetrics)
			nvx_text__str(out, "# EOF\n");
		ret = w.failed || w.labels.failed || out->failed ? -ENOMEM : 0;
	}
	free(w.row);
	free(w.group);
	free(w.rank);
	free(w.other);
	free(w.series);
	free(w.labels.s);
	return ret;
}
