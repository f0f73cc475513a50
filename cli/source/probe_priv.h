/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of the probe share. */
#ifndef NVX_SOURCE_PROBE_PRIV_H
#define NVX_SOURCE_PROBE_PRIV_H

#include "source/probe.h"

/* Resolved roots; paths that tests replace. */
struct nvx_probe_paths {
	const char *proc, *sys, *dev;
	char tracefs[4096]; /* "" where there is none */
	char btf[4096];
};

/*
 * Read a small text file without its last newline.  0 with the text, or -errno with "";
 * the path is put together as in printf.
 */
int nvx_probe__read(char *buf, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* YES: exists and may be read; NO: does not exist; UNKNOWN: out of reach of this user. */
enum nvx_have nvx_probe__exists(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Append a row; a full table drops it, which a unit test would notice. */
void nvx_probe__row(struct nvx_probe *p, const char *group, const char *id, const char *label,
		    enum nvx_have have, const char *consequence, const char *fmt, ...)
	__attribute__((format(printf, 7, 8)));

/* The consequence of something missing: none where it is there. */
static inline const char *nvx_probe__lost(enum nvx_have have, const char *consequence)
{
	return have == NVX_HAVE_YES ? "" : consequence;
}

/* The parts, in the order in which `nvx probe` shows them. */
void nvx_probe__host(struct nvx_probe *p, const struct nvx_probe_paths *paths);
void nvx_probe__kvm(struct nvx_probe *p, const struct nvx_probe_paths *paths);
/* BTF and what is found in it: tracepoints, arguments of kvm_exit, fields. */
void nvx_probe__btf(struct nvx_probe *p, const struct nvx_probe_paths *paths);
void nvx_probe__tracefs(struct nvx_probe *p, const struct nvx_probe_paths *paths);
void nvx_probe__privileges(struct nvx_probe *p, const struct nvx_probe_paths *paths);

#endif
