/* SPDX-License-Identifier: GPL-2.0-only */
/* Field offsets of classic tracepoints, from the format files of tracefs. */
#ifndef NVX_SOURCE_TPFORMAT_H
#define NVX_SOURCE_TPFORMAT_H

/* Where tracefs is mounted: "/sys/kernel/tracing" or the debugfs place; NULL where neither is. */
const char *nvx_tracefs(void);

/*
 * Offset in bytes of a field in the record of an event; tracefs is its mount point.
 * -ENOENT: no such event or field; -EACCES and others from opening the file; -EINVAL: a file
 * that is no format file.
 */
int nvx_tpformat__offset(const char *tracefs, const char *system, const char *event,
			 const char *field);

/* Does the event exist?  1, 0, or -errno where tracefs cannot be read. */
int nvx_tpformat__exists(const char *tracefs, const char *system, const char *event);

#endif
