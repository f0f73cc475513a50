// SPDX-License-Identifier: GPL-2.0-only
#include "view/json.h"

#include "model/session.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

/* u64 beyond 2^63 does not occur in counters; jansson's integers are signed. */
static json_t *number(uint64_t v)
{
	return json_integer((json_int_t)v);
}

/* [[upper bound, count], ...] without empty slots; the open slot's bound is null */
static json_t *histogram(const struct nvx_metric *m, const struct nvx_row *row)
{
	json_t *a = json_array();

	for (unsigned int i = 0; i < nvx_metric__slots(m); i++) {
		uint64_t bound = nvx_metric__bound(m, i);

		if (row->hist[i])
			json_array_append_new(a, json_pack("[o, o]",
							   bound == UINT64_MAX ? json_null() :
										 number(bound),
							   number(row->hist[i])));
	}
	return a;
}

static json_t *row_object(const struct nvx_report *r, const struct nvx_row *row)
{
	unsigned int labels = nvx_set__info(row->l.set)->labels;
	char buf[NVX_LABEL_MAX];
	json_t *o = json_object();

	for (unsigned int l = 0; l < NVX_LABEL_COUNT; l++)
		if (labels & 1u << l)
			json_object_set_new(o, nvx_label__name(l),
					    json_string(nvx_label__text(l, row, r->vms, buf,
									sizeof(buf))));
	/* names are for people; programs get the number beside it */
	if (row->l.set >= NVX_SET_EXITS && row->l.set <= NVX_SET_CHAINS &&
	    row->l.key != NVX_DRILL_OTHER)
		json_object_set_new(o, "code", number(row->l.key));
	for (size_t i = 0; i < nvx_nr_metrics; i++) {
		const struct nvx_metric *m = &nvx_metrics[i];

		if (m->set == row->l.set)
			json_object_set_new(o, m->key,
					    nvx_report__lacks_metric(r, m) ? json_null() :
					    m->get ? number(m->get(row)) : histogram(m, row));
	}
	return o;
}

static int add_set(json_t *to, const struct nvx_report *r, enum nvx_set set, const char *name)
{
	const struct nvx_row **row;
	json_t *a = json_array();
	struct nvx_rows *owner;
	size_t nr;

	if (nvx_report__rows(r, set, &owner, &row, &nr) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		json_array_append_new(a, row_object(r, row[i]));
	nvx_rows__free(owner);
	return json_object_set_new(to, name, a) ? -ENOMEM : 0;
}

static int add_sections(json_t *root, const struct nvx_report *r)
{
	int ret = 0;

	for (unsigned int s = 0; s < NVX_SECTION_COUNT && !ret; s++) {
		const struct nvx_probe_section *have = &r->section[s];
		json_t *o = json_object();

		if (!(r->sections & 1u << s)) {
			json_decref(o);
			continue;
		}
		if (have->have == NVX_HAVE_NO) {
			json_object_set_new(o, "na", json_string(have->reason));
		} else {
			if (have->partial)
				json_object_set_new(o, "partial", json_string(have->reason));
			for (unsigned int set = 0; set < NVX_SET_COUNT && !ret; set++)
				if (nvx_set__info(set)->section == s && set != NVX_SET_VMS)
					ret = add_set(o, r, set, nvx_set__info(set)->name);
		}
		json_object_set_new(root, nvx_section__name(s), o);
	}
	return ret;
}

static json_t *vm_list(const struct nvx_report *r)
{
	json_t *a = json_array();

	for (size_t i = 0; i < r->nr_vms; i++) {
		const struct nvx_vm *vm = r->vms[i];
		json_t *o = json_pack("{s:s, s:i, s:s, s:s}", "vm", vm->id.name, "pid", vm->pid,
				      "vmm", nvx_vmm__name(vm->id.vmm), "uuid", vm->id.uuid);

		if (*vm->id.ns)
			json_object_set_new(o, "namespace", json_string(vm->id.ns));
		json_array_append_new(a, o);
	}
	return a;
}

static json_t *drops(const struct nvx_report *r)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "total", number(nvx_report__dropped(r)),
			 "no_vcpu_slot", number(r->gdrops[NVX_GDROP_VCPUS_FULL]), "bpf_missed",
			 number(r->misses), "lost_by_recording", number(r->lost), "not_counted",
			 number(nvx_rows__sum(r->rows, NVX_SET_VMS, NVX_V_LOST, -1, NVX_VM_ALL)),
			 "detail",
			 number(nvx_rows__sum(r->rows, NVX_SET_VMS, NVX_V_DETAIL, -1, NVX_VM_ALL)));
}

static json_t *cost(const struct nvx_report *r)
{
	if (!r->cost.events)
		return json_pack("{s:s}", "na", "no event while the cost was measured");
	return json_pack("{s:o, s:o, s:o}", "events", number(r->cost.events), "run_ns",
			 number(r->cost.run_ns), "window_ns", number(r->cost.window_ns));
}

/* What is null in this report, and why. */
static void add_lack(json_t *root, const char *name, const char *why)
{
	json_t *all = json_object_get(root, "lacks");

	if (!why)
		return;
	if (!all) {
		all = json_object();
		json_object_set_new(root, "lacks", all);
	}
	json_object_set_new(all, name, json_string(why));
}

