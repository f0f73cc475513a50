// SPDX-License-Identifier: GPL-2.0-only
/* In kvm.ko: the tracepoints, and those events that common code can see for every vendor. */
#include <linux/kvm_host.h>
#include <linux/nospec.h>
#include "kvm_cache_regs.h"
#include "lapic.h"
#include "nvx_core.h"
#define CREATE_TRACE_POINTS
#include "nvx.h"

/* kvm-intel.ko fires these. */
EXPORT_TRACEPOINT_SYMBOL_GPL(nvx_exit);
EXPORT_TRACEPOINT_SYMBOL_GPL(nvx_switch);
EXPORT_TRACEPOINT_SYMBOL_GPL(nvx_tlb_flush);
EXPORT_TRACEPOINT_SYMBOL_GPL(nvx_invvpid);
EXPORT_TRACEPOINT_SYMBOL_GPL(nvx_msr_bitmap);
EXPORT_TRACEPOINT_SYMBOL_GPL(nvx_posted_intr);
EXPORT_TRACEPOINT_SYMBOL_GPL(nvx_evmcs);

unsigned long nvx_vcpu_offset;
EXPORT_SYMBOL_GPL(nvx_vcpu_offset);

static enum nvx_isa host_isa(void)
{
	return boot_cpu_has(X86_FEATURE_VMX) ? NVX_ISA_VMX : NVX_ISA_SVM;
}

/*
 * Called after every return of the vendor's vcpu_run().  kvm-intel tells whether that
 * was a VM exit: a failed VMLAUNCH or invalid guest state is none, and stock KVM traces
 * none.  In kvm-amd each one is.
 */
void nvx_trace_exit(struct kvm_vcpu *vcpu, u32 fastpath)
{
	struct nvx_vcpu *nv = nvx_vcpu(vcpu);
	u32 reason, intr_info, error_code;
	u64 info1, info2;

	if (nv) {
		if (!nv->exited)
			return;
		nv->exited = false;
	}
	static_call(kvm_x86_get_exit_info)(vcpu, &reason, &info1, &info2, &intr_info,
					   &error_code);
	trace_nvx_exit(vcpu->kvm->userspace_pid, vcpu->vcpu_id, nvx_level(vcpu), host_isa(),
		       reason, info1, info2, intr_info, kvm_rcx_read(vcpu), kvm_rax_read(vcpu),
		       fastpath, kvm_rdx_read(vcpu));
}

static u32 count_destinations(struct kvm_vcpu *vcpu, const struct nvx_icr *icr)
{
	int shorthand = icr->shorthand << 18;	/* APIC_DEST_* are the ICR's bits */
	int dest_mode = icr->dest_mode << 11;
	struct kvm_vcpu *to;
	unsigned long i;
	u32 n = 0;

	if (icr->shorthand == NVX_IPI_SELF)
		return 1;
	kvm_for_each_vcpu(i, to, vcpu->kvm)
		if (kvm_apic_present(to) &&
		    kvm_apic_match_dest(to, vcpu->arch.apic, shorthand, icr->dest, dest_mode))
			n++;
	return n;
}

void nvx_trace_ipi(struct kvm_vcpu *vcpu, u32 icr_low, u32 icr_high, bool x2apic)
{
	struct nvx_icr icr = nvx_icr_decode(icr_low, icr_high, x2apic);
	u32 reason, intr_info, error_code;
	enum nvx_ipi_path path;
	u64 info1, info2;

	static_call(kvm_x86_get_exit_info)(vcpu, &reason, &info1, &info2, &intr_info,
					   &error_code);
	path = nvx_ipi_path(host_isa(), reason, kvm_rcx_read(vcpu), x2apic);
	/* The fast paths are the only callers with interrupts off. */
	trace_nvx_ipi(vcpu->kvm->userspace_pid, vcpu->vcpu_id, nvx_level(vcpu), path, icr.vector,
		      icr.mode, icr.dest_mode, icr.shorthand, count_destinations(vcpu, &icr),
		      irqs_disabled());
}

/* Hyper-V sends fixed interrupts only (TLFS 10.5). */
void nvx_trace_hv_ipi(struct kvm_vcpu *vcpu, u32 vector, u32 destinations)
{
	trace_nvx_ipi(vcpu->kvm->userspace_pid, vcpu->vcpu_id, nvx_level(vcpu),
		      NVX_IPI_HV_HYPERCALL, vector, 0, NVX_DEST_LOGICAL, NVX_IPI_NO_SHORTHAND,
		      destinations, false);
}

void nvx_trace_apicv(struct kvm_vcpu *vcpu)
{
	trace_nvx_apicv(vcpu->kvm->userspace_pid, vcpu->vcpu_id, nvx_level(vcpu),
			vcpu->arch.apic->apicv_active,
			READ_ONCE(vcpu->kvm->arch.apicv_inhibit_reasons));
}

static u32 count_absent(const struct kvm_apic_map *map, unsigned long bits, u64 base)
{
	u32 n = 0;

	while (bits) {
		u64 id = base + __ffs(bits);

		bits &= bits - 1;
		if (id > map->max_apic_id) {
			n++;
			continue;
		}
		id = array_index_nospec(id, (u64)map->max_apic_id + 1);
		n += !map->phys_map[id];
	}
	return n;
}

void nvx_trace_pv_ipi(struct kvm_vcpu *vcpu, unsigned long low, unsigned long high, u32 min,
		      unsigned long icr, bool long_mode, int sent)
{
	struct nvx_icr i = nvx_icr_decode(icr, 0, true);
	u32 asked = hweight_long(low) + hweight_long(high);
	const struct kvm_apic_map *map;
	u32 absent = 0;

	rcu_read_lock();
	map = rcu_dereference(vcpu->kvm->arch.apic_map);
	if (map && sent >= 0)
		absent = count_absent(map, low, min) +
			 count_absent(map, high, (u64)min + (long_mode ? 64 : 32));
	rcu_read_unlock();
	trace_nvx_pv_ipi(vcpu->kvm->userspace_pid, vcpu->vcpu_id, nvx_level(vcpu), i.vector,
			 i.mode, asked, max(sent, 0), absent, min(sent, 0));
}
