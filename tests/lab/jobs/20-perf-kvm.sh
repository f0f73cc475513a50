#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# perf kvm stat and nvx over the same run, of a load with many kinds of exits
# and VMs whose last exits are never followed by an entry.
# labs: svm-icount
# timeout: 120
mkdir -p /tmp/vmm
ln -sf "$(command -v labvmm)" /tmp/vmm/qemu-system-x86_64
cat >/tmp/vmm/mixed <<'SCRIPT'
vm()
{
	name=$1
	shift
	/tmp/vmm/qemu-system-x86_64 -name "guest=$name" --end-threads --hold 1 "$@" \
		-o "$OUT/$name.vmm" || exit
}
vm mixed --per-exit vmsave,vmload:host,rdmsr:0x1d9,vmload --synth 13 --l1op cpuid=11 \
	--l2 cpuid=211,rdmsr:0x8b=53,icr=47,hypercall:5=43,out:0x80=41,in:0x61=37,mmio:0xd0000000=31
vm handled --no-reflect all -c 2 --l2 cpuid=101,out:0x80=29,hlt=19,mmio:0xd0000000=23
vm guest --guest cpuid=61,rdmsr:0x1b=59,icr=17
for i in 1 2 3 4 5; do
	vm "short$i" --guest cpuid=7
done
SCRIPT
nvx stat --json -o "$OUT/stat.json" -- \
perf kvm stat record -a -o /tmp/perf.data -- sh /tmp/vmm/mixed || exit
perf kvm -i /tmp/perf.data stat report --event=vmexit >"$OUT/report" 2>&1 || exit
# The events themselves, for the rule applied by hand and for what perf lost.
perf script -i /tmp/perf.data -F tid,event,trace --show-lost-events >"$OUT/script" 2>&1 || exit
rm /tmp/perf.data
