// SPDX-License-Identifier: GPL-2.0-only
/* Reading the mapped counters: no system call a vCPU, and no vCPU that did not change. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "source/live_priv.h"
#include "source/vmlist.h"
#include "source/vmname.h"

uint32_t nvx_live_guess_vcpus(void)
{
	uint32_t n = nvx_vmlist__vcpus("/proc"), slots = 256;

	while (slots < 2 * n && slots < 32768)
		slots *= 2;
	return slots;
}

int nvx_live_map(struct nvx_live *live)
{
	size_t size = (live->max + 1) * sizeof(*live->cells);
	void *at;

	live->last = calloc(live->max + 1, sizeof(*live->last));
	live->vm_of = calloc(live->max + 1, sizeof(*live->vm_of));
	if (!live->last || !live->vm_of)
		return -ENOMEM;
	/* populated now: the first touch of a page would cost its reader a fault */
	at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE,
		  bpf_map__fd(live->vcpus), 0);
	if (at == MAP_FAILED)
		return -errno;
	live->cells = at;
	live->stats_fd = -1;
	return 0;
}

void nvx_live_unmap(struct nvx_live *live)
{
	for (uint32_t i = 0; live->last && i <= live->max; i++)
		nvx_snap__put(live->last[i]);
	for (size_t i = 0; i < live->nr_vms; i++)
		free(live->vms[i]);
	free(live->vms);
	free(live->last);
	free(live->vm_of);
	if (live->cells) {
		munmap(live->cells, (live->max + 1) * sizeof(*live->cells));
		if (live->stats_fd >= 0)
			close(live->stats_fd);
	}
}

/* A process may run several VMs; they share its name, so the later ones get a number. */
static void name_vm(struct nvx_live *live, struct nvx_vm *vm, const struct nvx_vcpu *v)
{
	unsigned int same = 1;
	char comm[NVX_COMM + 1] = "";

	memcpy(comm, v->comm, NVX_COMM);
	if (nvx_vmname__read("/proc", vm->pid, &vm->id) == -ESRCH)
		nvx_vmname__parse("", 0, comm, vm->pid, &vm->id);
	for (size_t i = 0; i < live->nr_vms; i++)
		same += live->vms[i] && live->vms[i]->pid == vm->pid;
	if (same > 1) {
		size_t len = strnlen(vm->id.name, sizeof(vm->id.name) - 12);

		snprintf(vm->id.name + len, 12, "#%u", same);
	}
}

static const struct nvx_vm *vm_of(struct nvx_live *live, const struct nvx_vcpu *v)
{
	size_t hole = live->nr_vms;
	struct nvx_vm **more, *vm;

	for (size_t i = live->nr_vms; i-- > 0;) {
		if (!live->vms[i])
			hole = i;
		else if (live->vms[i]->pid == v->tgid && live->vms[i]->kvm == v->kvm)
			return live->vms[i];
	}
	vm = calloc(1, sizeof(*vm));
	more = vm && hole == live->nr_vms ? realloc(live->vms, (hole + 1) * sizeof(*more)) :
					    live->vms;
	if (!vm || !more) {
		free(vm);
		return NULL;
	}
	live->vms = more;
	vm->index = hole;
	vm->pid = v->tgid;
	vm->kvm = v->kvm;
	name_vm(live, vm, v);
	live->nr_vms += hole == live->nr_vms;
	live->vms[hole] = vm;
	return vm;
}

void nvx_live__forget(struct nvx_live *live, uint32_t index)
{
	if (index >= live->nr_vms || !live->vms[index])
		return;
	for (uint32_t i = 1; i <= live->max; i++)
		if (live->vm_of[i] == live->vms[index])
			return;
	free(live->vms[index]);
	live->vms[index] = NULL;
}

const struct nvx_vm *const *nvx_live__vms(const struct nvx_live *live, size_t *nr)
{
	*nr = live->nr_vms;
	return (const struct nvx_vm *const *)live->vms;
}

bool nvx_live__poll(struct nvx_live *live)
{
	uint32_t dead = 0;

	for (uint32_t i = 1; i <= live->max; i++) {
		const struct nvx_vcpu *v = &live->cells[i].v;
		uint8_t state = __atomic_load_n(&v->state, __ATOMIC_ACQUIRE);

		if (state != NVX_FREE && !live->vm_of[i])
			live->vm_of[i] = vm_of(live, v);
		dead += state == NVX_DEAD;
	}
	return dead > live->max / 4;
}

/* Only the slots in use are worth copying; the rest is zero in the source as in calloc's copy. */
static void copy_vcpu(struct nvx_vcpu *to, const struct nvx_vcpu *from)
{
	memcpy(to, from, offsetof(struct nvx_vcpu, exit_hint));
	memcpy(to->l2, from->l2, sizeof(to->l2));
	memcpy(to->exits, from->exits, from->n_exit * sizeof(*to->exits));
	memcpy(to->drills, from->drills, from->n_drill * sizeof(*to->drills));
	memcpy(to->chains, from->chains, from->n_chain * sizeof(*to->chains));
	memcpy(to->cells, from->cells, from->n_cell * sizeof(*to->cells));
}

