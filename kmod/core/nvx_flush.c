// SPDX-License-Identifier: GPL-2.0-only
/* Why the TLB is flushed: at a switch between L1 and L2, and by kind of flush. */
#include "nvx_core.h"

/*
 * Mainline's rule (nested_vmx_transition_tlb_flush), told as a cause.  It has to be
 * asked before mainline runs, which overwrites last_vpid.
 */
enum nvx_cause nvx_switch_cause(const struct nvx_transition *t)
{
	if (!t->vpid)
		return NVX_CAUSE_VPID_OFF;
	if (t->enter && t->vpid12 != t->last_vpid) {
		if (t->last_vpid)
			return NVX_CAUSE_VPID12_CHANGED;
		return t->pending ? t->pending : NVX_CAUSE_VPID02_NEW;
	}
	return t->tag ? NVX_CAUSE_NONE : NVX_CAUSE_NO_TAG;
}

/* Which flush mainline asks for then; 0: none. */
enum nvx_flush_kind nvx_switch_flush(enum nvx_cause cause)
{
	switch (cause) {
	case NVX_CAUSE_NONE:
		return 0;
	case NVX_CAUSE_NO_TAG:
		return NVX_FLUSH_CURRENT;
	default:
		return NVX_FLUSH_GUEST;
	}
}

/*
 * The cause of a flush: the one noted where it was asked for, else the only one whose
 * requests are not noted.
 */
enum nvx_cause nvx_flush_cause(enum nvx_flush_kind kind, enum nvx_cause asked)
{
	if (asked != NVX_CAUSE_NONE)
		return asked;
	switch (kind) {
	case NVX_FLUSH_ALL:
		return NVX_CAUSE_REMOTE;
	case NVX_FLUSH_CURRENT:
	case NVX_FLUSH_GUEST:
		return NVX_CAUSE_GUEST;
	case NVX_FLUSH_GVA:
		return NVX_CAUSE_INVLPG;
	}
	return NVX_CAUSE_OTHER;
}
