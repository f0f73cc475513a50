#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# labs: svm-icount
# timeout: 200
# What stock KVM's own events say about payloads without a timer, line by line, for 43-kmod-svm.py
# to compare: on the stock modules, and with the distribution's kvm-amd.ko on our kvm.ko.
trace=/sys/kernel/tracing
events="kvm_exit kvm_nested_vmenter kvm_nested_vmexit kvm_nested_vmexit_inject kvm_msr kvm_cpuid
kvm_pio kvm_apic kvm_apic_ipi kvm_hypercall kvm_mmio kvm_inj_virq kvm_apic_accept_irq kvm_eoi"
status=0

# Exits of L0 itself come when they want: its timer's, and those of pages touched first.
lines()
{
	grep -vE '^kvm_(exit|nested_vmexit):.* interrupt ' "$1"
}

record()
{
	dir=$OUT/$1
	mkdir -p "$dir"
	for event in $events; do
		echo 1 >$trace/events/kvm/"$event"/enable || status=1
	done
	while read -r name words; do
		echo >$trace/trace
		# shellcheck disable=SC2086
		labvmm $words -o /dev/null || status=1
		cat $trace/trace >/tmp/lines
		lines /tmp/lines | grep '^kvm_' >"$dir/$name"
		cat $trace/per_cpu/cpu*/stats | grep -E 'overrun|dropped' >"$dir/$name.stats"
	done <<-RUNS
		guest --guest cpuid=53,rdmsr:0x8b=29,icr=17,icr:self=11,out:0x80=13,mmio:0xd0000000=7,hypercall:77=5,pvipi:1=3
		nested --l2 cpuid=101,rdmsr:0x8b=29,icr=17,out:0x80=13,hypercall:77=5
		flat --nested-paging off --l2 cpuid=53,rdmsr:0x8b=11
		alternate --alternate 1 --l2 cpuid=23 --l2 cpuid=23
		handled --no-reflect rdmsr,out,in --l2 cpuid=11,rdmsr:0x8b=29,out:0x80=13,in:0x61=7
		synth --synth 7 --l2 cpuid=23
	RUNS
	for event in $events; do
		echo 0 >$trace/events/kvm/"$event"/enable
	done
}

echo nop >$trace/current_tracer
echo 0 >$trace/options/context-info
echo 20000 >$trace/buffer_size_kb
record stock
rmmod kvm_amd kvm || exit
if ! modprobe irqbypass || ! insmod /lab/kmod/kvm.ko || ! modprobe kvm_amd nested=1; then
	exit 1
fi
record ours
rmmod kvm_amd kvm || status=1
modprobe kvm_amd nested=1 || status=1
echo 1408 >$trace/buffer_size_kb
echo 1 >$trace/options/context-info
echo >$trace/trace
exit $status
