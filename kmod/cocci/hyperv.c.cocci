// SPDX-License-Identifier: GPL-2.0-only
// hyperv.c; 6.12 has a request of its own for these flushes, see x86.c
@include@ @@
  #include "hyperv.h"
+ #include "nvx.h"

@flush_all@ expression K; @@
+ nvx_hv_flush_asked(K, NULL);
  kvm_make_all_cpus_request(K, KVM_REQ_TLB_FLUSH_GUEST);

@flush_mask@ expression K, M; @@
+ nvx_hv_flush_asked(K, M);
  kvm_make_vcpus_request_mask(K, KVM_REQ_TLB_FLUSH_GUEST, M);

// HVCALL_SEND_IPI of 6.1: a bitmap of vCPUs
@ipi_mask@ identifier v, h; expression K, N, M; @@
  kvm_hv_send_ipi(struct kvm_vcpu *v, struct kvm_hv_hcall *h)
  {
  <+...
  kvm_send_ipi_to_many(K, N, M);
+ nvx_hv_ipi_mask(v, N, M);
  ...+>
  }

// and of 6.12: banks of virtual processor indices
@ipi_banks@ identifier v, h; expression K, N, B, M; @@
  kvm_hv_send_ipi(struct kvm_vcpu *v, struct kvm_hv_hcall *h)
  {
  <+...
  kvm_hv_send_ipi_to_many(K, N, B, M);
+ nvx_hv_ipi_banks(v, N, B, M);
  ...+>
  }
