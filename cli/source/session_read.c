// SPDX-License-Identifier: GPL-2.0-only
/* Reading session files: groups of lines out of the zstd stream, each checked before it counts. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "source/session_priv.h"
#include "util/fmt.h"

struct nvx_session_reader {
	FILE *in;
	char name[64];
	ZSTD_DCtx *z;
	char inbuf[1 << 16];
	ZSTD_inBuffer zin;
	uint64_t at;	  /* bytes of the file that were read */
	bool frame_done;  /* the stream's end was seen */

	char *text; /* decompressed; the running group starts at 0 */
	size_t len, room;
	size_t next, group_end; /* within a group that passed: the next line, its end */
	uint64_t line;

	struct session_state state;
	struct nvx_session_end end;
	bool have_end, done, damaged;
	uint64_t deltas;
	char trouble[230]; /* half a sentence */
};

/* Say how far the file could be read; the first trouble stays. */
static void trouble(struct nvx_session_reader *r, const char *what)
{
	char t[NVX_FMT_MAX];

	r->done = r->damaged = true;
	if (*r->trouble)
		return;
	nvx_fmt__ns(t, sizeof(t), r->state.t_ns);
	snprintf(r->trouble, sizeof(r->trouble), "%s; %" PRIu64 " delta%s, %s, can be read", what,
		 r->deltas, r->deltas == 1 ? "" : "s", t);
}

static int room_for(struct nvx_session_reader *r, size_t more)
{
	size_t room = r->room ? r->room : 1 << 16;
	char *text;

	while (room < r->len + more)
		room *= 2;
	if (room == r->room)
		return 0;
	text = realloc(r->text, room);
	if (!text)
		return -ENOMEM;
	r->text = text;
	r->room = room;
	return 0;
}

/* More text behind what is there.  1: some; 0: the file ends, or trouble; -ENOMEM. */
static int decompress(struct nvx_session_reader *r)
{
	ZSTD_outBuffer out;
	char what[120];
	size_t left;

	if (r->len > SESSION_FLUSH_MAX) {
		trouble(r, "its lines are longer than any session's");
		return 0;
	}
	if (room_for(r, 1 << 16))
		return -ENOMEM;
	out = (ZSTD_outBuffer){ r->text + r->len, r->room - r->len, 0 };
	while (!out.pos) {
		if (r->zin.pos == r->zin.size) {
			r->zin.size = fread(r->inbuf, 1, sizeof(r->inbuf), r->in);
			r->zin.pos = 0;
			r->at += r->zin.size;
			if (!r->zin.size)
				return 0;
		}
		if (r->frame_done) {
			snprintf(what, sizeof(what), "something else follows it at byte %" PRIu64,
				 r->at - r->zin.size + r->zin.pos);
			trouble(r, what);
			return 0;
		}
		left = ZSTD_decompressStream(r->z, &out, &r->zin);
		if (ZSTD_isError(left)) {
			snprintf(what, sizeof(what), "damaged near byte %" PRIu64 " (%s)",
				 r->at - r->zin.size + r->zin.pos, ZSTD_getErrorName(left));
			trouble(r, what);
			return 0;
		}
		r->frame_done = !left;
	}
	r->len += out.pos;
	return 1;
}

/* Does this line end a group?  Then *crc is what the lines before it should have. */
static bool is_crc(const char *line, size_t len, unsigned long *crc)
{
	char digits[9] = "", *end;

	if (len != 18 || memcmp(line, "{\"crc\":\"", 8) || memcmp(line + 16, "\"}", 2))
		return false;
	memcpy(digits, line + 8, 8);
	*crc = strtoul(digits, &end, 16);
	return !*end;
}

/* Collect lines until one ends the group.  1: a group is there; 0: no more; -ENOMEM. */
static int next_group(struct nvx_session_reader *r)
{
	size_t from = 0, seen = 0; /* the running line; how far it was looked through */
	unsigned long crc;
	char what[80];

	memmove(r->text, r->text + r->group_end, r->len - r->group_end);
	r->len -= r->group_end;
	r->next = r->group_end = 0;
	for (;;) {
		char *nl = r->len > seen ? memchr(r->text + seen, '\n', r->len - seen) : NULL;
		int ret;

		if (nl && is_crc(r->text + from, nl - (r->text + from), &crc)) {
			r->next = 0;
			r->group_end = nl + 1 - r->text;
			if (crc == crc32(0, (const Bytef *)r->text, from))
				return 1;
			snprintf(what, sizeof(what), "damaged after line %" PRIu64, r->line);
			trouble(r, what);
			return 0;
		}
		if (nl) {
			from = seen = nl + 1 - r->text;
			continue;
		}
		seen = r->len;
		ret = decompress(r);
		if (ret <= 0)
			return ret;
	}
}

/* The next line as an object.  1: *out is new; 0: no more; -ENOMEM. */
static int next_line(struct nvx_session_reader *r, json_t **out)
{
	const char *line;
	char what[80];
	size_t len;

	do {
		if (r->next >= r->group_end) {
			int ret = next_group(r);

			if (ret <= 0)
				return ret;
		}
		line = r->text + r->next;
		len = (char *)memchr(line, '\n', r->group_end - r->next) - line;
		r->next += len + 1;
		r->line++;
	} while (r->next >= r->group_end);
	*out = json_loadb(line, len, JSON_REJECT_DUPLICATES, NULL);
	if (json_is_object(*out))
		return 1;
	json_decref(*out);
	*out = NULL; /* the caller lets go of what it got */
	snprintf(what, sizeof(what), "line %" PRIu64 " is no JSON object", r->line);
	trouble(r, what);
	return 0;
}

