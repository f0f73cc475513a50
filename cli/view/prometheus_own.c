// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "view/prometheus_priv.h"

/* Backslash, quote and newline are all that a label's value escapes. */
static void put_value(struct nvx_text *out, const char *text)
{
	for (size_t n; *text; text += n + 1) {
		n = strcspn(text, "\\\"\n");
		nvx_text__put(out, text, n);
		if (!text[n])
			return;
		nvx_text__str(out, text[n] == '\n' ? "\\n" : text[n] == '"' ? "\\\"" : "\\\\");
	}
}

void prom_label(struct nvx_text *out, const char *name, const char *text)
{
	nvx_text__str(out, name);
	nvx_text__str(out, "=\"");
	put_value(out, text);
	nvx_text__put(out, "\"", 1);
}

size_t prom_stem(const char *name)
{
	size_t n = strlen(name);

	return n > 6 && !strcmp(name + n - 6, "_total") ? n - 6 : n;
}

void prom_family(struct nvx_text *out, const struct nvx_prometheus *p, const char *name,
		 const char *type, const char *help)
{
	int n = p->openmetrics ? prom_stem(name) : strlen(name);

	nvx_text__fmt(out, "# HELP %.*s %s\n# TYPE %.*s %s\n", n, name, help, n, name, type);
}

static void put_counter(struct nvx_text *out, const struct nvx_prometheus *p, const char *name,
			const char *help, uint64_t v)
{
	prom_family(out, p, name, "counter", help);
	nvx_text__fmt(out, "%s ", name);
	nvx_text__u64(out, v);
	nvx_text__put(out, "\n", 1);
	if (!p->openmetrics)
		return;
	nvx_text__fmt(out, "%.*s_created ", (int)prom_stem(name), name);
	nvx_text__seconds(out, p->start_ns);
	nvx_text__put(out, "\n", 1);
}

void prom_own(const struct nvx_report *r, const struct nvx_prometheus *p, struct nvx_text *out)
{
	prom_family(out, p, "nvx_build_info", "gauge", "Version and source of events: 1");
	nvx_text__fmt(out, "nvx_build_info{version=\"%s\",", p->version);
	prom_label(out, "source", r->source);
	nvx_text__str(out, "} 1\n");
	prom_family(out, p, "nvx_section_available", "gauge",
		   "Whether the source of events can fill a section");
	for (unsigned int s = 0; s < NVX_SECTION_COUNT; s++)
		nvx_text__fmt(out, "nvx_section_available{section=\"%s\"} %d\n",
			      nvx_section__name(s), r->section[s].have != NVX_HAVE_NO);
	put_counter(out, p, "nvx_events_dropped_total", "Events that could not be counted",
		    nvx_report__dropped(r));
	put_counter(out, p, "nvx_scrapes_total", "Readings asked for", p->scrapes);
	prom_family(out, p, "nvx_scrape_duration_seconds", "gauge",
		    "Time that the page before this one took, reading and text; 0: it is the first");
	nvx_text__fmt(out, "nvx_scrape_duration_seconds %.9f\n", p->scrape_ns * 1e-9);
	prom_family(out, p, "nvx_start_time_seconds", "gauge", "When counting began, since 1970");
	nvx_text__fmt(out, "nvx_start_time_seconds %.3f\n", p->start_ns * 1e-9);
	if (!r->cost.events)
		return;
	prom_family(out, p, "nvx_bpf_event_seconds", "gauge",
		   "Time that nvx's programs take an event, as measured when it started");
	nvx_text__fmt(out, "nvx_bpf_event_seconds %.9f\n", r->cost.run_ns * 1e-9 / r->cost.events);
}
