#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# labs: vmx-nvx svm-icount
# timeout: 200
# The tracepoints of the feature module against those of stock KVM, counted in the same runs
# by the kernel's own histograms.  On SVM the module's kvm.ko carries the distribution's
# kvm-amd.ko; afterwards the stock modules are back.
tracing=/sys/kernel/tracing/events
status=0

kvm_of()
{
	if [ "$LAB" = svm-icount ]; then
		rmmod kvm_amd kvm || exit
		if [ "$1" = ours ]; then
			modprobe irqbypass || exit
			insmod /lab/kmod/kvm.ko || exit
		fi
		modprobe kvm_amd nested=1 || exit
	fi
}

# hist EVENT KEYS
hist()
{
	echo "hist:keys=$2:size=2048" >"$tracing/$1/trigger" || status=1
	echo "$1 $2" >>/tmp/hists
}

# What the histograms hold goes to $OUT/NAME/EVENT; then they are gone.
collect()
{
	mkdir -p "$OUT/$1"
	while read -r event keys; do
		cat "$tracing/$event/hist" >"$OUT/$1/${event##*/}"
		echo "!hist:keys=$keys:size=2048" >"$tracing/$event/trigger"
	done </tmp/hists
	rm /tmp/hists
}

run()
{
	name=$1
	shift
	hist kvm/kvm_exit exit_reason
	hist kvm/kvm_nested_vmexit exit_reason
	hist kvm/kvm_nested_vmexit_inject exit_code
	hist kvm/kvm_nested_vmenter isa
	hist kvm/kvm_apic_ipi dest_id
	hist kvm/kvm_hypercall nr
	hist nvx/nvx_exit level,reason
	hist nvx/nvx_switch direction,reason,cause
	hist nvx/nvx_tlb_flush level,kind,cause
	hist nvx/nvx_invvpid type,hits,deferred
	hist nvx/nvx_msr_bitmap used,recalculated,skipped
	hist nvx/nvx_apicv active
	hist nvx/nvx_ipi path,shorthand,destinations
	hist nvx/nvx_pv_ipi asked,delivered,absent
	labvmm "$@" -o "$OUT/$name.json" 2>"$OUT/$name.err" || {
		echo "$name: labvmm failed"
		cat "$OUT/$name.err"
		status=1
	}
	collect "$name"
}

kvm_of ours
ls $tracing/nvx >"$OUT/events"
cut -d' ' -f1-3 /proc/modules | grep kvm >"$OUT/modules"
cat /sys/module/kvm_intel/parameters/* >/dev/null 2>&1 && cat /sys/module/kvm_intel/parameters/ept >"$OUT/ept"

run exits --l2 cpuid=10007,rdmsr:0x8b=101,out:0x80=53
run flat --nested-paging off --l2 cpuid=503
run ipis --guest icr:self=31,icr=17,selfipi=19,pvipi:1=7,hypercall:77=5
run xapic --guest xicr:self=11,xicr=3
run alternate --alternate 1 --l2 cpuid=53 --l2 cpuid=53
run novpid --vpid off --l2 cpuid=53
run smp -c 2 --l2 cpuid=53 --l2 out:0x80=41

# Every event once as text: the record's layout and the printed names.
trace=/sys/kernel/tracing
echo >$trace/trace
echo 1 >$tracing/nvx/enable
labvmm --l2 cpuid=3,icr:self=1 -o /dev/null
labvmm --guest pvipi:1=1,icr:self=1 -o /dev/null
echo 0 >$tracing/nvx/enable
grep nvx_ $trace/trace | head -n 2000 >"$OUT/text"
echo >$trace/trace
dmesg | grep -iE 'BUG|WARNING|Oops|RIP:' >"$OUT/splats"
kvm_of stock
exit $status
