#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# labs: svm-linux
# timeout: 180
# A Linux as L1 with an L2 of exact numbers; the kernel's own event histograms
# are the witness, independent of nvx.
events=/sys/kernel/tracing/events/kvm
hist()
{
	echo "$3hist:keys=$2:size=2048" >"$events/$1/trigger" || exit 1
}
hist kvm_nested_vmexit exit_reason ''
hist kvm_nested_vmexit_inject exit_code ''
l1-linux - >"$OUT/console" <<'SCRIPT'
echo "@cpus $(nproc)"
echo "@nested $(cat /sys/module/kvm_amd/parameters/nested)"
labvmm --guest cpuid=503,out:0x80=101 -o /tmp/guest.json
echo "@labvmm $?"
echo "@json $(tr -d '\n' </tmp/guest.json)"
exit 3
SCRIPT
echo $? >"$OUT/l1-rc"
cat "$events/kvm_nested_vmexit/hist" >"$OUT/nested_vmexit"
cat "$events/kvm_nested_vmexit_inject/hist" >"$OUT/nested_vmexit_inject"
hist kvm_nested_vmexit exit_reason '!'
hist kvm_nested_vmexit_inject exit_code '!'
