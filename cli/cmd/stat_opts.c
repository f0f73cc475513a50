// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/stat_opts.h"

#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "util/argutil.h"
#include "util/log.h"

enum { OPT_VM = 256, OPT_VCPU, OPT_LEVEL, OPT_TOP, OPT_CSV, OPT_SECTION, OPT_BY, OPT_SOURCE, OPT_MAX };

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "How long:", 1 },
	{ "duration", 'd', "TIME", 0, "Stop after TIME (seconds, or 500ms, 2m)", 1 },
	{ "interval", 'i', "TIME", 0, "Also print each TIME's share as it ends", 1 },
	{ NULL, 0, NULL, 0, "What to count:", 2 },
	{ "pid", 'p', "PID", 0, "Only the VMs of process PID", 2 },
	{ "vm", OPT_VM, "NAME", 0, "Only the VM of this name", 2 },
	{ "vcpu", OPT_VCPU, "N", 0, "Only vCPU N of each VM", 2 },
	{ "level", OPT_LEVEL, "L", 0, "Only exits of level 1 or 2", 2 },
	{ NULL, 0, NULL, 0, "What to show:", 3 },
	{ "section", OPT_SECTION, "LIST", 0, "Of exits,msrs,io,chains,ipis,tlb,time (default: all)", 3 },
	{ "key", 'k', "KEY", 0, "Sort by count, time, avg or name (default: count)", 3 },
	{ "top", OPT_TOP, "N", 0, "Rows a table (default: 20; 0: all; JSON and CSV: all)", 3 },
	{ "by", OPT_BY, "WHAT", 0, "vm (default), l2 (each L2 apart) or host (all VMs in one)", 3 },
	{ "json", 'j', NULL, 0, "Print JSON, one object a line", 3 },
	{ "csv", OPT_CSV, NULL, 0, "Print CSV, one value a line", 3 },
	{ "output", 'o', "FILE", 0, "Write to FILE instead of standard output", 3 },
	{ NULL, 0, NULL, 0, "How to count:", 4 },
	{ "source", OPT_SOURCE, "TIER", 0, "module, btf or classic (default: the best there is)", 4 },
	{ "max-vcpus", OPT_MAX, "N", 0, "Room for N vCPUs, 16 KiB each (default: twice those that "
	  "run now, at least 256)", 4 },
	{ "verbose", 'v', NULL, 0, "Say what nvx decides; twice: what libbpf does", 4 },
	{ 0 },
};

static const char doc[] =
	"Show where nested virtual machines spend their VM exits: by level and reason, by MSR, "
	"hypercall, port and page, and by chain (the L1 exits that one L2 exit causes). Counts for "
	"a time, until Ctrl-C, or while COMMAND runs.";

static unsigned int parse_sections(struct argp_state *state, char *arg)
{
	unsigned int set = 0;

	for (char *save = NULL, *word = strtok_r(arg, ",", &save); word;
	     word = strtok_r(NULL, ",", &save)) {
		unsigned int s = 0;

		while (s < NVX_SECTION_COUNT && strcmp(word, nvx_section__name(s)))
			s++;
		if (s == NVX_SECTION_COUNT)
			argp_error(state, "no section `%s`; see --help", word);
		set |= 1u << s;
	}
	if (!set)
		argp_error(state, "--section needs a name; see --help");
	return set;
}

static unsigned int one_of(struct argp_state *state, const char *option, const char *arg,
			   const char *const *words, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		if (!strcmp(words[i], arg))
			return i;
	argp_error(state, "%s does not know `%s`; see --help", option, arg);
	return 0;
}

static uint64_t number(struct argp_state *state, const char *option, const char *arg, uint64_t max)
{
	uint64_t v = 0;

	if (nvx_arg__u64(arg, max, &v))
		argp_error(state, "%s takes a number from 0 to %llu, not `%s`", option,
			   (unsigned long long)max, arg);
	return v;
}

static uint64_t duration(struct argp_state *state, const char *option, const char *arg)
{
	uint64_t ns = 0;

	if (nvx_arg__duration(arg, &ns))
		argp_error(state, "%s takes a time such as 10, 0.5 or 500ms, not `%s`", option, arg);
	return ns;
}

static int parse_view(int key, char *arg, struct argp_state *state, struct stat_opts *o)
{
	static const char *const keys[] = { "count", "time", "avg", "name" };
	static const char *const by[] = { "vm", "l2", "host" };
	static const char *const source[] = { "auto", "module", "btf", "classic" };
	unsigned int i;

	switch (key) {
	case OPT_SECTION:
		o->sections = parse_sections(state, arg);
		return 0;
	case 'k':
		o->sort = one_of(state, "--key", arg, keys, 4);
		return 0;
	case OPT_TOP:
		o->top = number(state, "--top", arg, 1000000);
		return 0;
	case OPT_BY:
		i = one_of(state, "--by", arg, by, 3);
		o->by_l2 = i == 1;
		o->by_host = i == 2;
		return 0;
	case 'j':
		o->format = STAT_JSON;
		return 0;
	case OPT_CSV:
		o->format = STAT_CSV;
		return 0;
	case 'o':
		o->output = arg;
		return 0;
	case OPT_SOURCE:
		o->source = one_of(state, "--source", arg, source, 4);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct stat_opts *o = state->input;

	switch (key) {
	case 'd':
		o->duration_ns = duration(state, "--duration", arg);
		return 0;
	case 'i':
		o->interval_ns = duration(state, "--interval", arg);
		if (o->interval_ns < 10000000)
			argp_error(state, "--interval: at least 10ms");
		return 0;
	case 'p':
		o->filter.pid = number(state, "--pid", arg, 4194304);
		if (!o->filter.pid)
			argp_error(state, "--pid takes a process id");
		return 0;
	case OPT_VM:
		o->filter.vm_name = arg;
		return 0;
	case OPT_VCPU:
		o->filter.vcpu = number(state, "--vcpu", arg, 65535);
		return 0;
	case OPT_LEVEL:
		o->filter.level = number(state, "--level", arg, 2);
		if (!o->filter.level)
			argp_error(state, "--level takes 1 or 2");
		return 0;
	case OPT_MAX:
		o->max_vcpus = number(state, "--max-vcpus", arg, 65534);
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
		return parse_view(key, arg, state, o);
	}
}

int stat_opts__parse(int argc, char **argv, struct stat_opts *o)
{
	static const struct argp argp = {
		.options = options, .parser = parse, .args_doc = "[-- COMMAND...]", .doc = doc,
	};

	*o = (struct stat_opts){ .filter = { .vcpu = -1, .level = -1 },
				 .sections = (1u << NVX_SECTION_COUNT) - 1,
				 .top = SIZE_MAX };
	argp_err_exit_status = 2;
	if (argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, o))
		return -1;
	if (o->top == SIZE_MAX)
		o->top = o->format == STAT_TEXT ? 20 : 0;
	return 0;
}
