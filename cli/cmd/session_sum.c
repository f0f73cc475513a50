// SPDX-License-Identifier: GPL-2.0-only
#include "cmd/session_sum.h"

#include <errno.h>
#include <string.h>

#include "util/log.h"

static int add_delta(struct session_sum *s, const struct nvx_session_delta *d,
		     const struct nvx_filter *filter)
{
	const struct nvx_vm *const *vms;
	size_t nr;

	vms = nvx_session_reader__vms(s->reader, &nr);
	s->deltas++;
	s->duration_ns += d->duration_ns;
	s->drops.misses += d->drops.misses;
	s->drops.lost += d->drops.lost;
	for (int i = 0; i < NVX_GDROP_KINDS; i++)
		s->drops.g[i] += d->drops.g[i];
	return nvx_rows__add_some(s->rows, d->rows, vms, filter);
}

/* The end tells L2s apart, and single vCPUs; a session that was cut off does not. */
static int take_end(struct session_sum *s, const struct nvx_filter *filter)
{
	const struct nvx_session_end *e = nvx_session_reader__end(s->reader);
	const struct nvx_vm *const *vms;
	size_t nr;
	int ret = 0;

	vms = nvx_session_reader__vms(s->reader, &nr);
	if (!e && filter->vcpu >= 0)
		return -ENODATA;
	if (!e || (!e->rows && filter->vcpu < 0))
		return 0;
	nvx_rows__free(s->rows);
	s->rows = nvx_rows__new();
	if (!s->rows)
		return -ENOMEM;
	if (filter->vcpu < 0)
		return nvx_rows__add_some(s->rows, e->rows, vms, filter);
	for (size_t i = 0; i < e->nr_vcpus && !ret; i++)
		if (e->vcpu[i].vcpu == (uint32_t)filter->vcpu)
			ret = nvx_rows__add_some(s->rows, e->vcpu[i].rows, vms, filter);
	return ret;
}

int session_sum__read(const char *path, const struct nvx_filter *filter, session_delta_fn fn,
		      void *arg, struct session_sum *s)
{
	struct nvx_session_delta d;
	char err[NVX_SESSION_ERR];
	int ret;

	*s = (struct session_sum){ .rows = nvx_rows__new() };
	ret = nvx_session_reader__open(path, &s->reader, err);
	if (ret) {
		nvx_error("%s", err);
		return ret;
	}
	ret = s->rows ? 0 : -ENOMEM;
	while (!ret && (ret = nvx_session_reader__next(s->reader, &d)) > 0) {
		ret = add_delta(s, &d, filter);
		if (!ret && fn)
			ret = fn(&d, arg);
		nvx_session_delta__free(&d);
	}
	if (!ret)
		ret = take_end(s, filter);
	s->trouble = nvx_session_reader__trouble(s->reader);
	if (ret == -ENODATA)
		nvx_error("%s has no totals of single vCPUs: %s", path, s->trouble);
	else if (ret)
		nvx_error("%s: %s", path, strerror(-ret));
	else if (s->trouble)
		nvx_warn("%s is incomplete: %s", path, s->trouble);
	return ret;
}

void session_sum__free(struct session_sum *s)
{
	nvx_rows__free(s->rows);
	nvx_session_reader__close(s->reader);
	*s = (struct session_sum){ 0 };
}

void session_sum__report(const struct session_sum *s, struct nvx_report *rep)
{
	const struct nvx_session_head *h = nvx_session_reader__head(s->reader);
	const struct nvx_session_end *e = nvx_session_reader__end(s->reader);

	*rep = (struct nvx_report){
		.rows = s->rows,
		.host = *h->host ? h->host : "n/a",
		.release = *h->release ? h->release : "n/a",
		.tier = h->tier,
		.source = *h->source ? h->source : h->by,
		.source_reason = h->source_reason,
		.section = h->section,
		.lacks = h->lacks,
		.duration_ns = s->duration_ns,
		.misses = s->drops.misses,
		.lost = s->drops.lost,
	};
	memcpy(rep->gdrops, s->drops.g, sizeof(rep->gdrops));
	if (e)
		rep->cost = e->cost;
	rep->vms = nvx_session_reader__vms(s->reader, &rep->nr_vms);
}
