#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Chains: an L1 that does known things at each exit of its L2, in several ways,
# each a VM of its own; all of it twice, as VMs of other names.
# labs: svm-icount
# timeout: 60
mkdir -p /tmp/vmm
ln -sf "$(command -v labvmm)" /tmp/vmm/qemu-system-x86_64
cat >/tmp/vmm/chains <<'SCRIPT'
# --hold: nvx looks for the names of new VMs 20 times a second
vm()
{
	name=$1-$pass
	shift
	/tmp/vmm/qemu-system-x86_64 -name "guest=$name" --hold 1 "$@" -o "$OUT/$name.vmm" || exit
}
ops=cpuid=307,hypercall:5=101,out:0x80=53,rdmsr:0x8b=31
for pass in 1 2; do
	vm bare --l2 $ops
	vm vmload --vmload --l2 $ops
	# as kvm_amd does at an exit, see svm_vcpu_run()
	vm kvm --per-exit vmsave,vmload:host,rdmsr:0x1d9,vmload --l2 $ops
	vm msrs --per-exit rdmsr:0x1b*3,cpuid*2 --l2 $ops
	vm gif --per-exit clgi,stgi,rdmsr:0xc0000080*12 --l2 $ops
	# longer than the exact slots of the histogram
	vm long --per-exit rdmsr:0x1b*29 --l2 cpuid=103
	vm twice --alternate 2 --per-exit cpuid*4 --l2 cpuid=211 --l2 hypercall:5=199
done
SCRIPT
nvx stat --json -o "$OUT/stat.json" -- sh /tmp/vmm/chains
