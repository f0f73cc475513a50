/* SPDX-License-Identifier: GPL-2.0-only */
/* The switches of the feature module and what each VM makes of them. */
#ifndef NVX_MODEL_FEATURES_H
#define NVX_MODEL_FEATURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nvx_switch.h"

#define NVX_FEATURES_MAX 32 /* switches */

struct nvx_feature_vm {
	uint64_t vm; /* the module's number; NVX_SWITCH_DEFAULTS for the defaults */
	uint32_t pid, vcpus;
	char name[128];
	struct nvx_switch_state state[NVX_FEATURES_MAX];
};

struct nvx_features {
	bool module;	  /* the module answers */
	char reason[160]; /* why it does not */
	struct nvx_switch_info info[NVX_FEATURES_MAX];
	unsigned int nr; /* switches */
	struct nvx_feature_vm defaults;
	struct nvx_feature_vm *vm;
	size_t nr_vms;
};

/* One `name=value` of a command line. */
struct nvx_feature_change {
	const struct nvx_switch_info *info;
	uint32_t value;
};

/*
 * Understand `text` by the switches of f.  0; -ENOENT: no such switch, -EINVAL: no number,
 * -ERANGE: outside of its range; why (size bytes) then says so, with what is allowed.
 */
int nvx_features__parse(const struct nvx_features *f, const char *text,
			struct nvx_feature_change *change, char *why, size_t size);

/*
 * VMs named `name`, or of process `name` where that is a number: sets *vm to the only one.
 * Returns how many there are.
 */
size_t nvx_features__find(const struct nvx_features *f, const char *name,
			  const struct nvx_feature_vm **vm);

/* Frees what f holds, not f. */
void nvx_features__free(struct nvx_features *f);

#endif
