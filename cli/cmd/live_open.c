// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/live_open.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/view_opts.h"
#include "source/probe.h"
#include "source/vmlist.h"
#include "util/log.h"

enum { OPT_SOURCE = 1024, OPT_MAX };

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "How to count:", 4 },
	{ "source", OPT_SOURCE, "TIER", 0, "module, btf or classic (default: the best there is)",
	  4 },
	{ "max-vcpus", OPT_MAX, "N", 0, "Room for N vCPUs, 16 KiB each (default: twice those that "
	  "run now, at least 256)", 4 },
	{ "verbose", 'v', NULL, 0, "Say what nvx decides; twice: what libbpf does", 4 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	static const char *const source[] = { "auto", "module", "btf", "classic" };
	struct live_opts *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		*o = (struct live_opts){ 0 };
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
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

const struct argp live_argp = { .options = options, .parser = parse };

uint64_t live_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

void live_block_signals(sigset_t *set)
{
	static const int ends[] = { SIGINT, SIGTERM, SIGHUP };

	sigemptyset(set);
	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		sigaddset(set, ends[i]);
		/* nohup is to be obeyed */
		if (ends[i] != SIGHUP)
			signal(ends[i], SIG_DFL);
	}
	sigprocmask(SIG_BLOCK, set, NULL);
}

/* A VM that is asked for must be there, unless a command is to start it. */
static int check_target(const struct live_want *want)
{
	const struct nvx_filter *f = want->filter;
	struct nvx_vmlist_entry *vm = NULL;
	long nr, i;
	int ret = 1;

	if (want->starts_vms || (!f->pid && !f->vm_name))
		return 0;
	nr = nvx_vmlist("/proc", &vm);
	for (i = 0; i < nr; i++)
		if ((f->pid && vm[i].pid == f->pid) ||
		    (f->vm_name && !strcmp(vm[i].id.name, f->vm_name)))
			ret = 0;
	if (ret && f->pid && kill(f->pid, 0) && errno == ESRCH)
		nvx_error("no process %u", f->pid);
	else if (ret && f->pid)
		nvx_error("process %u runs no VM", f->pid);
	else if (ret && nr > 0)
		nvx_error("no VM `%s`; there are %ld VMs, the first is `%s` (pid %u)",
			  f->vm_name, nr, vm[0].id.name, vm[0].pid);
	else if (ret)
		nvx_error("no VM `%s`: no VM runs on this host", f->vm_name);
	free(vm);
	return ret;
}

static int choose_tier(struct nvx_probe *probe, enum nvx_tier source)
{
	const char *why = NULL;

	if (nvx_probe__run(NULL, probe)) {
		nvx_error("out of memory");
		return 1;
	}
	if (source != NVX_TIER_NONE)
		why = nvx_probe__use(probe, source);
	else if (probe->tier == NVX_TIER_NONE)
		why = probe->tier_reason;
	if (why)
		nvx_error("%s", why);
	return why != NULL;
}

/* Only loading tells whether the functions that flush can be traced. */
static void no_flushes(struct nvx_probe_section *tlb)
{
	if (tlb->have == NVX_HAVE_NO)
		return;
	tlb->have = NVX_HAVE_NO;
	snprintf(tlb->reason, sizeof(tlb->reason), "%s",
		 "this kernel's functions that flush the TLB are not in its BTF");
}

int live_source__open(const struct live_want *want, struct live_source *s)
{
	struct nvx_live_opts lo = { .pid = want->starts_vms ? 0 : want->filter->pid,
				    .max_vcpus = want->how.max_vcpus };
	char err[NVX_LIVE_ERR];

	*s = (struct live_source){ .probe = malloc(sizeof(*s->probe)) };
	if (!s->probe) {
		nvx_error("out of memory");
		return 1;
	}
	gethostname(s->host, sizeof(s->host) - 1);
	if (choose_tier(s->probe, want->how.source) || check_target(want))
		return 1;
	lo.tier = s->probe->tier;
	if (nvx_live__open(&lo, s->probe, &s->live, err)) {
		nvx_error("%s", err);
		return 1;
	}
	if (!nvx_live__flushes(s->live))
		no_flushes(&s->probe->section[NVX_SECTION_TLB]);
	return 0;
}

int live_source__attach(struct live_source *s)
{
	char err[NVX_LIVE_ERR];

	if (!nvx_live__attach(s->live, err))
		return 0;
	nvx_error("%s", err);
	return 1;
}

void live_source__close(struct live_source *s)
{
	nvx_live__close(s->live);
	free(s->probe);
	*s = (struct live_source){ 0 };
}
