#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# labs: vmx-linux
# timeout: 150
# A Linux as L1, its KVM running an L2 of exact numbers, counted from outside.
# The kernel's own event histograms count the same run, independent of nvx.
events=/sys/kernel/tracing/events/kvm
# hist EVENT KEY [!]: count the event by the key; !: stop
hist()
{
	echo "${3-}hist:keys=$2:size=2048" >"$events/$1/trigger" || exit 1
}
hist kvm_exit exit_reason
hist kvm_nested_vmexit exit_reason
hist kvm_nested_vmexit_inject exit_code
# L1 cannot verify what signs its modules either, and its boot is as slow as L0's.
words="initcall_blacklist=load_system_certificate_list,init_blk_tracer,jent_mod_init"
nvx stat --json -o "$OUT/stat.json" -- l1-linux -n linux -a "$words" - >"$OUT/console" <<'SCRIPT'
echo "@nested $(cat /sys/module/kvm_intel/parameters/nested)"
labvmm --guest cpuid=1009,out:0x80=101,rdmsr:0x8b=53,hypercall:5=31 -o /tmp/guest.json
echo "@labvmm $?"
echo "@json $(tr -d '\n' </tmp/guest.json)"
SCRIPT
rc=$?
for event in kvm_exit kvm_nested_vmexit kvm_nested_vmexit_inject; do
	cat "$events/$event/hist" >"$OUT/$event"
done
hist kvm_exit exit_reason '!'
hist kvm_nested_vmexit exit_reason '!'
hist kvm_nested_vmexit_inject exit_code '!'
exit $rc
