/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The state machine that turns events into counters.  No BPF helper and no
 * clock of its own: live BPF programs, trace import and unit tests call the
 * same functions with the same scalars and so get the same answer.
 *
 * Order of one nested round trip, as KVM's tracepoints tell it:
 *	exit(L1, VMRUN)  nested_enter  entry  exit(L2, X)  nested_exit(X)  entry  ...
 * An L2 exit that L0 handles has no nested_exit before its entry.
 */
#ifndef NVX_ENGINE_H
#define NVX_ENGINE_H

#include "isa.h"
#include "slots.h"
#include "ipi.h"
#include "time.h"
#include "tlb.h"

/* nvx_chain_close - the open chain ends at @now: L2 runs again, or leaves once more unrun */
nvx_inline void nvx_chain_close(struct nvx_vcpu *v, __u64 now)
{
	__u64 c = v->chain, slot;

	v->chain = 0;
	v->cell = 0;
	nvx_opaque(c);
	if (c - 1 >= NVX_CHAIN_SLOTS)
		return;
	v->chains[c - 1].time_ns += now - v->t_chain;
	slot = nvx_len_slot(v->chain_len);
	nvx_opaque(slot);
	if (slot < NVX_LEN_SLOTS)
		v->chains[c - 1].len[slot]++;
}

/* nvx_cell_count - an L1 exit for @reason inside the open chain */
nvx_inline void nvx_cell_count(struct nvx_vcpu *v, __u32 reason)
{
	__u64 i = nvx_cell_find(v, (__u64)v->chain << 56 | NVX_KEY_USED | reason);

	v->chain_len++;
	v->cell = i;
	nvx_opaque(i);
	if (i - 1 < NVX_CELL_SLOTS)
		v->cells[i - 1].count++;
	else
		v->drops[NVX_DROP_CELL_SLOTS]++;
}

/* nvx_exit_is_l2 - was the open exit one of L2? */
nvx_inline int nvx_exit_is_l2(const struct nvx_vcpu *v)
{
	return v->exit_who != NVX_WHO_L1 && v->exit_who != NVX_WHO_UNKNOWN;
}

/*
 * nvx_drill_count - the open exit is about this number
 * @v: the vCPU, with its exit counted and still open
 * @drill: kind << 48 | number
 */
nvx_inline void nvx_drill_count(struct nvx_vcpu *v, __u64 drill)
{
	__u64 i = nvx_drill_find(v, (__u64)v->exit_who << 56 | drill);

	v->drill = i;
	nvx_opaque(i);
	if (i - 1 < NVX_DRILL_SLOTS)
		v->drills[i - 1].count++;
	else
		v->drops[NVX_DROP_DRILL_SLOTS]++;
}

/*
 * nvx_on_level - the level was read and differs from what the events said
 * @v: the vCPU
 * @level: 1 or 2, as read
 * @addr: vmcs12 or VMCB12 address for level 2; 0 where it cannot be read
 *
 * So at the first event after attaching, and where L2 is entered or left without
 * a tracepoint: KVM_SET_NESTED_STATE, SMM, a vCPU reset, a failed nested entry.
 * A chain that ended so has no end to measure: it stays counted without a length.
 */
nvx_inline void nvx_on_level(struct nvx_vcpu *v, __u32 level, __u64 addr)
{
	if (v->level)
		v->resyncs++;
	v->flags &= ~NVX_F_ENTERING;
	if (level == 2)
		v->chain = 0;
	if (level == 1)
		nvx_set_level(v, 1, NVX_WHO_L1);
	else if (addr)
		nvx_set_level(v, 2, (__u32)nvx_l2_slow(v, addr));
	else
		nvx_set_level(v, 2, NVX_WHO_L2_UNKNOWN);
}

/* nvx_chain_exit - an exit while a chain is open */
nvx_inline void nvx_chain_exit(struct nvx_vcpu *v, __u32 reason)
{
	/* L2 ran although its entry was not seen: the chain has no end to measure */
	if (nvx_exit_is_l2(v))
		v->chain = 0;
	else
		nvx_cell_count(v, reason);
}

/*
 * nvx_exit_open - a VM exit
 * @v: the vCPU; its level is right, or 0
 * @now: any monotonic clock, ns
 * @isa: enum nvx_isa
 * @reason: as nvx_reason() gives it
 *
 * Returns enum nvx_class: what else there is to count, unless it is NVX_C_PLAIN.
 * nvx_exit_halts() is for NVX_C_HLT.
 *
 * An exit that is still open was never followed by an entry: it stays counted
 * without a time.
 */
