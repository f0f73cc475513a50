// SPDX-License-Identifier: GPL-2.0-only
// vmx/vmx.h
@include@ @@
  #include "vmcs.h"
+ #include "nvx_types.h"

@member@ @@
  struct nested_vmx {
  ...
  u16 last_vpid;
+ struct nvx_vcpu nvx;
  ...
  };
