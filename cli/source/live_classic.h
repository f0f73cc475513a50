/* SPDX-License-Identifier: GPL-2.0-only */
/* The classic tier's program of kvm_exit, made for this host's record. */
#ifndef NVX_SOURCE_LIVE_CLASSIC_H
#define NVX_SOURCE_LIVE_CLASSIC_H

struct bpf_object;
struct nvx_cfg;

/*
 * Offsets of kvm_exit's fields (enum nvx_exit_field) by tracefs's format file; < 0: not in this
 * kernel's record, which the optional ones may be.  0, or -errno with a line in err
 * (NVX_LIVE_ERR).
 */
int nvx_classic__offsets(int *offset, char *err);

/*
 * Put these offsets into the program of an object that is opened but not loaded; sets
 * cfg->no_info.  0 or -errno.
 */
int nvx_classic__place(struct bpf_object *obj, const int *offset, struct nvx_cfg *cfg);

#endif
