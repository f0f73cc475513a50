// SPDX-License-Identifier: GPL-2.0-only
/* The dispatch table of the verbs. */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "util/log.h"

#ifndef NVX_VERSION
#error "the build passes NVX_VERSION"
#endif

const char *argp_program_version = "nvx " NVX_VERSION;

static const struct {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
} verbs[] = {
	{ "stat", cmd_stat, "show where nested VMs spend their VM exits, for a time or a command" },
	{ "top", cmd_top, "watch it live in a terminal" },
	{ "replay", cmd_replay, "show a recorded trace.dat as stat shows live events" },
	{ "record", cmd_record, "save what nested VMs do to a session file" },
	{ "import", cmd_import, "take what perf, trace-cmd or kvm_stat recorded or printed" },
	{ "report", cmd_report, "show a session, a file that record, tune or import wrote" },
	{ "tune", cmd_tune, "compare two settings of KVM under the load that runs" },
	{ "diff", cmd_diff, "compare sessions: what differs by more than noise" },
	{ "export", cmd_export, "serve the figures to Prometheus" },
	{ "probe", cmd_probe, "show what this host offers, and what is missing in consequence" },
	{ "features", cmd_features, "list and set the switches of the feature module" },
};

static void usage(FILE *out)
{
	fprintf(out, "Usage: nvx COMMAND [OPTION...]\n"
		     "Where a nested virtual machine spends its VM exits.\n\n");
	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++)
		fprintf(out, "  %-9s %s\n", verbs[i].name, verbs[i].help);
	fprintf(out, "\n`nvx COMMAND --help` lists a command's options; man nvx has the words.\n"
		     "Start with `nvx probe`, then `sudo nvx stat -d 10`.\n");
}

/* What was printed and did not arrive is a failure, also where argp prints help and exits. */
static void say_unwritten(int status, void *unused)
{
	(void)unused;
	errno = 0;
	if (status || (!fflush(stdout) && !ferror(stdout)))
		return;
	nvx_error("cannot write the output: %s", strerror(errno ? errno : EIO));
	_exit(1);
}

int main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : NULL;

	on_exit(say_unwritten, NULL);
	if (!verb) {
		usage(stderr);
		return 2;
	}
	if (!strcmp(verb, "--help") || !strcmp(verb, "-h") || !strcmp(verb, "help")) {
		usage(stdout);
		return 0;
	}
	if (!strcmp(verb, "--version") || !strcmp(verb, "-V")) {
		printf("%s\n", argp_program_version);
		return 0;
	}
	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++) {
		char name[32];

		if (strcmp(verbs[i].name, verb))
			continue;
		/* argp prints argv[0] in its usage lines */
		snprintf(name, sizeof(name), "nvx %s", verb);
		argv[1] = name;
		return verbs[i].run(argc - 1, argv + 1);
	}
	nvx_error("no command `%s`; `nvx --help` lists them", verb);
	return 2;
}
