/* SPDX-License-Identifier: GPL-2.0-only */
/* What the head of a perf.data says of its samples. */
#ifndef NVX_SOURCE_PERFDATA_PRIV_H
#define NVX_SOURCE_PERFDATA_PRIV_H

#include <stdio.h>

#include "source/kvmevents.h"
#include "source/perfdata.h"

/* A field of a record: bytes at an offset; size 0: not there. */
struct perf_field {
	uint16_t offset, size;
};

struct perf_head {
	uint64_t data_at, data_end;
	uint64_t sample_type; /* PERF_SAMPLE_*, the same for all events of the file */
	bool sample_id_all;
	uint32_t id[NVX_KNOWN_EVENTS]; /* a record's common_type; 0: not in the file */
	struct perf_field field[NVX_KNOWN_EVENTS][NVX_TO_NR];
};

/* Read it.  0, or -errno with one line in err; -EOPNOTSUPP as for nvx_perfdata__open. */
int perf_head_read(FILE *in, const char *path, struct perf_head *h, char *err);

#endif