/* A line that breaks the format ends the session there. */
static int judge(struct nvx_session_reader *r, int ret)
{
	char what[80];

	if (ret != -EINVAL)
		return ret;
	snprintf(what, sizeof(what), "line %" PRIu64 " breaks the format", r->line);
	trouble(r, what);
	return 0;
}

/* 1: *d is a delta; 0: another line, or trouble; -ENOMEM */
static int take_line(struct nvx_session_reader *r, const json_t *line, struct nvx_session_delta *d)
{
	int ret = 0;

	if (json_object_get(line, "row"))
		return judge(r, session_read_row(&r->state, line));
	if (json_object_get(line, "delta")) {
		ret = session_read_delta(&r->state, line, r->deltas + 1, d);
		if (!ret) {
			r->deltas++;
			return 1;
		}
		nvx_session_delta__free(d);
	} else if (json_object_get(line, "end")) {
		ret = session_read_end(&r->state, line, &r->end);
		if (!ret && r->end.deltas != r->deltas)
			ret = -EINVAL;
		if (ret)
			nvx_session_end__free(&r->end);
		r->have_end = !ret;
		r->done = true;
	} else if (json_object_get(line, "vm")) {
		ret = session_read_vm(&r->state, line);
	}
	return judge(r, ret);
}

/* After the end nothing may follow: two sessions in one file would read as the first. */
static int check_tail(struct nvx_session_reader *r)
{
	int ret = 0;

	if (r->next + 19 >= r->group_end && r->group_end == r->len)
		ret = decompress(r);
	if (ret < 0)
		return ret;
	if (ret > 0 || r->group_end != r->len)
		trouble(r, "more lines follow its end");
	else if (!r->frame_done)
		trouble(r, "its last bytes are cut off");
	if (*r->trouble)
		nvx_session_end__free(&r->end);
	r->have_end = !*r->trouble;
	return 0;
}

int nvx_session_reader__next(struct nvx_session_reader *r, struct nvx_session_delta *d)
{
	int ret = 0;

	*d = (struct nvx_session_delta){ 0 };
	while (!r->done && !ret) {
		json_t *line = NULL;

		ret = next_line(r, &line);
		if (!ret && !r->done) {
			trouble(r, "cut off: it has no end");
			r->damaged = false;
		}
		if (ret > 0)
			ret = take_line(r, line, d);
		json_decref(line);
		if (!ret && r->have_end)
			ret = check_tail(r);
	}
	return ret;
}

static int read_head(struct nvx_session_reader *r, char *err)
{
	json_t *line = NULL;
	int ret = next_line(r, &line);
	json_int_t version;

	if (ret < 0)
		return ret;
	version = json_integer_value(json_object_get(line, "version"));
	if (!ret || strcmp(json_string_value(json_object_get(line, "nvx")) ?: "", "session")) {
		snprintf(err, NVX_SESSION_ERR, "%s is no session of nvx%s%s", r->name,
			 *r->trouble ? ": " : "", r->trouble);
		ret = -EINVAL;
	} else if (version != NVX_SESSION_VERSION) {
		snprintf(err, NVX_SESSION_ERR, "%s is a session of version %lld; this nvx reads %d",
			 r->name, (long long)version, NVX_SESSION_VERSION);
		ret = -EINVAL;
	} else {
		ret = session_read_head(&r->state, line);
		if (ret == -EINVAL)
			snprintf(err, NVX_SESSION_ERR, "%s: its first line breaks the format",
				 r->name);
	}
	json_decref(line);
	return ret;
}

int nvx_session_reader__from(FILE *in, const char *name, struct nvx_session_reader **out,
			     char *err)
{
	struct nvx_session_reader *r = calloc(1, sizeof(*r));
	int ret = -ENOMEM;

	snprintf(err, NVX_SESSION_ERR, "out of memory");
	if (!r) {
		fclose(in);
		return ret;
	}
	r->in = in;
	snprintf(r->name, sizeof(r->name), "%s", name);
	r->zin.src = r->inbuf;
	r->z = ZSTD_createDCtx();
	if (r->z && !room_for(r, 1))
		ret = read_head(r, err);
	if (ret) {
		nvx_session_reader__close(r);
		return ret;
	}
	*out = r;
	return 0;
}

int nvx_session_reader__open(const char *path, struct nvx_session_reader **out, char *err)
{
	FILE *in = strcmp(path, "-") ? fopen(path, "re") : fdopen(dup(0), "r");

	if (!in) {
		int ret = -errno;

		snprintf(err, NVX_SESSION_ERR, "cannot read %s: %s", path, strerror(errno));
		return ret;
	}
	return nvx_session_reader__from(in, path, out, err);
}

const struct nvx_session_head *nvx_session_reader__head(const struct nvx_session_reader *r)
{
	return &r->state.head;
}

const struct nvx_vm *const *nvx_session_reader__vms(const struct nvx_session_reader *r,
						    size_t *nr)
{
	*nr = r->state.nr_vms;
	return r->state.vms;
}

const struct nvx_config *nvx_session_reader__vm_config(const struct nvx_session_reader *r,
						       size_t i)
{
	return &r->state.vm[i]->config;
}

const struct nvx_session_end *nvx_session_reader__end(const struct nvx_session_reader *r)
{
	return r->have_end ? &r->end : NULL;
}

const char *nvx_session_reader__trouble(const struct nvx_session_reader *r)
{
	return *r->trouble ? r->trouble : NULL;
}

bool nvx_session_reader__damaged(const struct nvx_session_reader *r)
{
	return r->damaged;
}

void nvx_session_reader__close(struct nvx_session_reader *r)
{
	if (!r)
		return;
	fclose(r->in);
	ZSTD_freeDCtx(r->z);
	free(r->text);
	session_state_free(&r->state);
	nvx_session_end__free(&r->end);
	free(r);
}
