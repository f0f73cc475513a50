// SPDX-License-Identifier: GPL-2.0-only
/*
 * nvx tune: two settings in turn under a load that goes on, A B B A and again, so that a load that
 * drifts drifts for both; each period is one unit of the comparison.
 *
 * A child measures and the parent guards: whatever ends the child, the parent restores; if the
 * parent is killed, the child does.
 */
#include <argp.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/diff.h"
#include "cmd/track.h"
#include "cmd/view_opts.h"
#include "source/kvmswitch.h"
#include "util/log.h"

#define POLL_NS 50000000ULL

enum { OPT_ROUNDS = 256, OPT_A, OPT_B, OPT_SETTLE, OPT_MARKDOWN, OPT_TOP, OPT_FORCE };

struct tune {
	struct nvx_filter filter;
	uint64_t period_ns, settle_ns, interval_ns;
	unsigned int rounds;
	const char *command[2]; /* --a, --b; or else a switch */
	char *value[2];
	const char *name;
	struct nvx_switch sw;
	const char *save; /* -o: NAME.a.nvx and NAME.b.nvx stay */
	bool force;
	struct live_opts how;
	struct diff_want diff;
	char path[2][4096];
	/* the child's */
	struct live_source src;
	struct track *track[2];
	sigset_t signals;
	pid_t parent;
	bool stop;
};

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "What to switch, and how long:", 1 },
	{ "a", OPT_A, "COMMAND", 0, "Shell command that sets A; it also ends the whole", 1 },
	{ "b", OPT_B, "COMMAND", 0, "Shell command that sets B", 1 },
	{ "duration", 'd', "TIME", 0, "Length of a period (default: 20)", 1 },
	{ "rounds", OPT_ROUNDS, "N", 0, "Rounds of four periods, A B B A (default: 6)", 1 },
	{ "settle", OPT_SETTLE, "TIME", 0, "Leave out TIME after each change (default: 1)", 1 },
	{ "interval", 'i', "TIME", 0, "One delta each TIME (default: 1)", 1 },
	{ NULL, 0, NULL, 0, "What to show:", 3 },
	{ "output", 'o', "NAME", 0, "Keep the sessions as NAME.a.nvx and NAME.b.nvx", 3 },
	{ "force", OPT_FORCE, NULL, 0, "Replace files that are there", 3 },
	{ "top", OPT_TOP, "N", 0, "Rows of each kind with most events (default: 8; 0: all)", 3 },
	{ "json", 'j', NULL, 0, "Print JSON", 3 },
	{ "markdown", OPT_MARKDOWN, NULL, 0, "Print Markdown", 3 },
	{ 0 },
};

/* SWITCH=A,B; what is between belongs to the option's own text, which is cut in place. */
static void parse_switch(struct tune *t, char *arg, struct argp_state *state)
{
	char *eq = strchr(arg, '='), *comma = eq ? strchr(eq, ',') : NULL;

	if (t->name)
		argp_error(state, "one switch at a time; `%s` is the second", arg);
	if (!comma || eq == arg || comma == eq + 1 || !comma[1])
		argp_error(state, "`%s` is not SWITCH=A,B", arg);
	*eq = *comma = '\0';
	t->name = arg;
	t->value[0] = eq + 1;
	t->value[1] = comma + 1;
	if (!strcmp(t->value[0], t->value[1]))
		argp_error(state, "A and B are the same: %s", t->value[0]);
}

static void check(const struct tune *t, struct argp_state *state)
{
	if (!t->name && !t->command[0] && !t->command[1])
		argp_error(state, "what to switch? SWITCH=A,B or --a COMMAND --b COMMAND");
	if (!t->command[0] != !t->command[1])
		argp_error(state, "--a and --b go together");
	if (t->name && t->command[0])
		argp_error(state, "either a switch or commands");
	if (t->interval_ns > t->period_ns)
		argp_error(state, "--interval is longer than a period (--duration)");
	if (t->filter.vcpu >= 0)
		argp_error(state, "--vcpu: deltas do not tell vCPUs apart");
}

