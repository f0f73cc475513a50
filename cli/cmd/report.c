// SPDX-License-Identifier: GPL-2.0-only
/* nvx report: a session file -> its sum -> a view. */
#include <errno.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/session_sum.h"
#include "cmd/view_opts.h"
#include "util/log.h"

struct report_opts {
	struct view_opts view;
	const char *file;
};

static const struct argp_option options[] = {
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct report_opts *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->view;
		return 0;
	case ARGP_KEY_ARG:
		if (o->file)
			argp_error(state, "one file at a time; `%s` is the second", arg);
		o->file = arg;
		return 0;
	case ARGP_KEY_NO_ARGS:
		argp_error(state, "which file? Record one with: nvx record -o FILE");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static int show(const struct report_opts *o, const struct session_sum *sum, FILE *out)
{
	struct nvx_report rep;
	unsigned int printed = 0;
	int ret;

	session_sum__report(sum, &rep);
	ret = view_opts__print(&o->view, &rep, out, &printed);
	if (ret)
		nvx_error("%s", strerror(-ret));
	return ret != 0;
}

int cmd_report(int argc, char **argv)
{
	static const struct argp_child children[] = { { &view_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		.options = options, .parser = parse, .args_doc = "FILE", .children = children,
		.doc = "Show a session, a file that `nvx record`, `nvx tune` or `nvx import` wrote.",
	};
	struct report_opts o = { 0 };
	struct session_sum sum;
	FILE *out;
	int ret;

	argp_err_exit_status = 2;
	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return 2;
	ret = session_sum__read(o.file, &o.view.filter, NULL, NULL, &sum) != 0;
	if (!ret) {
		out = view_opts__open(&o.view);
		ret = out ? show(&o, &sum, out) : 1;
		ret |= view_opts__close(&o.view, out);
		ret |= nvx_session_reader__damaged(sum.reader);
	}
	session_sum__free(&sum);
	return ret;
}
