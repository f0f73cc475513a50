/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables of other tools, as files or as pasted into mails: `perf kvm stat report` and `live` of
 * any age, rows wrapped or not, and `kvm_stat`.
 */
#ifndef NVX_SOURCE_EXITTABLE_H
#define NVX_SOURCE_EXITTABLE_H

#include <stdio.h>

#include "model/rows.h"
#include "model/session.h"

#define NVX_EXITTABLE_ERR 400

enum nvx_exittable_kind { NVX_TABLE_NONE, NVX_TABLE_PERF_KVM, NVX_TABLE_KVM_STAT };

struct nvx_exittable {
	enum nvx_exittable_kind kind;
	uint64_t line;	   /* of its header */
	char title[100];   /* what stands before it: "Analyze events for all VMs, all VCPUs" */
	uint64_t samples;  /* of its rows */
	int64_t claimed;   /* as the table says; -1: it does not */
	struct nvx_rows *rows; /* sets vms and exits, of VM 0 and level unknown */
	struct nvx_config other; /* kvm_stat: its other events, as kvm_stat.NAME */
};

struct nvx_exittables {
	size_t nr;
	struct nvx_exittable *table;
};

/* Does the text that begins so hold a table, and whose? */
enum nvx_exittable_kind nvx_exittable__kind(const char *text);

/*
 * Read every table of a text; `name` is for messages.  0, or -errno with one line in err:
 * -EINVAL with the line's number where a row is cut.  Free them in either case.
 */
int nvx_exittables__read(FILE *in, const char *name, struct nvx_exittables *out, char *err);

void nvx_exittables__free(struct nvx_exittables *t);

#endif
