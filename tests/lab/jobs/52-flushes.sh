#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# TLB flushes and how many each switch brings, on stock KVM. The witness is a kprobe on
# each function that flushes, in a trace buffer of its own beside the switches.
# labs: svm-linux vmx
# timeout: 240
tracing=/sys/kernel/tracing
w=$tracing/instances/flushes
mkdir -p /tmp/vmm $w
ln -sf "$(command -v labvmm)" /tmp/vmm/qemu-system-x86_64
case $LAB in
svm*) flushes="svm_flush_tlb_asid svm_flush_tlb_gva" ;;
*) flushes="vmx_flush_tlb_all vmx_flush_tlb_current vmx_flush_tlb_guest vmx_flush_tlb_gva" ;;
esac
cat >/tmp/vmm/flushes <<'SCRIPT'
# All at once; --hold: nvx looks for the names of new VMs 20 times a second.
vm()
{
	name=$1
	shift
	/tmp/vmm/qemu-system-x86_64 -name "guest=$name" --hold 1 "$@" -o "$OUT/$name.vmm" &
	pids="$pids $!"
}
vm one --l2 cpuid=59
vm alternate --alternate 1 --l2 cpuid=29 --l2 cpuid=29
vm shadow --nested-paging off --l2 cpuid=59
case $LAB in
svm*)
	vm smp -c 2 --alternate 3 --synth 11 --l2 cpuid=101 --l2 cpuid=103,out:0x80=13
	vm guest --guest cpuid=53
	;;
*)
	vm novpid --vpid off --l2 cpuid=59
	;;
esac
for pid in $pids; do
	wait "$pid" || exit
done
SCRIPT

for f in $flushes; do
	echo "p:flushes/$f $f" >>$tracing/kprobe_events || exit
done
echo 8192 >$w/buffer_size_kb
echo global >$w/trace_clock
for e in kvm/kvm_exit kvm/kvm_entry kvm/kvm_nested_vmenter kvm/kvm_nested_vmexit_inject flushes; do
	echo 1 >"$w/events/$e/enable" || exit
done
nvx stat --json -o "$OUT/stat.json" -- sh /tmp/vmm/flushes
rc=$?
echo 0 >$w/tracing_on
# the fields of the events do not matter, and they are most of the text
sed 's/\(: [a-z0-9_]*:\).*/\1/' $w/trace >"$OUT/trace"
cat $w/per_cpu/cpu*/stats >"$OUT/trace-stats"
echo 0 >$w/events/enable
rmdir $w
echo >$tracing/kprobe_events
exit $rc
