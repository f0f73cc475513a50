// SPDX-License-Identifier: GPL-2.0-only
/* The lines of a session file, written. */
#include <inttypes.h>
#include <time.h>

#include "model/metric.h"
#include "source/session_priv.h"

static const char *const isa_name[] = { "unknown", "vmx", "svm" };

static json_t *config_array(const struct nvx_config *c)
{
	json_t *a = json_array();

	for (size_t i = 0; c && i < c->nr; i++)
		json_array_append_new(a, json_pack("[s, s]", c->item[i].key, c->item[i].value));
	return a;
}

static json_t *sections(const struct nvx_session_head *head)
{
	json_t *o = json_object();

	for (unsigned int i = 0; i < NVX_SECTION_COUNT; i++) {
		const struct nvx_probe_section *s = &head->section[i];
		json_t *section = json_pack("{s:s}", "have", nvx_have__name(s->have));

		if (s->partial)
			json_object_set_new(section, "partial", json_true());
		if (*s->reason)
			json_object_set_new(section, "reason", json_string(s->reason));
		json_object_set_new(o, nvx_section__name(i), section);
	}
	return o;
}

static json_t *lacks(const struct nvx_session_head *head)
{
	json_t *o = json_object();

	for (unsigned int i = 0; i < NVX_LACK_COUNT; i++)
		if (*head->lacks[i])
			json_object_set_new(o, nvx_lack__name(i), json_string(head->lacks[i]));
	return o;
}

/* What stands where in a row's array: a reader goes by these names, not by its own order. */
static json_t *columns(void)
{
	json_t *o = json_object();

	for (unsigned int set = 0; set < NVX_SET_COUNT; set++) {
		json_t *a = json_array();
		unsigned int nr;
		const enum nvx_value *v = nvx_set__values(set, &nr);

		for (unsigned int i = 0; i < nr; i++)
			json_array_append_new(a, json_string(nvx_value__name(v[i])));
		json_object_set_new(o, nvx_set__info(set)->name, a);
	}
	return o;
}

json_t *session_head_line(const struct nvx_session_head *head)
{
	json_t *o = json_pack("{s:s, s:i}", "nvx", "session", "version", NVX_SESSION_VERSION);
	time_t created = head->created_ns / 1000000000;
	char date[32];
	struct tm tm;

	if (gmtime_r(&created, &tm) && strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &tm))
		json_object_set_new(o, "created", json_string(date));
	json_object_set_new(o, "created_ns", json_integer(head->created_ns));
	json_object_set_new(o, "interval_ns", json_integer(head->interval_ns));
	json_object_set_new(o, "by", json_string(head->by));
	json_object_set_new(o, "program", json_string(head->program));
	json_object_set_new(o, "host", json_string(head->host));
	json_object_set_new(o, "kernel", json_string(head->release));
	json_object_set_new(o, "tier", json_string(nvx_tier__id(head->tier)));
	json_object_set_new(o, "source", json_string(head->source));
	json_object_set_new(o, "source_reason", json_string(head->source_reason));
	json_object_set_new(o, "filter", json_string(head->filter));
	json_object_set_new(o, "note", json_string(head->note));
	json_object_set_new(o, "sections", sections(head));
	json_object_set_new(o, "lacks", lacks(head));
	json_object_set_new(o, "columns", columns());
	json_object_set_new(o, "config", config_array(&head->config));
	return o;
}

json_t *session_vm_line(const struct nvx_vm *vm, const struct nvx_config *config)
{
	return json_pack("{s:i, s:s, s:i, s:s, s:s, s:s, s:o}", "vm", vm->index, "name",
			 vm->id.name, "pid", vm->pid, "vmm", nvx_vmm__name(vm->id.vmm), "uuid",
			 vm->id.uuid, "namespace", vm->id.ns, "config", config_array(config));
}

json_t *session_row_line(size_t id, const struct nvx_row *row, const struct nvx_vm *const *vms)
{
	unsigned int labels = nvx_set__info(row->l.set)->labels & ~(1u << NVX_LABEL_VM);
	json_t *text = json_object(), *o;
	char buf[NVX_LABEL_MAX];

	/* for people and scripts; a reader of nvx goes by the numbers */
	for (unsigned int l = 0; l < NVX_LABEL_COUNT; l++)
		if (labels & 1u << l)
			json_object_set_new(text, nvx_label__name(l),
					    json_string(nvx_label__text(l, row, vms, buf,
									sizeof(buf))));
	o = json_pack("{s:I, s:s, s:s, s:I, s:i}", "row", (json_int_t)id, "set",
		      nvx_set__info(row->l.set)->name, "isa", isa_name[row->l.isa % 3], "vm",
		      (json_int_t)row->l.vm, "level", row->l.level);
	if (row->l.kind)
		json_object_set_new(o, "kind", json_integer(row->l.kind));
	if (row->l.l2) {
		snprintf(buf, sizeof(buf), "0x%" PRIx64, row->l.l2);
		json_object_set_new(o, "l2", json_string(buf));
	}
	json_object_set_new(o, "key", json_integer(row->l.key));
	if (row->l.key2)
		json_object_set_new(o, "key2", json_integer(row->l.key2));
	json_object_set_new(o, "labels", text);
	return o;
}

void session_put_drops(FILE *out, const struct nvx_drops *d)
{
	uint64_t sum = d->misses | d->lost;

	for (int i = 0; i < NVX_GDROP_KINDS; i++)
		sum |= d->g[i];
	if (!sum)
		return;
	fprintf(out, ",\"drops\":{\"bpf_missed\":%" PRIu64 ",\"lost_by_recording\":%" PRIu64
		",\"no_slot\":[", d->misses, d->lost);
	for (int i = 0; i < NVX_GDROP_KINDS; i++)
		fprintf(out, "%s%" PRIu64, i ? "," : "", d->g[i]);
	fputs("]}", out);
}

void session_put_cost(FILE *out, const struct nvx_cost *c)
{
	if (c->events)
		fprintf(out, ",\"cost\":{\"events\":%" PRIu64 ",\"run_ns\":%" PRIu64
			",\"window_ns\":%" PRIu64 "}", c->events, c->run_ns, c->window_ns);
}

/* Exits done are their count but for a few: the difference takes less room. */
static int64_t stored(const struct nvx_row *row, enum nvx_value v)
{
	if (v == NVX_V_DONE)
		return row->v[NVX_V_COUNT] - row->v[NVX_V_DONE];
	return row->v[v];
}

/* [id,[values],[first slot, counts...]]; zeroes at the end of an array are left out. */
void session_put_row(FILE *out, size_t id, const struct nvx_row *row)
{
	unsigned int nr, slots = nvx_set__hist(row->l.set), first = 0;
	const enum nvx_value *v = nvx_set__values(row->l.set, &nr);

	while (nr && !stored(row, v[nr - 1]))
		nr--;
	fprintf(out, "[%zu,[", id);
	for (unsigned int i = 0; i < nr; i++)
		fprintf(out, "%s%" PRId64, i ? "," : "", stored(row, v[i]));
	fputc(']', out);
	while (slots && !row->hist[slots - 1])
		slots--;
	while (first < slots && !row->hist[first])
		first++;
	if (first < slots) {
		fprintf(out, ",[%u", first);
		for (unsigned int i = first; i < slots; i++)
			fprintf(out, ",%" PRIu64, row->hist[i]);
		fputc(']', out);
	}
	fputc(']', out);
}
