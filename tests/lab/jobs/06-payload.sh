#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# labs: svm-icount vmx vmx-nvx
# timeout: 150
# The payloads themselves, without nvx: the kernel's own trace of each run, for
# 06-payload.py to compare with what the payload says that it did.
trace=/sys/kernel/tracing

run()
{
	name=$1
	shift
	echo >$trace/trace
	echo 1 >$trace/tracing_on
	labvmm "$@" -o "$OUT/$name.json" 2>"$OUT/$name.err"
	rc=$?
	echo 0 >$trace/tracing_on
	# No time, no registers: Bochs is slow with text.
	cut -c 1-60 $trace/trace >"$OUT/$name.trace"
	cat $trace/per_cpu/cpu*/stats >"$OUT/$name.stats"
	echo $rc >"$OUT/$name.rc"
	if [ $rc -ne 0 ]; then
		cat "$OUT/$name.err"
		status=1
	fi
}

status=0
echo nop >$trace/current_tracer
echo 0 >$trace/options/context-info
echo 20000 >$trace/buffer_size_kb
for event in kvm_exit kvm_nested_vmexit_inject kvm_nested_intr_vmexit kvm_nested_vmenter; do
	echo 1 >$trace/events/kvm/$event/enable
done
cat /sys/module/kvm_intel/parameters/enable_shadow_vmcs >"$OUT/shadow" 2>/dev/null

ipis=icr=31,icr:self=17,selfipi=19
ops=cpuid=101,rdmsr:0x8b=29,wrmsr:0x8b:0=23,$ipis,hypercall:77=37,pvipi:1=7
ops=$ops,in:0x61=11,out:0x80=13,ini:0x61=5,outi:0x80=3,mmio:0xd0000000=41,mmior:0xd0000000=2
ops=$ops,mmiow:0xd0000004=43,hlt=47,pause=53,spin:1000=3,touch:16=3

run guest --guest "$ops,hlt:200=5"
run guest-xapic --guest xicr=11,xicr:self=7,hlt=3
run all --l2 "$ops"
run flat --nested-paging off --l2 "$ops"
run xapic --l2 xicr=11,xicr:self=7
run two --alternate 3 --l2 cpuid=53,icr=19 --l2 out:0x80=41 --repeat 2
run steps --per-exit cpuid*2,rdmsr:0x1b --l2 cpuid=53,icr=19
run synth --synth 17 --l2 cpuid=53,icr=19
run around --l1op cpuid=11,icr:self=3 --l1op-after out:0x80=5,mmio:0xd0000000=6 --l2 cpuid=53
run handled --no-reflect rdmsr,wrmsr,in,out,mmio,pause --l2 "$ops"
run handled-ipi --no-reflect icr,selfipi,hlt --l2 "$ipis,hlt=5,cpuid=53"
run handled-xapic --no-reflect xicr --l2 xicr=11,xicr:self=7
run smp -c 2 --l2 cpuid=53 --l2 out:0x80=41
if [ "$LAB" = svm-icount ]; then
	run vmload --vmload --l2 cpuid=53,icr=19
	run gif --per-exit stgi,clgi --l2 cpuid=53
fi
# Without shadow VMCS every VMREAD and VMWRITE of L1 is an exit.
if [ "$LAB" = vmx ] && rmmod kvm_intel && modprobe kvm_intel nested=1 enable_shadow_vmcs=0; then
	run unshadowed --l2 "$ops"
	run unshadowed-flat --nested-paging off --l2 "$ops"
	run unshadowed-synth --synth 17 --l2 cpuid=53,icr=19
	run unshadowed-ipi --no-reflect icr,selfipi,hlt --l2 "$ipis,hlt=5,cpuid=53"
	rmmod kvm_intel && modprobe kvm_intel nested=1
fi
for event in kvm_exit kvm_nested_vmexit_inject kvm_nested_intr_vmexit kvm_nested_vmenter; do
	echo 0 >$trace/events/kvm/$event/enable
done
echo 1408 >$trace/buffer_size_kb
echo 1 >$trace/options/context-info
echo >$trace/trace
echo 1 >$trace/tracing_on

# Wrong command lines are refused, and say why.
for words in "" "--l2" "--guest cpuid" "--guest nosuch=1" "--guest cpuid=10000001" \
	"--guest cpuid:1:2=1" "--guest rdmsr=1" "--l1 svm --guest cpuid=1" "--l2 out:0xf4=1" \
	"--l2 wrmsr:0x830:0=1" "--l2 xicr=1,icr=1" "--no-reflect hypercall --l2 cpuid=1" \
	"--no-reflect spin --l2 cpuid=1" "-c 0 --l2 cpuid=1" "-c 17 --l2 cpuid=1" \
	"--per-exit nosuch --l2 cpuid=1" "--guest mmio:0x400000=1" "--guest mmio:0xd0000001=1"; do
	# shellcheck disable=SC2086
	labvmm $words >/dev/null 2>"$OUT/refused"
	echo "$? $(wc -l <"$OUT/refused") $words"
done >"$OUT/usage"
labvmm --help >"$OUT/help" || status=1
exit $status
