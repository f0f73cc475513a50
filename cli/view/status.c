// SPDX-License-Identifier: GPL-2.0-only
#include "view/status.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* Names of VMs are strangers' words. */
static void put_words(struct nvx_text *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '<')
			nvx_text__str(out, "&lt;");
		else if (*text == '&')
			nvx_text__str(out, "&amp;");
		else
			nvx_text__put(out, text, 1);
	}
}

static void put_sections(const struct nvx_report *r, struct nvx_text *out)
{
	nvx_text__str(out, "<h2>What the source tells</h2>\n<table>\n");
	for (unsigned int s = 0; s < NVX_SECTION_COUNT; s++) {
		const struct nvx_probe_section *section = &r->section[s];

		nvx_text__fmt(out, "<tr><td>%s<td>%s%s", nvx_section__name(s),
			      section->have == NVX_HAVE_NO ? "n/a" : "yes",
			      *section->reason ? ": " : "");
		put_words(out, section->reason);
		nvx_text__str(out, "\n");
	}
	nvx_text__str(out, "</table>\n");
}

static void put_vms(const struct nvx_report *r, struct nvx_text *out)
{
	size_t shown = 0;

	for (size_t i = 0; i < r->nr_vms; i++)
		shown += r->vms[i] != NULL;
	nvx_text__fmt(out, "<h2>VMs: %zu</h2>\n", shown);
	if (!shown)
		return;
	nvx_text__str(out, "<table>\n<tr><th>Name<th>Namespace<th>Pid<th>Exits of L1"
			   "<th>Exits of L2<th>Switches\n");
	for (size_t i = 0; i < r->nr_vms; i++) {
		const struct nvx_vm *vm = r->vms[i];

		if (!vm)
			continue;
		nvx_text__str(out, "<tr><td>");
		put_words(out, vm->id.name);
		nvx_text__str(out, "<td>");
		put_words(out, vm->id.ns);
		nvx_text__fmt(out, "<td class=n>%u", vm->pid);
		for (int k = 0; k < 3; k++) {
			static const enum nvx_value of[] = { NVX_V_COUNT, NVX_V_L2_EXITS,
							     NVX_V_ENTRIES };

			nvx_text__str(out, "<td class=n>");
			nvx_text__u64(out, nvx_rows__sum(r->rows, NVX_SET_VMS, of[k], -1, i));
		}
		nvx_text__str(out, "\n");
	}
	nvx_text__str(out, "</table>\n");
}

void nvx_view__status(const struct nvx_report *r, const struct nvx_status *s, struct nvx_text *out)
{
	time_t start = s->start_ns / 1000000000;
	char since[40] = "?";
	struct tm tm;

	if (gmtime_r(&start, &tm))
		strftime(since, sizeof(since), "%Y-%m-%d %H:%M:%S UTC", &tm);
	nvx_text__str(out, "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\">"
			   "<title>nvx export</title>\n"
			   "<style>body{font:16px/1.5 sans-serif;max-width:50em;margin:2em auto;padding:0 1em}"
			   "td,th{padding:0 1.5em 0 0;vertical-align:top;text-align:left}"
			   ".n{text-align:right}</style>\n<h1>nvx export</h1>\n"
			   "<p><a href=\"/metrics\">/metrics</a> is for Prometheus, <a href=\"/healthz\">"
			   "/healthz</a> for who watches this.</p>\n<table>\n");
	nvx_text__fmt(out, "<tr><td>Version<td>%s\n<tr><td>Counting since<td>%s\n<tr><td>Source<td>",
		      s->version, since);
	put_words(out, r->source);
	nvx_text__fmt(out, "\n<tr><td>Readings<td>%llu", (unsigned long long)s->scrapes);
	if (s->scrape_ns)
		nvx_text__fmt(out, "; the last took %.1f ms", s->scrape_ns * 1e-6);
	nvx_text__fmt(out, "\n<tr><td>Events dropped<td>%llu\n</table>\n",
		      (unsigned long long)nvx_report__dropped(r));
	put_vms(r, out);
	put_sections(r, out);
}
