/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A strict reader of OpenMetrics text, apart from the writer: whatever a sample's line may hold
 * that it does not know is an error.
 */
#ifndef NVX_TESTS_EXPOSITION_H
#define NVX_TESTS_EXPOSITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define EXPO_LABELS 12
#define EXPO_TEXT   300

struct expo_sample {
	char name[80];
	size_t nr;
	char label[EXPO_LABELS][32], value[EXPO_LABELS][EXPO_TEXT];
	double number;
	char number_text[40];
};

static inline const char *expo_word(const char *s, const char *end, char *to, size_t size)
{
	size_t n = 0;

	while (s < end && n + 1 < size &&
	       ((*s >= 'a' && *s <= 'z') || *s == '_' || (n && *s >= '0' && *s <= '9')))
		to[n++] = *s++;
	to[n] = 0;
	return n ? s : NULL;
}

/* Behind the opening quote; where the closing one ends, or NULL. */
static inline const char *expo_quoted(const char *s, const char *end, char *to, size_t size)
{
	size_t n = 0;

	for (; s < end && n + 1 < size; s++) {
		if (*s == '"') {
			to[n] = 0;
			return s + 1;
		}
		if (*s != '\\') {
			to[n++] = *s;
			continue;
		}
		if (++s >= end || (*s != 'n' && *s != '"' && *s != '\\'))
			return NULL;
		to[n++] = *s == 'n' ? '\n' : *s;
	}
	return NULL;
}

static inline const char *expo_labels(const char *s, const char *end, struct expo_sample *e)
{
	do {
		if (e->nr == EXPO_LABELS)
			return NULL;
		s = expo_word(s + 1, end, e->label[e->nr], sizeof(e->label[0]));
		if (!s || end - s < 2 || s[0] != '=' || s[1] != '"')
			return NULL;
		s = expo_quoted(s + 2, end, e->value[e->nr], EXPO_TEXT);
		for (size_t i = 0; i < e->nr; i++)
			if (!strcmp(e->label[i], e->label[e->nr]))
				return NULL;
		e->nr++;
	} while (s && s < end && *s == ',');
	return s && s < end && *s == '}' ? s + 1 : NULL;
}

/* One line without its end.  False: it is no sample. */
static inline bool expo_parse(const char *s, size_t len, struct expo_sample *e)
{
	const char *end = s + len;
	char *stop;

	e->nr = 0;
	s = expo_word(s, end, e->name, sizeof(e->name));
	if (s && s < end && *s == '{')
		s = expo_labels(s, end, e);
	if (!s || s >= end || *s++ != ' ' || end - s >= (long)sizeof(e->number_text))
		return false;
	memcpy(e->number_text, s, end - s);
	e->number_text[end - s] = 0;
	e->number = strtod(e->number_text, &stop);
	return stop > e->number_text && !*stop;
}

static inline const char *expo_label(const struct expo_sample *e, const char *name)
{
	for (size_t i = 0; i < e->nr; i++)
		if (!strcmp(e->label[i], name))
			return e->value[i];
	return NULL;
}

#endif
