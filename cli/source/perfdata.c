// SPDX-License-Identifier: GPL-2.0-only
/* The records of a perf.data. */
#include "source/perfdata.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "source/perfdata_order.h"
#include "source/perfdata_priv.h"

/* Records of perf itself, beyond those of the kernel (tools/lib/perf/include/perf/event.h). */
enum { RECORD_FINISHED_ROUND = 68, RECORD_AUXTRACE = 71, RECORD_COMPRESSED = 81 };

#define BUFFER (1u << 20)

struct name {
	uint32_t tid;
	char comm[16];
};

struct nvx_perfdata {
	FILE *in;
	char *path, *buffer;
	struct perf_head head;
	struct perf_order order;
	struct nvx_events_info info;
	uint64_t at; /* of the next record */
	struct name *name;
	size_t nr_names, last_name;
	bool ended;
	int error; /* how the reading ended */
	char message[NVX_EVENTS_ERR];
	char record[65536];
};

int nvx_perfdata__open(const char *path, struct nvx_perfdata **out, char *err)
{
	struct nvx_perfdata *p = calloc(1, sizeof(*p));
	int ret = 0;

	if (p) {
		p->in = fopen(path, "re");
		p->path = strdup(path);
		p->buffer = malloc(BUFFER);
	}
	if (!p || !p->path || !p->buffer) {
		snprintf(err, NVX_EVENTS_ERR, "out of memory");
		ret = -ENOMEM;
	} else if (!p->in) {
		ret = -errno;
		snprintf(err, NVX_EVENTS_ERR, "%.200s: %s", path, strerror(errno));
	}
	if (!ret) {
		setvbuf(p->in, p->buffer, _IOFBF, BUFFER);
		ret = perf_head_read(p->in, path, &p->head, err);
	}
	if (!ret && fseeko(p->in, p->head.data_at, SEEK_SET))
		ret = -errno;
	if (ret) {
		nvx_perfdata__close(p);
		return ret;
	}
	p->at = p->head.data_at;
	p->info.expected = -1;
	*out = p;
	return 0;
}

static struct name *name_of(struct nvx_perfdata *p, uint32_t tid)
{
	if (p->last_name < p->nr_names && p->name[p->last_name].tid == tid)
		return &p->name[p->last_name];
	for (size_t i = 0; i < p->nr_names; i++)
		if (p->name[i].tid == tid) {
			p->last_name = i;
			return &p->name[i];
		}
	return NULL;
}

static int set_name(struct nvx_perfdata *p, uint32_t tid, const char *comm, size_t size)
{
	struct name *n = name_of(p, tid), *more;

	if (!n) {
		/* room doubles at powers of two */
		if (!(p->nr_names & (p->nr_names - 1))) {
			more = realloc(p->name, 2 * (p->nr_names + 1) * sizeof(*more));
			if (!more)
				return -ENOMEM;
			p->name = more;
		}
		n = &p->name[p->nr_names++];
		n->tid = tid;
	}
	snprintf(n->comm, sizeof(n->comm), "%.*s", (int)strnlen(comm, size), comm);
	return 0;
}

/* PERF_RECORD_COMM: pid, tid, name */
static int take_comm(struct nvx_perfdata *p, const char *data, size_t size)
{
	uint32_t tid;

	if (size < 9)
		return 0;
	memcpy(&tid, data + 4, 4);
	return set_name(p, tid, data + 8, size - 8);
}

/*
 * PERF_RECORD_FORK: pid, ppid, tid, ptid.  A new thread has its parent's name, until it gets one of
 * its own; which may stand in another CPU's buffer, and so before this.
 */
static int take_fork(struct nvx_perfdata *p, const char *data, size_t size)
{
	const struct name *parent;
	uint32_t tid, ptid;
	char comm[16];

	if (size < 16)
		return 0;
	memcpy(&tid, data + 8, 4);
	memcpy(&ptid, data + 12, 4);
	parent = name_of(p, ptid);
	if (!parent)
		return 0;
	memcpy(comm, parent->comm, sizeof(comm));
	if (name_of(p, tid))
		return 0;
	return set_name(p, tid, comm, sizeof(comm));
}

