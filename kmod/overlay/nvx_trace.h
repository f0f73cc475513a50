/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The tracepoints of nvx.  Scalars only: a raw_tp program reads its arguments without
 * BTF, so the order of TP_ARGS is ABI.  Arguments are appended, never moved, and there
 * are at most 12 of them (bpf_trace_run12).  docs/tracepoints.md explains each field.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM nvx

#if !defined(NVX_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define NVX_TRACE_H

#include <linux/tracepoint.h>
#include "nvx_tp.h"
#include "nvx_trace_names.h"

/* A VM exit, once a hardware exit: where it came from and what its registers said. */
TRACE_EVENT(nvx_exit,
	TP_PROTO(u32 vm_pid, u32 vcpu, u32 level, u32 isa, u32 reason, u64 qualification,
		 u64 info2, u32 intr_info, u64 rcx, u64 rax, u32 fastpath, u64 rdx),
	TP_ARGS(vm_pid, vcpu, level, isa, reason, qualification, info2, intr_info, rcx, rax,
		fastpath, rdx),

	TP_STRUCT__entry(
		__field(u32, vm_pid)
		__field(u32, vcpu)
		__field(u32, level)
		__field(u32, isa)
		__field(u32, reason)
		__field(u64, qualification)
		__field(u64, info2)
		__field(u32, intr_info)
		__field(u64, rcx)
		__field(u64, rax)
		__field(u32, fastpath)
		__field(u64, rdx)
	),
	TP_fast_assign(
		__entry->vm_pid = vm_pid;
		__entry->vcpu = vcpu;
		__entry->level = level;
		__entry->isa = isa;
		__entry->reason = reason;
		__entry->qualification = qualification;
		__entry->info2 = info2;
		__entry->intr_info = intr_info;
		__entry->rcx = rcx;
		__entry->rax = rax;
		__entry->fastpath = fastpath;
		__entry->rdx = rdx;
	),
	TP_printk("pid %u vcpu %u L%u %s reason 0x%x qualification 0x%llx info2 0x%llx intr_info 0x%x rcx 0x%llx rax 0x%llx fastpath %s rdx 0x%llx",
		  __entry->vm_pid, __entry->vcpu, __entry->level,
		  __entry->isa == NVX_ISA_VMX ? "vmx" : "svm", __entry->reason,
		  __entry->qualification, __entry->info2, __entry->intr_info, __entry->rcx,
		  __entry->rax, __print_symbolic(__entry->fastpath, NVX_FASTPATH_NAMES),
		  __entry->rdx)
);

/* A completed switch between L1 and L2, with the TLB flush it asked for. */
TRACE_EVENT(nvx_switch,
	TP_PROTO(u32 vm_pid, u32 vcpu, u32 level, u32 direction, u32 reason, u32 vpid12,
		 u32 vpid02, u32 cause, u32 eptp_changed, u64 vmcs12),
	TP_ARGS(vm_pid, vcpu, level, direction, reason, vpid12, vpid02, cause, eptp_changed,
		vmcs12),

	TP_STRUCT__entry(
		__field(u32, vm_pid)
		__field(u32, vcpu)
		__field(u32, level)
		__field(u32, direction)
		__field(u32, reason)
		__field(u32, vpid12)
		__field(u32, vpid02)
		__field(u32, cause)
		__field(u32, eptp_changed)
		__field(u64, vmcs12)
	),
	TP_fast_assign(
		__entry->vm_pid = vm_pid;
		__entry->vcpu = vcpu;
		__entry->level = level;
		__entry->direction = direction;
		__entry->reason = reason;
		__entry->vpid12 = vpid12;
		__entry->vpid02 = vpid02;
		__entry->cause = cause;
		__entry->eptp_changed = eptp_changed;
		__entry->vmcs12 = vmcs12;
	),
	TP_printk("pid %u vcpu %u L%u %s reason 0x%x vpid12 %u vpid02 %u flush %s eptp_changed %u vmcs12 0x%llx",
		  __entry->vm_pid, __entry->vcpu, __entry->level,
		  __print_symbolic(__entry->direction, NVX_DIRECTION_NAMES), __entry->reason,
		  __entry->vpid12, __entry->vpid02,
		  __print_symbolic(__entry->cause, NVX_CAUSE_NAMES), __entry->eptp_changed,
		  __entry->vmcs12)
);

/* A flush that reached the hardware. */
TRACE_EVENT(nvx_tlb_flush,
	TP_PROTO(u32 vm_pid, u32 vcpu, u32 level, u32 kind, u32 cause, u32 vpid, u64 address),
	TP_ARGS(vm_pid, vcpu, level, kind, cause, vpid, address),

	TP_STRUCT__entry(
		__field(u32, vm_pid)
		__field(u32, vcpu)
		__field(u32, level)
		__field(u32, kind)
		__field(u32, cause)
		__field(u32, vpid)
		__field(u64, address)
	),
	TP_fast_assign(
		__entry->vm_pid = vm_pid;
		__entry->vcpu = vcpu;
		__entry->level = level;
		__entry->kind = kind;
		__entry->cause = cause;
		__entry->vpid = vpid;
		__entry->address = address;
	),
	TP_printk("pid %u vcpu %u L%u %s cause %s vpid %u address 0x%llx",
		  __entry->vm_pid, __entry->vcpu, __entry->level,
		  __print_symbolic(__entry->kind, NVX_FLUSH_NAMES),
		  __print_symbolic(__entry->cause, NVX_CAUSE_NAMES), __entry->vpid,
		  __entry->address)
);

