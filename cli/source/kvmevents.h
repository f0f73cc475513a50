/* SPDX-License-Identifier: GPL-2.0-only */
/* The tracepoints that nvx uses of a recording, and which field goes where in an event. */
#ifndef NVX_SOURCE_KVMEVENTS_H
#define NVX_SOURCE_KVMEVENTS_H

#include "model/feed.h"

enum nvx_event_target { NVX_TO_A, NVX_TO_B, NVX_TO_REASON, NVX_TO_ISA, NVX_TO_VCPU, NVX_TO_NR };

struct nvx_known_event {
	const char *system, *name;
	enum nvx_event_type type;
	const char *field[NVX_TO_NR]; /* by enum nvx_event_target; NULL: none */
};

#define NVX_KNOWN_EVENTS 16

extern const struct nvx_known_event nvx_known_event[NVX_KNOWN_EVENTS];

/* Index of the event called `name`, without its system; -1: none that nvx uses. */
int nvx_known_event__find(const char *name);

/*
 * What holds for an event of any recording: the ended thread is the event's, and reads of the
 * APIC are none of ours.  Returns whether the event counts.
 */
static inline int nvx_known_event__finish(struct nvx_event *e)
{
	if (e->type == NVX_EV_THREAD_END)
		e->tid = e->a;
	return e->type != NVX_EV_APIC_WRITE || e->reason;
}

#endif
