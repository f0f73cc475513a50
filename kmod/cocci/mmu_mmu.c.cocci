// SPDX-License-Identifier: GPL-2.0-only
// mmu/mmu.c
@include@ @@
  #include "x86.h"
+ #include "nvx.h"

// the flush is the last thing that kvm_mmu_load() does
@load@ identifier v; @@
  kvm_mmu_load(struct kvm_vcpu *v)
  {
  <+...
  kvm_mmu_load_pgd(v);
+ nvx_flush_asked(v, NVX_FLUSH_CURRENT, NVX_CAUSE_MMU_LOAD);
  ...+>
  }

@new_pgd@ identifier v, p; @@
  kvm_mmu_new_pgd(struct kvm_vcpu *v, gpa_t p)
  {
  <+...
+ nvx_flush_asked(v, NVX_FLUSH_CURRENT, NVX_CAUSE_NEW_PGD);
  kvm_make_request(KVM_REQ_TLB_FLUSH_CURRENT, v);
  ...+>
  }

@unload@ identifier v; @@
  kvm_mmu_unload(struct kvm_vcpu *v)
  {
+ NVX_HOOK(nvx_free_kept(v));
  ...
  }

@obsolete@ identifier v; @@
  kvm_mmu_free_obsolete_roots(struct kvm_vcpu *v)
  {
+ NVX_HOOK(nvx_free_obsolete(v, __kvm_mmu_free_obsolete_roots));
  ...
  }
