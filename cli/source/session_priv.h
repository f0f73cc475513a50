/* SPDX-License-Identifier: GPL-2.0-only */
/* Lines of a session file and what they mean; shared by its writer and its reader. */
#ifndef NVX_SOURCE_SESSION_PRIV_H
#define NVX_SOURCE_SESSION_PRIV_H

#include <jansson.h>
#include <stdio.h>

#include "source/session.h"

/* Bytes that the lines of one flush may take; a bigger one is no session. */
#define SESSION_FLUSH_MAX (64u << 20)
/* Rows, VMs and vCPUs that a session may name. */
#define SESSION_ROWS_MAX (4u << 20)
#define SESSION_VMS_MAX 65536u
#define SESSION_VCPUS_MAX (1u << 20)

/* Writing: each gives one line as an object; NULL without memory. */
json_t *session_head_line(const struct nvx_session_head *head);
json_t *session_vm_line(const struct nvx_vm *vm, const struct nvx_config *config);
json_t *session_row_line(size_t id, const struct nvx_row *row, const struct nvx_vm *const *vms);

/* Writing: the members of an object that stand for drops, a cost; "" where there is nothing. */
void session_put_drops(FILE *out, const struct nvx_drops *drops);
void session_put_cost(FILE *out, const struct nvx_cost *cost);

/* Writing: a row's values, as the line's array has them. */
void session_put_row(FILE *out, size_t id, const struct nvx_row *row);

/* What a reader has learnt from lines. */
struct session_state {
	struct nvx_session_head head;
	struct nvx_session_vm **vm;
	const struct nvx_vm **vms; /* the same, for reports */
	size_t nr_vms;
	struct nvx_labels *row; /* by id */
	size_t nr_rows, room_rows;
	uint64_t t_ns; /* end of the last delta */
	/* columns of each set: which value stands where; NVX_V_NR: one that is not known here */
	uint8_t column[NVX_SET_COUNT][2 * NVX_V_NR];
	unsigned int nr_columns[NVX_SET_COUNT];
};

/*
 * Reading: each takes one line's object.  0, -ENOMEM, or -EINVAL where it breaks the format.
 * A delta or an end is to be freed in either case; `number` is the one that the delta should have.
 */
int session_read_head(struct session_state *s, const json_t *line);
int session_read_vm(struct session_state *s, const json_t *line);
int session_read_row(struct session_state *s, const json_t *line);
int session_read_delta(struct session_state *s, const json_t *line, uint64_t number,
		       struct nvx_session_delta *d);
int session_read_end(struct session_state *s, const json_t *line, struct nvx_session_end *e);

/* Free what the state holds. */
void session_state_free(struct session_state *s);

#endif
