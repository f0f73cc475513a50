// SPDX-License-Identifier: GPL-2.0-only
/*
 * export: what a scrape of many simulated VMs costs; reading, sums, text and HTTP are those of
 * `nvx export`, and the slots are filled through the mapping that it reads.
 *
 * export text VMS VCPUS [SEED]: the text of simulated VMs alone, with names that a seed makes up
 * of quotes, newlines, backslashes and UTF-8, right and wrong.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "model/sums.h"
#include "serve/http.h"
#include "simvm.h"
#include "source/live_priv.h"
#include "source/probe.h"
#include "util/text.h"
#include "view/prometheus.h"

#define SCRAPES 20

static const struct nvx_filter all = { .vcpu = -1, .level = -1 };
static struct nvx_probe_section sections[NVX_SECTION_COUNT];

static double ms_of(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

static int make_text(struct nvx_sums *sums, bool openmetrics, struct nvx_text *text)
{
	struct nvx_report rep = { .section = sections, .rows = nvx_sums__rows(sums),
				  .source = "simulated",
				  .cost = { .events = 1000, .run_ns = 131000, .window_ns = 1 } };
	struct nvx_prometheus p = { .openmetrics = openmetrics, .top = 40, .version = NVX_VERSION,
				    .start_ns = 1700000000123456789ULL, .scrapes = 1 };
	const struct nvx_sums_vm *const *vm = nvx_sums__vms(sums, &rep.nr_vms);
	const struct nvx_vm **vms = calloc(rep.nr_vms + 1, sizeof(*vms));
	int ret;

	for (size_t i = 0; vms && i < rep.nr_vms; i++)
		vms[i] = vm[i] ? &vm[i]->vm : NULL;
	rep.vms = vms;
	ret = vms ? nvx_view__prometheus(&rep, &p, text) : -1;
	free(vms);
	return ret;
}

/* A command line of QEMU whose -name is what nobody should call a VM. */
static void hostile_name(struct nvx_vm *vm, unsigned int *seed)
{
	static const char *const piece[] = { "\"", "\\", "\n", "\xc3\xa4", "\xf0\x9f\x90\xa7", "\xff",
					     "\xc3", "{}", ",", "=", "#", " ", "le=", "a", "\t", "\\n" };
	char line[400] = "qemu-system-x86_64\0-name\0guest=";
	size_t at = 31, len = rand_r(seed) % 200 + 1;

	for (size_t end = at + len; at < end;) {
		const char *p = piece[rand_r(seed) % 16];

		memcpy(line + at, p, strlen(p));
		at += strlen(p);
	}
	nvx_vmname__parse(line, at, "qemu", vm->pid, &vm->id);
}

static int text(unsigned int nr_vms, unsigned int vcpus, unsigned int seed)
{
	struct nvx_sums *sums = nvx_sums__new(&all, 0);
	struct nvx_vm *vm = calloc(nr_vms, sizeof(*vm));
	struct nvx_text out = { 0 };
	bool hostile = seed;

	/* two rounds: sums are of differences */
	for (uint64_t round = 1; round <= 2; round++) {
		struct nvx_sample *s = nvx_sample__new(nr_vms * vcpus);

		s->t_ns = round * 1000000000;
		for (unsigned int i = 0; i < nr_vms * vcpus; i++) {
			struct nvx_snap *snap = nvx_snap__new();
			struct nvx_vm *v = &vm[i / vcpus];

			v->index = i / vcpus;
			v->pid = 1000 + v->index;
			if (!v->id.name[0] && hostile)
				hostile_name(v, &seed);
			else if (!v->id.name[0])
				snprintf(v->id.name, sizeof(v->id.name), "vm%u", v->index);
			snap->vm = v;
			snap->slot = i;
			sim_vcpu(&snap->v, i % vcpus, round * 500);
			s->snap[s->nr++] = snap;
		}
		if (nvx_sums__take(sums, s, 1700000000000000000ULL))
			return 1;
	}
	if (make_text(sums, false, &out))
		return 1;
	fwrite(out.s, 1, out.len, stdout);
	free(out.s);
	free(vm);
	nvx_sums__free(sums);
	return 0;
}

struct bench {
	struct nvx_live *live;
	struct nvx_sums *sums;
	uint64_t round;
	double sample, sum, text;
};

static int which_page(const char *path, const char *accept)
{
	(void)path;
	(void)accept;
	return 0;
}

