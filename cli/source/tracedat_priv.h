/* SPDX-License-Identifier: GPL-2.0-only */
/* Between the reader's process and ours: fixed-size messages through a pipe. */
#ifndef NVX_SOURCE_TRACEDAT_PRIV_H
#define NVX_SOURCE_TRACEDAT_PRIV_H

#include "source/tracedat.h"

enum tracedat_msg_type { TRACEDAT_EVENT, TRACEDAT_END, TRACEDAT_ERROR };

struct tracedat_msg {
	uint32_t type;
	int32_t error; /* TRACEDAT_ERROR: -errno */
	union {
		struct nvx_event event;
		struct nvx_events_info info;
		char text[NVX_EVENTS_ERR];
	};
};

/* The header of each message, and how much of the union follows it. */
#define TRACEDAT_HEAD offsetof(struct tracedat_msg, event)
size_t tracedat_body(uint32_t type);

/* Statistics that trace-cmd stored, and whether the file is whole. */
struct tracedat_file {
	int64_t expected;
	uint64_t lost;
	uint64_t size;
	uint64_t cut; /* offset that should be in the file but is beyond its end; 0: none */
	const char *cut_what;
	int version;
};

/*
 * Walk the sections of a version 7 file (trace-cmd 3.0 and later), or the parts of one of version
 * 6, without the library.  0, or -EINVAL: no trace.dat.
 */
int tracedat_sections(int fd, struct tracedat_file *f);

/* The parts of a version 6 file, from behind its page size on. */
void tracedat_v6(int fd, struct tracedat_file *f, uint64_t at);

/* One option of statistics: adds to f->expected and f->lost. */
void tracedat_cpu_statistics(struct tracedat_file *f, const char *text, size_t size);

/* All of it, or -errno. */
int tracedat_read_at(int fd, uint64_t at, void *buf, size_t size);

#endif
