// SPDX-License-Identifier: GPL-2.0-only
/*
 * read N: what reading N vCPUs costs: memory, and the time of a sample, its
 * roll-up and its JSON.  The vCPUs are simulated: their slots are filled through
 * the same mapping that the reader uses.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "model/rows.h"
#include "source/live_priv.h"
#include "source/probe.h"

static double ms_since(const struct timespec *a)
{
	struct timespec b;

	clock_gettime(CLOCK_MONOTONIC, &b);
	return (b.tv_sec - a->tv_sec) * 1e3 + (b.tv_nsec - a->tv_nsec) / 1e6;
}

static void fill(struct nvx_vcpu *v, uint32_t i)
{
	v->vcpu = v->tid = 100000 + i;
	v->tgid = getpid();
	v->kvm = i / 8; /* 8 vCPUs a VM */
	v->vcpu_id = i % 8;
	v->t_first = i;
	v->isa = NVX_ISA_SVM;
	for (unsigned int s = 0; s < 30; s++) {
		v->exits[s].key = (uint64_t)(s & 1) << 56 | NVX_KEY_USED | (64 + s);
		v->exits[s].count += 1000;
		v->exits[s].hist[s % NVX_HIST_SLOTS] += 1000;
		v->cells[s].key = 1ULL << 56 | NVX_KEY_USED | (64 + s);
		v->cells[s].count += 7;
	}
	v->n_exit = v->n_cell = 30;
	v->chains[0].key = NVX_KEY_USED | 114;
	v->chains[0].count += 1000;
	v->n_chain = 1;
	v->l2[0].addr = 0x1000 * (i + 1);
	v->n_l2 = 1;
	v->events++;
	v->state = NVX_LIVE;
}

static int measure(struct nvx_live *live, struct nvx_sample **last, const char *what, bool change)
{
	struct nvx_rows *rows = nvx_rows__new();
	struct nvx_sample *s;
	struct timespec t;
	double sample, roll;

	for (uint32_t i = 1; change && i <= live->max; i++)
		fill(&live->cells[i].v, i);
	clock_gettime(CLOCK_MONOTONIC, &t);
	if (!rows || nvx_live__sample(live, &s))
		return 1;
	sample = ms_since(&t);
	clock_gettime(CLOCK_MONOTONIC, &t);
	if (nvx_rollup(rows, *last, s, NULL))
		return 1;
	roll = ms_since(&t);
	printf("%-28s %4zu vCPUs: sample %7.3f ms, roll-up %7.3f ms, %zu rows\n", what, s->nr,
	       sample, roll, rows->nr);
	nvx_sample__free(*last);
	*last = s;
	nvx_rows__free(rows);
	return 0;
}

int main(int argc, char **argv)
{
	struct nvx_live_opts o = { .tier = NVX_TIER_CLASSIC };
	static struct nvx_probe probe;
	struct nvx_sample *last = NULL;
	char err[NVX_LIVE_ERR];
	struct nvx_live *live;

	o.max_vcpus = argc > 1 ? atoi(argv[1]) : 1024;
	if (nvx_probe__run(NULL, &probe) || nvx_live__open(&o, &probe, &live, err)) {
		fprintf(stderr, "read: %s\n", err);
		return 1;
	}
	printf("counters: %u x %d bytes = %.1f MiB mapped\n", live->max, NVX_VCPU_SIZE,
	       live->max * (double)NVX_VCPU_SIZE / (1 << 20));
	if (measure(live, &last, "first, all are new", true) ||
	    measure(live, &last, "all have changed", true) ||
	    measure(live, &last, "none has changed", false))
		return 1;
	nvx_sample__free(last);
	nvx_live__close(live);
	return 0;
}
