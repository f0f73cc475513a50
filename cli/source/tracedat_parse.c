// SPDX-License-Identifier: GPL-2.0-only
/* The reader's process: libtracecmd's records to messages. */
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <trace-cmd/trace-cmd.h>

#include "source/kvmevents.h"
#include "source/tracedat_priv.h"

/* Seconds that the library may take for its next record before it counts as hanging. */
#define PATIENCE 20
#define MAX_HANDLES 64

struct parser {
	struct tep_handle *tep;
	int out;
	int id[NVX_KNOWN_EVENTS]; /* the event's number in this file; -1: not in it */
	struct tep_format_field *field[NVX_KNOWN_EVENTS][NVX_TO_NR];
	struct nvx_events_info info;
	int error;
};

static int write_all(int fd, const void *buf, size_t size)
{
	while (size) {
		ssize_t n = write(fd, buf, size);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0) {
			buf = (const char *)buf + n;
			size -= n;
		}
	}
	return 0;
}

/* Messages that were not written yet: a system call each would take longer than the parsing. */
static char waiting[1 << 16];
static size_t nr_waiting;

static int flush_msgs(int fd)
{
	int ret;

	/* whoever reads may take its time: that is not the file's fault */
	alarm(0);
	ret = write_all(fd, waiting, nr_waiting);
	nr_waiting = 0;
	alarm(PATIENCE);
	return ret;
}

/* The last message, which no event is, takes all that waits with it. */
static int send_msg(int fd, const struct tracedat_msg *m)
{
	size_t size = TRACEDAT_HEAD + tracedat_body(m->type);
	int ret = nr_waiting + size > sizeof(waiting) ? flush_msgs(fd) : 0;

	memcpy(waiting + nr_waiting, m, size);
	nr_waiting += size;
	return ret || m->type == TRACEDAT_EVENT ? ret : flush_msgs(fd);
}

static void find_events(struct parser *p)
{
	for (size_t i = 0; i < NVX_KNOWN_EVENTS; i++) {
		const struct nvx_known_event *k = &nvx_known_event[i];
		struct tep_event *e = tep_find_event_by_name(p->tep, k->system, k->name);

		p->id[i] = e ? e->id : -1;
		for (int t = 0; e && t < NVX_TO_NR; t++)
			if (k->field[t])
				p->field[i][t] = tep_find_field(e, k->field[t]);
	}
}

static uint64_t number(const struct parser *p, size_t i, enum nvx_event_target t,
		       const struct tep_record *rec)
{
	struct tep_format_field *f = p->field[i][t];
	unsigned long long v = 0;

	if (!f || f->offset < 0 || f->size < 0 || f->offset + f->size > rec->size ||
	    tep_read_number_field(f, rec->data, &v))
		return 0;
	return v;
}

static void decode(const struct parser *p, size_t i, const struct tep_record *rec,
		   struct nvx_event *e)
{
	const char *comm = tep_data_comm_from_pid(p->tep, e->tid);

	e->type = nvx_known_event[i].type;
	e->ts = rec->ts;
	e->a = number(p, i, NVX_TO_A, rec);
	e->b = number(p, i, NVX_TO_B, rec);
	e->reason = number(p, i, NVX_TO_REASON, rec);
	e->isa = number(p, i, NVX_TO_ISA, rec);
	e->vcpu = number(p, i, NVX_TO_VCPU, rec);
	if (comm)
		snprintf(e->comm, sizeof(e->comm), "%s", comm);
}

