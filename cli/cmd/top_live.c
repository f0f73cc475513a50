// SPDX-License-Identifier: GPL-2.0-only
/* nvx top on this host. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "cmd/top.h"
#include "cmd/track.h"
#include "source/switches.h"

#define POLL_NS	   100000000ULL /* new VMs are looked for this often */
#define COST_NS	   200000000ULL /* statistics slow every BPF program: only for a moment */
#define FIRST_NS   500000000ULL /* the first interval is short: something to see at once */
#define FEATURE_NS 5000000000ULL /* switches are read again this often */

struct live {
	const struct top_opts *o;
	struct live_source src;
	uint64_t interval_ns, start, next, t_last, next_features;
	struct nvx_cost cost;
	bool cost_open;
	uint64_t dropped;
	double cpu; /* of the last interval */
	uint64_t cpu_ns;
	struct track *track;
	char path[128], clock[16];
	int switches; /* the module's device, or -errno */
	struct nvx_features features;
};

static uint64_t own_cpu_ns(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1000000000ULL +
	       (u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1000ULL;
}

static void read_features(struct live *l)
{
	l->next_features = live_now_ns() + FEATURE_NS;
	nvx_features__free(&l->features);
	memset(&l->features, 0, sizeof(l->features));
	if (l->switches < 0 || nvx_switches__read(l->switches, &l->features))
		snprintf(l->features.reason, sizeof(l->features.reason), "%s",
			 nvx_switches__reason(l->switches < 0 ? l->switches : -EIO));
}

static void count_drops(struct live *l, const struct nvx_sample *s)
{
	l->dropped = s->misses;
	for (int i = 0; i < NVX_GDROP_KINDS; i++)
		l->dropped += s->gdrops[i];
}

static int begin(struct live *l, struct nvx_top *t)
{
	struct nvx_sample *s;
	int ret;

	if (live_source__attach(&l->src))
		return 1;
	l->cost_open = !nvx_live__cost_begin(l->src.live);
	ret = nvx_live__sample(l->src.live, &s);
	if (!ret)
		ret = nvx_top__start(t, s);
	l->start = l->t_last = live_now_ns();
	l->next = l->start + (l->interval_ns < FIRST_NS ? l->interval_ns : FIRST_NS);
	l->cpu_ns = own_cpu_ns();
	return ret != 0;
}

static int live_open(const struct top_opts *o, struct nvx_top *t, void **self)
{
	const struct live_want want = { .filter = &o->filter, .how = o->how };
	struct live *l = calloc(1, sizeof(*l));

	if (!l)
		return 1;
	*self = l;
	l->o = o;
	l->interval_ns = o->interval_ns;
	l->cpu = -1;
	l->switches = nvx_switches__open(NULL);
	if (live_source__open(&want, &l->src))
		return 1;
	read_features(l);
	return begin(l, t);
}

static void live_info(void *self, struct nvx_top_info *info)
{
	struct live *l = self;
	time_t now = time(NULL);
	struct tm tm;

	strftime(l->clock, sizeof(l->clock), "%H:%M:%S", localtime_r(&now, &tm));
	info->host = l->src.host;
	info->release = l->src.probe->release;
	info->source = nvx_tier__name(l->src.probe->tier);
	info->probe = l->src.probe;
	info->features = &l->features;
	info->section = l->src.probe->section;
	info->vms = nvx_live__vms(l->src.live, &info->nr_vms);
	info->interval_ns = l->interval_ns;
	info->cost = l->cost;
	info->dropped = l->dropped;
	info->own_cpu = l->cpu;
	info->recording = l->track ? l->path : NULL;
	info->at = l->clock;
}

static int take(struct live *l, struct nvx_top *t, uint64_t now)
{
	uint64_t cpu = own_cpu_ns();
	struct nvx_sample *s;
	int ret = nvx_live__sample(l->src.live, &s);

	if (ret)
		return ret;
	count_drops(l, s);
	if (l->track)
		ret = track__delta(l->track, nvx_top__newest(t), s,
				   s->t_ns - nvx_top__newest(t)->t_ns, 0, false);
	l->cpu = now > l->t_last ? (double)(cpu - l->cpu_ns) / (now - l->t_last) : -1;
	l->cpu_ns = cpu;
	l->t_last = now;
	if (ret) {
		nvx_sample__free(s);
		return ret;
	}
	return nvx_top__sample(t, s);
}

static int live_go(void *self, struct nvx_top *t, uint64_t *wait_ns)
{
	struct live *l = self;
	uint64_t now = live_now_ns();
	bool due = nvx_live__poll(l->src.live) || now >= l->next;
	int ret = 0;

	if (l->cost_open && now > l->start + COST_NS)
		l->cost_open = nvx_live__cost_end(l->src.live, &l->cost) != 0;
	if (l->switches >= 0 && now >= l->next_features)
		read_features(l);
	if (due)
		ret = take(l, t, now);
	while (l->next <= now)
		l->next += l->interval_ns;
	*wait_ns = l->next - now < POLL_NS ? l->next - now : POLL_NS;
	return ret ? ret : due;
}

static void live_interval(void *self, uint64_t ns)
{
	struct live *l = self;

	l->interval_ns = ns;
	l->next = live_now_ns() + ns;
}

static void end_record(struct live *l, struct nvx_topui *ui)
{
	struct track_state s;
	int ret = track__end(l->track, &l->cost);

	track__state(l->track, &s);
	if (ret)
		nvx_topui__say(ui, "cannot write %s: %s", l->path, strerror(-ret));
	else
		nvx_topui__say(ui, "%s has %llu deltas, %llu exits", l->path,
			       (unsigned long long)s.deltas, (unsigned long long)s.exits);
	track__close(l->track);
	l->track = NULL;
}

static void live_record(void *self, struct nvx_topui *ui, const char *path)
{
	struct live *l = self;
	struct track_opts o = { .path = l->path, .by = "top", .interval_ns = l->interval_ns,
				.filter = &l->o->filter };

	if (l->track) {
		end_record(l, ui);
		return;
	}
	if (!path)
		return;
	snprintf(l->path, sizeof(l->path), "%s", path);
	if (!access(l->path, F_OK)) {
		nvx_topui__say(ui, "%s is there already; give another name", l->path);
		return;
	}
	if (track__open(&o, &l->src, &l->track)) {
		l->track = NULL;
		nvx_topui__say(ui, "cannot write %s", l->path);
	}
}

static void live_close(void *self)
{
	struct live *l = self;

	if (!l)
		return;
	/* what was recorded is whole, however the screen ends */
	if (l->track) {
		track__end(l->track, &l->cost);
		track__close(l->track);
	}
	if (l->switches >= 0)
		close(l->switches);
	nvx_features__free(&l->features);
	live_source__close(&l->src);
	free(l);
}

const struct top_source top_live = {
	.open = live_open,
	.info = live_info,
	.go = live_go,
	.interval = live_interval,
	.record = live_record,
	.close = live_close,
};