nvx_inline __u32 nvx_exit_open(struct nvx_vcpu *v, __u64 now, __u32 isa, __u32 reason)
{
	__u64 key = v->key | reason, i = v->exit_hint[nvx_hint(key) & (NVX_HINTS - 1)];
	struct nvx_exit_slot *s = nvx_exit_at(v, i);
	__u32 class = NVX_C_PLAIN;

	if (!s || s->key != key) {
		v->isa = isa;
		i = (__u32)nvx_exit_slow(v, key);
		s = nvx_exit_at(v, i);
	}
	v->events++;
	v->t_exit = now;
	v->open = 0;
	v->exit = i;
	v->exit_who = v->who;
	if (s) {
		s->count++;
		class = s->class;
	} else {
		v->drops[NVX_DROP_EXIT_SLOTS]++;
		class = nvx_class_of(isa, reason);
	}
	if (v->chain)
		nvx_chain_exit(v, reason);
	nvx_phase_to(v, now, v->l0);
	return class;
}

/* nvx_exit_halts - the exit just opened is HLT */
nvx_inline void nvx_exit_halts(struct nvx_vcpu *v)
{
	v->phase = NVX_T_HALTED;
	v->flags |= NVX_F_HALT;
}

/*
 * nvx_on_exit - a VM exit whose number is known
 * @raw: exit reason or code as KVM has it
 * @drill: kind << 48 | number, or 0
 */
nvx_inline void nvx_on_exit(struct nvx_vcpu *v, __u64 now, __u32 isa, __u32 raw, __u64 drill)
{
	if (nvx_exit_open(v, now, isa, nvx_reason(isa, raw)) == NVX_C_HLT)
		nvx_exit_halts(v);
	if (drill)
		nvx_drill_count(v, drill);
}

/* nvx_on_fault - the open exit is a fault in the nested page tables at this address */
nvx_inline void nvx_on_fault(struct nvx_vcpu *v, __u64 gpa)
{
	v->gpa = gpa;
	v->flags |= NVX_F_GPA;
}

/*
 * nvx_on_mmio - the open exit accesses this guest-physical address
 * @v: the vCPU
 * @gpa: address; repeated events of one exit count once
 */
nvx_inline void nvx_on_mmio(struct nvx_vcpu *v, __u64 gpa)
{
	v->events++;
	if (v->exit && !v->drill)
		nvx_drill_count(v, nvx_mmio_drill(gpa));
}

/*
 * nvx_on_nested_enter - L1 asked for L2
 * @v: the vCPU
 * @now: clock
 * @addr: vmcs12 or VMCB12 address
 */
nvx_inline void nvx_on_nested_enter(struct nvx_vcpu *v, __u64 now, __u64 addr)
{
	__u64 who = (__u32)nvx_l2_slow(v, addr);

	v->events++;
	nvx_phase_to(v, now, NVX_T_L0_L2);
	nvx_set_level(v, 2, who);
	v->flags = (v->flags & ~NVX_F_LEAVING) | NVX_F_ENTERING;
	v->flushes = 0;
	v->entries++;
	nvx_opaque(who);
	if (who - 1 < NVX_L2_SLOTS)
		v->l2[who - 1].entries++;
}

/* nvx_nested_exit_outcome - how the open exit, if of L2, relates to what L1 now sees */
nvx_inline int nvx_nested_exit_outcome(struct nvx_vcpu *v, __u32 isa, __u32 reason, __u32 int_info)
{
	__u64 i = v->exit, d;

	nvx_opaque(i);
	if (i - 1 >= NVX_EXIT_SLOTS || !nvx_exit_is_l2(v) || v->flags & NVX_F_TOLD)
		return 0;
	v->flags |= NVX_F_TOLD;
	if (NVX_KEY_REASON(v->exits[i - 1].key) != reason ||
	    !nvx_may_reflect(isa, reason, int_info)) {
		v->exits[i - 1].synthesised++;
		return 1;
	}
	v->exits[i - 1].reflected++;
	/* L1 is told of a fault at this page: of L1's memory, or of a device that L1 emulates */
	if (!v->drill && v->flags & NVX_F_GPA) {
		nvx_drill_count(v, nvx_mmio_drill(v->gpa));
		nvx_on_l2_apic_page(v, v->gpa);
	}
	d = v->drill;
	nvx_opaque(d);
	if (d - 1 < NVX_DRILL_SLOTS)
		v->drills[d - 1].reflected++;
	return 2;
}

