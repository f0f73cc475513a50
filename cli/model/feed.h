/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recorded events into the engine: the state machine that serves live BPF, fed
 * from a file, giving samples like those of a live source.
 */
#ifndef NVX_MODEL_FEED_H
#define NVX_MODEL_FEED_H

#include <stddef.h>
#include <stdint.h>

#include "model/sample.h"

enum nvx_event_type {
	NVX_EV_EXIT,	      /* isa, reason, a: info1, b: info2, vcpu */
	NVX_EV_ENTRY,	      /* vcpu */
	NVX_EV_NESTED_ENTER,  /* a: vmcs12 or VMCB12 address */
	NVX_EV_NESTED_FAILED, /* the entry did not reach L2 */
	NVX_EV_NESTED_EXIT,   /* the exit just seen is one of L2 */
	NVX_EV_INJECT,	      /* isa, reason, a: interruption information: L2 leaves to L1 */
	NVX_EV_MSR,	      /* reason: write; a: MSR */
	NVX_EV_HYPERCALL,     /* a: number */
	NVX_EV_MMIO,	      /* a: guest-physical address */
	NVX_EV_PAGE_FAULT,    /* a: guest-physical address */
	NVX_EV_APIC_WRITE,    /* a: register, b: value */
	NVX_EV_USERSPACE,
	NVX_EV_WAKEUP, /* a: ns, b: waited */
	NVX_EV_THREAD_END,
};

/* One event of a trace.  What its type does not use is 0. */
struct nvx_event {
	uint64_t ts; /* ns, of the trace's clock */
	uint64_t a, b;
	uint32_t tid;
	uint32_t pid; /* of the thread's process; 0 where the recording does not tell */
	uint32_t vcpu;
	uint32_t reason;
	uint8_t type; /* enum nvx_event_type */
	uint8_t isa;  /* enum nvx_isa */
	uint8_t pad[6];
	char comm[16]; /* of the thread, where the trace knows it */
};

struct nvx_feed;

/* An empty feed; NULL without memory. */
struct nvx_feed *nvx_feed__new(void);

/* Apply one event; they come in the order of time.  0 or -ENOMEM. */
int nvx_feed__event(struct nvx_feed *feed, const struct nvx_event *e);

/* Time has come so far without an event; the clock never goes back by this. */
void nvx_feed__advance(struct nvx_feed *feed, uint64_t ts);

/* Take a sample as of the last event, or of the time told; as nvx_live__sample. */
int nvx_feed__sample(struct nvx_feed *feed, struct nvx_sample **out);

/* The VMs met so far, by index: processes, or threads where the recording does not tell those. */
const struct nvx_vm *const *nvx_feed__vms(const struct nvx_feed *feed, size_t *nr);

/* Time of the first and the last event. */
uint64_t nvx_feed__first(const struct nvx_feed *feed);
uint64_t nvx_feed__last(const struct nvx_feed *feed);

void nvx_feed__free(struct nvx_feed *feed);

#endif
