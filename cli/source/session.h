/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Session files: the data of model/session.h as lines of JSON in one zstd stream, which is
 * flushed after each delta.  docs/session.md is the format.
 */
#ifndef NVX_SOURCE_SESSION_H
#define NVX_SOURCE_SESSION_H

#include <stdbool.h>
#include <stdio.h>

#include "model/session.h"

#define NVX_SESSION_ERR 400

struct nvx_session_writer;
struct nvx_session_reader;

/*
 * Create a file and write the head.  A file that is there already is left alone: -EEXIST,
 * unless `replace`.  0, or -errno with one line for the user in err (NVX_SESSION_ERR bytes).
 */
int nvx_session_writer__open(const char *path, bool replace, const struct nvx_session_head *head,
			     struct nvx_session_writer **out, char *err);

/*
 * Tell a VM, before the first delta with rows of it; in the order of their indices, from 0.
 * config may be NULL.  0 or -errno.
 */
int nvx_session_writer__vm(struct nvx_session_writer *w, const struct nvx_vm *vm,
			   const struct nvx_config *config);

/* How many VMs were told. */
size_t nvx_session_writer__vms(const struct nvx_session_writer *w);

/*
 * Write a delta and flush it: what was written is readable from now on, whatever comes.
 * L2s are summed up here.  0 or -errno.
 */
int nvx_session_writer__delta(struct nvx_session_writer *w, const struct nvx_session_delta *d);

/*
 * Write the end and close the stream.  e->deltas and e->drops are filled in here from what was
 * written.  0 or -errno.
 */
int nvx_session_writer__end(struct nvx_session_writer *w, struct nvx_session_end *e);

/* Bytes written to the file so far. */
uint64_t nvx_session_writer__bytes(const struct nvx_session_writer *w);

/* Close the file; without __end before, it reads as incomplete.  NULL is fine. */
void nvx_session_writer__close(struct nvx_session_writer *w);

/* Open a file ("-": standard input) and read its head.  0, or -errno with a line in err. */
int nvx_session_reader__open(const char *path, struct nvx_session_reader **out, char *err);

/* The same from an open stream, which the reader closes; `name` is for messages. */
int nvx_session_reader__from(FILE *in, const char *name, struct nvx_session_reader **out,
			     char *err);

const struct nvx_session_head *nvx_session_reader__head(const struct nvx_session_reader *r);

/* The VMs told so far, by index; they stay valid until close.  The array may move. */
const struct nvx_vm *const *nvx_session_reader__vms(const struct nvx_session_reader *r,
						    size_t *nr);

/* What VM i looked like. */
const struct nvx_config *nvx_session_reader__vm_config(const struct nvx_session_reader *r,
						       size_t i);

/*
 * The next delta; the caller frees it with nvx_session_delta__free.
 * 1: there is one; 0: no more, see __end and __trouble; -ENOMEM.
 */
int nvx_session_reader__next(struct nvx_session_reader *r, struct nvx_session_delta *d);

/* The end record, once __next has returned 0; NULL: the session is incomplete. */
const struct nvx_session_end *nvx_session_reader__end(const struct nvx_session_reader *r);

/*
 * Why the session is incomplete and how far it could be read, as half a sentence
 * ("cut off after 12 deltas, 12.00s"); NULL where it is whole.  Once __next has returned 0.
 */
const char *nvx_session_reader__trouble(const struct nvx_session_reader *r);

/* Is that trouble more than an end that was never written? */
bool nvx_session_reader__damaged(const struct nvx_session_reader *r);

/* Frees all that the reader handed out but deltas.  NULL is fine. */
void nvx_session_reader__close(struct nvx_session_reader *r);

#endif