int nvx_view__json(const struct nvx_report *r, FILE *out)
{
	json_t *root = json_object();
	int ret;

	json_object_set_new(root, "schema", json_string("nvx-stat-1"));
	if (r->interval)
		json_object_set_new(root, "interval", number(r->interval));
	json_object_set_new(root, "host", json_string(r->host));
	json_object_set_new(root, "kernel", json_string(r->release));
	json_object_set_new(root, "source", json_string(r->source));
	json_object_set_new(root, "source_reason", json_string(r->source_reason));
	json_object_set_new(root, "duration_ns", number(r->duration_ns));
	json_object_set_new(root, "dropped", drops(r));
	for (int i = 0; i < NVX_LACK_COUNT; i++)
		add_lack(root, nvx_lack__name(i), nvx_report__lacks(r, i));
	if (r->tier != NVX_TIER_NONE)
		json_object_set_new(root, "cost", cost(r));
	json_object_set_new(root, "vms", vm_list(r));
	ret = add_set(root, r, NVX_SET_VMS, "totals");
	if (!ret)
		ret = add_sections(root, r);
	if (!ret && json_dumpf(root, out, JSON_COMPACT))
		ret = -EIO;
	if (!ret && (fputc('\n', out) == EOF || fflush(out)))
		ret = -EIO;
	json_decref(root);
	return ret;
}

static void csv_text(FILE *out, const char *text)
{
	if (!strpbrk(text, ",\"\n")) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

/* The text of the first of these labels that the row's set has; "" where none does. */
static void csv_label(FILE *out, const struct nvx_report *r, const struct nvx_row *row,
		      const unsigned char *labels)
{
	unsigned int have = nvx_set__info(row->l.set)->labels;
	char buf[NVX_LABEL_MAX];

	for (; *labels != NVX_LABEL_COUNT; labels++)
		if (have & 1u << *labels) {
			csv_text(out, nvx_label__text(*labels, row, r->vms, buf, sizeof(buf)));
			break;
		}
	fputc(',', out);
}

static void csv_row(FILE *out, const struct nvx_report *r, const struct nvx_row *row)
{
	static const unsigned char columns[][11] = {
		{ NVX_LABEL_VM, NVX_LABEL_COUNT },
		{ NVX_LABEL_LEVEL, NVX_LABEL_COUNT },
		{ NVX_LABEL_L2, NVX_LABEL_COUNT },
		{ NVX_LABEL_REASON, NVX_LABEL_L2_REASON, NVX_LABEL_MSR, NVX_LABEL_HYPERCALL,
		  NVX_LABEL_PORT, NVX_LABEL_PAGE, NVX_LABEL_PATH, NVX_LABEL_FLUSH,
		  NVX_LABEL_DIRECTION, NVX_LABEL_PHASE, NVX_LABEL_COUNT },
		{ NVX_LABEL_L1_REASON, NVX_LABEL_ACCESS, NVX_LABEL_DEST, NVX_LABEL_CAUSE,
		  NVX_LABEL_COUNT },
	};

	fprintf(out, "%s,", nvx_set__info(row->l.set)->name);
	for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
		csv_label(out, r, row, columns[i]);
}

static void csv_metric(FILE *out, const struct nvx_report *r, const struct nvx_row *row,
		       const struct nvx_metric *m)
{
	if (nvx_report__lacks_metric(r, m))
		return;
	for (unsigned int i = 0; i < (m->get ? 1 : nvx_metric__slots(m)); i++) {
		uint64_t value = m->get ? m->get(row) : row->hist[i];

		if (!m->get && !value)
			continue;
		fprintf(out, "%llu,", (unsigned long long)r->interval);
		csv_row(out, r, row);
		if (m->get)
			fprintf(out, "%s,%llu\n", m->key, (unsigned long long)value);
		else if (nvx_metric__bound(m, i) == UINT64_MAX)
			fprintf(out, "%s_le_inf,%llu\n", m->key, (unsigned long long)value);
		else
			fprintf(out, "%s_le_%llu,%llu\n", m->key,
				(unsigned long long)nvx_metric__bound(m, i),
				(unsigned long long)value);
	}
}

static int csv_set(FILE *out, const struct nvx_report *r, enum nvx_set set)
{
	const struct nvx_row **row;
	struct nvx_rows *owner;
	size_t nr;

	if (nvx_report__rows(r, set, &owner, &row, &nr) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < nr; i++)
		for (size_t m = 0; m < nvx_nr_metrics; m++)
			if (nvx_metrics[m].set == set)
				csv_metric(out, r, row[i], &nvx_metrics[m]);
	nvx_rows__free(owner);
	return 0;
}

int nvx_view__csv(const struct nvx_report *r, FILE *out, bool header)
{
	int ret = 0;

	if (header)
		fputs("interval,set,vm,level,l2,key,key2,metric,value\n", out);
	for (unsigned int set = 0; set < NVX_SET_COUNT && !ret; set++) {
		enum nvx_section s = nvx_set__info(set)->section;

		if (r->sections & 1u << s && r->section[s].have == NVX_HAVE_NO &&
		    set != NVX_SET_VMS)
			fprintf(out, "%llu,%s,,,,,,na,\n", (unsigned long long)r->interval,
				nvx_set__info(set)->name);
		else if (r->sections & 1u << s || set == NVX_SET_VMS)
			ret = csv_set(out, r, set);
	}
	if (fflush(out) || ferror(out))
		return -EIO;
	return ret;
}
