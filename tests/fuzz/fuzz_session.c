// SPDX-License-Identifier: GPL-2.0-only
/*
 * Bytes as a session: as they are, which is mostly the zstd stream, and as lines that are packed
 * and have their checksums made right first, which reaches what lines mean.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "source/session.h"

static void read_all(void *data, size_t len)
{
	struct nvx_session_reader *r;
	struct nvx_session_delta d;
	char err[NVX_SESSION_ERR] = "";
	uint64_t t = 0, deltas = 0;
	FILE *in = len ? fmemopen(data, len, "r") : NULL;
	size_t nr;

	if (!in)
		return;
	if (nvx_session_reader__from(in, "fuzz", &r, err)) {
		if (!*err)
			abort();
		return;
	}
	while (nvx_session_reader__next(r, &d) > 0) {
		nvx_session_reader__vms(r, &nr);
		/* what the callers rely on */
		for (size_t i = 0; i < d.rows->nr; i++)
			if (d.rows->row[i]->l.vm >= nr || d.rows->row[i]->l.set >= NVX_SET_COUNT)
				abort();
		if (d.t_ns < t)
			abort();
		t = d.t_ns;
		deltas++;
		nvx_session_delta__free(&d);
	}
	if (!nvx_session_reader__end(r) == !nvx_session_reader__trouble(r))
		abort();
	if (nvx_session_reader__end(r) && nvx_session_reader__end(r)->deltas != deltas)
		abort();
	nvx_session_reader__close(r);
}

/* Lines, each group of them ended by an empty one, as the stream that a writer makes. */
static void pack(const uint8_t *data, size_t len)
{
	char *text = malloc(len * 24 + 64);
	size_t n = 0, group = 0, room;
	void *packed;

	for (size_t i = 0; i <= len; i++) {
		if (i < len && (data[i] != '\n' || i + 1 >= len || data[i + 1] != '\n')) {
			text[n++] = data[i];
			continue;
		}
		if (n == group || text[n - 1] != '\n')
			text[n++] = '\n';
		n += sprintf(text + n, "{\"crc\":\"%08lx\"}\n",
			     crc32(0, (const Bytef *)text + group, n - group));
		group = n;
		i++;
	}
	room = ZSTD_compressBound(n);
	packed = malloc(room);
	read_all(packed, ZSTD_compress(packed, room, text, n, 1));
	free(packed);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	void *copy = malloc(len + 1);

	memcpy(copy, data, len);
	read_all(copy, len);
	free(copy);
	pack(data, len);
	return 0;
}
