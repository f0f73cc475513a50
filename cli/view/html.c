// SPDX-License-Identifier: GPL-2.0-only
#include "view/html.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "util/fmt.h"
#include "view/html_priv.h"

void html_text(FILE *out, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:
			fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
		}
	}
}

void html_style(FILE *out)
{
	fputs("<style>\n"
	      ":root{--bg:#fff;--fg:#1c2128;--dim:#5b6570;--line:#d5dae0;--card:#f6f8fa;"
	      "--l1:#3b76af;--l2:#d9722b;--q:#8a8f98;--refl:#8c4310}\n"
	      "@media(prefers-color-scheme:dark){:root{--bg:#14181d;--fg:#e4e8ec;--dim:#9aa4af;"
	      "--line:#343b44;--card:#1d232a;--l1:#6ba3d6;--l2:#ec9454;--q:#7d848e;--refl:#ffc79a}}\n"
	      "body{margin:0 auto;max-width:1100px;padding:24px;background:var(--bg);"
	      "color:var(--fg);font:15px/1.5 system-ui,sans-serif}\n"
	      "h1{font-size:24px;margin:0 0 4px}h2{font-size:18px;margin:36px 0 8px;"
	      "border-bottom:1px solid var(--line);padding-bottom:4px}h3{font-size:15px;"
	      "margin:16px 0 4px}\n"
	      "p{margin:6px 0}.dim,figcaption,small{color:var(--dim)}figure{margin:8px 0}\n"
	      "table{border-collapse:collapse;margin:8px 0;font-variant-numeric:tabular-nums;"
	      "font-size:13.5px;display:block;overflow-x:auto}\n"
	      "th,td{padding:3px 10px;text-align:right;border-bottom:1px solid var(--line);"
	      "white-space:nowrap}th{color:var(--dim);font-weight:600}"
	      "th:first-child,td:first-child{text-align:left}\n"
	      "table.config td{text-align:left;white-space:normal;overflow-wrap:anywhere}\n"
	      "tr.differs td{font-weight:600}svg{width:100%;height:auto;display:block}\n"
	      "svg text{font:12px system-ui,sans-serif;fill:var(--fg)}"
	      "svg text.in{fill:#fff}svg text.dim{fill:var(--dim)}\n"
	      "summary{cursor:pointer;margin:10px 0 4px;font-weight:600}"
	      ".grid{display:grid;grid-template-columns:repeat(auto-fill,minmax(300px,1fr));gap:12px}"
	      ".card{background:var(--card);border-radius:6px;padding:8px 10px}\n"
	      ".key{display:inline-block;width:11px;height:11px;border-radius:2px;"
	      "margin:0 4px 0 12px;vertical-align:-1px}\n"
	      "</style>\n", out);
}

static void session_head(const struct nvx_html_session *s, const char *label, FILE *out)
{
	char t[NVX_FMT_MAX], n[NVX_FMT_MAX];

	fprintf(out, "<p><b>%s", label);
	html_text(out, s->path);
	fprintf(out, "</b>: %s on ", nvx_fmt__ns(t, sizeof(t), s->report.duration_ns));
	html_text(out, s->report.host);
	fputs(", kernel ", out);
	html_text(out, s->report.release);
	fputs(", source: ", out);
	html_text(out, s->report.source);
	fprintf(out, "; %s", s->created);
	fprintf(out, "; dropped events: %s",
		nvx_fmt__count(n, sizeof(n), nvx_report__dropped(&s->report)));
	fputs("</p>\n", out);
	if (*s->note) {
		fputs("<p class=dim>", out);
		html_text(out, s->note);
		fputs("</p>\n", out);
	}
	if (s->trouble) {
		fputs("<p><b>Incomplete:</b> ", out);
		html_text(out, s->trouble);
		fputs("</p>\n", out);
	}
}

/* What the session cannot tell, once for all its drawings. */
static void not_available(const struct nvx_html_session *s, FILE *out)
{
	for (unsigned int i = 0; i < NVX_SECTION_COUNT; i++) {
		const struct nvx_probe_section *have = &s->report.section[i];

		if (have->have != NVX_HAVE_NO && !have->partial)
			continue;
		fprintf(out, "<p class=dim>%s: n/a%s (", nvx_section__name(i),
			have->have == NVX_HAVE_NO ? "" : " in part");
		html_text(out, have->reason);
		fputs(")</p>\n", out);
	}
}

