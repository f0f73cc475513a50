// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/track.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "source/hostinfo.h"
#include "util/log.h"

struct track {
	const struct live_source *src;
	struct nvx_filter filter;
	struct nvx_session_writer *w;
	struct nvx_rows *total; /* L2s apart */
	struct nvx_session_vcpu *vcpu;
	size_t nr_vcpus;
	uint64_t t_ns, deltas;
};

static void describe_filter(const struct nvx_filter *f, char *buf, size_t size)
{
	int n = 0;

	if (f->pid)
		n += snprintf(buf + n, size - n, " --pid %u", f->pid);
	if (f->vm_name)
		n += snprintf(buf + n, size - n, " --vm %.128s", f->vm_name);
	if (f->vcpu >= 0)
		n += snprintf(buf + n, size - n, " --vcpu %d", f->vcpu);
	if (f->level >= 0)
		n += snprintf(buf + n, size - n, " --level %d", f->level);
	memmove(buf, buf + (n > 0), n + (n <= 0));
}

static int make_head(const struct track_opts *o, const struct live_source *src,
		     struct nvx_session_head *h)
{
	const struct nvx_probe *p = src->probe;
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	h->created_ns = t.tv_sec * 1000000000ULL + t.tv_nsec;
	h->interval_ns = o->interval_ns;
	h->tier = p->tier;
	snprintf(h->by, sizeof(h->by), "%s", o->by);
	snprintf(h->program, sizeof(h->program), "nvx %s", NVX_VERSION);
	snprintf(h->host, sizeof(h->host), "%s", src->host);
	snprintf(h->release, sizeof(h->release), "%s", p->release);
	snprintf(h->source, sizeof(h->source), "%s", nvx_tier__name(p->tier));
	snprintf(h->source_reason, sizeof(h->source_reason), "%s", p->tier_reason);
	snprintf(h->note, sizeof(h->note), "%s", o->note ?: "");
	describe_filter(o->filter, h->filter, sizeof(h->filter));
	memcpy(h->section, p->section, sizeof(h->section));
	return nvx_hostinfo__host("", p, &h->config);
}

int track__open(const struct track_opts *o, const struct live_source *src, struct track **out)
{
	struct nvx_session_head head = { 0 };
	struct track *t = calloc(1, sizeof(*t));
	char err[NVX_SESSION_ERR] = "out of memory";
	int ret = -ENOMEM;

	if (t) {
		t->src = src;
		t->filter = *o->filter;
		t->total = nvx_rows__new();
	}
	if (t && t->total && !make_head(o, src, &head))
		ret = nvx_session_writer__open(o->path, o->replace, &head, &t->w, err);
	nvx_config__free(&head.config);
	if (!ret) {
		*out = t;
		return 0;
	}
	nvx_error("%s", err);
	track__close(t);
	return 1;
}

/* A VM's line comes before its first row; its command line is read while it lives. */
static int tell_vms(struct track *t)
{
	const struct nvx_vm *const *vms;
	size_t nr;
	int ret = 0;

	vms = nvx_live__vms(t->src->live, &nr);
	for (size_t i = nvx_session_writer__vms(t->w); i < nr && !ret; i++) {
		struct nvx_config config = { 0 };

		ret = nvx_hostinfo__vm("", vms[i], &config);
		if (!ret)
			ret = nvx_session_writer__vm(t->w, vms[i], &config);
		nvx_config__free(&config);
	}
	return ret;
}

static struct nvx_session_vcpu *vcpu_at(struct track *t, uint32_t vm, uint32_t id)
{
	struct nvx_session_vcpu *more;

	for (size_t i = 0; i < t->nr_vcpus; i++)
		if (t->vcpu[i].vm == vm && t->vcpu[i].vcpu == id)
			return &t->vcpu[i];
	more = realloc(t->vcpu, (t->nr_vcpus + 1) * sizeof(*more));
	if (!more)
		return NULL;
	t->vcpu = more;
	more += t->nr_vcpus;
	*more = (struct nvx_session_vcpu){ .vm = vm, .vcpu = id, .rows = nvx_rows__new() };
	if (!more->rows)
		return NULL;
	t->nr_vcpus++;
	return more;
}

