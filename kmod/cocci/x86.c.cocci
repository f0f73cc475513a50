// SPDX-License-Identifier: GPL-2.0-only
// x86.c
@include@ @@
  #include "x86.h"
+ #include "nvx.h"
+ #include "nvx_ctl.h"

@exit@ identifier v; expression F; statement S; @@
  vcpu_enter_guest(struct kvm_vcpu *v)
  {
  <+...
+ nvx_exited(v, F);
  if (likely(F != EXIT_FASTPATH_REENTER_GUEST)) S
  ...+>
  }

// kvm_vcpu_update_apicv() in 6.1, __kvm_vcpu_update_apicv() in 6.12
@apicv@ expression V; @@
  kvm_apic_update_apicv(V);
+ nvx_apicv(V);

@pv_ipi@ expression V, A, B, C, D, E; @@
- kvm_pv_send_ipi(V->kvm, A, B, C, D, E)
+ nvx_pv_ipi(V, A, B, C, D, E, kvm_pv_send_ipi)

@pv_flush@ expression V, F; @@
  trace_kvm_pv_tlb_flush(V->vcpu_id, F);
+ if (F)
+	nvx_flush_asked(V, NVX_FLUSH_GUEST, NVX_CAUSE_PV);

// 6.12 only
@hv_flush@ expression V; @@
- kvm_hv_vcpu_flush_tlb(V)
+ nvx_hv_flush(V, kvm_hv_vcpu_flush_tlb)

@init@ @@
  kvm_x86_init(void)
  {
+ NVX_HOOK(nvx_ctl_init());
  ...
  }

@exit_module@ @@
  kvm_x86_exit(void)
  {
+ NVX_HOOK(nvx_ctl_exit());
  ...
  }

@vm_add@ identifier k; @@
  kvm_arch_post_init_vm(struct kvm *k)
  {
+ NVX_HOOK(nvx_vm_add(k));
  ...
  }

@vm_remove@ identifier k; @@
  kvm_arch_destroy_vm(struct kvm *k)
  {
+ NVX_HOOK(nvx_vm_remove(k));
  ...
  }
