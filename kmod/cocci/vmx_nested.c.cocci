// SPDX-License-Identifier: GPL-2.0-only
// vmx/nested.c
@include@ @@
  #include "vmx.h"
+ #include "nvx_vmx.h"

@transition@ expression V, M, E; @@
- nested_vmx_transition_tlb_flush(V, M, E);
+ nvx_transition_tlb_flush(V, M, E, nested_has_guest_tlb_tag(V),
+			   nested_vmx_transition_tlb_flush);

@entered@ identifier v, b; @@
  nested_vmx_enter_non_root_mode(struct kvm_vcpu *v, bool b)
  {
  <+...
+ nvx_entered_l2(v, vmcs12, b);
  return NVMX_VMENTRY_SUCCESS;
  ...+>
  }

@left@ identifier v, r, i, q; expression M; @@
  nested_vmx_vmexit(struct kvm_vcpu *v, u32 r, u32 i, unsigned long q)
  {
  <+...
  load_vmcs12_host_state(v, M);
+ nvx_left_l2(v, M, r);
  ...+>
  }

// hardware refused vmcs02: L2 never ran, but the switch to it was shown
@refused@ identifier v, r, i, q; @@
  nested_vmx_vmexit(struct kvm_vcpu *v, u32 r, u32 i, unsigned long q)
  {
  <+...
  nested_vmx_restore_host_state(v);
+ nvx_left_l2(v, vmcs12, r);
  ...+>
  }

@invvpid_addr@ identifier v; expression I, A; @@
  handle_invvpid(struct kvm_vcpu *v)
  {
  <+...
- vpid_sync_vcpu_addr(I, A);
+ nvx_invvpid_addr(v, I, A, vpid_sync_vcpu_addr);
  ...+>
  }

@invvpid_context@ identifier v; expression I; @@
  handle_invvpid(struct kvm_vcpu *v)
  {
  <+...
- vpid_sync_context(I);
+ nvx_invvpid_context(v, I, vpid_sync_context);
  ...+>
  }

// 6.12 only
@invvpid_defer@ identifier v; expression X; @@
  handle_invvpid(struct kvm_vcpu *v)
  {
  <+...
- X->nested.last_vpid = 0;
+ nvx_invvpid_defer(v);
  ...+>
  }

@invvpid_done@ identifier v; @@
  handle_invvpid(struct kvm_vcpu *v)
  {
  <+...
+ nvx_invvpid_done(v, type, operand.vpid, operand.gla);
  return nested_vmx_succeed(v);
  ...+>
  }

@vmfunc@ identifier v, m; @@
  nested_vmx_eptp_switching(struct kvm_vcpu *v, struct vmcs12 *m)
  {
  <+...
+ nvx_flush_asked(v, NVX_FLUSH_GUEST, NVX_CAUSE_VMFUNC);
  kvm_make_request(KVM_REQ_TLB_FLUSH_GUEST, v);
  ...+>
  }

@msr_bitmap@ expression V, M; @@
- nested_vmx_prepare_msr_bitmap(V, M)
+ nvx_prepare_msr_bitmap(V, M, nested_vmx_prepare_msr_bitmap)

@msr_recalc@ identifier v, m; expression B; @@
  nested_vmx_prepare_msr_bitmap(struct kvm_vcpu *v, struct vmcs12 *m)
  {
  <+...
  enable_x2apic_msr_intercepts(B);
+ nvx_msr_recalculating(vmx);
  ...+>
  }

// before the general one: user space saves the nested state
@evmcs_save@ expression X; @@
- copy_enlightened_to_vmcs12(X, 0);
+ nvx_evmcs_save(X, copy_enlightened_to_vmcs12);

@evmcs_in@ expression X, C; @@
- copy_enlightened_to_vmcs12(X, C);
+ nvx_evmcs_to_vmcs12(X, C, copy_enlightened_to_vmcs12);

@evmcs_out@ expression X; @@
- copy_vmcs12_to_enlightened(X);
+ nvx_vmcs12_to_evmcs(X, copy_vmcs12_to_enlightened);

@evmcs_switch@ expression X, V; @@
+ nvx_evmcs_switch(V, evmcs_gpa);
  X->nested.current_vmptr = INVALID_GPA;
  nested_release_evmcs(V);

@evmcs_start@ expression X, E; @@
+ nvx_evmcs_start(vcpu, from_launch);
  X->nested.hv_evmcs->hv_clean_fields &= E;

@evmcs_clear@ identifier v; @@
  handle_vmclear(struct kvm_vcpu *v)
  {
  <+...
+ nvx_evmcs_cleared(v, vmptr);
  return nested_vmx_succeed(v);
  ...+>
  }

@evmcs_clean02@ identifier x, m; expression E, C; @@
  prepare_vmcs02_rare(struct vcpu_vmx *x, struct vmcs12 *m)
  {
  <+...
- E->hv_clean_fields & C
+ nvx_evmcs_clean(x, E->hv_clean_fields) & C
  ...+>
  }

@evmcs_clean_pdptrs@ expression E, C; @@
  load_guest_pdptrs_vmcs12 = <+...
- E->hv_clean_fields & C
+ nvx_evmcs_clean(vmx, E->hv_clean_fields) & C
  ...+>;

@evmcs_clean_bitmap@ identifier v, m; expression E, C; @@
  nested_vmx_prepare_msr_bitmap(struct kvm_vcpu *v, struct vmcs12 *m)
  {
  <+...
- E->hv_clean_fields & C
+ nvx_evmcs_clean(to_vmx(v), E->hv_clean_fields) & C
  ...+>
  }

@complete_pi@ expression V; @@
- vmx_complete_nested_posted_interrupt(V)
+ nvx_complete_pi(V, vmx_complete_nested_posted_interrupt)

@vmxon@ identifier v; expression X; @@
  enter_vmx_operation(struct kvm_vcpu *v)
  {
  <+...
  X->nested.vpid02 = allocate_vpid();
+ nvx_vmxon(v);
  ...+>
  }

@vmxoff@ identifier v; expression X; @@
  free_nested(struct kvm_vcpu *v)
  {
  <+...
+ nvx_vmxoff(v);
  free_vpid(X->nested.vpid02);
  ...+>
  }

@entering@ expression X, L, M; @@
+ nvx_entering_l2(vcpu, M);
  prepare_vmcs02_early(X, L, M);

@release@ identifier v; expression K, R; @@
  nested_release_vmcs12(struct kvm_vcpu *v)
  {
  <+...
- kvm_mmu_free_roots(K, R, KVM_MMU_ROOTS_ALL);
+ nvx_release_roots(v, kvm_mmu_free_roots);
  ...+>
  }

@new_eptp@ identifier v; @@
  nested_ept_new_eptp(struct kvm_vcpu *v)
  {
+ NVX_HOOK(nvx_new_eptp(v));
  ...
  }

@ept_violation@ identifier v, e, a; @@
  nested_ept_invalidate_addr(struct kvm_vcpu *v, gpa_t e, gpa_t a)
  {
+ NVX_HOOK(nvx_drop_roots(v, e));
  ...
  }

@invept@ identifier v; @@
  handle_invept(struct kvm_vcpu *v)
  {
  <+...
+ nvx_invept_done(v, type, operand.eptp);
  return nested_vmx_succeed(v);
  ...+>
  }
