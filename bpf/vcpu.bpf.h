/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Maps, and the way from the current thread to its vCPU's counters.
 *
 * Fast path: a guess by the thread's address, and the header of the slot guessed.
 * Then, out of line: the hint by thread id, which no two threads share; a hash of
 * (vCPU, thread); a free slot from the queue that userspace filled.  Keyed by vCPU and
 * thread, since either alone is reused; a thread that ends frees its slots through
 * sched_process_exit.
 *
 * The including program defines nvx_identify(v, vcpu) before.
 */
#ifndef NVX_VCPU_BPF_H
#define NVX_VCPU_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include "engine/engine.h"

const volatile struct nvx_cfg cfg SEC(".rodata.cfg") = {};

/*
 * Set by userspace before its last reading: every program stops at once, while detaching
 * them one by one takes a grace period each and would tear what belongs together.  Asked
 * only where a slot was not guessed; userspace then takes the slots' owners away.
 */
volatile __u32 stopped SEC(".data.stop") = 0;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, union nvx_vcpu_cell);
} vcpus SEC(".maps");

/*
 * guesses[hash of the thread's address]: index of its latest slot.  Threads may share an
 * entry, so the slot's header decides.  A variable, not a map: no look-up.
 */
__u16 guesses[NVX_GUESSES];

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, NVX_HINTS_TID);
	__type(key, __u32);
	__type(value, __u32);
} hints SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct nvx_slot_key);
	__type(value, __u32);
} slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_QUEUE);
	__uint(max_entries, 1);
	__type(value, __u32);
} free_slots SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, NVX_GDROP_KINDS);
	__type(key, __u32);
	__type(value, __u64);
} gdrops SEC(".maps");

nvx_inline void nvx_gdrop(__u32 kind)
{
	__u64 *n = bpf_map_lookup_elem(&gdrops, &kind);

	if (n)
		(*n)++;
}

nvx_inline struct nvx_vcpu *nvx_slot(__u32 idx)
{
	return bpf_map_lookup_elem(&vcpus, &idx);
}

nvx_inline __u64 nvx_guess(__u64 task)
{
	return (task * NVX_GOLDEN >> 48) & (NVX_GUESSES - 1);
}

nvx_inline void nvx_set_hint(__u32 tid, __u32 idx)
{
	__u32 at = tid & (NVX_HINTS_TID - 1), *h = bpf_map_lookup_elem(&hints, &at);

	if (h)
		*h = (tid >> 16) << 16 | idx;
}

/* nvx_hinted - index of the thread's latest slot, NVX_HINT_IGNORE, or 0 */
nvx_inline __u32 nvx_hinted(__u32 tid)
{
	__u32 at = tid & (NVX_HINTS_TID - 1), *h = bpf_map_lookup_elem(&hints, &at), e;

	if (!h)
		return 0;
	e = *h;
	return e >> 16 == tid >> 16 ? e & 0xffff : 0;
}

static void nvx_identify(struct nvx_vcpu *v, __u64 vcpu);

static __noinline __u32 nvx_take_slot(struct nvx_slot_key *k, __u32 tgid)
{
	__u32 idx = 0, prev = nvx_hinted(k->tid);
	struct nvx_vcpu *v;

	if (bpf_map_pop_elem(&free_slots, &idx)) {
		nvx_gdrop(NVX_GDROP_VCPUS_FULL);
		return 0;
	}
	v = nvx_slot(idx);
	if (!v || bpf_map_update_elem(&slots, k, &idx, BPF_NOEXIST)) {
		nvx_gdrop(NVX_GDROP_VCPUS_FULL);
		return 0;
	}
	v->vcpu = k->vcpu;
	v->tid = k->tid;
	v->tgid = tgid;
	v->next = prev == NVX_HINT_IGNORE ? 0 : prev;
	nvx_set_level(v, 0, NVX_WHO_UNKNOWN);
	v->t_first = bpf_ktime_get_boot_ns();
	nvx_identify(v, k->vcpu);
	v->task = bpf_get_current_task();
	v->state = NVX_LIVE;
	return idx;
}

