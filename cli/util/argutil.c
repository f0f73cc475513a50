// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/argutil.h"

#define NSEC_PER_SEC 1000000000ULL
#define DURATION_MAX_SEC (10ULL * 365 * 24 * 3600)
#define LIST_MAX 65536

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Nanoseconds of a unit's name; 0 for an unknown one. */
static uint64_t unit_ns(const char *unit)
{
	static const struct {
		const char *name;
		uint64_t ns;
	} units[] = {
		{"", NSEC_PER_SEC},
		{"s", NSEC_PER_SEC},
		{"ms", 1000000},
		{"us", 1000},
		{"ns", 1},
		{"m", 60 * NSEC_PER_SEC},
		{"h", 3600 * NSEC_PER_SEC},
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(unit, units[i].name))
			return units[i].ns;
	return 0;
}

int nvx_arg__duration(const char *text, uint64_t *ns)
{
	/* Exact decimal arithmetic: the whole part and nine digits behind the point. */
	uint64_t whole = 0, frac = 0, unit;
	unsigned int digits = 0;
	const char *p = text;
	__extension__ unsigned __int128 total;

	for (; is_digit(*p); p++, digits++) {
		whole = whole * 10 + (uint64_t)(*p - '0');
		if (whole > DURATION_MAX_SEC * NSEC_PER_SEC)
			return -ERANGE;
	}
	if (*p == '.') {
		uint64_t place = NSEC_PER_SEC / 10;

		for (p++; is_digit(*p); p++, digits++, place /= 10)
			frac += (uint64_t)(*p - '0') * place;
	}
	unit = unit_ns(p);
	if (digits == 0 || unit == 0)
		return -EINVAL;
	total = (unsigned __int128)frac * unit / NSEC_PER_SEC + (unsigned __int128)whole * unit;
	if (total > (unsigned __int128)DURATION_MAX_SEC * NSEC_PER_SEC)
		return -ERANGE;
	if (total == 0)
		return -EINVAL;
	*ns = (uint64_t)total;
	return 0;
}

/* The number at the start of text; *end behind it. */
static int number(const char *text, uint64_t max, uint64_t *value, const char **end)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	unsigned long long v;
	char *stop;

	/* strtoull takes blanks and signs, which no option of ours means. */
	if (hex ? !isxdigit((unsigned char)text[2]) : !is_digit(text[0]))
		return -EINVAL;
	errno = 0;
	v = strtoull(text, &stop, hex ? 16 : 10);
	if (errno == ERANGE || v > max)
		return -ERANGE;
	*value = v;
	*end = stop;
	return 0;
}

int nvx_arg__u64(const char *text, uint64_t max, uint64_t *value)
{
	const char *end;
	uint64_t v;
	int err = number(text, max, &v, &end);

	if (err)
		return err;
	if (*end)
		return -EINVAL;
	*value = v;
	return 0;
}

static int compare_u32(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static int append_range(struct nvx_u32_list *list, uint64_t first, uint64_t last)
{
	uint32_t *grown;

	if (last < first)
		return -EINVAL;
	if (last - first >= LIST_MAX - list->nr)
		return -ERANGE;
	grown = realloc(list->v, (list->nr + (size_t)(last - first) + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	list->v = grown;
	for (uint64_t v = first; v <= last; v++)
		list->v[list->nr++] = (uint32_t)v;
	return 0;
}

static void sort_unique(struct nvx_u32_list *list)
{
	size_t out = 0;

	qsort(list->v, list->nr, sizeof(*list->v), compare_u32);
	for (size_t i = 0; i < list->nr; i++)
		if (i == 0 || list->v[i] != list->v[out - 1])
			list->v[out++] = list->v[i];
	list->nr = out;
}

int nvx_arg__u32_list(const char *text, uint32_t max, struct nvx_u32_list *list)
{
	struct nvx_u32_list result = {NULL, 0};
	const char *p = text;
	int err;

	for (;;) {
		uint64_t first, last;

		err = number(p, max, &first, &p);
		if (err)
			goto fail;
		last = first;
		if (*p == '-') {
			err = number(p + 1, max, &last, &p);
			if (err)
				goto fail;
		}
		err = append_range(&result, first, last);
		if (err)
			goto fail;
		if (*p == '\0')
			break;
		if (*p++ != ',') {
			err = -EINVAL;
			goto fail;
		}
	}
	sort_unique(&result);
	*list = result;
	return 0;
fail:
	nvx_u32_list__free(&result);
	return err;
}

bool nvx_u32_list__has(const struct nvx_u32_list *list, uint32_t value)
{
	return list->nr && bsearch(&value, list->v, list->nr, sizeof(value), compare_u32);
}

void nvx_u32_list__free(struct nvx_u32_list *list)
{
	free(list->v);
	list->v = NULL;
	list->nr = 0;
}
