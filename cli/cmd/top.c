// SPDX-License-Identifier: GPL-2.0-only
/* nvx top: samples into a screen, once an interval and after each key. */
#include "cmd/top.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/view_opts.h"
#include "util/log.h"
#include "view/term.h"

enum { OPT_PLAIN = 256, OPT_ASCII, OPT_NO_COLOUR, OPT_REPLAY, OPT_FAST, OPT_STEP, OPT_SINCE };

struct top_run {
	const struct top_opts *o;
	const struct top_source *source;
	void *self;
	struct nvx_top *top;
	struct nvx_topui *ui;
	struct nvx_term *term;
	uint64_t intervals;
	bool ascii, quit;
};

static volatile sig_atomic_t stop;

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "The screen:", 1 },
	{ "delay", 'd', "TIME", 0, "Refresh each TIME (seconds, or 500ms; default: 1)", 1 },
	{ "count", 'n', "N", 0, "End after N intervals", 1 },
	{ "view", 'V', "NAME", 0, "Begin with vms, exits, chains, msrs, ipis, tlb, apicv, evmcs, "
	  "vcpus or features", 1 },
	{ "since", OPT_SINCE, NULL, 0, "Begin with figures since the start, not of the last interval",
	  1 },
	{ "plain", OPT_PLAIN, NULL, 0, "Print each interval as lines of text: for screen readers "
	  "and files", 1 },
	{ "ascii", OPT_ASCII, NULL, 0, "Nothing but ASCII (default: by the locale)", 1 },
	{ "no-color", OPT_NO_COLOUR, NULL, 0, "No colours (also: NO_COLOR in the environment)", 1 },
	{ NULL, 0, NULL, 0, "A recording:", 2 },
	{ "replay", OPT_REPLAY, "FILE", 0, "Show the events of FILE (trace.dat, perf.data, text)", 2 },
	{ "fast", OPT_FAST, NULL, 0, "As fast as possible; the screen stays at the end", 2 },
	{ "step", OPT_STEP, NULL, 0, "One interval a key: n", 2 },
	{ 0 },
};

static void check_view(struct argp_state *state, const char *name)
{
	unsigned int i = 0;

	while (nvx_top_view__name(i) && strcmp(nvx_top_view__name(i), name))
		i++;
	if (!nvx_top_view__name(i))
		argp_error(state, "no view `%s`; `nvx top --help` lists them", name);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct top_opts *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->filter;
		state->child_inputs[1] = &o->how;
		return 0;
	case 'd':
		o->interval_ns = view_opts__interval(state, arg);
		return 0;
	case 'n':
		o->count = view_opts__number(state, "--count", arg, UINT32_MAX);
		return 0;
	case 'V':
		check_view(state, arg);
		o->view = arg;
		return 0;
	case OPT_PLAIN:
		o->plain = true;
		return 0;
	case OPT_ASCII:
		o->ascii = true;
		return 0;
	case OPT_NO_COLOUR:
		o->no_colour = true;
		return 0;
	case OPT_REPLAY:
		o->replay = arg;
		return 0;
	case OPT_FAST:
		o->fast = true;
		return 0;
	case OPT_STEP:
		o->step = true;
		return 0;
	case OPT_SINCE:
		o->since = true;
		return 0;
	case ARGP_KEY_ARG:
		argp_error(state, "no argument is known: `%s`", arg);
		return 0;
	case ARGP_KEY_END:
		if ((o->fast || o->step) && !o->replay)
			argp_error(state, "--fast and --step are for --replay FILE");
		if (o->step && (o->fast || o->plain))
			argp_error(state, "--step waits for keys: not with --fast or --plain");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static struct nvx_top_info info_of(struct top_run *r)
{
	struct nvx_top_info info = { .own_cpu = -1 };

	r->source->info(r->self, &info);
	return info;
}

static int draw(struct top_run *r)
{
	struct nvx_top_info info = info_of(r);
	unsigned int rows, cols;
	struct nvx_screen *s;
	int ret;

	nvx_term__size(r->term, &rows, &cols);
	s = nvx_screen__new(rows, cols, r->ascii);
	ret = s ? nvx_topui__draw(r->ui, r->top, &info, s) : -ENOMEM;
	if (!ret)
		nvx_term__draw(r->term, s);
	nvx_screen__free(s);
	return ret;
}

/* As wide as the terminal, where it goes to one. */
static unsigned int plain_cols(void)
{
	struct winsize w;

	return isatty(STDOUT_FILENO) && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) ? w.ws_col : 0;
}

static int print_plain(struct top_run *r)
{
	struct nvx_top_info info = info_of(r);
	int ret = nvx_topui__print(r->ui, r->top, &info, plain_cols(), r->ascii, stdout);

	putchar('\n');
	return ret ? ret : fflush(stdout) ? -EIO : 0;
}

