/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A text that grows: for a million short pieces, where stdio's locks and formats would be most of
 * the time.
 */
#ifndef NVX_UTIL_TEXT_H
#define NVX_UTIL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* All zeroes is the empty text; free(s) is the end of it. */
struct nvx_text {
	char *s; /* not terminated */
	size_t len, room;
	bool failed; /* no memory: what came after is missing */
};

/* Room for so many bytes more, at least; where they begin, or NULL without memory. */
char *nvx_text__room(struct nvx_text *t, size_t more);

static inline void nvx_text__put(struct nvx_text *t, const char *s, size_t len)
{
	char *to = t->room - t->len >= len ? t->s + t->len : nvx_text__room(t, len);

	if (!to || !len)
		return;
	memcpy(to, s, len);
	t->len += len;
}

static inline void nvx_text__str(struct nvx_text *t, const char *s)
{
	nvx_text__put(t, s, strlen(s));
}

void nvx_text__u64(struct nvx_text *t, uint64_t v);

/* Nanoseconds as seconds, exactly: "3.000000700". */
void nvx_text__seconds(struct nvx_text *t, uint64_t ns);

/* For the few lines that are not many. */
__attribute__((format(printf, 2, 3))) void nvx_text__fmt(struct nvx_text *t, const char *fmt, ...);

#endif