/* The slot's counters now: the last snapshot where nothing happened since, else a new one. */
static struct nvx_snap *snap_slot(struct nvx_live *live, uint32_t i)
{
	const struct nvx_vcpu *v = &live->cells[i].v;
	struct nvx_snap *snap = live->last[i];

	if (snap && nvx_same_state(&snap->v, v) && snap->v.t_first == v->t_first)
		return nvx_snap__get(snap);
	snap = nvx_snap__new();
	if (!snap)
		return NULL;
	copy_vcpu(&snap->v, v);
	snap->slot = i;
	snap->vm = live->vm_of[i];
	nvx_snap__put(live->last[i]);
	live->last[i] = nvx_snap__get(snap);
	return snap;
}

/* The thread is gone and the slot unreachable for BPF, so nobody else writes here. */
static int recycle(struct nvx_live *live, uint32_t i)
{
	nvx_snap__put(live->last[i]);
	live->last[i] = NULL;
	live->vm_of[i] = NULL;
	memset(&live->cells[i], 0, sizeof(live->cells[i]));
	return bpf_map_update_elem(bpf_map__fd(live->free_slots), NULL, &i, 0) ? -errno : 0;
}

static void sum_gdrops(struct nvx_live *live, struct nvx_sample *s)
{
	int cpus = libbpf_num_possible_cpus();
	uint64_t *per_cpu = cpus > 0 ? calloc(cpus, sizeof(*per_cpu)) : NULL;

	for (uint32_t kind = 0; per_cpu && kind < NVX_GDROP_KINDS; kind++)
		if (!bpf_map_lookup_elem(bpf_map__fd(live->gdrops), &kind, per_cpu))
			for (int c = 0; c < cpus; c++)
				s->gdrops[kind] += per_cpu[c];
	free(per_cpu);
}

/* Sums over the attached programs: runs, their time, and events missed by recursion. */
static void sum_programs(struct nvx_live *live, struct nvx_cost *cost, uint64_t *misses)
{
	struct bpf_program *p;

	*misses = 0;
	bpf_object__for_each_program(p, live->obj) {
		struct bpf_prog_info info = {};
		__u32 len = sizeof(info);

		if (!bpf_program__autoload(p) ||
		    bpf_obj_get_info_by_fd(bpf_program__fd(p), &info, &len))
			continue;
		cost->events += info.run_cnt;
		cost->run_ns += info.run_time_ns;
		*misses += info.recursion_misses;
	}
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

int nvx_live__sample(struct nvx_live *live, struct nvx_sample **out)
{
	struct nvx_sample *s = nvx_sample__new(live->max);
	struct nvx_cost unused = {};
	int ret = 0;

	if (!s)
		return -ENOMEM;
	nvx_live__poll(live);
	for (uint32_t i = 1; i <= live->max && !ret; i++) {
		uint8_t state = __atomic_load_n(&live->cells[i].v.state, __ATOMIC_ACQUIRE);
		struct nvx_snap *snap;

		if (state == NVX_FREE || !live->vm_of[i])
			continue;
		snap = snap_slot(live, i);
		if (!snap) {
			ret = -ENOMEM;
			break;
		}
		s->snap[s->nr++] = snap;
		if (state == NVX_DEAD)
			ret = recycle(live, i);
	}
	s->t_ns = now_ns();
	sum_gdrops(live, s);
	sum_programs(live, &unused, &s->misses);
	if (ret)
		nvx_sample__free(s);
	else
		*out = s;
	return ret;
}

int nvx_live__cost_begin(struct nvx_live *live)
{
	uint64_t misses;

	live->stats_fd = bpf_enable_stats(BPF_STATS_RUN_TIME);
	if (live->stats_fd < 0)
		return -errno;
	memset(&live->cost_at, 0, sizeof(live->cost_at));
	sum_programs(live, &live->cost_at, &misses);
	live->cost_at.window_ns = now_ns();
	return 0;
}

int nvx_live__cost_read(struct nvx_live *live, struct nvx_cost *cost)
{
	uint64_t misses;

	memset(cost, 0, sizeof(*cost));
	if (live->stats_fd < 0)
		return -EBADF;
	sum_programs(live, cost, &misses);
	cost->events -= live->cost_at.events;
	cost->run_ns -= live->cost_at.run_ns;
	cost->window_ns = now_ns() - live->cost_at.window_ns;
	return 0;
}

int nvx_live__cost_end(struct nvx_live *live, struct nvx_cost *cost)
{
	int ret = nvx_live__cost_read(live, cost);

	if (ret)
		return ret;
	close(live->stats_fd);
	live->stats_fd = -1;
	return 0;
}