/* An INVVPID of L1 that succeeded. */
TRACE_EVENT(nvx_invvpid,
	TP_PROTO(u32 vm_pid, u32 vcpu, u32 level, u32 type, u32 vpid12, u64 address, u32 hits,
		 u32 deferred),
	TP_ARGS(vm_pid, vcpu, level, type, vpid12, address, hits, deferred),

	TP_STRUCT__entry(
		__field(u32, vm_pid)
		__field(u32, vcpu)
		__field(u32, level)
		__field(u32, type)
		__field(u32, vpid12)
		__field(u64, address)
		__field(u32, hits)
		__field(u32, deferred)
	),
	TP_fast_assign(
		__entry->vm_pid = vm_pid;
		__entry->vcpu = vcpu;
		__entry->level = level;
		__entry->type = type;
		__entry->vpid12 = vpid12;
		__entry->address = address;
		__entry->hits = hits;
		__entry->deferred = deferred;
	),
	TP_printk("pid %u vcpu %u L%u type %u vpid12 %u address 0x%llx hits %u deferred %u",
		  __entry->vm_pid, __entry->vcpu, __entry->level, __entry->type, __entry->vpid12,
		  __entry->address, __entry->hits, __entry->deferred)
);

/* The MSR bitmap of vmcs02 at a switch to L2. */
TRACE_EVENT(nvx_msr_bitmap,
	TP_PROTO(u32 vm_pid, u32 vcpu, u32 level, u32 used, u32 recalculated, u32 skipped,
		 u32 reads, u32 writes),
	TP_ARGS(vm_pid, vcpu, level, used, recalculated, skipped, reads, writes),

	TP_STRUCT__entry(
		__field(u32, vm_pid)
		__field(u32, vcpu)
		__field(u32, level)
		__field(u32, used)
		__field(u32, recalculated)
		__field(u32, skipped)
		__field(u32, reads)
		__field(u32, writes)
	),
	TP_fast_assign(
		__entry->vm_pid = vm_pid;
		__entry->vcpu = vcpu;
		__entry->level = level;
		__entry->used = used;
		__entry->recalculated = recalculated;
		__entry->skipped = skipped;
		__entry->reads = reads;
		__entry->writes = writes;
	),
	TP_printk("pid %u vcpu %u L%u used %u recalculated %u skipped %u pass-through reads %u writes %u",
		  __entry->vm_pid, __entry->vcpu, __entry->level, __entry->used,
		  __entry->recalculated, __entry->skipped, __entry->reads, __entry->writes)
);

/* APICv of a vCPU went on or off. */
TRACE_EVENT(nvx_apicv,
	TP_PROTO(u32 vm_pid, u32 vcpu, u32 level, u32 active, u64 inhibits),
	TP_ARGS(vm_pid, vcpu, level, active, inhibits),

	TP_STRUCT__entry(
		__field(u32, vm_pid)
		__field(u32, vcpu)
		__field(u32, level)
		__field(u32, active)
		__field(u64, inhibits)
	),
	TP_fast_assign(
		__entry->vm_pid = vm_pid;
		__entry->vcpu = vcpu;
		__entry->level = level;
		__entry->active = active;
		__entry->inhibits = inhibits;
	),
	TP_printk("pid %u vcpu %u L%u active %u inhibits 0x%llx",
		  __entry->vm_pid, __entry->vcpu, __entry->level, __entry->active,
		  __entry->inhibits)
);

/* L2's posted-interrupt descriptor: notification, or merge in software. */
TRACE_EVENT(nvx_posted_intr,
	TP_PROTO(u32 vm_pid, u32 vcpu, u32 level, u32 how, u32 vector, u32 vectors, s32 rvi),
	TP_ARGS(vm_pid, vcpu, level, how, vector, vectors, rvi),

	TP_STRUCT__entry(
		__field(u32, vm_pid)
		__field(u32, vcpu)
		__field(u32, level)
		__field(u32, how)
		__field(u32, vector)
		__field(u32, vectors)
		__field(s32, rvi)
	),
	TP_fast_assign(
		__entry->vm_pid = vm_pid;
		__entry->vcpu = vcpu;
		__entry->level = level;
		__entry->how = how;
		__entry->vector = vector;
		__entry->vectors = vectors;
		__entry->rvi = rvi;
	),
	TP_printk("pid %u vcpu %u L%u %s vector %u vectors %u rvi %d",
		  __entry->vm_pid, __entry->vcpu, __entry->level,
		  __print_symbolic(__entry->how, NVX_PI_NAMES), __entry->vector, __entry->vectors,
		  __entry->rvi)
);

