// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/stat_opts.h"

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "How long:", 1 },
	{ "duration", 'd', "TIME", 0, "Stop after TIME (seconds, or 500ms, 2m)", 1 },
	{ "interval", 'i', "TIME", 0, "Also print each TIME's share as it ends", 1 },
	{ 0 },
};

static const char doc[] =
	"Show where nested virtual machines spend their VM exits: by level and reason, by MSR, "
	"hypercall, port and page, and by chain (the L1 exits that one L2 exit causes); their IPIs, "
	"TLB flushes and time. Counts for a time, until Ctrl-C, or while COMMAND runs.";

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct stat_opts *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->view;
		state->child_inputs[1] = &o->how;
		return 0;
	case 'd':
		o->duration_ns = view_opts__duration(state, "--duration", arg);
		return 0;
	case 'i':
		o->interval_ns = view_opts__interval(state, arg);
		return 0;
	case ARGP_KEY_ARG:
		/* the rest is the command, its options included */
		o->command = &state->argv[state->next - 1];
		state->next = state->argc;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

int stat_opts__parse(int argc, char **argv, struct stat_opts *o)
{
	static const struct argp_child children[] = { { &view_argp, 0, NULL, 0 },
						      { &live_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		.options = options, .parser = parse, .args_doc = "[-- COMMAND...]", .doc = doc,
		.children = children,
	};

	*o = (struct stat_opts){ 0 };
	argp_err_exit_status = 2;
	return argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, o) ? -1 : 0;
}
