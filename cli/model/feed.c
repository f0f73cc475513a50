// SPDX-License-Identifier: GPL-2.0-only
#include "model/feed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/engine/engine.h"

struct feed_vcpu {
	struct nvx_snap *snap;
	uint64_t msr; /* drill-down of a fast-path MSR exit whose event came before it */
	uint64_t ran; /* the exit that it last had, counted over all vCPUs */
	bool ended;
};

struct nvx_feed {
	struct feed_vcpu *vcpu;
	struct nvx_vm **vms;
	size_t nr, room, nr_vms;
	size_t last; /* vCPU of the latest event: the next is often of the same */
	uint64_t exits;
	uint32_t slots; /* given out, and never again: samples are in their order */
	uint64_t t_first, t_last;
};

struct nvx_feed *nvx_feed__new(void)
{
	return calloc(1, sizeof(struct nvx_feed));
}

void nvx_feed__free(struct nvx_feed *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->nr; i++)
		nvx_snap__put(f->vcpu[i].snap);
	for (size_t i = 0; i < f->nr_vms; i++)
		free(f->vms[i]);
	free(f->vcpu);
	free(f->vms);
	free(f);
}

static const struct nvx_vm *vm_of(struct nvx_feed *f, const struct nvx_event *e)
{
	uint32_t pid = e->pid ?: e->tid;
	struct nvx_vm **more, *vm;

	for (size_t i = 0; i < f->nr_vms; i++)
		if (f->vms[i]->pid == pid)
			return f->vms[i];
	vm = calloc(1, sizeof(*vm));
	more = realloc(f->vms, (f->nr_vms + 1) * sizeof(*more));
	if (more)
		f->vms = more;
	if (!vm || !more) {
		free(vm);
		return NULL;
	}
	vm->index = f->nr_vms;
	vm->pid = pid;
	nvx_vmname__parse("", 0, e->comm, pid, &vm->id);
	f->vms[f->nr_vms++] = vm;
	return vm;
}

static struct feed_vcpu *new_vcpu(struct nvx_feed *f, const struct nvx_event *e)
{
	struct feed_vcpu *c;

	if (f->nr == f->room) {
		size_t room = f->room ? 2 * f->room : 16;
		struct feed_vcpu *more = realloc(f->vcpu, room * sizeof(*more));

		if (!more)
			return NULL;
		f->vcpu = more;
		f->room = room;
	}
	c = &f->vcpu[f->nr];
	memset(c, 0, sizeof(*c));
	c->snap = nvx_snap__new();
	if (!c->snap)
		return NULL;
	c->snap->vm = vm_of(f, e);
	if (!c->snap->vm) {
		nvx_snap__put(c->snap);
		return NULL;
	}
	c->snap->slot = f->slots++;
	c->snap->v.vcpu = e->vcpu;
	c->snap->v.vcpu_id = e->vcpu;
	c->snap->v.tid = e->tid;
	c->snap->v.tgid = e->pid ?: e->tid;
	nvx_set_level(&c->snap->v, 0, NVX_WHO_UNKNOWN);
	c->snap->v.t_first = e->ts;
	c->snap->v.state = NVX_LIVE;
	f->last = f->nr++;
	return c;
}

/*
 * The vCPU of an event: by thread and number for exits, by thread alone for the others, which
 * belong to the vCPU that the thread ran last.  As live, a vCPU counts from its first exit on.
 */
static struct feed_vcpu *find(struct nvx_feed *f, const struct nvx_event *e)
{
	bool numbered = e->type == NVX_EV_EXIT;
	struct feed_vcpu *c = f->nr ? &f->vcpu[f->last] : NULL, *found = NULL;

	if (c && !c->ended && c->snap->v.tid == e->tid && (!numbered || c->snap->v.vcpu == e->vcpu))
		return c;
	for (size_t i = 0; i < f->nr; i++) {
		c = &f->vcpu[i];
		if (c->ended || c->snap->v.tid != e->tid ||
		    (numbered && c->snap->v.vcpu != e->vcpu))
			continue;
		if (!found || c->ran > found->ran)
			found = c;
	}
	if (found)
		f->last = found - f->vcpu;
	return found;
}

/* Snapshots handed out must not change: the writer goes on with a copy. */
static struct nvx_vcpu *writable(struct feed_vcpu *c)
{
	struct nvx_snap *copy;

	if (c->snap->refs == 1)
		return &c->snap->v;
	copy = nvx_snap__new();
	if (!copy)
		return NULL;
	copy->vm = c->snap->vm;
	copy->slot = c->snap->slot;
	copy->v = c->snap->v;
	nvx_snap__put(c->snap);
	c->snap = copy;
	return &copy->v;
}

static void on_exit_event(struct feed_vcpu *c, struct nvx_vcpu *v, const struct nvx_event *e)
{
	uint32_t reason = nvx_reason(e->isa, e->reason);
	uint64_t drill = 0;

	if (nvx_is_pio(e->isa, reason))
		drill = nvx_pio_drill(e->isa, e->a);
	else if (e->isa == NVX_ISA_SVM && nvx_is_npf(e->isa, reason) && e->a & NVX_NPF_RSVD)
		drill = nvx_mmio_drill(e->b);
	else if (nvx_is_msr(e->isa, reason))
		drill = c->msr;
	c->msr = 0;
	nvx_on_exit(v, e->ts, e->isa, e->reason, drill);
	if (e->isa == NVX_ISA_SVM && nvx_is_npf(e->isa, reason))
		nvx_on_fault(v, e->b);
}