static void save(struct top_run *r)
{
	struct nvx_top_info info = info_of(r);
	const char *path = nvx_topui__input(r->ui);
	FILE *out = fopen(path, "ae");
	int ret = out ? nvx_topui__print(r->ui, r->top, &info, 0, r->ascii, out) : -errno;

	if (out && !ret)
		fputc('\n', out);
	if (out && fclose(out) && !ret)
		ret = -errno;
	if (ret)
		nvx_topui__say(r->ui, "cannot write %s: %s", path, strerror(-ret));
	else
		nvx_topui__say(r->ui, "written to the end of %s", path);
}

static int act(struct top_run *r, enum nvx_top_action action)
{
	switch (action) {
	case NVX_TOP_QUIT:
		r->quit = true;
		break;
	case NVX_TOP_SAVE:
		save(r);
		break;
	case NVX_TOP_RECORD:
		r->source->record(r->self, r->ui, nvx_topui__input(r->ui));
		break;
	case NVX_TOP_INTERVAL:
		r->source->interval(r->self, nvx_topui__interval(r->ui));
		break;
	case NVX_TOP_STEP:
		if (r->source->step)
			r->source->step(r->self);
		break;
	case NVX_TOP_FAILED:
		return -ENOMEM;
	default:
		break;
	}
	return 0;
}

/* Keys, until there are no more or it is time to do something else. */
static int keys(struct top_run *r, uint64_t wait_ns)
{
	uint32_t key;
	int got = nvx_term__key(r->term, wait_ns, &key), ret = 0;

	if (!got)
		return 0;
	while (got > 0 && !ret && !r->quit) {
		if (got == 1)
			ret = act(r, nvx_topui__key(r->ui, r->top, key));
		/* a key works on the screen that it was pressed for */
		if (!ret && !r->quit)
			ret = draw(r);
		got = nvx_term__key(r->term, 0, &key);
	}
	r->quit |= got < 0;
	return ret;
}

static void sleep_ns(uint64_t ns)
{
	struct timespec t = { ns / 1000000000, ns % 1000000000 };

	nanosleep(&t, NULL);
}

static int loop(struct top_run *r)
{
	int ret = r->term ? draw(r) : 0;

	while (!ret && !stop && !r->quit) {
		struct nvx_top_info info;
		uint64_t wait;
		int got = r->source->go(r->self, r->top, &wait);

		if (got < 0)
			return got;
		if (got) {
			r->intervals++;
			ret = r->term ? draw(r) : print_plain(r);
		}
		if (ret || (r->o->count && r->intervals >= r->o->count))
			break;
		info = info_of(r);
		if (!r->term && info.ended)
			break;
		if (r->term)
			ret = keys(r, wait);
		else if (wait)
			sleep_ns(wait);
	}
	return ret;
}

static int set_up(struct top_run *r)
{
	const struct top_opts *o = r->o;

	if (!o->plain && (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))) {
		nvx_error("this is no terminal; `nvx top --plain` prints text");
		return 1;
	}
	r->top = nvx_top__new(&o->filter);
	r->ui = nvx_topui__new();
	if (!r->top || !r->ui) {
		nvx_error("out of memory");
		return 1;
	}
	if (o->view)
		nvx_topui__show(r->ui, o->view);
	if (o->since)
		nvx_topui__window(r->ui, NVX_TOP_SINCE);
	if (r->source->open(o, r->top, &r->self))
		return 1;
	if (o->plain)
		return 0;
	r->term = nvx_term__open(!o->no_colour && !getenv("NO_COLOR"));
	if (!r->term)
		nvx_error("TERM=%s is no terminal that ncurses knows; `nvx top --plain` prints text",
			  getenv("TERM") ? getenv("TERM") : "");
	return !r->term;
}

static void catch_signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal };

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
	signal(SIGPIPE, SIG_IGN);
}

int cmd_top(int argc, char **argv)
{
	static const struct argp_child children[] = { { &filter_argp, 0, NULL, 0 },
						      { &live_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		.options = options, .parser = parse, .children = children,
		.doc = "Where nested VMs spend their VM exits, live: which layer, which reason, which "
		       "MSR, and whether what you just changed helped. Press ? for the keys.",
	};
	struct top_opts o = { .interval_ns = 1000000000 };
	struct top_run r = { .o = &o };
	int ret;

	argp_err_exit_status = 2;
	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return 2;
	setlocale(LC_CTYPE, "");
	r.ascii = o.ascii || strcmp(nl_langinfo(CODESET), "UTF-8");
	r.source = o.replay ? &top_replay : &top_live;
	catch_signals();
	ret = set_up(&r);
	if (!ret)
		ret = loop(&r);
	/* the terminal first: what is said from here on is to be read */
	nvx_term__close(r.term);
	if (ret < 0)
		nvx_error("%s", strerror(-ret));
	if (r.source->close)
		r.source->close(r.self);
	nvx_topui__free(r.ui);
	nvx_top__free(r.top);
	return ret != 0;
}
