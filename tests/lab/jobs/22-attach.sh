#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# nvx comes while guests are running, and goes again before they end.
# labs: svm-icount
# timeout: 60
mkdir -p /tmp/vmm
vmm=/tmp/vmm/qemu-system-x86_64
ln -sf "$(command -v labvmm)" $vmm

# L1's own exits are CPUIDs, its L2s' are ports and HLT: whatever nvx says of a
# level is right or wrong on its face. Most of the time the L2s sleep.
$vmm -name guest=busy --alternate 7 --per-exit cpuid*3 --no-reflect hlt --repeat 850 \
	--l2 out:0x80=4,hlt:6000=1,spin:999=1 --l2 in:0x61=4,hlt:6000=1,spin:999=1 \
	-o "$OUT/busy.vmm" &
# One that stays in its L2: L0 handles all that it does. It spins, and is stopped
# until nvx has started, which runs its command when it counts.
$vmm -name guest=deep --no-reflect in --repeat 1500 --l2 in:0x61=3,spin:500000=1 \
	-o "$OUT/deep.vmm" &
deep=$!
sleep 0.1
kill -STOP $deep
attach()
{
	nvx stat --by l2 --json -d 60ms "$@" || exit
}
# still_there NAME: it must have been there all the time
still_there()
{
	[ ! -s "$OUT/$1.vmm" ] || { echo "guest $1 has ended too early"; exit 1; }
}
attach -i 20ms -o "$OUT/both.json" -- sh -c "kill -CONT $deep; exec sleep 9"
still_there deep
wait $deep || exit
attach -i 20ms -o "$OUT/busy.json"
attach --source classic -o "$OUT/classic.json"
still_there busy
wait
