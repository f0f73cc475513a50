/* SPDX-License-Identifier: GPL-2.0-only */
/* The only home of kernel-version checks. */
#ifndef NVX_COMPAT_H
#define NVX_COMPAT_H
#include <linux/kconfig.h>
#include <linux/version.h>

/*
 * Clean-field groups that copy_enlightened_to_vmcs12() looks at.  6.1 ignores the
 * last one, ENLIGHTENMENTSCONTROL; the TLFS defines 16.  Hyper-V became optional in
 * KVM with 6.8 (b4f69df0f65e).
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#define NVX_EVMCS_GROUPS 0xffffu
#define NVX_HAVE_EVMCS IS_ENABLED(CONFIG_KVM_HYPERV)
#define NVX_HAVE_EVMCS_ENL NVX_HAVE_EVMCS
#else
#define NVX_EVMCS_GROUPS 0x7fffu
#define NVX_HAVE_EVMCS 1
#define NVX_HAVE_EVMCS_ENL 0
#endif

/*
 * Hyper-V's direct flush of L2s came with 6.2 (aee738236dca), and the hook that flushes by root
 * was renamed in 6.5 (8a1300ff9518).
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
#define nvx_hv_direct_flush(vcpu) guest_hv_cpuid_has_l2_tlb_flush(vcpu)
#define NVX_FLUSH_BY_ROOT flush_remote_tlbs
#else
#define nvx_hv_direct_flush(vcpu) ((void)(vcpu), false)
#define NVX_FLUSH_BY_ROOT tlb_remote_flush
#endif

#endif
