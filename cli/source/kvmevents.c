// SPDX-License-Identifier: GPL-2.0-only
#include "source/kvmevents.h"

#include <string.h>

#define KVM(name, type, ...) { "kvm", name, type, { __VA_ARGS__ } }

const struct nvx_known_event nvx_known_event[NVX_KNOWN_EVENTS] = {
	KVM("kvm_exit", NVX_EV_EXIT, "info1", "info2", "exit_reason", "isa", "vcpu_id"),
	KVM("kvm_entry", NVX_EV_ENTRY, NULL, NULL, NULL, NULL, "vcpu_id"),
	KVM("kvm_nested_vmenter", NVX_EV_NESTED_ENTER, "vmcb"),
	KVM("kvm_nested_vmrun", NVX_EV_NESTED_ENTER, "vmcb"),
	KVM("kvm_nested_vmenter_failed", NVX_EV_NESTED_FAILED, NULL),
	KVM("kvm_nested_vmexit", NVX_EV_NESTED_EXIT, NULL),
	KVM("kvm_nested_vmexit_inject", NVX_EV_INJECT, "exit_int_info", NULL, "exit_code", "isa"),
	KVM("kvm_msr", NVX_EV_MSR, "ecx", "data", "write"),
	KVM("kvm_hypercall", NVX_EV_HYPERCALL, "nr"),
	KVM("kvm_mmio", NVX_EV_MMIO, "gpa"),
	KVM("kvm_fast_mmio", NVX_EV_MMIO, "fast_mmio_gpa"),
	KVM("kvm_page_fault", NVX_EV_PAGE_FAULT, "fault_address"),
	KVM("kvm_apic", NVX_EV_APIC_WRITE, "reg", "val", "rw"),
	KVM("kvm_userspace_exit", NVX_EV_USERSPACE, NULL),
	KVM("kvm_vcpu_wakeup", NVX_EV_WAKEUP, "ns", "waited"),
	{ "sched", "sched_process_exit", NVX_EV_THREAD_END, { "pid" } },
};

int nvx_known_event__find(const char *name)
{
	for (int i = 0; i < NVX_KNOWN_EVENTS; i++)
		if (!strcmp(nvx_known_event[i].name, name))
			return i;
	return -1;
}