/*
 * nvx_on_nested_exit - L2 leaves to L1: a switch, and the start of a chain
 * @v: the vCPU
 * @now: clock
 * @isa: enum nvx_isa
 * @raw: the reason that L1 sees
 * @int_info: the interruption information that L1 sees
 */
nvx_inline void nvx_on_nested_exit(struct nvx_vcpu *v, __u64 now, __u32 isa, __u32 raw,
				   __u32 int_info)
{
	__u32 reason = nvx_reason(isa, raw);
	int how = nvx_nested_exit_outcome(v, isa, reason, int_info);
	__u64 c, began = how ? v->t_exit : now;

	v->leaves_noexit += how == 0;
	v->events++;
	v->leaves++;
	if (v->chain)
		nvx_chain_close(v, began);
	nvx_phase_to(v, now, NVX_T_L0_L1);
	nvx_set_level(v, 1, NVX_WHO_L1);
	v->flags = (v->flags & ~NVX_F_ENTERING) | NVX_F_LEAVING;
	v->flushes = 0;
	c = (__u32)nvx_chain_slow(v, reason);
	v->chain = c;
	nvx_opaque(c);
	if (c - 1 >= NVX_CHAIN_SLOTS) {
		v->drops[NVX_DROP_CHAIN_SLOTS]++;
		return;
	}
	v->chains[c - 1].count++;
	v->chains[c - 1].reflected += how == 2;
	v->chains[c - 1].noexit += how == 0;
	v->t_chain = began;
	v->chain_len = 1;
}

/* nvx_on_nested_failed - the nested entry did not reach L2; L1 goes on, its chain too */
nvx_inline void nvx_on_nested_failed(struct nvx_vcpu *v)
{
	if (!(v->flags & NVX_F_ENTERING))
		return;
	v->events++;
	v->flags &= ~NVX_F_ENTERING;
	v->entry_failed++;
	nvx_set_level(v, 1, NVX_WHO_L1);
}

/* nvx_entered - an entry after which another level runs, or the end of a halt */
nvx_inline void nvx_entered(struct nvx_vcpu *v, __u64 now)
{
	__u32 flags = v->flags;

	if (v->phase == NVX_T_HALTED)
		v->phase = v->l0;
	if (flags & NVX_F_ENTERING) {
		nvx_switch_flushes(v, NVX_L1_TO_L2 - 1);
		if (v->chain)
			nvx_chain_close(v, now);
	} else if (flags & NVX_F_LEAVING) {
		nvx_switch_flushes(v, NVX_L2_TO_L1 - 1);
	}
}

/* nvx_exit_time - the open exit's time, to what it was counted in */
nvx_inline void nvx_exit_time(struct nvx_vcpu *v, __u64 dt)
{
	struct nvx_exit_slot *s = nvx_exit_at(v, v->exit);
	__u64 d, c, slot;

	if (!s)
		return;
	s->time_ns += dt;
	slot = nvx_hist_slot(dt);
	nvx_opaque(slot);
	if (slot < NVX_HIST_SLOTS)
		s->hist[slot]++;
	if (!v->numbers)
		return;
	d = v->drill;
	c = v->cell;
	nvx_opaque(d);
	if (d - 1 < NVX_DRILL_SLOTS)
		v->drills[d - 1].time_ns += dt;
	nvx_opaque(c);
	if (c - 1 < NVX_CELL_SLOTS)
		v->cells[c - 1].time_ns += dt;
}

/*
 * nvx_on_entry_after - the guest runs again
 * @v: the vCPU
 * @now: clock
 * @dt: time since v->t_exit, which the caller has a use for too
 */
nvx_inline void nvx_on_entry_after(struct nvx_vcpu *v, __u64 now, __u64 dt)
{
	nvx_exit_time(v, dt);
	if (v->flags)
		nvx_entered(v, now);
	v->open = 0;
	nvx_add_time(v, v->phase, now - v->t_phase);
	v->phase = v->ran;
	v->t_phase = now;
}

/* nvx_on_entry - the guest runs again */
nvx_inline void nvx_on_entry(struct nvx_vcpu *v, __u64 now)
{
	nvx_on_entry_after(v, now, now - v->t_exit);
}

#endif
