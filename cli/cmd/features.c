// SPDX-License-Identifier: GPL-2.0-only
/* nvx features: the switches of the feature module; lists them, sets them. */
#include <argp.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "source/switches.h"
#include "util/log.h"
#include "view/features.h"

struct features_opts {
	bool json;
	const char *vm;
	char **change;
	int nr_changes;
};

static const struct argp_option options[] = {
	{"vm", 'v', "NAME", 0, "Only this VM, by name or process; without it, a change is for new VMs",
	 0},
	{"json", 'j', NULL, 0, "Print JSON", 0},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct features_opts *o = state->input;

	switch (key) {
	case 'j':
		o->json = true;
		return 0;
	case 'v':
		o->vm = arg;
		return 0;
	case ARGP_KEY_ARGS:
		o->change = state->argv + state->next;
		o->nr_changes = state->argc - state->next;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Leaves only the VM that --vm names.  Its number, NVX_SWITCH_DEFAULTS without --vm. */
static int select_vm(struct nvx_features *f, const char *name, uint64_t *vm)
{
	const struct nvx_feature_vm *found;
	size_t nr;

	*vm = NVX_SWITCH_DEFAULTS;
	if (!name)
		return 0;
	nr = nvx_features__find(f, name, &found);
	if (!nr)
		nvx_error("no VM `%s`; `nvx features` lists them", name);
	if (nr > 1)
		nvx_error("%zu VMs are called `%s`; give the process instead", nr, name);
	if (nr != 1)
		return -ESRCH;
	*vm = found->vm;
	f->vm[0] = *found;
	f->nr_vms = 1;
	return 0;
}

/* All are understood before the first one is set. */
static int apply(int fd, const struct nvx_features *f, uint64_t vm, const struct features_opts *o)
{
	struct nvx_feature_change change;
	char why[256];
	int err;

	for (int pass = 0; pass < 2; pass++) {
		for (int i = 0; i < o->nr_changes; i++) {
			err = nvx_features__parse(f, o->change[i], &change, why, sizeof(why));
			if (err) {
				nvx_error("%s", why);
				return err;
			}
			err = pass ? nvx_switches__set(fd, vm, change.info->id, change.value) : 0;
			if (err) {
				nvx_error("%s: %s", o->change[i],
					  err == -EBUSY ? "only before the VM starts: set it for "
							  "new VMs, without --vm" :
							  strerror(-err));
				return err;
			}
		}
	}
	return 0;
}

static int change(int fd, const struct features_opts *o)
{
	struct nvx_features f;
	uint64_t vm;
	int err = nvx_switches__read(fd, &f);

	if (err) {
		nvx_error("cannot read the switches: %s", strerror(-err));
		return err;
	}
	err = select_vm(&f, o->vm, &vm);
	if (!err)
		err = apply(fd, &f, vm, o);
	nvx_features__free(&f);
	return err;
}

static int show(int fd, const struct features_opts *o)
{
	struct nvx_features f = {.module = false};
	uint64_t vm;
	int err = 0;

	if (fd >= 0)
		err = nvx_switches__read(fd, &f);
	else
		snprintf(f.reason, sizeof(f.reason), "%s", nvx_switches__reason(fd));
	if (!err && (!o->vm || !select_vm(&f, o->vm, &vm)))
		err = o->json ? nvx_view_features__json(&f, stdout) :
				nvx_view_features__text(&f, stdout);
	else if (!err)
		err = -ESRCH;
	if (!err && fflush(stdout))
		err = -errno;
	if (err && err != -ESRCH)
		nvx_error("features: %s", strerror(-err));
	nvx_features__free(&f);
	return err;
}

int cmd_features(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.args_doc = "[SWITCH=VALUE...]",
		.doc = "List the switches of the feature module, and per VM what is offered, "
		       "negotiated and in use; or set some of one VM, or of new VMs.",
	};
	struct features_opts o = {0};
	int fd, err = 0;

	argp_err_exit_status = 2;
	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return 2;
	fd = nvx_switches__open(NULL);
	/* To be without the module is an answer; to be refused is not, nor to change nothing. */
	if (fd < 0 && (o.nr_changes || o.vm || fd != -ENOENT)) {
		nvx_error("%s", nvx_switches__reason(fd));
		return 1;
	}
	if (o.nr_changes)
		err = change(fd, &o);
	else
		err = show(fd, &o);
	if (fd >= 0)
		close(fd);
	return err ? 1 : 0;
}