static int put(struct nvx_perfdata *p, const struct nvx_event *e)
{
	p->info.events++;
	p->info.present |= 1u << e->type;
	return perf_order__put(&p->order, e);
}

/* PERF_RECORD_EXIT: pid, ppid, tid, ptid, time */
static int take_exit(struct nvx_perfdata *p, const char *data, size_t size)
{
	struct nvx_event e = { .type = NVX_EV_THREAD_END };

	if (size < 24)
		return 0;
	memcpy(&e.pid, data, 4);
	memcpy(&e.tid, data + 8, 4);
	memcpy(&e.ts, data + 16, 8);
	return perf_order__put(&p->order, &e);
}

static uint64_t number(const char *raw, size_t size, struct perf_field f)
{
	uint64_t v = 0;

	if (f.size && (size_t)f.offset + f.size <= size)
		memcpy(&v, raw + f.offset, f.size);
	return v;
}

/* The record of a tracepoint. */
static int take_raw(struct nvx_perfdata *p, struct nvx_event *e, const char *raw, size_t size)
{
	const struct perf_field *f;
	uint16_t id;
	int i;

	if (size < sizeof(id))
		return 0;
	memcpy(&id, raw, sizeof(id));
	for (i = 0; i < NVX_KNOWN_EVENTS; i++)
		if (p->head.id[i] == id)
			break;
	if (i == NVX_KNOWN_EVENTS || !id)
		return 0;
	f = p->head.field[i];
	e->type = nvx_known_event[i].type;
	e->a = number(raw, size, f[NVX_TO_A]);
	e->b = number(raw, size, f[NVX_TO_B]);
	e->reason = number(raw, size, f[NVX_TO_REASON]);
	e->isa = number(raw, size, f[NVX_TO_ISA]);
	e->vcpu = number(raw, size, f[NVX_TO_VCPU]);
	if (!nvx_known_event__finish(e))
		return 0;
	return put(p, e);
}

/*
 * Where the tracepoint's record lies in a sample (perf_event_open(2), PERF_RECORD_SAMPLE): what
 * comes before it depends on the sample's type.  NULL: it reaches beyond the sample.
 */
static const char *find_raw(uint64_t type, const char *data, size_t size, struct nvx_event *e,
			    uint32_t *raw_size)
{
	size_t at = 0;
	uint64_t nr;

	if (type & PERF_SAMPLE_IDENTIFIER)
		at += 8;
	if (type & PERF_SAMPLE_IP)
		at += 8;
	/* TID and TIME are always there: perf_head_read() saw to that */
	if (at + 16 > size)
		return NULL;
	memcpy(&e->pid, data + at, 4);
	memcpy(&e->tid, data + at + 4, 4);
	memcpy(&e->ts, data + at + 8, 8);
	at += 16;
	at += 8 * __builtin_popcountll(type & (PERF_SAMPLE_ADDR | PERF_SAMPLE_ID |
					       PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
					       PERF_SAMPLE_PERIOD));
	if (type & PERF_SAMPLE_CALLCHAIN) {
		if (at + 8 > size)
			return NULL;
		memcpy(&nr, data + at, 8);
		if (nr > size / 8)
			return NULL;
		at += 8 + 8 * nr;
	}
	if (at + 4 > size)
		return NULL;
	memcpy(raw_size, data + at, 4);
	return *raw_size <= size - at - 4 ? data + at + 4 : NULL;
}