/* nvx_remember - the thread's latest slot is this */
nvx_inline void nvx_remember(__u32 tid, __u32 idx)
{
	nvx_set_hint(tid, idx);
	guesses[nvx_guess(bpf_get_current_task())] = idx;
}

/*
 * nvx_slot_slow - index of the slot of this vCPU in this thread, taken if need be; 0: none
 *
 * Static, since a global function would not take the vCPU as a pointer.
 */
static __noinline __u32 nvx_slot_slow(__u64 vcpu)
{
	__u64 id = bpf_get_current_pid_tgid();
	struct nvx_slot_key k = { .vcpu = vcpu, .tid = (__u32)id };
	__u32 tgid = id >> 32, *found, idx = nvx_hinted(k.tid);
	struct nvx_vcpu *v;

	if (idx == NVX_HINT_IGNORE || stopped)
		return 0;
	/* guessed wrongly: two threads share an entry */
	v = nvx_slot(idx);
	if (v && v->vcpu == vcpu && v->tid == k.tid) {
		guesses[nvx_guess(bpf_get_current_task())] = idx;
		return idx;
	}
	if (cfg.tgid && cfg.tgid != tgid) {
		nvx_set_hint(k.tid, NVX_HINT_IGNORE);
		return 0;
	}
	found = bpf_map_lookup_elem(&slots, &k);
	idx = found ? *found : nvx_take_slot(&k, tgid);
	if (idx)
		nvx_remember(k.tid, idx);
	return idx;
}

/* nvx_guessed - the slot that the thread used last, or another thread's, or none */
nvx_inline struct nvx_vcpu *nvx_guessed(__u64 task)
{
	return nvx_slot(guesses[nvx_guess(task)]);
}

/*
 * nvx_vcpu_of - counters of a vCPU that runs in the current thread
 * @vcpu: kernel address, or the vCPU's number where addresses are not read
 */
nvx_inline struct nvx_vcpu *nvx_vcpu_of(__u64 vcpu)
{
	__u64 task = bpf_get_current_task();
	struct nvx_vcpu *v = nvx_guessed(task);
	__u32 idx;

	if (v && v->task == task && v->vcpu == vcpu)
		return v;
	idx = nvx_slot_slow(vcpu);
	return idx ? nvx_slot(idx) : 0;
}

/* nvx_current_slow - index of the slot that the current thread used last; 0: none */
static __noinline __u32 nvx_current_slow(void)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid(), idx = nvx_hinted(tid);

	return idx == NVX_HINT_IGNORE || stopped ? 0 : idx;
}

/*
 * nvx_current - counters of the vCPU that the current thread ran last, for events without a vcpu
 *
 * A vCPU counts from its first kvm_exit on; what comes before is not an event of ours.
 */
nvx_inline struct nvx_vcpu *nvx_current(void)
{
	__u64 task = bpf_get_current_task();
	struct nvx_vcpu *v = nvx_guessed(task);
	__u32 idx;

	if (v && v->task == task)
		return v;
	idx = nvx_current_slow();
	v = idx ? nvx_slot(idx) : 0;
	return v && v->task == task ? v : 0;
}

/* The thread ends: its slots hold final values, which the reader takes before it frees them. */
nvx_inline void nvx_thread_end(void)
{
	__u32 tid = (__u32)bpf_get_current_pid_tgid(), idx = nvx_hinted(tid);
	struct nvx_slot_key k = { .tid = tid };
	struct nvx_vcpu *v;
	int i;

	if (!idx || stopped)
		return;
	nvx_set_hint(tid, 0);
	if (idx == NVX_HINT_IGNORE)
		return;
	for (i = 0; i < 64 && idx; i++) {
		v = nvx_slot(idx);
		if (!v || v->tid != tid)
			break;
		k.vcpu = v->vcpu;
		idx = v->next;
		bpf_map_delete_elem(&slots, &k);
		nvx_phase_to(v, bpf_ktime_get_ns(), NVX_T_NONE);
		v->events++;
		v->task = 0;
		v->state = NVX_DEAD;
	}
}

#endif
