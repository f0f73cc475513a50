// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/view_opts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "util/argutil.h"
#include "util/log.h"
#include "view/json.h"
#include "view/stat.h"

enum { OPT_VM = 512, OPT_VCPU, OPT_LEVEL, OPT_TOP, OPT_CSV, OPT_SECTION, OPT_BY };

static const struct argp_option filter_options[] = {
	{ NULL, 0, NULL, 0, "What to count:", 2 },
	{ "pid", 'p', "PID", 0, "Only the VMs of process PID", 2 },
	{ "vm", OPT_VM, "NAME", 0, "Only the VM of this name", 2 },
	{ "vcpu", OPT_VCPU, "N", 0, "Only vCPU N of each VM", 2 },
	{ "level", OPT_LEVEL, "L", 0, "Only exits of level 1 or 2", 2 },
	{ 0 },
};

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "What to show:", 3 },
	{ "section", OPT_SECTION, "LIST", 0,
	  "Of exits,msrs,io,chains,ipis,tlb,time (default: all)", 3 },
	{ "key", 'k', "KEY", 0, "Sort by count, time, avg or name (default: count)", 3 },
	{ "top", OPT_TOP, "N", 0, "Rows a table (default: 20; 0: all; JSON and CSV: all)", 3 },
	{ "by", OPT_BY, "WHAT", 0, "vm (default), l2 (each L2 apart) or host (all VMs in one)", 3 },
	{ "json", 'j', NULL, 0, "Print JSON, one object a line", 3 },
	{ "csv", OPT_CSV, NULL, 0, "Print CSV, one value a line", 3 },
	{ "output", 'o', "FILE", 0, "Write to FILE instead of standard output", 3 },
	{ 0 },
};

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

unsigned int view_opts__word(struct argp_state *state, const char *option, const char *arg,
			   const char *const *words, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		if (!strcmp(words[i], arg))
			return i;
	argp_error(state, "%s does not know `%s`; see --help", option, arg);
	return 0;
}

uint64_t view_opts__number(struct argp_state *state, const char *option, const char *arg,
			   uint64_t max)
{
	uint64_t v = 0;

	if (nvx_arg__u64(arg, max, &v))
		argp_error(state, "%s takes a number from 0 to %llu, not `%s`", option,
			   (unsigned long long)max, arg);
	return v;
}

uint64_t view_opts__duration(struct argp_state *state, const char *option, const char *arg)
{
	uint64_t ns = 0;

	if (nvx_arg__duration(arg, &ns))
		argp_error(state, "%s takes a time such as 10, 0.5 or 500ms, not `%s`", option,
			   arg);
	return ns;
}

/* --interval of live events: shorter ones cost more than they tell. */
uint64_t view_opts__interval(struct argp_state *state, const char *arg)
{
	uint64_t ns = view_opts__duration(state, "--interval", arg);

	if (ns < 10000000)
		argp_error(state, "--interval: at least 10ms");
	return ns;
}

static error_t parse_filter(int key, char *arg, struct argp_state *state)
{
	struct nvx_filter *f = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		*f = (struct nvx_filter){ .vcpu = -1, .level = -1 };
		return 0;
	case 'p':
		f->pid = view_opts__number(state, "--pid", arg, 4194304);
		if (!f->pid)
			argp_error(state, "--pid takes a process id");
		return 0;
	case OPT_VM:
		f->vm_name = arg;
		return 0;
	case OPT_VCPU:
		f->vcpu = view_opts__number(state, "--vcpu", arg, 65535);
		return 0;
	case OPT_LEVEL:
		f->level = view_opts__number(state, "--level", arg, 2);
		if (!f->level)
			argp_error(state, "--level takes 1 or 2");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp filter_argp = { .options = filter_options, .parser = parse_filter };

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static const char *const keys[] = { "count", "time", "avg", "name" };
	static const char *const by[] = { "vm", "l2", "host" };
	struct view_opts *o = state->input;
	unsigned int i;

	switch (key) {
	case ARGP_KEY_INIT:
		*o = (struct view_opts){ .sections = (1u << NVX_SECTION_COUNT) - 1,
					 .top = SIZE_MAX };
		state->child_inputs[0] = &o->filter;
		return 0;
	case ARGP_KEY_END:
		if (o->top == SIZE_MAX)
			o->top = o->format == VIEW_TEXT ? 20 : 0;
		return 0;
	case OPT_SECTION:
		o->sections = parse_sections(state, arg);
		return 0;
	case 'k':
		o->sort = view_opts__word(state, "--key", arg, keys, 4);
		return 0;
	case OPT_TOP:
		o->top = view_opts__number(state, "--top", arg, 1000000);
		return 0;
	case OPT_BY:
		i = view_opts__word(state, "--by", arg, by, 3);
		o->by_l2 = i == 1;
		o->by_host = i == 2;
		return 0;
	case 'j':
		o->format = VIEW_JSON;
		return 0;
	case OPT_CSV:
		o->format = VIEW_CSV;
		return 0;
	case 'o':
		o->output = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp_child view_children[] = { { &filter_argp, 0, NULL, 0 }, { 0 } };

const struct argp view_argp = { .options = options, .parser = parse, .children = view_children };

FILE *view_opts__open(const struct view_opts *o)
{
	FILE *out = o->output ? fopen(o->output, "we") : stdout;

	if (!out)
		nvx_error("cannot write %s: %s", o->output, strerror(errno));
	return out;
}

int view_opts__close(const struct view_opts *o, FILE *out)
{
	if (!out || out == stdout || !fclose(out))
		return 0;
	nvx_error("cannot write %s: %s", o->output, strerror(errno));
	return 1;
}

int view_opts__print(const struct view_opts *o, struct nvx_report *rep, FILE *out,
		     unsigned int *printed)
{
	rep->sections = o->sections;
	rep->sort = o->sort;
	rep->top = o->top;
	rep->by_l2 = o->by_l2;
	rep->by_host = o->by_host;
	(*printed)++;
	switch (o->format) {
	case VIEW_JSON:
		return nvx_view__json(rep, out);
	case VIEW_CSV:
		return nvx_view__csv(rep, out, *printed == 1);
	default:
		if (*printed > 1)
			fputs("\n", out);
		return nvx_view__stat(rep, out);
	}
}