static int take_record(struct nvx_perfdata *p, const struct perf_event_header *h, char *err)
{
	const char *data = p->record, *raw;
	size_t size = h->size - sizeof(*h);
	struct nvx_event e = { 0 };
	uint32_t raw_size;
	uint64_t n;

	switch (h->type) {
	case PERF_RECORD_SAMPLE:
		raw = find_raw(p->head.sample_type, data, size, &e, &raw_size);
		if (raw)
			return take_raw(p, &e, raw, raw_size);
		snprintf(err, NVX_EVENTS_ERR, "%.200s: damaged: the sample at byte %llu; %llu "
			 "usable events were readable", p->path, (unsigned long long)p->at,
			 (unsigned long long)p->info.events);
		return -EBADMSG;
	case PERF_RECORD_COMM:
		return take_comm(p, data, size);
	case PERF_RECORD_FORK:
		return take_fork(p, data, size);
	case PERF_RECORD_EXIT:
		return take_exit(p, data, size);
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		n = 0;
		if (size >= 16 || h->type == PERF_RECORD_LOST_SAMPLES)
			memcpy(&n, data + (h->type == PERF_RECORD_LOST ? 8 : 0), 8);
		p->info.lost += n;
		return 0;
	case RECORD_FINISHED_ROUND:
		return perf_order__round(&p->order);
	case RECORD_AUXTRACE:
		memcpy(&n, data, 8);
		if (size < 8 || n > p->head.data_end || fseeko(p->in, n, SEEK_CUR))
			return -EBADMSG;
		p->at += n;
		return 0;
	default:
		return 0;
	}
}

static int cut(const struct nvx_perfdata *p, char *err)
{
	snprintf(err, NVX_EVENTS_ERR, "%.200s: cut or damaged at byte %llu of %llu; %llu usable events "
		 "were readable", p->path, (unsigned long long)p->at,
		 (unsigned long long)p->head.data_end, (unsigned long long)p->info.events);
	return -ENODATA;
}

/* One record.  1; 0 at the end of the data; -errno */
static int read_record(struct nvx_perfdata *p, char *err)
{
	struct perf_event_header h;
	int ret;

	if (p->at >= p->head.data_end)
		return 0;
	if (fread(&h, 1, sizeof(h), p->in) != sizeof(h) || h.size < sizeof(h) ||
	    h.size > p->head.data_end - p->at)
		return cut(p, err);
	/* what a short record does not fill reads as zeroes */
	memset(p->record, 0, 64);
	if (fread(p->record, 1, h.size - sizeof(h), p->in) != h.size - sizeof(h))
		return cut(p, err);
	p->info.records++;
	*err = 0;
	ret = take_record(p, &h, err);
	p->at += h.size;
	if (ret < 0 && !*err)
		return ret == -ENOMEM ? ret : cut(p, err);
	return ret < 0 ? ret : 1;
}

/*
 * Whom a VM is named after: its process, else the thread.  Not before its turn: the name may have
 * stood behind the event, in another CPU's buffer.
 */
static void tell_name(struct nvx_perfdata *p, struct nvx_event *e)
{
	const struct name *name = e->type == NVX_EV_EXIT ? name_of(p, e->pid) : NULL;

	if (!name && e->type == NVX_EV_EXIT)
		name = name_of(p, e->tid);
	if (name)
		memcpy(e->comm, name->comm, sizeof(e->comm));
}

int nvx_perfdata__next(struct nvx_perfdata *p, struct nvx_event *e, char *err)
{
	int ret;

	while (!perf_order__take(&p->order, e)) {
		/* the events before the damage came first, now its message */
		if (p->ended) {
			ret = p->error;
			p->error = 0;
			strcpy(err, p->message);
			return ret;
		}
		ret = read_record(p, p->message);
		if (ret > 0)
			continue;
		p->ended = true;
		p->error = ret;
		/* nothing older comes any more */
		if (perf_order__end(&p->order))
			return -ENOMEM;
		p->info.missed += p->order.late;
	}
	tell_name(p, e);
	return 1;
}

const struct nvx_events_info *nvx_perfdata__info(const struct nvx_perfdata *p)
{
	return &p->info;
}

void nvx_perfdata__close(struct nvx_perfdata *p)
{
	if (!p)
		return;
	if (p->in)
		fclose(p->in);
	perf_order__free(&p->order);
	free(p->name);
	free(p->buffer);
	free(p->path);
	free(p);
}