static int on_record(struct tracecmd_input *handle, struct tep_record *rec, int cpu, void *arg)
{
	struct parser *p = arg;
	struct tracedat_msg m;
	size_t i;
	int type;

	(void)handle;
	(void)cpu;
	p->info.records++;
	if (rec->missed_events)
		p->info.missed += rec->missed_events > 0 ? rec->missed_events : 1;
	if (p->info.records % 1024 == 0)
		alarm(PATIENCE);
	if (rec->size < 8)
		return 0;
	type = tep_data_type(p->tep, rec);
	for (i = 0; i < NVX_KNOWN_EVENTS; i++)
		if (p->id[i] >= 0 && p->id[i] == type)
			break;
	if (i == NVX_KNOWN_EVENTS)
		return 0;
	memset(&m, 0, sizeof(m));
	m.event.tid = tep_data_pid(p->tep, rec);
	decode(p, i, rec, &m.event);
	if (!nvx_known_event__finish(&m.event))
		return 0;
	p->info.events++;
	p->info.present |= 1u << m.event.type;
	p->error = send_msg(p->out, &m);
	return p->error;
}

static int fail(int out, int error, const char *text)
{
	struct tracedat_msg m = { .type = TRACEDAT_ERROR, .error = error };

	snprintf(m.text, sizeof(m.text), "%s", text);
	send_msg(out, &m);
	return error;
}

/* What is wrong with the file as a whole, or 0. */
static int check_frame(int fd, struct tracedat_file *f, int out)
{
	char text[NVX_EVENTS_ERR];

	if (tracedat_sections(fd, f))
		return fail(out, -EINVAL, "not a trace.dat of trace-cmd (version 6 or 7)");
	if (f->cut && (f->version == 6 || !strncmp(f->cut_what, "table", 5))) {
		snprintf(text, sizeof(text),
			 "cut: the file ends at byte %llu, its %s at byte %llu or later; no event is "
			 "readable (was trace-cmd ended before it finished?)",
			 (unsigned long long)f->size, f->cut_what, (unsigned long long)f->cut);
		return fail(out, -ENODATA, text);
	}
	return 0;
}

/* Events were read, and then the file was at its end too soon. */
static int fail_late(const struct parser *p, const struct tracedat_file *f)
{
	unsigned long long size = f->size, events = p->info.events, cut = f->cut;
	char text[NVX_EVENTS_ERR];

	if (f->cut)
		snprintf(text, sizeof(text),
			 "cut: the file ends at byte %llu, its %s reach to byte %llu; %llu usable events "
			 "were readable", size, f->cut_what, cut, events);
	else
		snprintf(text, sizeof(text), "damaged: %llu usable events were readable", events);
	return fail(p->out, -ENODATA, text);
}

static int iterate(struct parser *p, struct tracecmd_input *top)
{
	struct tracecmd_input *handle[MAX_HANDLES] = { top };
	int nr = tracecmd_buffer_instances(top), n = 1;

	for (int i = 0; i < nr && n < MAX_HANDLES; i++) {
		handle[n] = tracecmd_buffer_instance_handle(top, i);
		n += handle[n] != NULL;
	}
	return tracecmd_iterate_events_multi(handle, n, on_record, p);
}

int nvx_tracedat_parse(int fd, const char *path, int out)
{
	struct parser p = { .out = out };
	struct tracedat_msg m = { .type = TRACEDAT_END };
	struct tracecmd_input *top;
	struct tracedat_file f;
	int ret;

	(void)path;
	alarm(PATIENCE);
	tracecmd_set_loglevel(TEP_LOG_NONE);
	ret = check_frame(fd, &f, out);
	if (ret)
		return ret;
	lseek(fd, 0, SEEK_SET);
	top = tracecmd_open_fd(fd, TRACECMD_FL_LOAD_NO_PLUGINS);
	if (!top)
		return fail(out, -EBADMSG, "the file is damaged: libtracecmd cannot open it");
	p.tep = tracecmd_get_tep(top);
	find_events(&p);
	ret = iterate(&p, top);
	if (p.error)
		return p.error;
	if (f.cut || ret < 0)
		return fail_late(&p, &f);
	p.info.expected = f.expected;
	p.info.lost = f.lost;
	m.info = p.info;
	return send_msg(out, &m);
}
