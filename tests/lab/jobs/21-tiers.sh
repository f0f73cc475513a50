#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The source tiers count the same run, one inside the other.
# labs: svm-icount
# timeout: 60
mkdir -p /tmp/vmm
ln -sf "$(command -v labvmm)" /tmp/vmm/qemu-system-x86_64
cat >/tmp/vmm/tiers <<'SCRIPT'
vm()
{
	name=$1
	shift
	/tmp/vmm/qemu-system-x86_64 -name "guest=$name" --hold 1 "$@" -o "$OUT/$name.vmm" || exit
}
vm mixed --per-exit vmsave,vmload:host,rdmsr:0x1d9,vmload --synth 13 --l1op cpuid=11 \
	--l2 cpuid=211,rdmsr:0x8b=53,icr=47,hypercall:5=43,out:0x80=41,in:0x61=37,mmio:0xd0000000=31
vm handled --no-reflect all -c 2 --l2 cpuid=101,ini:0x80=29,hlt=19,mmio:0xd0000000=23,touch:17=2
vm pair --alternate 3 --l2 cpuid=53,xicr=19 --l2 cpuid=59,pause=23
vm guest --guest cpuid=61,rdmsr:0x1b=59,out:0x80=13,mmio:0xd0000000=11
SCRIPT
nvx stat --source classic --by l2 --json -o "$OUT/classic.json" -- \
nvx stat --source btf --by l2 --json -o "$OUT/btf.json" -- sh /tmp/vmm/tiers || exit
nvx stat --source module --json -d 1 >"$OUT/module.json" 2>"$OUT/module.err"
echo $? >"$OUT/module.rc"
