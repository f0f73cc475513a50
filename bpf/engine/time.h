/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a vCPU's time goes: at any moment it is in one phase, and every change
 * closes the one before, so the parts add up to the time since the first event.
 */
#ifndef NVX_ENGINE_TIME_H
#define NVX_ENGINE_TIME_H

#include "isa.h"
#include "slots.h"

nvx_inline void nvx_add_time(struct nvx_vcpu *v, __u32 phase, __u64 ns)
{
	v->time[phase & (NVX_TIMES - 1)] += ns;
}

/*
 * nvx_phase_to - a new phase begins at @now
 *
 * An exit for HLT opens NVX_T_HALTED, so that a vCPU which sleeps while it is looked
 * at reads halted.  How long it really halted only kvm_vcpu_wakeup tells; the rest of
 * that phase, or all of it where an interrupt was pending, is L0's.
 */
nvx_inline void nvx_phase_to(struct nvx_vcpu *v, __u64 now, __u32 phase)
{
	__u32 was = v->phase;

	if (was == NVX_T_HALTED)
		was = v->l0;
	nvx_add_time(v, was, now - v->t_phase);
	v->phase = phase;
	v->t_phase = now;
}

/*
 * nvx_time_out_of_phase - part of the open phase was something else
 * @v: the vCPU
 * @ns: how long; what exceeds the open phase is cut, so that parts still add up
 * @phase: what it was
 */
nvx_inline void nvx_time_out_of_phase(struct nvx_vcpu *v, __u64 now, __u64 ns, __u32 phase)
{
	if (v->phase == NVX_T_NONE)
		return;
	if (ns > now - v->t_phase)
		ns = now - v->t_phase;
	nvx_add_time(v, phase, ns);
	v->t_phase += ns;
}

/*
 * nvx_on_run_delay - the thread's cumulative time on a run queue, as read now
 * @v: the vCPU
 * @now: clock
 * @delay: sched_info.run_delay, ns
 *
 * What has come since the last reading was waited inside the open phase.
 */
nvx_inline void nvx_on_run_delay(struct nvx_vcpu *v, __u64 now, __u64 delay)
{
	__u64 d = delay - v->run_delay;

	if (!d)
		return;
	/* the first reading tells of a time before the first event */
	if (v->run_delay)
		nvx_time_out_of_phase(v, now, d, NVX_T_WAIT);
	v->run_delay = delay;
}

/* nvx_on_userspace - KVM_RUN returns to user space */
nvx_inline void nvx_on_userspace(struct nvx_vcpu *v, __u64 now)
{
	v->events++;
	nvx_phase_to(v, now, NVX_T_USER);
}

/* nvx_on_run - KVM_RUN is called */
nvx_inline void nvx_on_run(struct nvx_vcpu *v, __u64 now)
{
	v->events++;
	if (v->phase == NVX_T_USER)
		nvx_phase_to(v, now, v->l0);
}

/*
 * nvx_on_wakeup - a halt is over
 * @v: the vCPU
 * @now: clock
 * @ns: how long it lasted
 * @waited: blocked; else polling saw the wake-up
 */
nvx_inline void nvx_on_wakeup(struct nvx_vcpu *v, __u64 now, __u64 ns, __u32 waited)
{
	v->events++;
	nvx_time_out_of_phase(v, now, ns, waited ? NVX_T_HALTED : NVX_T_POLL);
	nvx_phase_to(v, now, v->l0);
}

#endif