/* A copy between the enlightened VMCS and vmcs12: clean-field groups, and fields. */
TRACE_EVENT(nvx_evmcs,
	TP_PROTO(u32 vm_pid, u32 vcpu, u32 level, u32 direction, u32 clean, u32 copied,
		 u32 skipped, u32 groups, u32 fields, u32 fields_skipped, u32 reason),
	TP_ARGS(vm_pid, vcpu, level, direction, clean, copied, skipped, groups, fields,
		fields_skipped, reason),

	TP_STRUCT__entry(
		__field(u32, vm_pid)
		__field(u32, vcpu)
		__field(u32, level)
		__field(u32, direction)
		__field(u32, clean)
		__field(u32, copied)
		__field(u32, skipped)
		__field(u32, groups)
		__field(u32, fields)
		__field(u32, fields_skipped)
		__field(u32, reason)
	),
	TP_fast_assign(
		__entry->vm_pid = vm_pid;
		__entry->vcpu = vcpu;
		__entry->level = level;
		__entry->direction = direction;
		__entry->clean = clean;
		__entry->copied = copied;
		__entry->skipped = skipped;
		__entry->groups = groups;
		__entry->fields = fields;
		__entry->fields_skipped = fields_skipped;
		__entry->reason = reason;
	),
	TP_printk("pid %u vcpu %u L%u %s %s clean 0x%x copied %u skipped %u groups 0x%x fields %u skipped %u",
		  __entry->vm_pid, __entry->vcpu, __entry->level,
		  __print_symbolic(__entry->direction, NVX_EVMCS_NAMES),
		  __print_symbolic(__entry->reason, NVX_EVMCS_REASON_NAMES), __entry->clean,
		  __entry->copied, __entry->skipped, __entry->groups, __entry->fields,
		  __entry->fields_skipped)
);

/* KVM_HC_SEND_IPI, every destination accounted for. */
TRACE_EVENT(nvx_pv_ipi,
	TP_PROTO(u32 vm_pid, u32 vcpu, u32 level, u32 vector, u32 mode, u32 asked, u32 delivered,
		 u32 absent, s32 error),
	TP_ARGS(vm_pid, vcpu, level, vector, mode, asked, delivered, absent, error),

	TP_STRUCT__entry(
		__field(u32, vm_pid)
		__field(u32, vcpu)
		__field(u32, level)
		__field(u32, vector)
		__field(u32, mode)
		__field(u32, asked)
		__field(u32, delivered)
		__field(u32, absent)
		__field(s32, error)
	),
	TP_fast_assign(
		__entry->vm_pid = vm_pid;
		__entry->vcpu = vcpu;
		__entry->level = level;
		__entry->vector = vector;
		__entry->mode = mode;
		__entry->asked = asked;
		__entry->delivered = delivered;
		__entry->absent = absent;
		__entry->error = error;
	),
	TP_printk("pid %u vcpu %u L%u vector %u mode %u asked %u delivered %u absent %u error %d",
		  __entry->vm_pid, __entry->vcpu, __entry->level, __entry->vector, __entry->mode,
		  __entry->asked, __entry->delivered, __entry->absent, __entry->error)
);

/* An IPI that L0 emulates. */
TRACE_EVENT(nvx_ipi,
	TP_PROTO(u32 vm_pid, u32 vcpu, u32 level, u32 path, u32 vector, u32 mode, u32 dest_mode,
		 u32 shorthand, u32 destinations, u32 fastpath),
	TP_ARGS(vm_pid, vcpu, level, path, vector, mode, dest_mode, shorthand, destinations,
		fastpath),

	TP_STRUCT__entry(
		__field(u32, vm_pid)
		__field(u32, vcpu)
		__field(u32, level)
		__field(u32, path)
		__field(u32, vector)
		__field(u32, mode)
		__field(u32, dest_mode)
		__field(u32, shorthand)
		__field(u32, destinations)
		__field(u32, fastpath)
	),
	TP_fast_assign(
		__entry->vm_pid = vm_pid;
		__entry->vcpu = vcpu;
		__entry->level = level;
		__entry->path = path;
		__entry->vector = vector;
		__entry->mode = mode;
		__entry->dest_mode = dest_mode;
		__entry->shorthand = shorthand;
		__entry->destinations = destinations;
		__entry->fastpath = fastpath;
	),
	TP_printk("pid %u vcpu %u L%u %s vector %u mode %u %s shorthand %s destinations %u fastpath %u",
		  __entry->vm_pid, __entry->vcpu, __entry->level,
		  __print_symbolic(__entry->path, NVX_IPI_PATH_NAMES), __entry->vector,
		  __entry->mode, __entry->dest_mode == NVX_DEST_LOGICAL ? "logical" : "physical",
		  __print_symbolic(__entry->shorthand, NVX_SHORTHAND_NAMES), __entry->destinations,
		  __entry->fastpath)
);

#endif

/* The Kbuild file puts the directory of this header into the search path. */
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE nvx_trace
#include <trace/define_trace.h>
