#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The IPI ledger: so many IPIs of each kind by each path, at both levels. A VM for each case.
# labs: svm-linux
# timeout: 240
mkdir -p /tmp/vmm
ln -sf "$(command -v labvmm)" /tmp/vmm/qemu-system-x86_64
cat >/tmp/vmm/ipis <<'SCRIPT'
# All at once; --hold: nvx looks for the names of new VMs 20 times a second.
vm()
{
	name=$1
	shift
	/tmp/vmm/qemu-system-x86_64 -name "guest=$name" --hold 1 "$@" -o "$OUT/$name.vmm" &
	pids="$pids $!"
}
# each of the four vCPUs sends all of it
vm x2 -c 4 --guest icr:1=37,icr:logical:6=31,icr:logical:8=7,icr:others=29,icr:self=23,icr:all=19
vm pv -c 4 --guest selfipi=17,pvipi:2=13,pvipi:0xb=11,pvipi:0xf000000000000001=5
vm x1 -c 4 --guest xicr:1=41,xicr:logical:7=43,xicr:others=47,xicr:self=53,xicr:all=59
# L2's IPIs that its hypervisor takes
vm l2 --l2 icr:1=61,icr:logical:0x1000f=67,icr:others=71,icr:self=73,icr:all=79 \
	--l2 selfipi=83,pvipi:1=89,pvipi:0xff=97,wrmsr:0x40000071:0x02000000000000f1=101 \
	--l2 wrmsr:0x40000071:0xc00f1=103,wrmsr:0x40000071:0x05000000000008f1=107
vm l2-x1 --l2 xicr=109
# ... and that L0 takes, L1 having let them through
vm l2-l0 --no-reflect icr,selfipi --l2 icr:9=113,icr:self=127,selfipi=131
vm l2-x1-l0 --no-reflect xicr --l2 xicr:9=137
for pid in $pids; do
	wait "$pid" || exit
done
SCRIPT
nvx stat --json --by l2 -o "$OUT/stat.json" -- \
nvx stat --top 0 --section ipis -o "$OUT/stat.txt" -- sh /tmp/vmm/ipis