static int totals(const struct nvx_html_session *s, FILE *out)
{
	const struct nvx_row **row;
	struct nvx_rows *owner;
	char n[NVX_FMT_MAX];
	size_t nr;

	if (nvx_report__rows(&s->report, NVX_SET_VMS, &owner, &row, &nr) < 0)
		return -ENOMEM;
	fputs("<table><tr><th>VM<th>vCPUs<th>L1 exits<th>L2 exits<th>L1 to L2<th>L2 to L1"
	      "<th>failed entries</tr>\n", out);
	for (size_t i = 0; i < nr; i++) {
		const uint64_t *v = row[i]->v;
		const uint64_t cell[] = { v[NVX_V_VCPUS],   v[NVX_V_COUNT],  v[NVX_V_L2_EXITS],
					  v[NVX_V_ENTRIES], v[NVX_V_LEAVES], v[NVX_V_FAILED] };

		fputs("<tr><td>", out);
		html_text(out, s->report.vms[row[i]->l.vm]->id.name);
		for (size_t c = 0; c < sizeof(cell) / sizeof(*cell); c++)
			fprintf(out, "<td>%s", nvx_fmt__count(n, sizeof(n), cell[c]));
		fputs("</tr>\n", out);
	}
	fputs("</table>\n", out);
	nvx_rows__free(owner);
	return 0;
}

static void config_table(const struct nvx_html_session *s, FILE *out)
{
	fputs("<details><summary>What the host looked like</summary><table class=config>\n", out);
	for (size_t i = 0; i < s->config->nr; i++) {
		fputs("<tr><td>", out);
		html_text(out, s->config->item[i].key);
		fputs("<td>", out);
		html_text(out, s->config->item[i].value);
		fputs("</tr>\n", out);
	}
	fputs("</table></details>\n", out);
}

static int each_session(const struct nvx_html_page *p,
			int (*part)(const struct nvx_html_session *, FILE *), FILE *out)
{
	static const char *const side[] = { "Before", "After" };
	int ret = 0;

	for (size_t i = 0; i < p->nr && !ret; i++) {
		if (p->nr > 1)
			fprintf(out, "<h3>%s</h3>\n", side[i]);
		ret = part(&p->session[i], out);
	}
	return ret;
}

static int body(const struct nvx_html_page *p, FILE *out)
{
	int ret;

	for (size_t i = 0; i < p->nr; i++) {
		session_head(&p->session[i], p->nr == 1 ? "" : i ? "After: " : "Before: ", out);
		not_available(&p->session[i], out);
	}
	if (p->diff)
		html_diff(p->diff, out);
	fputs("<h2>Exits</h2>\n", out);
	ret = each_session(p, totals, out);
	if (!ret)
		ret = html_time_split(p, out);
	fputs("<h2>Exits by level and reason</h2>\n", out);
	if (!ret)
		ret = each_session(p, html_exits, out);
	fputs("<h2>Chains</h2>\n<p class=dim>Each exit is in one frame: exits of L2 with the L1 exits "
	      "that they cause on top, then L1 exits outside of chains. Widths are counts.</p>\n", out);
	if (!ret)
		ret = each_session(p, html_flame, out);
	if (!ret)
		ret = html_histograms(p, out);
	html_timeline(p, out);
	for (size_t i = 0; i < p->nr; i++)
		config_table(&p->session[i], out);
	return ret;
}

int nvx_view__html(const struct nvx_html_page *p, FILE *out)
{
	int ret;

	fputs("<!DOCTYPE html>\n<html lang=en>\n<head><meta charset=utf-8>\n"
	      "<meta name=viewport content=\"width=device-width\">\n<title>nvx: ", out);
	html_text(out, p->session[0].path);
	fputs("</title>\n", out);
	html_style(out);
	fprintf(out, "</head>\n<body>\n<h1>nvx: %s</h1>\n",
		p->nr == 1 ? "where the VM exits go" : "before and after");
	ret = body(p, out);
	fputs("<p class=dim>Written by nvx report.</p>\n</body>\n</html>\n", out);
	return ret ? ret : fflush(out) || ferror(out) ? -EIO : 0;
}
