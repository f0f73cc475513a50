#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What L0 does with an exit: hands it to L1, handles it, or makes another one of
# it; and the numbers behind exits at both levels. A VM for each case.
# labs: svm-icount
# timeout: 60
mkdir -p /tmp/vmm
ln -sf "$(command -v labvmm)" /tmp/vmm/qemu-system-x86_64
cat >/tmp/vmm/outcomes <<'SCRIPT'
# --hold: nvx looks for the names of new VMs 20 times a second
vm()
{
	name=$1
	shift
	/tmp/vmm/qemu-system-x86_64 -name "guest=$name" --hold 1 "$@" -o "$OUT/$name.vmm" || exit
}
vm reflected --l2 cpuid=211,outi:0x80=43,ini:0x61=37,out:0x92=31,in:0x93=29,pause=23,hlt=19 \
	--l2 mmio:0xd0000000=41,mmior:0xd0001000=17,mmiow:0xd0002000=13,wrmsr:0x8b:5=11
vm handled --no-reflect all --l2 cpuid=223,rdmsr:0x1b=101,icr=53,outi:0x80=47,ini:0x61=41 \
	--l2 mmio:0xd0000000=43,mmior:0xd0001000=19,mmiow:0xd0002000=17,out:0x92=37,in:0x93=31
vm xapic --l2 xicr=59
vm xapic-handled --no-reflect xicr --l2 xicr=61
vm shadow --nested-paging off --l2 cpuid=103,mmio:0xd0000000=21
vm pending --synth 53 --l2 cpuid=227
vm self --no-reflect icr --l2 cpuid=5,icr:self=67,cpuid=5
vm timer --no-reflect hlt --l2 cpuid=5,hlt=29,cpuid=5
vm guest --guest cpuid=229,rdmsr:0x1b=103,icr=71,hypercall:5=31,out:0x80=59,ini:0x61=53,mmio:0xd0000000=47
vm guest-xapic --guest xicr=73
SCRIPT
nvx stat --json -o "$OUT/stat.json" -- sh /tmp/vmm/outcomes
