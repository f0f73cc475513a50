// SPDX-License-Identifier: GPL-2.0-only
/*
 * top VMS VCPUS: what an interval of `nvx top` costs with many simulated vCPUs that are all busy:
 * reading, differences and sums, and drawing a screen; each view.
 */
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "model/top.h"
#include "simvm.h"
#include "source/live_priv.h"
#include "source/probe.h"
#include "view/top.h"

#define ROUNDS 15

static double ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static void fill(struct nvx_live *live, unsigned int vcpus, uint64_t round)
{
	for (uint32_t i = 1; i <= live->max; i++) {
		struct nvx_vcpu *v = &live->cells[i].v;

		v->vcpu = v->tid = v->t_first = i;
		v->tgid = getpid();
		v->kvm = (i - 1) / vcpus + 1;
		sim_vcpu(v, i % vcpus, round * 1000);
	}
}

static long rss_mib(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	long pages = 0;

	if (f && fscanf(f, "%*d %ld", &pages) != 1)
		pages = 0;
	if (f)
		fclose(f);
	return pages * (sysconf(_SC_PAGESIZE) >> 10) >> 10;
}

static double draw(struct nvx_topui *ui, struct nvx_top *top, struct nvx_live *live,
		   const struct nvx_probe *probe)
{
	struct nvx_top_info info = { .host = "host", .release = "6.1", .source = "simulated",
				     .probe = probe, .section = probe->section, .at = "12:00:00",
				     .interval_ns = 1000000000 };
	struct nvx_screen *s = nvx_screen__new(50, 160, false);
	double t = ms();

	info.vms = nvx_live__vms(live, &info.nr_vms);
	if (!s || nvx_topui__draw(ui, top, &info, s))
		exit(1);
	nvx_screen__free(s);
	return ms() - t;
}

int main(int argc, char **argv)
{
	unsigned int nr_vms = argc == 3 ? atoi(argv[1]) : 0, vcpus = argc == 3 ? atoi(argv[2]) : 0;
	struct nvx_live_opts o = { .tier = NVX_TIER_CLASSIC, .max_vcpus = nr_vms * vcpus };
	double best[2] = { 1e9, 1e9 }, most = 0;
	struct nvx_top *top = nvx_top__new(NULL);
	struct nvx_topui *ui = nvx_topui__new();
	static struct nvx_probe probe;
	char err[NVX_LIVE_ERR] = "out of memory";
	const char *slowest = "";
	struct nvx_sample *s;
	struct nvx_live *live;

	if (!nr_vms || !vcpus) {
		fprintf(stderr, "usage: top VMS VCPUS\n");
		return 2;
	}
	setlocale(LC_CTYPE, "C.UTF-8");
	if (!top || !ui || nvx_probe__run(NULL, &probe) ||
	    nvx_live__open(&o, &probe, &live, err)) {
		fprintf(stderr, "top: %s\n", err);
		return 1;
	}
	for (int i = 0; i < NVX_SECTION_COUNT; i++)
		probe.section[i].have = NVX_HAVE_YES;
	fill(live, vcpus, 1);
	if (nvx_live__sample(live, &s) || nvx_top__start(top, s))
		return 1;
	for (int i = 2; i < ROUNDS; i++) {
		double t[3];

		fill(live, vcpus, i);
		t[0] = ms();
		if (nvx_live__sample(live, &s))
			return 1;
		t[1] = ms();
		if (nvx_top__sample(top, s))
			return 1;
		t[2] = ms();
		for (int k = 0; k < 2; k++)
			best[k] = t[k + 1] - t[k] < best[k] ? t[k + 1] - t[k] : best[k];
	}
	for (unsigned int v = 0; nvx_top_view__name(v); v++) {
		double t;

		nvx_topui__show(ui, nvx_top_view__name(v));
		draw(ui, top, live, &probe);
		t = draw(ui, top, live, &probe);
		if (t > most) {
			most = t;
			slowest = nvx_top_view__name(v);
		}
	}
	nvx_topui__show(ui, "vms");
	printf("%5u VMs x %u vCPUs: an interval takes nvx %.1f ms of CPU (reading %.1f, sums %.1f, "
	       "the screen %.1f)\n", nr_vms, vcpus, best[0] + best[1] + draw(ui, top, live, &probe),
	       best[0], best[1], draw(ui, top, live, &probe));
	printf("      = %.2f %% of one CPU at one a second; the slowest view, %s, takes %.1f ms; %ld MiB "
	       "resident, %.0f of them the kernel's counters\n",
	       (best[0] + best[1] + draw(ui, top, live, &probe)) / 10, slowest, most, rss_mib(),
	       live->max * (double)NVX_VCPU_SIZE / (1 << 20));
	nvx_live__close(live);
	nvx_topui__free(ui);
	nvx_top__free(top);
	return 0;
}
