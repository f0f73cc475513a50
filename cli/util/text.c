// SPDX-License-Identifier: GPL-2.0-only
#include "util/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#define HUGE (4u << 20)

char *nvx_text__room(struct nvx_text *t, size_t more)
{
	size_t room = t->room ?: 4096;
	char *s;

	if (t->failed)
		return NULL;
	if (t->s && more <= t->room - t->len)
		return t->s + t->len;
	while (room - t->len < more)
		room *= 2;
	s = realloc(t->s, room);
	if (!s) {
		t->failed = true;
		return NULL;
	}
	t->s = s;
	t->room = room;
	/* a long text would take more time for its pages than for its letters; a hint, no more */
	if (room >= HUGE)
		madvise((void *)(((uintptr_t)s + HUGE - 1) & -(uintptr_t)HUGE), room - HUGE,
			MADV_HUGEPAGE);
	return s + t->len;
}

/* The digits before `end`, at least `least` of them; where they begin. */
static char *digits(char *end, uint64_t v, int least)
{
	for (; v || least > 0; v /= 10, least--)
		*--end = '0' + v % 10;
	return end;
}

void nvx_text__u64(struct nvx_text *t, uint64_t v)
{
	char buf[20], *end = buf + sizeof(buf), *at = digits(end, v, 1);

	nvx_text__put(t, at, end - at);
}

void nvx_text__seconds(struct nvx_text *t, uint64_t ns)
{
	char buf[32], *end = buf + sizeof(buf), *at = digits(end, ns % 1000000000, 9);

	*--at = '.';
	at = digits(at, ns / 1000000000, 1);
	nvx_text__put(t, at, end - at);
}

void nvx_text__fmt(struct nvx_text *t, const char *fmt, ...)
{
	char buf[1024];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	if (n < 0 || n >= (int)sizeof(buf))
		t->failed = true;
	else
		nvx_text__put(t, buf, n);
}
