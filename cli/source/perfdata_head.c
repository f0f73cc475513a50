// SPDX-License-Identifier: GPL-2.0-only
/* The head of a perf.data: header, attributes, and the formats of the tracepoints in it. */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "source/perfdata_priv.h"

#define FEATURE_TRACING_DATA 1
#define FEATURE_COMPRESSED 27
#define PIPE_HEAD 16
/* Beyond these sizes it is damage. */
#define MAX_ATTRS 65536u
#define MAX_TRACING (64u << 20)
#define MIN_ATTR 64u /* PERF_ATTR_SIZE_VER0 */

struct section {
	uint64_t at, size;
};

struct file_head {
	char magic[8];
	uint64_t size, attr_size;
	struct section attrs, data, types;
	uint64_t features[4];
};

static int damaged(const char *path, const char *what, uint64_t at, char *err)
{
	snprintf(err, NVX_EVENTS_ERR, "%.200s: damaged or cut: its %s at byte %llu is not readable",
		 path, what, (unsigned long long)at);
	return -EBADMSG;
}

static int read_at(FILE *in, uint64_t at, void *buf, size_t size)
{
	return at > INT64_MAX || fseeko(in, at, SEEK_SET) || fread(buf, 1, size, in) != size ?
		       -ENODATA : 0;
}

static int read_attrs(FILE *in, const char *path, const struct file_head *f, struct perf_head *h,
		      char *err)
{
	uint64_t nr = f->attr_size ? f->attrs.size / f->attr_size : 0;
	bool tracepoints = false;

	if (!nr || nr > MAX_ATTRS || f->attr_size < MIN_ATTR || f->attr_size > 4096)
		return damaged(path, "table of events", f->attrs.at, err);
	for (uint64_t i = 0; i < nr; i++) {
		struct perf_event_attr a = { 0 };

		if (read_at(in, f->attrs.at + i * f->attr_size, &a, MIN_ATTR))
			return damaged(path, "table of events", f->attrs.at, err);
		if (a.type != PERF_TYPE_TRACEPOINT)
			continue;
		if (tracepoints && (a.sample_type != h->sample_type ||
				    a.sample_id_all != h->sample_id_all)) {
			snprintf(err, NVX_EVENTS_ERR, "events with samples of different kinds");
			return -EOPNOTSUPP;
		}
		tracepoints = true;
		h->sample_type = a.sample_type;
		h->sample_id_all = a.sample_id_all;
	}
	if (!tracepoints) {
		snprintf(err, NVX_EVENTS_ERR, "%.200s has no tracepoint: record with perf record -e "
			 "'kvm:*'", path);
		return -EINVAL;
	}
	if (!(h->sample_type & PERF_SAMPLE_RAW) || !(h->sample_type & PERF_SAMPLE_TIME) ||
	    !(h->sample_type & PERF_SAMPLE_TID)) {
		snprintf(err, NVX_EVENTS_ERR, "%.200s: its samples lack %s: record with perf record "
			 "-R -T -e 'kvm:*'", path,
			 h->sample_type & PERF_SAMPLE_RAW ? "time or thread" : "their records");
		return -EINVAL;
	}
	return 0;
}

/* "	field:unsigned int exit_reason;	offset:8;	size:4;	signed:0;" */
static void take_field(const char *line, size_t len, const struct nvx_known_event *k,
		       struct perf_field *field)
{
	const char *end = memchr(line, ';', len), *name, *bracket;
	unsigned int offset, size;

	if (!end)
		return;
	bracket = memchr(line, '[', end - line);
	name = bracket ? bracket : end;
	for (int t = 0; t < NVX_TO_NR; t++) {
		size_t n = k->field[t] ? strlen(k->field[t]) : 0;

		if (!n || (size_t)(name - line) <= n || memcmp(name - n, k->field[t], n) ||
		    (name[-(long)n - 1] != ' ' && name[-(long)n - 1] != '*'))
			continue;
		if (sscanf(end, "; offset:%u; size:%u;", &offset, &size) == 2 && offset <= 4096 &&
		    (size == 1 || size == 2 || size == 4 || size == 8))
			field[t] = (struct perf_field){ offset, size };
	}
}

/* The text of one format file, ended by a zero. */
static void take_format(const char *text, struct perf_head *h)
{
	char name[64];
	unsigned int id;
	int i;

	if (sscanf(text, "name: %63s ID: %u", name, &id) != 2)
		return;
	i = nvx_known_event__find(name);
	if (i < 0)
		return;
	h->id[i] = id;
	for (const char *line = text, *next; line; line = next) {
		next = strchr(line, '\n');
		next = next ? next + 1 : NULL;
		if (strstr(line, "field:") && (!next || strstr(line, "field:") < next))
			take_field(line, next ? (size_t)(next - line) : strlen(line),
				   &nvx_known_event[i], h->field[i]);
	}
}

/* A cursor over the tracing data; `at` runs past the end where something is missing. */
struct cursor {
	char *p;
	size_t at, size;
};

