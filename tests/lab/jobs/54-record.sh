#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Two tiers count live while trace-cmd records the same events: replayed on the host, the
# recording must give the same counts.
# labs: svm-linux
# timeout: 240
mkdir -p /tmp/vmm
ln -sf "$(command -v labvmm)" /tmp/vmm/qemu-system-x86_64
cat >/tmp/vmm/record <<'SCRIPT'
# All at once; --hold: nvx looks for the names of new VMs 20 times a second.
vm()
{
	name=$1
	shift
	/tmp/vmm/qemu-system-x86_64 -name "guest=$name" --hold 1 "$@" -o "$OUT/$name.vmm" &
	pids="$pids $!"
}
vm mixed --per-exit vmsave,vmload:host,rdmsr:0x1d9,vmload --synth 13 --l1op cpuid=11 \
	--l2 cpuid=211,rdmsr:0x8b=53,icr=47,hypercall:5=43,out:0x80=41,in:0x61=37,mmio:0xd0000000=31
vm handled --no-reflect all --l1op rdmsr:0x1b=7,icr=5 \
	--l2 cpuid=101,rdmsr:0x1b=61,icr=59,ini:0x80=29,hlt=19,mmio:0xd0000000=23,touch:17=2
vm pair --alternate 3 --l2 cpuid=53,xicr=19 --l2 cpuid=59,pause=23
vm xapic --no-reflect xicr --l2 xicr=17,cpuid=5
vm self --no-reflect icr --l2 cpuid=5,icr:self=67,cpuid=5
vm smp -c 2 --alternate 2 --l2 cpuid=71,out:0x80=11 --l2 rdmsr:0x8b=67
vm guest --guest cpuid=61,rdmsr:0x1b=59,out:0x80=13,mmio:0xd0000000=11
for pid in $pids; do
	wait "$pid" || exit
done
SCRIPT
trace-cmd record -o /tmp/trace.dat -b 32768 -e kvm -e sched:sched_process_exit \
	nvx stat --source classic --by l2 --json -o "$OUT/classic.json" -- \
	nvx stat --source btf --by l2 --json -o "$OUT/btf.json" -- sh /tmp/vmm/record || exit
cp /tmp/trace.dat "$OUT/trace.dat"
rm /tmp/trace.dat
