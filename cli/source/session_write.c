// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writing session files.  Each flush is a group of lines with a line of their CRC-32 behind: a
 * reader takes a group whole or not at all, so a damaged byte never turns into a number.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "source/session_priv.h"

/* A few milliseconds a delta. */
#define LEVEL 12
/* Histograms are half of a delta and change slowly: they come with each tenth, for all ten. */
#define HIST_EVERY 10

struct nvx_session_writer {
	int fd;
	ZSTD_CCtx *z;
	char *text; /* lines of the running group */
	size_t len;
	FILE *mem;
	struct nvx_rows *ids; /* rows told; v[0] is the id, hist what no delta has told yet */
	struct nvx_rows *total; /* of all deltas */
	const struct nvx_vm **vms;
	size_t nr_vms;
	uint64_t deltas, bytes;
	struct nvx_drops drops;
	bool ended;
};

static int put_all(struct nvx_session_writer *w, const void *data, size_t len)
{
	for (const char *p = data; len;) {
		ssize_t n = write(w->fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		len -= n;
		w->bytes += n;
	}
	return 0;
}

static int deflate_all(struct nvx_session_writer *w, const char *text, size_t len,
		    ZSTD_EndDirective how)
{
	ZSTD_inBuffer in = { text, len, 0 };
	char buf[1 << 16];
	size_t left;

	do {
		ZSTD_outBuffer out = { buf, sizeof(buf), 0 };
		int ret;

		left = ZSTD_compressStream2(w->z, &out, &in, how);
		if (ZSTD_isError(left))
			return -ENOMEM; /* nothing else can go wrong with a memory buffer */
		ret = put_all(w, buf, out.pos);
		if (ret)
			return ret;
	} while (left);
	return 0;
}

/* Start the lines of a group, unless some stand there already. */
static int group(struct nvx_session_writer *w)
{
	if (!w->mem)
		w->mem = open_memstream(&w->text, &w->len);
	return w->mem ? 0 : -ENOMEM;
}

static int flush(struct nvx_session_writer *w, ZSTD_EndDirective how)
{
	char crc[32];
	int len, ret = 0;

	if (ferror(w->mem))
		ret = -ENOMEM;
	if (fclose(w->mem) && !ret)
		ret = -ENOMEM;
	w->mem = NULL;
	if (!ret) {
		len = snprintf(crc, sizeof(crc), "{\"crc\":\"%08lx\"}\n",
			       crc32(0, (const Bytef *)w->text, w->len));
		ret = deflate_all(w, w->text, w->len, ZSTD_e_continue);
		if (!ret)
			ret = deflate_all(w, crc, len, how);
	}
	free(w->text);
	w->text = NULL;
	return ret;
}

static int put_line(struct nvx_session_writer *w, json_t *line)
{
	int ret = line ? group(w) : -ENOMEM;

	if (!ret && json_dumpf(line, w->mem, JSON_COMPACT))
		ret = -ENOMEM;
	if (!ret)
		fputc('\n', w->mem);
	json_decref(line);
	return ret;
}

/* The id of a row's labels; a line tells them the first time.  Or -errno. */
static long row_id(struct nvx_session_writer *w, const struct nvx_row *row)
{
	struct nvx_row *known;
	size_t nr = w->ids->nr;
	int ret;

	if (row->l.vm != NVX_VM_ALL && row->l.vm >= w->nr_vms)
		return -EINVAL;
	known = nvx_rows__at(w->ids, &row->l);
	if (!known)
		return -ENOMEM;
	if (w->ids->nr == nr)
		return known->v[0];
	known->v[0] = nr;
	ret = put_line(w, session_row_line(nr, row, w->vms));
	return ret ? ret : (long)nr;
}

/* Lines of the rows that are new; they stand before the line that has their values. */
static int tell_rows(struct nvx_session_writer *w, const struct nvx_rows *rows)
{
	for (size_t i = 0; rows && i < rows->nr; i++) {
		long id = row_id(w, rows->row[i]);

		if (id < 0)
			return id;
	}
	return 0;
}

static void put_rows(struct nvx_session_writer *w, const struct nvx_rows *rows)
{
	fputs("\"rows\":[", w->mem);
	for (size_t i = 0; rows && i < rows->nr; i++) {
		if (i)
			fputc(',', w->mem);
		session_put_row(w->mem, row_id(w, rows->row[i]), rows->row[i]);
	}
	fputc(']', w->mem);
}

/*
 * Keep the histograms of a delta back, or add those that were kept back to it.  A row that was
 * not in this delta keeps its own until it is in one that tells.
 */
static void defer_hist(struct nvx_session_writer *w, struct nvx_rows *rows, bool tell)
{
	for (size_t i = 0; i < rows->nr; i++) {
		struct nvx_row *row = rows->row[i], *kept = nvx_rows__at(w->ids, &row->l);

		for (int h = 0; h < NVX_HIST_SLOTS; h++) {
			kept->hist[h] += row->hist[h];
			row->hist[h] = tell ? kept->hist[h] : 0;
			if (tell)
				kept->hist[h] = 0;
		}
	}
}

int nvx_session_writer__vm(struct nvx_session_writer *w, const struct nvx_vm *vm,
			   const struct nvx_config *config)
{
	const struct nvx_vm **more;

	if (vm->index != w->nr_vms)
		return -EINVAL;
	more = realloc(w->vms, (w->nr_vms + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	w->vms = more;
	w->vms[w->nr_vms++] = vm;
	return put_line(w, session_vm_line(vm, config));
}

size_t nvx_session_writer__vms(const struct nvx_session_writer *w)
{
	return w->nr_vms;
}

static void add_drops(struct nvx_drops *to, const struct nvx_drops *from)
{
	to->misses += from->misses;
	to->lost += from->lost;
	for (int i = 0; i < NVX_GDROP_KINDS; i++)
		to->g[i] += from->g[i];
}

int nvx_session_writer__delta(struct nvx_session_writer *w, const struct nvx_session_delta *d)
{
	bool hist = d->hist || w->deltas % HIST_EVERY == 0;
	struct nvx_rows *rows = nvx_rows__new();
	int ret = rows ? group(w) : -ENOMEM;

	if (!ret && d->rows)
		ret = nvx_rows__add(rows, d->rows, NVX_DROP_LABEL_L2);
	if (!ret)
		ret = nvx_rows__add(w->total, rows, 0);
	if (!ret)
		ret = tell_rows(w, rows);
	if (!ret) {
		defer_hist(w, rows, hist);
		fprintf(w->mem, "{\"delta\":%" PRIu64 ",\"t_ns\":%" PRIu64 ",\"ns\":%" PRIu64,
			w->deltas + 1, d->t_ns, d->duration_ns);
		if (d->period)
			fprintf(w->mem, ",\"period\":%" PRIu32, d->period);
		if (hist)
			fputs(",\"hist\":true", w->mem);
		session_put_drops(w->mem, &d->drops);
		fputc(',', w->mem);
		put_rows(w, rows);
		fputs("}\n", w->mem);
		ret = flush(w, ZSTD_e_flush);
	}
	nvx_rows__free(rows);
	if (!ret) {
		w->deltas++;
		add_drops(&w->drops, &d->drops);
	}
	return ret;
}

static int tell_vcpus(struct nvx_session_writer *w, const struct nvx_session_end *e)
{
	int ret = 0;

	for (size_t i = 0; i < e->nr_vcpus && !ret; i++)
		ret = tell_rows(w, e->vcpu[i].rows);
	return ret;
}

int nvx_session_writer__end(struct nvx_session_writer *w, struct nvx_session_end *e)
{
	const struct nvx_rows *rows = e->rows ? e->rows : w->total;
	int ret = group(w);

	e->deltas = w->deltas;
	e->drops = w->drops;
	if (!ret)
		ret = tell_rows(w, rows);
	if (!ret)
		ret = tell_vcpus(w, e);
	if (ret)
		return ret;
	fprintf(w->mem, "{\"end\":%" PRIu64 ",\"ns\":%" PRIu64, e->deltas, e->duration_ns);
	session_put_drops(w->mem, &e->drops);
	session_put_cost(w->mem, &e->cost);
	fputc(',', w->mem);
	put_rows(w, rows);
	fputs(",\"vcpus\":[", w->mem);
	for (size_t i = 0; i < e->nr_vcpus; i++) {
		fprintf(w->mem, "%s{\"vm\":%" PRIu32 ",\"vcpu\":%" PRIu32 ",", i ? "," : "",
			e->vcpu[i].vm, e->vcpu[i].vcpu);
		put_rows(w, e->vcpu[i].rows);
		fputc('}', w->mem);
	}
	fputs("]}\n", w->mem);
	ret = flush(w, ZSTD_e_end);
	if (!ret && fsync(w->fd) && errno != EINVAL && errno != EROFS)
		ret = -errno; /* a pipe cannot be synced */
	w->ended = !ret;
	return ret;
}

uint64_t nvx_session_writer__bytes(const struct nvx_session_writer *w)
{
	return w->bytes;
}

void nvx_session_writer__close(struct nvx_session_writer *w)
{
	if (!w)
		return;
	if (w->mem)
		fclose(w->mem);
	free(w->text);
	if (w->fd >= 0)
		close(w->fd);
	ZSTD_freeCCtx(w->z);
	nvx_rows__free(w->ids);
	nvx_rows__free(w->total);
	free(w->vms);
	free(w);
}

static int start(struct nvx_session_writer *w, const struct nvx_session_head *head)
{
	int ret;

	w->ids = nvx_rows__new();
	w->total = nvx_rows__new();
	w->z = ZSTD_createCCtx();
	if (!w->ids || !w->total || !w->z ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(w->z, ZSTD_c_compressionLevel, LEVEL)) ||
	    ZSTD_isError(ZSTD_CCtx_setParameter(w->z, ZSTD_c_checksumFlag, 1)))
		return -ENOMEM;
	ret = put_line(w, session_head_line(head));
	return ret ? ret : flush(w, ZSTD_e_flush);
}

int nvx_session_writer__open(const char *path, bool replace, const struct nvx_session_head *head,
			     struct nvx_session_writer **out, char *err)
{
	struct nvx_session_writer *w = calloc(1, sizeof(*w));
	int ret;

	if (!w) {
		snprintf(err, NVX_SESSION_ERR, "out of memory");
		return -ENOMEM;
	}
	w->fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (replace ? O_TRUNC : O_EXCL), 0644);
	ret = w->fd < 0 ? -errno : start(w, head);
	if (ret == -EEXIST)
		snprintf(err, NVX_SESSION_ERR, "%s is there already; --force replaces it", path);
	else if (ret)
		snprintf(err, NVX_SESSION_ERR, "cannot write %s: %s", path, strerror(-ret));
	if (ret) {
		nvx_session_writer__close(w);
		return ret;
	}
	*out = w;
	return 0;
}
