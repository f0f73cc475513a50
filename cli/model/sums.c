// SPDX-License-Identifier: GPL-2.0-only
#include "model/sums.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct nvx_sums {
	struct nvx_filter filter;
	uint64_t stale_ns, lost;
	struct nvx_rows *rows;
	struct nvx_sample *last;
	struct nvx_sums_vm **vm; /* by index of the source */
	size_t nr_vms;
};

struct nvx_sums *nvx_sums__new(const struct nvx_filter *filter, uint64_t stale_ns)
{
	struct nvx_sums *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->filter = *filter;
	s->filter.sum_l2s = true;
	s->stale_ns = stale_ns;
	s->rows = nvx_rows__new();
	if (s->rows)
		return s;
	free(s);
	return NULL;
}

void nvx_sums__free(struct nvx_sums *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->nr_vms; i++)
		free(s->vm[i]);
	free(s->vm);
	nvx_rows__free(s->rows);
	nvx_sample__free(s->last);
	free(s);
}

static bool same_name(const struct nvx_vmname *a, const struct nvx_vmname *b)
{
	return !strcmp(a->name, b->name) && !strcmp(a->ns, b->ns);
}

/* Two VMs of one name would be one series. */
static void name_apart(const struct nvx_sums *s, struct nvx_vm *vm)
{
	char name[sizeof(vm->id.name)];
	bool again = false;
	int room;

	for (size_t i = 0; i < s->nr_vms && !again; i++)
		again = s->vm[i] && same_name(&s->vm[i]->vm.id, &vm->id);
	if (!again)
		return;
	/* cut before the number, and not within a character */
	room = sizeof(name) - sizeof("-4294967295");
	if ((int)strlen(vm->id.name) > room)
		while (room > 0 && (vm->id.name[room] & 0xc0) == 0x80)
			room--;
	snprintf(name, sizeof(name), "%.*s-%u", room, vm->id.name, vm->pid);
	memcpy(vm->id.name, name, sizeof(name));
}

static struct nvx_sums_vm *vm_at(struct nvx_sums *s, const struct nvx_vm *vm, uint64_t t,
				 uint64_t realtime)
{
	struct nvx_sums_vm *v, **more;

	if (vm->index < s->nr_vms && s->vm[vm->index])
		return s->vm[vm->index];
	if (vm->index >= s->nr_vms) {
		more = realloc(s->vm, (vm->index + 1) * sizeof(*more));
		if (!more)
			return NULL;
		s->vm = more;
		while (s->nr_vms <= vm->index)
			s->vm[s->nr_vms++] = NULL;
	}
	v = calloc(1, sizeof(*v));
	if (!v)
		return NULL;
	v->vm = *vm;
	v->since_ns = realtime;
	v->seen_ns = t;
	name_apart(s, &v->vm);
	s->vm[vm->index] = v;
	return v;
}

/* Who has a vCPU that lives; the dead ones of a sample are in it for the last time. */
static int meet(struct nvx_sums *s, const struct nvx_sample *sample, uint64_t realtime)
{
	for (size_t i = 0; i < s->nr_vms; i++)
		if (s->vm[i])
			s->vm[i]->here = false;
	for (size_t i = 0; i < sample->nr; i++) {
		const struct nvx_snap *snap = sample->snap[i];
		struct nvx_sums_vm *vm = vm_at(s, snap->vm, sample->t_ns, realtime);

		if (!vm)
			return -ENOMEM;
		vm->here |= snap->v.state != NVX_DEAD;
	}
	return 0;
}

/* Note which VMs had exits, of any level. */
static void look(struct nvx_sums *s, uint64_t t)
{
	uint64_t *exits = calloc(s->nr_vms + 1, sizeof(*exits));

	for (size_t i = 0; exits && i < s->rows->nr; i++) {
		const struct nvx_row *row = s->rows->row[i];

		if (row->l.set == NVX_SET_VMS)
			exits[row->l.vm] += row->v[NVX_V_COUNT] + row->v[NVX_V_L2_EXITS] +
					    row->v[NVX_V_UNKNOWN];
	}
	for (size_t i = 0; exits && i < s->nr_vms; i++) {
		if (!s->vm[i] || s->vm[i]->exits == exits[i])
			continue;
		s->vm[i]->exits = exits[i];
		s->vm[i]->seen_ns = t;
	}
	free(exits);
}

bool nvx_sums__stale(const struct nvx_sums *s, const struct nvx_sums_vm *vm)
{
	return s->stale_ns && s->last && s->last->t_ns > vm->seen_ns &&
	       s->last->t_ns - vm->seen_ns > s->stale_ns;
}

/* Rows that stay keep their order, which decides what has a series of its own. */
static int forget(struct nvx_sums *s)
{
	struct nvx_rows *stay;
	size_t gone = 0;

	for (size_t i = 0; i < s->nr_vms; i++)
		gone += s->vm[i] && !s->vm[i]->here && nvx_sums__stale(s, s->vm[i]);
	if (!gone)
		return 0;
	stay = nvx_rows__new();
	if (!stay)
		return -ENOMEM;
	for (size_t i = 0; i < s->rows->nr; i++) {
		struct nvx_rows one = { .nr = 1, .row = &s->rows->row[i] };
		const struct nvx_sums_vm *vm = s->vm[one.row[0]->l.vm];

		if (!vm->here && nvx_sums__stale(s, vm))
			continue;
		if (nvx_rows__add(stay, &one, 0)) {
			nvx_rows__free(stay);
			return -ENOMEM;
		}
	}
	s->lost += nvx_rows__sum(s->rows, NVX_SET_VMS, NVX_V_LOST, -1, NVX_VM_ALL) -
		   nvx_rows__sum(stay, NVX_SET_VMS, NVX_V_LOST, -1, NVX_VM_ALL);
	nvx_rows__free(s->rows);
	s->rows = stay;
	for (size_t i = 0; i < s->nr_vms; i++) {
		if (!s->vm[i] || s->vm[i]->here || !nvx_sums__stale(s, s->vm[i]))
			continue;
		free(s->vm[i]);
		s->vm[i] = NULL;
	}
	return 0;
}

int nvx_sums__take(struct nvx_sums *s, struct nvx_sample *sample, uint64_t realtime_ns)
{
	int ret = meet(s, sample, realtime_ns);

	if (!ret)
		ret = nvx_rollup(s->rows, s->last, sample, &s->filter);
	/* taken even where it could not be added whole: no event counts twice */
	nvx_sample__free(s->last);
	s->last = sample;
	if (ret)
		return ret;
	look(s, sample->t_ns);
	return forget(s);
}

const struct nvx_rows *nvx_sums__rows(const struct nvx_sums *s)
{
	return s->rows;
}

const struct nvx_sums_vm *const *nvx_sums__vms(const struct nvx_sums *s, size_t *nr)
{
	*nr = s->nr_vms;
	return (const struct nvx_sums_vm *const *)s->vm;
}

const struct nvx_sample *nvx_sums__last(const struct nvx_sums *s)
{
	return s->last;
}

uint64_t nvx_sums__lost(const struct nvx_sums *s)
{
	return s->lost;
}
