// SPDX-License-Identifier: GPL-2.0-only
/* nvx probe: what this host offers, and what follows from what is missing. */
#include <argp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "source/probe.h"
#include "util/log.h"
#include "view/probe.h"

static const struct argp_option options[] = {
	{"json", 'j', NULL, 0, "Print JSON", 0},
	{0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	bool *json = state->input;

	switch (key) {
	case 'j':
		*json = true;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "unexpected argument: %s", arg);
		return EINVAL;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int cmd_probe(int argc, char **argv)
{
	static const struct argp argp = {
		.options = options,
		.parser = parse,
		.doc = "Show what this host offers to nvx, field by field, and the consequence of "
		       "what is "
		       "missing. Needs no privileges; as root it sees more.",
	};
	struct nvx_probe *probe;
	bool json = false;
	int err;

	argp_err_exit_status = 2;
	if (argp_parse(&argp, argc, argv, 0, NULL, &json))
		return 2;
	probe = malloc(sizeof(*probe));
	if (!probe) {
		nvx_error("out of memory");
		return 1;
	}
	err = nvx_probe__run(NULL, probe);
	if (!err)
		err = json ? nvx_view_probe__json(probe, stdout)
			   : nvx_view_probe__text(probe, stdout);
	if (!err && fflush(stdout))
		err = -errno;
	free(probe);
	if (err)
		nvx_error("probe: %s", strerror(-err));
	return err ? 1 : 0;
}
