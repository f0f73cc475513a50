#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# labs: vmx vmx-nvx
# timeout: 120
# Chains on VMX: L1s that do known things at each exit of their L2, with EPT and
# without, with shadow VMCS (as loaded) and without.  The kernel's own event
# histograms count the same runs, independent of nvx.  Without shadow VMCS a chain
# is four times as long: fewer of them.
events=/sys/kernel/tracing/events/kvm
mkdir -p /tmp/vmm
ln -sf "$(command -v labvmm)" /tmp/vmm/qemu-system-x86_64
cat >/tmp/vmm/chains <<'SCRIPT'
vm()
{
	name=$1
	shift
	/tmp/vmm/qemu-system-x86_64 -name "guest=$name" --l1 vmx "$@" -o "$DIR/$name.vmm" || exit
}
vm ept --l2 "cpuid=$MANY"
vm noept --nested-paging off --l2 cpuid=1009
vm ops --l2 cpuid=307,hypercall:5=101,out:0x80=53,rdmsr:0x8b=31
# GUEST_GDTR_BASE is no field that KVM shadows (vmcs_shadow_fields.h)
vm fields --per-exit "vmread:0x6816*2,vmwrite:0x6816" --l2 cpuid=503
SCRIPT

# hist EVENT KEY [!]: count the event by the key; !: stop
hist()
{
	echo "${3-}hist:keys=$2:size=2048" >"$events/$1/trigger" || exit 1
}

counted_run()
{
	export DIR="$OUT/$1" MANY="$2"
	mkdir "$DIR"
	hist kvm_exit exit_reason
	hist kvm_nested_vmexit exit_reason
	hist kvm_nested_vmexit_inject exit_code
	nvx stat --json -o "$DIR/stat.json" -- sh /tmp/vmm/chains || exit
	for event in kvm_exit kvm_nested_vmexit kvm_nested_vmexit_inject; do
		cat "$events/$event/hist" >"$DIR/$event"
	done
	hist kvm_exit exit_reason '!'
	hist kvm_nested_vmexit exit_reason '!'
	hist kvm_nested_vmexit_inject exit_code '!'
}

load-kvm enable_shadow_vmcs=0 || exit
counted_run noshadow 2003
# the last one leaves the module as the boot had it
load-kvm || exit
counted_run shadow 10007
cat /sys/module/kvm_intel/parameters/enable_shadow_vmcs >"$OUT/enable_shadow_vmcs"
