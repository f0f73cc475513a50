#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Flushes of the switches between an L1 vCPU and k L2s, 60 entries in all, by the switches of the
# feature module: slots of the pool, kept roots. Each VM's name says what it is.
# labs: vmx-nvx
# timeout: 400
mkdir -p /tmp/vmm
ln -sf "$(command -v labvmm)" /tmp/vmm/qemu-system-x86_64
cat >/tmp/vmm/vpid <<'SCRIPT'
# vm SLOTS KEEP K on|off: K L2s, their CPUIDs 60 in all
vm()
{
	name=p$1-keep$2-k$3-ept-$4
	l2s=
	i=0
	while [ $i -lt "$3" ]; do
		l2s="$l2s --l2 cpuid=$((60 / $3 - 1))"
		i=$((i + 1))
	done
	nvx features nested-vpid.slots="$1" nested-vpid.keep-roots="$2" || exit
	# shellcheck disable=SC2086 # a list of words
	/tmp/vmm/qemu-system-x86_64 -name "guest=$name" --hold 1 --alternate 1 \
		--nested-paging "$4" $l2s -o "$OUT/$name.vmm" &
	pids="$pids $!"
	# The switch is read when the VM is made, and that is before this line of its output.
	while [ ! -s "$OUT/$name.vmm" ] && kill -0 $!; do
		sleep 0.2
	done
}
for ept in on off; do
	for k in 1 2 3 4 6; do
		vm 1 0 $k $ept
		vm 4 1 $k $ept
		vm 8 1 $k $ept
	done
done
# what the pool is worth without kept roots, and with nothing but them
vm 8 0 4 on
vm 1 1 4 on
for pid in $pids; do
	wait "$pid" || exit
done
nvx features nested-vpid.slots=1 nested-vpid.keep-roots=0
SCRIPT

nvx features >"$OUT/features.txt" || exit
nvx features --json >"$OUT/features.json" || exit
nvx features nested-vpid.slots=9 2>"$OUT/refused" && exit 1
nvx features nested-vpid.nothing=1 2>>"$OUT/refused" && exit 1

# A VM that runs: listed by name, set live, used.
labvmm -name guest=live --pid-name live --alternate 1 --repeat 60 --l2 cpuid=500 --l2 cpuid=500 -o "$OUT/live.vmm" &
vmm=$!
sleep 3
nvx features --vm $vmm nested-vpid.slots=8 nested-vpid.keep-roots=1 || exit
sleep 2
nvx features --vm $vmm --json >"$OUT/live.json" || exit
i=0
while kill -0 $vmm 2>/dev/null && [ $i -lt 40 ]; do
	nvx features --vm $vmm nested-vpid.slots=$((1 + i * 5 % 8)) \
		nested-vpid.keep-roots=$((i / 2 % 2)) \
		nested-vpid.always-flush=$((i % 7 == 3)) 2>/dev/null
	i=$((i + 1))
done
echo $i >"$OUT/flips"
wait $vmm || exit

# tune goes forth and back with a switch of one VM, under its load, and puts it back
labvmm -name guest=tuned --pid-name tuned --alternate 1 --repeat 1000000 --l2 cpuid=500 --l2 cpuid=500 \
	-o "$OUT/tuned.vmm" &
vmm=$!
sleep 2
nvx features --vm $vmm nested-vpid.slots=2 nested-vpid.keep-roots=1 || exit
nvx tune nested-vpid.slots=1,4 2>"$OUT/tune.refused" && exit 1
nvx tune -p $vmm nested-vpid.slots=1,4 -d 1 --settle 300ms -i 250ms --rounds 1 -o "$OUT/tune" \
	>"$OUT/tune.txt" 2>"$OUT/tune.err" || exit
nvx features --vm $vmm --json >"$OUT/tuned.json" || exit
kill $vmm
wait $vmm
for side in a b; do
	nvx report --json --section tlb "$OUT/tune.$side.nvx" >"$OUT/tune.$side.json" || exit
done

nvx stat --json --section tlb --max-vcpus 128 -o "$OUT/stat.json" -- sh /tmp/vmm/vpid
rc=$?
dmesg | grep -iE 'BUG|WARNING|Oops|RIP:' >"$OUT/splats"
exit $rc
