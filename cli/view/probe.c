// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "util/table.h"
#include "view/probe.h"

static void add_rows(struct nvx_table *t, const struct nvx_probe *p)
{
	const char *group = "";

	for (size_t i = 0; i < p->nr_rows; i++) {
		const struct nvx_probe_row *row = &p->row[i];
		char label[80];

		if (strcmp(group, row->group)) {
			if (i > 0)
				nvx_table__line(t, "");
			nvx_table__line(t, row->group);
			group = row->group;
		}
		snprintf(label, sizeof(label), "  %s", row->label);
		nvx_table__row(
			t, (const char *const[]){label, nvx_have__name(row->have), row->detail});
		if (row->consequence[0]) {
			char line[256];

			snprintf(line, sizeof(line), "      -> %s", row->consequence);
			nvx_table__line(t, line);
		}
	}
}

static void add_tier(struct nvx_table *t, const struct nvx_probe *p)
{
	char line[512];

	nvx_table__line(t, "");
	nvx_table__line(t, "Conclusion");
	snprintf(line, sizeof(line), "  source of events: %s%s%s", nvx_tier__name(p->tier),
		 p->tier_reason[0] ? ": " : "", p->tier_reason);
	nvx_table__line(t, line);
	if (p->tier_root == p->tier)
		return;
	snprintf(line, sizeof(line), "  as root: %s", nvx_tier__name(p->tier_root));
	nvx_table__line(t, line);
}

static void add_sections(struct nvx_table *t, const struct nvx_probe *p)
{
	for (int i = 0; i < NVX_SECTION_COUNT; i++) {
		const struct nvx_probe_section *s = &p->section[i];
		char line[320];

		if (s->have != NVX_HAVE_YES)
			snprintf(line, sizeof(line), "  %-8s n/a: %s", nvx_section__name(i),
				 s->reason);
		else if (s->partial)
			snprintf(line, sizeof(line), "  %-8s in part: %s", nvx_section__name(i),
				 s->reason);
		else
			snprintf(line, sizeof(line), "  %-8s available", nvx_section__name(i));
		nvx_table__line(t, line);
	}
}

int nvx_view_probe__text(const struct nvx_probe *probe, FILE *out)
{
	struct nvx_table *t =
		nvx_table__new(3, (const enum nvx_align[]){NVX_LEFT, NVX_LEFT, NVX_LEFT});
	int err;

	if (!t)
		return -ENOMEM;
	add_rows(t, probe);
	add_tier(t, probe);
	add_sections(t, probe);
	err = nvx_table__print(t, out, 0);
	nvx_table__free(t);
	return err;
}

/* What a file of the host holds may be no UTF-8; such a text is left out, not the whole answer. */
static json_t *text(const char *s)
{
	json_t *value = json_string(s);

	return value ? value : json_null();
}

static json_t *json_row(const struct nvx_probe_row *row)
{
	return json_pack("{s:s, s:s, s:s, s:s, s:o, s:s}", "id", row->id, "group", row->group,
			 "label", row->label, "status", nvx_have__name(row->have), "detail",
			 text(row->detail), "consequence", row->consequence);
}

static json_t *json_section(const struct nvx_probe_section *s)
{
	return json_pack("{s:b, s:b, s:s}", "available", s->have == NVX_HAVE_YES, "partial",
			 s->partial, "reason", s->reason);
}

int nvx_view_probe__json(const struct nvx_probe *probe, FILE *out)
{
	json_t *rows = json_array(), *sections = json_object(), *root;
	int err = 0;

	for (size_t i = 0; i < probe->nr_rows; i++)
		err |= json_array_append_new(rows, json_row(&probe->row[i]));
	for (int i = 0; i < NVX_SECTION_COUNT; i++)
		err |= json_object_set_new(sections, nvx_section__name(i),
					   json_section(&probe->section[i]));
	/* json_pack takes rows and sections over, also when it fails. */
	root = json_pack("{s:o, s:s, s:s, s:s, s:s, s:s, s:o, s:o}", "kernel", text(probe->release),
			 "cpu", nvx_cpu_vendor__name(probe->cpu), "vendor_module",
			 probe->vendor_module, "tier", nvx_tier__id(probe->tier), "tier_root",
			 nvx_tier__id(probe->tier_root), "tier_reason", probe->tier_reason,
			 "sections", sections, "rows", rows);
	if (!root || err) {
		json_decref(root);
		return -ENOMEM;
	}
	err = json_dumpf(root, out, JSON_INDENT(2));
	json_decref(root);
	if (err || fputc('\n', out) == EOF)
		return -EIO;
	return 0;
}