static uint32_t open_reason(const struct nvx_vcpu *v)
{
	return v->exit ? NVX_KEY_REASON(v->exits[v->exit - 1].key) : UINT32_MAX;
}

/*
 * The number of an MSR exit.  6.1's SVM tells it before the exit where the fast
 * path took it, everything else after; exits that go to L1 have no such event.
 */
static void on_msr(struct feed_vcpu *c, struct nvx_vcpu *v, const struct nvx_event *e)
{
	uint64_t drill = (e->reason ? (uint64_t)NVX_DRILL_WRMSR : (uint64_t)NVX_DRILL_RDMSR) << 48 |
			 (uint32_t)e->a;

	if (!v->exit)
		c->msr = drill;
	else if (nvx_is_msr(v->isa, open_reason(v)) && !v->drill)
		nvx_drill_count(v, drill);
}

static void on_hypercall(struct nvx_vcpu *v, const struct nvx_event *e)
{
	if (v->exit && nvx_is_hypercall(v->isa, open_reason(v)) && !v->drill)
		nvx_drill_count(v, (uint64_t)NVX_DRILL_HYPERCALL << 48 | (uint32_t)e->a);
}

static void apply(struct feed_vcpu *c, struct nvx_vcpu *v, const struct nvx_event *e)
{
	switch (e->type) {
	case NVX_EV_EXIT:
		on_exit_event(c, v, e);
		break;
	case NVX_EV_ENTRY:
		nvx_on_entry(v, e->ts);
		break;
	case NVX_EV_NESTED_ENTER:
		nvx_on_nested_enter(v, e->ts, e->a);
		break;
	case NVX_EV_NESTED_FAILED:
		nvx_on_nested_failed(v);
		break;
	case NVX_EV_NESTED_EXIT:
		if (v->level != 2)
			nvx_on_level(v, 2, 0);
		break;
	case NVX_EV_INJECT:
		nvx_on_nested_exit(v, e->ts, e->isa, e->reason, e->a);
		break;
	case NVX_EV_MSR:
		on_msr(c, v, e);
		break;
	case NVX_EV_HYPERCALL:
		on_hypercall(v, e);
		break;
	case NVX_EV_MMIO:
		nvx_on_mmio(v, e->a);
		break;
	case NVX_EV_PAGE_FAULT:
		if (v->isa == NVX_ISA_VMX && v->exit)
			nvx_on_fault(v, e->a);
		break;
	case NVX_EV_APIC_WRITE:
		nvx_on_apic_write(v, e->a, e->b);
		break;
	case NVX_EV_USERSPACE:
		nvx_on_userspace(v, e->ts);
		break;
	case NVX_EV_WAKEUP:
		nvx_on_wakeup(v, e->ts, e->a, e->b);
		break;
	default:
		break;
	}
}

/* The thread ends, and with it every vCPU that it ran. */
static int thread_end(struct nvx_feed *f, const struct nvx_event *e)
{
	for (size_t i = 0; i < f->nr; i++) {
		struct feed_vcpu *c = &f->vcpu[i];
		struct nvx_vcpu *v;

		if (c->ended || c->snap->v.tid != e->tid)
			continue;
		v = writable(c);
		if (!v)
			return -ENOMEM;
		nvx_phase_to(v, e->ts, NVX_T_NONE);
		v->events++;
		v->state = NVX_DEAD;
		c->ended = true;
	}
	return 0;
}

int nvx_feed__event(struct nvx_feed *f, const struct nvx_event *e)
{
	struct feed_vcpu *c;
	struct nvx_vcpu *v;

	if (!f->t_first)
		f->t_first = e->ts;
	f->t_last = e->ts;
	if (e->type == NVX_EV_THREAD_END)
		return thread_end(f, e);
	c = find(f, e);
	if (!c && e->type != NVX_EV_EXIT)
		return 0;
	if (!c)
		c = new_vcpu(f, e);
	v = c ? writable(c) : NULL;
	if (!v)
		return -ENOMEM;
	if (e->type == NVX_EV_EXIT)
		c->ran = ++f->exits;
	apply(c, v, e);
	return 0;
}

void nvx_feed__advance(struct nvx_feed *f, uint64_t ts)
{
	if (ts > f->t_last)
		f->t_last = ts;
}

int nvx_feed__sample(struct nvx_feed *f, struct nvx_sample **out)
{
	struct nvx_sample *s = nvx_sample__new(f->nr);
	size_t keep = 0;

	if (!s)
		return -ENOMEM;
	s->t_ns = f->t_last;
	for (size_t i = 0; i < f->nr; i++) {
		s->snap[s->nr++] = nvx_snap__get(f->vcpu[i].snap);
		/* an ended vCPU is in one sample after its end, no more */
		if (f->vcpu[i].ended) {
			nvx_snap__put(f->vcpu[i].snap);
			continue;
		}
		f->vcpu[keep++] = f->vcpu[i];
	}
	f->nr = keep;
	f->last = 0;
	*out = s;
	return 0;
}

const struct nvx_vm *const *nvx_feed__vms(const struct nvx_feed *f, size_t *nr)
{
	*nr = f->nr_vms;
	return (const struct nvx_vm *const *)f->vms;
}

uint64_t nvx_feed__first(const struct nvx_feed *f)
{
	return f->t_first;
}

uint64_t nvx_feed__last(const struct nvx_feed *f)
{
	return f->t_last;
}
