// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <linux/kvm_para.h>
#include <stdio.h>
#include <string.h>

#include "model/reason.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define KVM_HC(c)                                                                                  \
	{                                                                                          \
		c, #c                                                                              \
	}

struct hypercall {
	uint64_t nr;
	const char *name;
};

static const struct hypercall kvm_calls[] = {
	KVM_HC(KVM_HC_VAPIC_POLL_IRQ), KVM_HC(KVM_HC_MMU_OP),	     KVM_HC(KVM_HC_FEATURES),
	KVM_HC(KVM_HC_KICK_CPU),       KVM_HC(KVM_HC_CLOCK_PAIRING), KVM_HC(KVM_HC_SEND_IPI),
	KVM_HC(KVM_HC_SCHED_YIELD),    KVM_HC(KVM_HC_MAP_GPA_RANGE),
};

/* TLFS appendix A; no uapi header of Linux has them. */
static const struct hypercall hyperv_calls[] = {
	{0x0001, "HvCallSwitchVirtualAddressSpace"},
	{0x0002, "HvCallFlushVirtualAddressSpace"},
	{0x0003, "HvCallFlushVirtualAddressList"},
	{0x0004, "HvCallGetLogicalProcessorRunTime"},
	{0x0008, "HvCallNotifyLongSpinWait"},
	{0x000b, "HvCallSendSyntheticClusterIpi"},
	{0x000c, "HvCallModifyVtlProtectionMask"},
	{0x000d, "HvCallEnablePartitionVtl"},
	{0x000e, "HvCallDisablePartitionVtl"},
	{0x000f, "HvCallEnableVpVtl"},
	{0x0010, "HvCallDisableVpVtl"},
	{0x0011, "HvCallVtlCall"},
	{0x0012, "HvCallVtlReturn"},
	{0x0013, "HvCallFlushVirtualAddressSpaceEx"},
	{0x0014, "HvCallFlushVirtualAddressListEx"},
	{0x0015, "HvCallSendSyntheticClusterIpiEx"},
	{0x0046, "HvCallGetPartitionId"},
	{0x0050, "HvCallGetVpRegisters"},
	{0x0051, "HvCallSetVpRegisters"},
	{0x0052, "HvCallTranslateVirtualAddress"},
	{0x005c, "HvCallPostMessage"},
	{0x005d, "HvCallSignalEvent"},
	{0x0069, "HvCallPostDebugData"},
	{0x006a, "HvCallRetrieveDebugData"},
	{0x006b, "HvCallResetDebugSession"},
	{0x007c, "HvCallMapDeviceInterrupt"},
	{0x007d, "HvCallUnmapDeviceInterrupt"},
	{0x007e, "HvCallRetargetDeviceInterrupt"},
	{0x0099, "HvCallStartVirtualProcessor"},
	{0x009a, "HvCallGetVpIndexFromApicId"},
	{0x00af, "HvCallFlushGuestPhysicalAddressSpace"},
	{0x00b0, "HvCallFlushGuestPhysicalAddressList"},
	{0x8001, "HvExtCallQueryCapabilities"},
};

static const char *find(const struct hypercall *calls, size_t nr_calls, uint64_t nr)
{
	for (size_t i = 0; i < nr_calls; i++)
		if (calls[i].nr == nr)
			return calls[i].name;
	return NULL;
}

const char *nvx_hypercall__name(enum nvx_hypercall_abi abi, uint64_t nr, char *buf, size_t size)
{
	const char *name = NULL;

	if (abi == NVX_HYPERCALL_KVM) {
		name = find(kvm_calls, ARRAY_SIZE(kvm_calls), nr);
		if (name)
			return name + strlen("KVM_HC_");
	} else if (abi == NVX_HYPERCALL_HYPERV) {
		/* TLFS 3.7: the call code is bits 15:0 of the input value. */
		name = find(hyperv_calls, ARRAY_SIZE(hyperv_calls), nr & 0xffff);
		if (name)
			return name;
		nr &= 0xffff;
	}
	snprintf(buf, size, "0x%" PRIx64, nr);
	return buf;
}