static error_t parse_show(int key, char *arg, struct argp_state *state)
{
	struct tune *t = state->input;

	switch (key) {
	case 'o':
		t->save = arg;
		return 0;
	case OPT_FORCE:
		t->force = true;
		return 0;
	case OPT_TOP:
		t->diff.top = view_opts__number(state, "--top", arg, 100000);
		return 0;
	case 'j':
		t->diff.format = DIFF_JSON;
		return 0;
	case OPT_MARKDOWN:
		t->diff.format = DIFF_MARKDOWN;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct tune *t = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &t->filter;
		state->child_inputs[1] = &t->how;
		return 0;
	case OPT_A:
	case OPT_B:
		t->command[key == OPT_B] = arg;
		return 0;
	case 'd':
		t->period_ns = view_opts__duration(state, "--duration", arg);
		return 0;
	case 'i':
		t->interval_ns = view_opts__interval(state, arg);
		return 0;
	case OPT_SETTLE:
		t->settle_ns = strcmp(arg, "0") ? view_opts__duration(state, "--settle", arg) : 0;
		return 0;
	case OPT_ROUNDS:
		t->rounds = view_opts__number(state, "--rounds", arg, 10000);
		if (!t->rounds)
			argp_error(state, "--rounds: at least 1");
		return 0;
	case ARGP_KEY_ARG:
		parse_switch(t, arg, state);
		return 0;
	case ARGP_KEY_END:
		check(t, state);
		return 0;
	default:
		return parse_show(key, arg, state);
	}
}

/* A shell command that must succeed.  0, or 1 after a message. */
static int run_command(const char *command)
{
	pid_t pid = fork();
	int status = -1;

	if (!pid) {
		sigset_t none;

		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid > 0 && WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	nvx_error("`%s` failed", command);
	return 1;
}

static int set_side(const struct tune *t, int side)
{
	char err[NVX_SWITCH_ERR];

	if (t->command[side])
		return run_command(t->command[side]);
	if (!nvx_switch__set(&t->sw, t->value[side], err))
		return 0;
	nvx_error("%s", err);
	return 1;
}

/* Back to how it was: the value found, or A. */
static int restore(const struct tune *t)
{
	char err[NVX_SWITCH_ERR];

	if (t->command[0])
		return run_command(t->command[0]);
	if (!nvx_switch__restore(&t->sw, err))
		return 0;
	nvx_error("%s; its value was %s", err, t->sw.original);
	return 1;
}

/* Sleep until a time or a signal, with an eye on new VMs. */
static void sleep_until(struct tune *t, uint64_t until)
{
	while (!t->stop) {
		uint64_t now = live_now_ns(), left = until > now ? until - now : 0;
		struct timespec ts = { 0 };

		if (!left)
			return;
		ts.tv_nsec = left < POLL_NS ? left : POLL_NS;
		if (sigtimedwait(&t->signals, NULL, &ts) > 0)
			t->stop = true;
		nvx_live__poll(t->src.live);
	}
}

/* One period: its deltas go to the side's session.  0 or -errno. */
static int measure(struct tune *t, int side, uint32_t period)
{
	struct nvx_sample *last = NULL, *s;
	uint64_t begin, end;
	int ret;

	sleep_until(t, live_now_ns() + t->settle_ns);
	ret = nvx_live__sample(t->src.live, &last);
	if (ret)
		return ret;
	begin = last->t_ns;
	end = begin + t->period_ns;
	while (!ret && !t->stop && last->t_ns < end) {
		uint64_t next = last->t_ns + t->interval_ns;

		/* what is left of a period and makes no interval belongs to its last one */
		sleep_until(t, next + t->interval_ns / 2 > end ? end : next);
		ret = nvx_live__sample(t->src.live, &s);
		if (ret)
			break;
		/* a piece cut short by a signal is no sample of a whole interval, but it counts */
		ret = track__delta(t->track[side], last, s, s->t_ns - last->t_ns, period,
				   t->stop || s->t_ns >= end);
		nvx_sample__free(last);
		last = s;
	}
	nvx_sample__free(last);
	return ret;
}

static int rounds(struct tune *t)
{
	static const int order[] = { 0, 1, 1, 0 };
	uint32_t period[2] = { 0, 0 };
	int ret = 0;

	for (unsigned int r = 0; r < t->rounds && !ret && !t->stop; r++)
		for (int i = 0; i < 4 && !ret && !t->stop; i++) {
			int side = order[i];

			nvx_info("round %u of %u, %c", r + 1, t->rounds, "AB"[side]);
			if (set_side(t, side))
				return -ECANCELED; /* it has said why */
			ret = measure(t, side, ++period[side]);
		}
	return ret;
}

/* Both sessions are opened under their setting: their heads tell what differs. */
static int open_tracks(struct tune *t)
{
	for (int side = 0; side < 2; side++) {
		char note[300];
		struct track_opts o = { .path = t->path[side], .replace = t->force || !t->save,
					.by = "tune", .note = note, .filter = &t->filter,
					.interval_ns = t->interval_ns };

		snprintf(note, sizeof(note), "%s%s%s", t->name ?: t->command[side],
			 t->name ? "=" : "", t->name ? t->value[side] : "");
		if (set_side(t, side) || track__open(&o, &t->src, &t->track[side]))
			return 1;
	}
	return 0;
}

static int child(struct tune *t)
{
	const struct live_want want = { .filter = &t->filter, .how = t->how };
	int ret = live_source__open(&want, &t->src), err = 0;

	if (!ret)
		ret = open_tracks(t);
	if (!ret)
		ret = live_source__attach(&t->src);
	if (!ret)
		err = rounds(t);
	for (int side = 0; side < 2 && !ret && !err; side++)
		err = track__end(t->track[side], NULL);
	if (err && err != -ECANCELED)
		nvx_error("cannot record: %s", strerror(-err));
	track__close(t->track[0]);
	track__close(t->track[1]);
	live_source__close(&t->src);
	return ret || err;
}

/* Wait for the child; signals are for it, and it ends soon.  Its exit status, or -1. */
static int guard(const struct tune *t, pid_t pid)
{
	sigset_t all = t->signals;
	int status, sig;

	sigaddset(&all, SIGCHLD);
	for (;;) {
		pid_t got = waitpid(pid, &status, WNOHANG);

		if (got == pid)
			return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
		if (got < 0 && errno != EINTR)
			return -1;
		sig = sigwaitinfo(&all, NULL);
		if (sig > 0 && sig != SIGCHLD)
			kill(pid, SIGTERM);
	}
}

static int in_child(struct tune *t)
{
	int ret;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != t->parent)
		return 1;
	/* the terminal's Ctrl-C comes to both; the parent tells */
	setpgid(0, 0);
	ret = child(t);
	if (getppid() != t->parent)
		restore(t);
	return ret;
}

