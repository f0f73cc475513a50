// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/stat_opts.h"

#include "util/log.h"

enum { OPT_SOURCE = 256, OPT_MAX };

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "How long:", 1 },
	{ "duration", 'd', "TIME", 0, "Stop after TIME (seconds, or 500ms, 2m)", 1 },
	{ "interval", 'i', "TIME", 0, "Also print each TIME's share as it ends", 1 },
	{ NULL, 0, NULL, 0, "How to count:", 4 },
	{ "source", OPT_SOURCE, "TIER", 0, "module, btf or classic (default: the best there is)",
	  4 },
	{ "max-vcpus", OPT_MAX, "N", 0, "Room for N vCPUs, 16 KiB each (default: twice those that "
	  "run now, at least 256)", 4 },
	{ "verbose", 'v', NULL, 0, "Say what nvx decides; twice: what libbpf does", 4 },
	{ 0 },
};

static const char doc[] =
	"Show where nested virtual machines spend their VM exits: by level and reason, by MSR, "
	"hypercall, port and page, and by chain (the L1 exits that one L2 exit causes); their IPIs, "
	"TLB flushes and time. Counts for a time, until Ctrl-C, or while COMMAND runs.";

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static const char *const source[] = { "auto", "module", "btf", "classic" };
	struct stat_opts *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->view;
		return 0;
	case 'd':
		o->duration_ns = view_opts__duration(state, "--duration", arg);
		return 0;
	case 'i':
		o->interval_ns = view_opts__duration(state, "--interval", arg);
		if (o->interval_ns < 10000000)
			argp_error(state, "--interval: at least 10ms");
		return 0;
	case OPT_SOURCE:
		o->source = view_opts__word(state, "--source", arg, source, 4);
		return 0;
	case OPT_MAX:
		o->max_vcpus = view_opts__number(state, "--max-vcpus", arg, 65534);
		return 0;
	case 'v':
		nvx_log_level = nvx_log_level < NVX_LOG_INFO ? NVX_LOG_INFO : NVX_LOG_DEBUG;
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
	static const struct argp_child children[] = { { &view_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		.options = options, .parser = parse, .args_doc = "[-- COMMAND...]", .doc = doc,
		.children = children,
	};

	*o = (struct stat_opts){ 0 };
	argp_err_exit_status = 2;
	return argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, o) ? -1 : 0;
}
