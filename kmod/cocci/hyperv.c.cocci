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