static int tune(struct tune *t)
{
	sigset_t chld;
	pid_t pid;
	int ret;

	live_block_signals(&t->signals);
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);
	t->parent = getpid();
	fflush(NULL);
	pid = fork();
	if (!pid)
		_exit(in_child(t));
	if (pid < 0) {
		nvx_error("cannot fork: %s", strerror(errno));
		return 1;
	}
	ret = guard(t, pid);
	if (ret < 0)
		nvx_error("the process that measured was killed");
	return restore(t) || ret ? 1 : 0;
}

/* Where the sessions go.  0, or 1 after a message. */
static int name_files(struct tune *t, char *dir)
{
	if (!t->save && !mkdtemp(dir)) {
		nvx_error("cannot make a directory in /tmp: %s", strerror(errno));
		return 1;
	}
	for (int side = 0; side < 2; side++)
		snprintf(t->path[side], sizeof(t->path[side]), "%s%s%c.nvx", t->save ?: dir,
			 t->save ? "." : "/", "ab"[side]);
	return 0;
}

static int compare(struct tune *t)
{
	const char *a = t->path[0], *b = t->path[1];

	t->diff.file[0] = &a;
	t->diff.file[1] = &b;
	t->diff.nr[0] = t->diff.nr[1] = 1;
	t->diff.filter = (struct nvx_filter){ .vcpu = -1, .level = -1 };
	return diff_files(&t->diff, stdout);
}

/* A parameter of KVM's modules, or a switch of the feature module for the VM that is asked for. */
static int find_switch(struct tune *t, char *err)
{
	int ret = nvx_switch__find("", t->name, &t->sw, err), feature;

	if (ret != -ENOENT)
		return ret;
	feature = nvx_switch__find_feature(NULL, t->name, t->filter.vm_name, t->filter.pid, &t->sw,
					   err);
	return feature == -ENODEV ? ret : feature;
}

int cmd_tune(int argc, char **argv)
{
	static const struct argp_child children[] = { { &filter_argp, 0, NULL, 0 },
						      { &live_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		.options = options, .parser = parse, .children = children,
		.args_doc = "SWITCH=A,B\n--a COMMAND --b COMMAND",
		.doc = "Compare two settings under the load that runs: A B B A, again and again, then "
		       "`nvx diff`. SWITCH is a parameter of KVM's modules that can be written, or "
		       "with --vm a live one of `nvx features`; it gets back its value at "
		       "any end.",
	};
	struct tune t = { .period_ns = 20000000000, .settle_ns = 1000000000, .rounds = 6,
			  .interval_ns = 1000000000, .diff.top = 8 };
	char dir[] = "/tmp/nvx-tune-XXXXXX", err[NVX_SWITCH_ERR];
	int ret;

	argp_err_exit_status = 2;
	if (argp_parse(&argp, argc, argv, 0, NULL, &t))
		return 2;
	if (t.name && find_switch(&t, err)) {
		nvx_error("%s", err);
		return 1;
	}
	if (name_files(&t, dir))
		return 1;
	ret = tune(&t);
	if (!ret)
		ret = compare(&t);
	if (!t.save) {
		unlink(t.path[0]);
		unlink(t.path[1]);
		rmdir(dir);
	}
	return ret;
}