/* What a vCPU's totals are made of; its MSRs and chains are those of its VM. */
static int add_vcpu(struct track *t, const struct nvx_snap *snap, const struct nvx_rows *rows)
{
	struct nvx_session_vcpu *vcpu;
	int ret = 0;

	if (!rows->nr)
		return 0;
	vcpu = vcpu_at(t, snap->vm->index, snap->v.vcpu_id);
	if (!vcpu)
		return -ENOMEM;
	for (size_t i = 0; i < rows->nr && !ret; i++) {
		struct nvx_rows one = { .nr = 1, .row = &rows->row[i] };
		unsigned int set = rows->row[i]->l.set;

		if (set == NVX_SET_VMS || set == NVX_SET_EXITS || set == NVX_SET_TIME)
			ret = nvx_rows__add(vcpu->rows, &one, NVX_DROP_LABEL_L2);
	}
	return ret;
}

/* Samples of one vCPU each: their deltas are what it did, and add up to the delta of all. */
static int add_snap(struct track *t, const struct nvx_sample *from, const struct nvx_sample *to,
		    size_t i, struct nvx_rows *all)
{
	struct nvx_sample one = { .t_ns = to->t_ns, .nr = 1, .snap = &to->snap[i] };
	struct nvx_rows *rows = nvx_rows__new();
	int ret = rows ? nvx_rollup(rows, from, &one, &t->filter) : -ENOMEM;

	if (!ret)
		ret = add_vcpu(t, to->snap[i], rows);
	if (!ret)
		ret = nvx_rows__add(all, rows, 0);
	nvx_rows__free(rows);
	return ret;
}

int track__delta(struct track *t, const struct nvx_sample *from, const struct nvx_sample *to,
		 uint64_t duration_ns, uint32_t period, bool last)
{
	struct nvx_session_delta d = { .duration_ns = duration_ns, .period = period, .hist = last,
				       .rows = nvx_rows__new() };
	int ret = d.rows ? tell_vms(t) : -ENOMEM;

	for (size_t i = 0; i < to->nr && !ret; i++)
		ret = add_snap(t, from, to, i, d.rows);
	d.drops.misses = to->misses - (from ? from->misses : 0);
	for (int i = 0; i < NVX_GDROP_KINDS; i++)
		d.drops.g[i] = to->gdrops[i] - (from ? from->gdrops[i] : 0);
	t->t_ns += duration_ns;
	d.t_ns = t->t_ns;
	if (!ret)
		ret = nvx_rows__add(t->total, d.rows, 0);
	if (!ret)
		ret = nvx_session_writer__delta(t->w, &d);
	t->deltas++;
	nvx_session_delta__free(&d);
	return ret;
}

int track__end(struct track *t, const struct nvx_cost *cost)
{
	struct nvx_session_end e = { .duration_ns = t->t_ns, .rows = t->total,
				     .nr_vcpus = t->nr_vcpus, .vcpu = t->vcpu };

	if (cost)
		e.cost = *cost;
	return nvx_session_writer__end(t->w, &e);
}

void track__state(const struct track *t, struct track_state *s)
{
	*s = (struct track_state){ .deltas = t->deltas, .duration_ns = t->t_ns,
				   .bytes = nvx_session_writer__bytes(t->w) };
	for (int v = 0; v < 3; v++)
		s->exits += nvx_rows__sum(t->total, NVX_SET_VMS,
					  (enum nvx_value[]){ NVX_V_COUNT, NVX_V_L2_EXITS,
							      NVX_V_UNKNOWN }[v],
					  -1, NVX_VM_ALL);
}

void track__close(struct track *t)
{
	if (!t)
		return;
	nvx_session_writer__close(t->w);
	nvx_rows__free(t->total);
	for (size_t i = 0; i < t->nr_vcpus; i++)
		nvx_rows__free(t->vcpu[i].rows);
	free(t->vcpu);
	free(t);
}