static void *take(struct cursor *c, size_t n)
{
	void *p = n <= c->size && c->at <= c->size - n ? c->p + c->at : NULL;

	c->at = p ? c->at + n : c->size + 1;
	return p;
}

static uint64_t take_number(struct cursor *c, size_t n)
{
	const void *p = take(c, n);
	uint64_t v = 0;

	if (p)
		memcpy(&v, p, n);
	return v;
}

static void skip_string(struct cursor *c)
{
	const char *end = c->at < c->size ? memchr(c->p + c->at, 0, c->size - c->at) : NULL;

	take(c, end ? (size_t)(end - (c->p + c->at)) + 1 : c->size + 1);
}

/* A sized text as a string: the byte behind it is put back. */
static void take_text(struct cursor *c, struct perf_head *h)
{
	uint64_t size = take_number(c, 8);
	char *text = take(c, size), keep;

	if (!text || !h || !size)
		return;
	keep = text[size];
	text[size] = 0;
	take_format(text, h);
	text[size] = keep;
}

/*
 * As util/trace-event-info.c of perf writes it: magic, version, byte order, size of long, page
 * size, header_page, header_event, the formats of ftrace's own events, those of each system.
 */
static bool take_tracing(struct cursor *c, struct perf_head *h)
{
	uint64_t systems, formats;

	take(c, 10);
	skip_string(c);
	take(c, 1 + 1 + 4);
	for (int i = 0; i < 2; i++) {
		skip_string(c);
		take_text(c, NULL);
	}
	for (formats = take_number(c, 4); formats && c->at <= c->size; formats--)
		take_text(c, NULL);
	for (systems = take_number(c, 4); systems && c->at <= c->size; systems--) {
		skip_string(c);
		for (formats = take_number(c, 4); formats && c->at <= c->size; formats--)
			take_text(c, h);
	}
	return c->at <= c->size;
}

static int read_tracing(FILE *in, const char *path, const struct section *s, struct perf_head *h,
			char *err)
{
	struct cursor c = { .size = s->size };
	int ret = 0;

	if (s->size < 16 || s->size > MAX_TRACING)
		return damaged(path, "formats of tracepoints", s->at, err);
	c.p = malloc(s->size + 1);
	if (!c.p)
		return -ENOMEM;
	c.p[s->size] = 0;
	if (read_at(in, s->at, c.p, s->size) || memcmp(c.p, "\x17\x08\x44tracing", 10) ||
	    !take_tracing(&c, h))
		ret = damaged(path, "formats of tracepoints", s->at, err);
	free(c.p);
	return ret;
}

/* The sections of features stand behind the data, in the order of their bits: this is the first. */
static int find_tracing(FILE *in, const char *path, const struct file_head *f, struct section *s,
			char *err)
{
	uint64_t at = f->data.at + f->data.size;

	if (!(f->features[0] & 1ULL << FEATURE_TRACING_DATA)) {
		snprintf(err, NVX_EVENTS_ERR, "%.200s has no formats of tracepoints in it", path);
		return -EINVAL;
	}
	return read_at(in, at, s, sizeof(*s)) ? damaged(path, "table of features", at, err) : 0;
}

int perf_head_read(FILE *in, const char *path, struct perf_head *h, char *err)
{
	struct file_head f;
	struct section tracing;
	int ret;

	memset(h, 0, sizeof(*h));
	memset(&f, 0, sizeof(f));
	if (read_at(in, 0, &f, PIPE_HEAD))
		return damaged(path, "header", 0, err);
	if (!memcmp(f.magic, "2ELIFREP", 8) || f.size == PIPE_HEAD) {
		snprintf(err, NVX_EVENTS_ERR, "%s", f.size == PIPE_HEAD ? "written to a pipe" :
								  "written in the other byte order");
		return -EOPNOTSUPP;
	}
	if (memcmp(f.magic, "PERFILE2", 8)) {
		snprintf(err, NVX_EVENTS_ERR, "%.200s: no perf.data", path);
		return -EINVAL;
	}
	if (f.size < sizeof(f) || read_at(in, 0, &f, sizeof(f)))
		return damaged(path, "header", 0, err);
	if (f.features[0] & 1ULL << FEATURE_COMPRESSED) {
		snprintf(err, NVX_EVENTS_ERR, "compressed");
		return -EOPNOTSUPP;
	}
	if (!f.data.size) {
		snprintf(err, NVX_EVENTS_ERR, "%.200s: perf record did not finish it: its data has "
			 "no size", path);
		return -ENODATA;
	}
	if (f.data.at + f.data.size < f.data.at)
		return damaged(path, "data", f.data.at, err);
	h->data_at = f.data.at;
	h->data_end = f.data.at + f.data.size;
	ret = read_attrs(in, path, &f, h, err);
	if (!ret)
		ret = find_tracing(in, path, &f, &tracing, err);
	return ret ? ret : read_tracing(in, path, &tracing, h, err);
}
