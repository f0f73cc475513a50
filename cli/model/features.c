// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/features.h"
#include "util/argutil.h"

static const struct nvx_switch_info *by_name(const struct nvx_features *f, const char *name,
					     size_t len)
{
	for (unsigned int i = 0; i < f->nr; i++)
		if (strlen(f->info[i].name) == len && !memcmp(f->info[i].name, name, len))
			return &f->info[i];
	return NULL;
}

static int no_such_switch(const struct nvx_features *f, const char *name, int len, char *why,
			  size_t size)
{
	size_t n = snprintf(why, size, "no switch `%.*s`; there are:", len < 40 ? len : 40, name);

	for (unsigned int i = 0; i < f->nr && n < size; i++)
		n += snprintf(why + n, size - n, " %s", f->info[i].name);
	return -ENOENT;
}

int nvx_features__parse(const struct nvx_features *f, const char *text,
			struct nvx_feature_change *change, char *why, size_t size)
{
	const char *equals = strchr(text, '=');
	const struct nvx_switch_info *info;
	uint64_t value;
	int err;

	if (!equals) {
		snprintf(why, size, "`%.40s` is not NAME=VALUE", text);
		return -EINVAL;
	}
	info = by_name(f, text, equals - text);
	if (!info)
		return no_such_switch(f, text, (int)(equals - text), why, size);
	err = nvx_arg__u64(equals + 1, UINT32_MAX, &value);
	if (!err && (value < info->min || value > info->max))
		err = -ERANGE;
	if (err) {
		snprintf(why, size, "%s takes %u to %u, not `%.20s`", info->name, info->min,
			 info->max, equals + 1);
		return err;
	}
	*change = (struct nvx_feature_change){.info = info, .value = value};
	return 0;
}

size_t nvx_features__find(const struct nvx_features *f, const char *name,
			  const struct nvx_feature_vm **vm)
{
	uint64_t pid = 0;
	size_t found = 0;

	if (nvx_arg__u64(name, UINT32_MAX, &pid))
		pid = 0;
	for (size_t i = 0; i < f->nr_vms; i++) {
		if (strcmp(f->vm[i].name, name) && (!pid || f->vm[i].pid != pid))
			continue;
		*vm = &f->vm[i];
		found++;
	}
	return found;
}

void nvx_features__free(struct nvx_features *f)
{
	free(f->vm);
	f->vm = NULL;
	f->nr_vms = 0;
}
