// SPDX-License-Identifier: GPL-2.0-only
// vmx/vmx.c
@include@ @@
  #include "vmx.h"
+ #include "nvx_vmx.h"

// hardware_setup() in 6.1, vmx_hardware_setup() in 6.12
@setup@ identifier f = {hardware_setup, vmx_hardware_setup}; @@
  f(void)
  {
+ NVX_HOOK(nvx_vmx_setup());
  ...
  }

@unsetup@ @@
  vmx_hardware_unsetup(void)
  {
+ NVX_HOOK(nvx_vmx_unsetup());
  ...
  }

@exit@ expression V; @@
  trace_kvm_exit(V, KVM_ISA_VMX);
+ nvx_vmx_exited(V);

@flush_all@ identifier v; @@
  vmx_flush_tlb_all(struct kvm_vcpu *v)
  {
+ NVX_HOOK(nvx_flushing(v, NVX_FLUSH_ALL, 0));
  ...
  }

@flush_current@ identifier v; @@
  vmx_flush_tlb_current(struct kvm_vcpu *v)
  {
+ NVX_HOOK(nvx_flushing(v, NVX_FLUSH_CURRENT, 0));
  ...
  }

@flush_gva@ identifier v, a; @@
  vmx_flush_tlb_gva(struct kvm_vcpu *v, gva_t a)
  {
+ NVX_HOOK(nvx_flushing(v, NVX_FLUSH_GVA, a));
  ...
  }

@flush_guest@ identifier v; @@
  vmx_flush_tlb_guest(struct kvm_vcpu *v)
  {
+ NVX_HOOK(nvx_flushing(v, NVX_FLUSH_GUEST, 0));
  ...
  }

@migrated@ expression V; @@
+ nvx_flush_asked(V, NVX_FLUSH_ALL, NVX_CAUSE_MIGRATED);
  kvm_make_request(KVM_REQ_TLB_FLUSH, V);

@apic_mode@ identifier v; @@
  vmx_set_virtual_apic_mode(struct kvm_vcpu *v)
  {
  <+...
+ nvx_flush_asked(v, NVX_FLUSH_CURRENT, NVX_CAUSE_APIC);
  kvm_make_request(KVM_REQ_TLB_FLUSH_CURRENT, v);
  ...+>
  }

// 6.12 has no such call any more
@apic_page@ identifier v; @@
  vmx_set_apic_access_page_addr(struct kvm_vcpu *v)
  {
  <+...
+ nvx_flush_asked(v, NVX_FLUSH_CURRENT, NVX_CAUSE_APIC);
  vmx_flush_tlb_current(v);
  ...+>
  }

@deliver_pi@ expression V, E; @@
- vmx_deliver_nested_posted_interrupt(V, E)
+ nvx_deliver_pi(V, E, vmx_deliver_nested_posted_interrupt)
