/* SPDX-License-Identifier: GPL-2.0-only */
/* Parts of the page; each writes itself.  Those that return int: 0 or -ENOMEM. */
#ifndef NVX_VIEW_HTML_PRIV_H
#define NVX_VIEW_HTML_PRIV_H

#include "view/html.h"

/* Text with what HTML reads as markup escaped. */
void html_text(FILE *out, const char *text);

void html_style(FILE *out);
int html_time_split(const struct nvx_html_page *p, FILE *out);
int html_exits(const struct nvx_html_session *s, FILE *out);
int html_flame(const struct nvx_html_session *s, FILE *out);
int html_histograms(const struct nvx_html_page *p, FILE *out);
void html_timeline(const struct nvx_html_page *p, FILE *out);
void html_diff(const struct nvx_diff_page *p, FILE *out);

/* Width of the drawings in their own units. */
#define HTML_WIDTH 1000

#endif