static int on_page(void *arg, int number, struct nvx_http_page *page)
{
	struct bench *b = arg;
	struct nvx_text out = { 0 };
	struct nvx_sample *s;
	double t[4];
	int ret;

	(void)number;
	t[0] = ms_of(CLOCK_THREAD_CPUTIME_ID);
	if (nvx_live__sample(b->live, &s))
		return -EIO;
	t[1] = ms_of(CLOCK_THREAD_CPUTIME_ID);
	ret = nvx_sums__take(b->sums, s, 1);
	t[2] = ms_of(CLOCK_THREAD_CPUTIME_ID);
	ret = ret ?: make_text(b->sums, true, &out);
	t[3] = ms_of(CLOCK_THREAD_CPUTIME_ID);
	b->sample = t[1] - t[0];
	b->sum = t[2] - t[1];
	b->text = t[3] - t[2];
	*page = (struct nvx_http_page){ .text = out.s, .size = out.len, .type = "text/plain" };
	return ret;
}

/* The page as a client gets it: bytes of the answer, or 0. */
static size_t fetch(const char *where)
{
	static const char request[] = "GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	static char buf[1 << 16];
	size_t size = 0;
	ssize_t n;
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	a.sin_port = htons(atoi(strrchr(where, ':') + 1));
	if (connect(fd, (struct sockaddr *)&a, sizeof(a)) ||
	    write(fd, request, sizeof(request) - 1) < 0)
		return 0;
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		size += n;
	close(fd);
	return size;
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

static void fill(struct bench *b, unsigned int vcpus)
{
	b->round++;
	for (uint32_t i = 1; i <= b->live->max; i++) {
		struct nvx_vcpu *v = &b->live->cells[i].v;

		v->vcpu = v->tid = v->t_first = i;
		v->tgid = getpid();
		v->kvm = (i - 1) / vcpus + 1;
		sim_vcpu(v, i % vcpus, b->round * 1000);
	}
}

/* Of the cheapest scrape, ms. */
struct cost {
	double cpu, wall, sample, sum, text;
};

static int bench(unsigned int nr_vms, unsigned int vcpus, double limit_ms)
{
	struct nvx_live_opts o = { .tier = NVX_TIER_CLASSIC, .max_vcpus = nr_vms * vcpus };
	struct bench b = { .sums = nvx_sums__new(&all, 0) };
	struct nvx_http_opts http = { .listen = "127.0.0.1:0", .which = which_page, .page = on_page,
				      .arg = &b };
	static struct nvx_probe probe;
	char err[NVX_LIVE_ERR];
	struct nvx_http *server;
	struct cost best = { .cpu = 1e9 };
	size_t size = 0;

	if (!b.sums || nvx_probe__run(NULL, &probe) || nvx_live__open(&o, &probe, &b.live, err) ||
	    nvx_http__listen(&http, &server, err) || nvx_http__serve(server, err)) {
		fprintf(stderr, "export: %s\n", err);
		return 1;
	}
	for (int i = 0; i <= SCRAPES; i++) {
		double wall, cpu;

		fill(&b, vcpus);
		/* the last page is served for so long */
		usleep(4e3 * (b.sample + b.sum + b.text) * 3);
		wall = ms_of(CLOCK_MONOTONIC);
		cpu = ms_of(CLOCK_PROCESS_CPUTIME_ID) - ms_of(CLOCK_THREAD_CPUTIME_ID);
		size = fetch(nvx_http__where(server));
		wall = ms_of(CLOCK_MONOTONIC) - wall;
		cpu = ms_of(CLOCK_PROCESS_CPUTIME_ID) - ms_of(CLOCK_THREAD_CPUTIME_ID) - cpu;
		/* the first one learns the names of all of them */
		if (i && cpu < best.cpu)
			best = (struct cost){ cpu, wall, b.sample, b.sum, b.text };
	}
	printf("%5u VMs x %u vCPUs: a scrape takes nvx %.1f ms of CPU (reading %.1f, sums %.1f, text %.1f, "
	       "the rest HTTP)\n", nr_vms, vcpus, best.cpu, best.sample, best.sum, best.text);
	printf("      %.1f ms until the client has all of its %.1f MB; %ld MiB resident, %.0f of them the "
	       "kernel's counters\n", best.wall, size / 1e6, rss_mib(),
	       b.live->max * (double)NVX_VCPU_SIZE / (1 << 20));
	nvx_http__stop(server);
	nvx_sums__free(b.sums);
	nvx_live__close(b.live);
	/* of CPU: a machine that is busy with other things shows in the other one */
	if (best.cpu < limit_ms)
		return 0;
	printf("      more than the %.0f ms that it may take\n", limit_ms);
	return 1;
}

int main(int argc, char **argv)
{
	for (int s = 0; s < NVX_SECTION_COUNT; s++)
		sections[s].have = NVX_HAVE_YES;
	if (argc >= 4 && !strcmp(argv[1], "text"))
		return text(atoi(argv[2]), atoi(argv[3]), argc > 4 ? atoi(argv[4]) : 0);
	if (argc == 4)
		return bench(atoi(argv[1]), atoi(argv[2]), atof(argv[3]));
	fprintf(stderr, "usage: export VMS VCPUS LIMIT-MS | export text VMS VCPUS [SEED]\n");
	return 2;
}
