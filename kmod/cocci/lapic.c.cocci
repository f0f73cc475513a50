// SPDX-License-Identifier: GPL-2.0-only
// lapic.c
@include@ @@
  #include "x86.h"
+ #include "nvx.h"

@ipi@ identifier a, l, h; @@
  kvm_apic_send_ipi(struct kvm_lapic *a, u32 l, u32 h)
  {
+ NVX_HOOK(nvx_ipi(a->vcpu, l, h, apic_x2apic_mode(a)));
  ...
  }
