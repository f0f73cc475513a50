// SPDX-License-Identifier: GPL-2.0-only
#include "view/sheet.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "util/fmt.h"

char *nvx_sheet__cell(struct nvx_sheet *s)
{
	s->cell[s->nr] = s->buf[s->nr];
	return s->buf[s->nr++];
}

void nvx_sheet__text(struct nvx_sheet *s, const char *value)
{
	snprintf(nvx_sheet__cell(s), NVX_LABEL_MAX, "%s", value);
}

void nvx_sheet__count(struct nvx_sheet *s, uint64_t n)
{
	nvx_fmt__count(nvx_sheet__cell(s), NVX_LABEL_MAX, n);
}

void nvx_sheet__ns(struct nvx_sheet *s, uint64_t ns)
{
	nvx_fmt__ns(nvx_sheet__cell(s), NVX_LABEL_MAX, ns);
}

void nvx_sheet__percent(struct nvx_sheet *s, uint64_t part, uint64_t whole)
{
	nvx_fmt__percent(nvx_sheet__cell(s), NVX_LABEL_MAX, part, whole);
}

bool nvx_sheet__lacks(struct nvx_sheet *s, enum nvx_lack lack, unsigned int cells)
{
	bool lacks = nvx_report__lacks(s->r, lack);

	while (lacks && cells--)
		nvx_sheet__text(s, "n/a");
	return lacks;
}

void nvx_sheet__ratio(struct nvx_sheet *s, uint64_t n, uint64_t d)
{
	nvx_fmt__ratio(nvx_sheet__cell(s), NVX_LABEL_MAX, n, d, 2);
}

void nvx_sheet__level(struct nvx_sheet *s, const struct nvx_row *row)
{
	static const char *const names[] = { "?", "L1", "L2" };

	nvx_sheet__text(s, names[row->l.level % 3]);
}

void nvx_sheet__bound(struct nvx_sheet *s, uint64_t ns)
{
	char *buf = nvx_sheet__cell(s);

	if (!ns) {
		strcpy(buf, "-");
	} else if (ns == UINT64_MAX) {
		strcpy(buf, ">1.07s");
	} else {
		buf[0] = '<';
		nvx_fmt__ns(buf + 1, NVX_LABEL_MAX - 1, ns);
	}
}

void nvx_sheet__label(struct nvx_sheet *s, const struct nvx_row *row, enum nvx_label l)
{
	char *buf = nvx_sheet__cell(s);
	const char *got = nvx_label__text(l, row, s->r->vms, buf, NVX_LABEL_MAX);

	if (got != buf)
		snprintf(buf, NVX_LABEL_MAX, "%s", got);
}

void nvx_sheet__end(struct nvx_sheet *s)
{
	nvx_table__row(s->t, s->cell);
	s->nr = 0;
}

int nvx_sheet__begin(struct nvx_sheet *s, const struct nvx_report *r, const char *spec)
{
	enum nvx_align align[NVX_SHEET_COLUMNS];
	char word[32];
	int used;

	memset(s, 0, sizeof(*s));
	s->r = r;
	/* a table whose lines are VMs has their names already */
	s->with_vm = r->nr_vms > 1 && !r->by_host && strncmp(spec, "<NAME", 5);
	if (s->with_vm) {
		align[s->nr] = NVX_LEFT;
		nvx_sheet__text(s, "VM");
	}
	while (s->nr < NVX_SHEET_COLUMNS && sscanf(spec, " %31s%n", word, &used) == 1) {
		align[s->nr] = *word == '<' ? NVX_LEFT : NVX_RIGHT;
		for (char *c = word; *c; c++)
			*c = *c == '_' ? ' ' : *c;
		nvx_sheet__text(s, word + 1);
		spec += used;
	}
	s->columns = s->nr;
	s->t = nvx_table__new(s->columns, align);
	if (!s->t)
		return -ENOMEM;
	nvx_sheet__end(s);
	return 0;
}

void nvx_sheet__line(struct nvx_sheet *s, const struct nvx_row *row)
{
	if (s->with_vm)
		nvx_sheet__label(s, row, NVX_LABEL_VM);
}

int nvx_sheet__finish(struct nvx_sheet *s, FILE *out, size_t shown, size_t all)
{
	int ret = nvx_table__print(s->t, out, 2);

	nvx_table__free(s->t);
	if (shown < all)
		fprintf(out, "  ... %zu more rows; --top 0 shows all\n", all - shown);
	return ret;
}

long nvx_sheet__rows(const struct nvx_report *r, enum nvx_set set, struct nvx_rows **owner,
		    const struct nvx_row ***row, size_t *nr, FILE *out, const char *title)
{
	long all = nvx_report__rows(r, set, owner, row, nr);

	if (all >= 0)
		fprintf(out, "\n%s\n", title);
	if (all == 0) {
		fprintf(out, "  none\n");
		nvx_rows__free(*owner);
	}
	return all;
}
