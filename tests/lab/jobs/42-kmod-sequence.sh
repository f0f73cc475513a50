#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# labs: vmx-nvx
# timeout: 120
# The same guests on the feature module, every switch at its default, and on the
# distribution's modules: the trace of KVM's events of each, for 42-kmod-sequence.py.
trace=/sys/kernel/tracing
events="kvm_exit kvm_entry kvm_msr kvm_hypercall kvm_pio kvm_mmio kvm_cpuid kvm_cr kvm_apic
	kvm_apic_ipi kvm_apic_accept_irq kvm_eoi kvm_inj_virq kvm_inj_exception kvm_page_fault
	kvm_userspace_exit kvm_emulate_insn kvm_nested_vmenter kvm_nested_vmenter_failed
	kvm_nested_vmexit kvm_nested_vmexit_inject kvm_nested_intr_vmexit"
ops=cpuid=31,rdmsr:0x8b=13,wrmsr:0x8b:0=11,icr=17,icr:self=7,selfipi=5,hypercall:77=19
ops=$ops,pvipi:1=3,in:0x61=11,out:0x80=13,mmio:0xd0000000=7,pause=5,touch:16=3

run()
{
	name=$1
	shift
	echo >$trace/trace
	echo 1 >$trace/tracing_on
	labvmm "$@" -o "$DIR/$name.json" || status=1
	echo 0 >$trace/tracing_on
	cat $trace/trace >"$DIR/$name.trace"
	cat $trace/per_cpu/cpu0/stats >"$DIR/$name.stats"
}

runs()
{
	DIR=$OUT/$1
	mkdir "$DIR"
	for event in $events; do
		echo 1 >"$trace/events/kvm/$event/enable" || status=1
	done
	run guest --guest "$ops"
	run ept --l2 "$ops"
	run noept --nested-paging off --l2 "$ops"
	run novpid --vpid off --alternate 1 --l2 cpuid=31 --l2 out:0x80=31
	run handled --no-reflect rdmsr,wrmsr,in,out,mmio,icr,selfipi --l2 "$ops"
	echo 0 >$trace/events/kvm/enable
}

status=0
echo 0 >$trace/tracing_on
echo 0 >$trace/options/context-info
echo 8000 >$trace/buffer_size_kb
grep -E '^kvm' /proc/modules | cut -d' ' -f1,2 >"$OUT/modules"
runs ours
rmmod kvm_intel kvm && LAB_MODULES=stock load-kvm || exit
grep -E '^kvm' /proc/modules | cut -d' ' -f1,2 >>"$OUT/modules"
runs stock
rmmod kvm_intel kvm && load-kvm || exit
echo 1 >$trace/options/context-info
exit $status
