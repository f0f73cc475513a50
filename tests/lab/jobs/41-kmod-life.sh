#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# labs: vmx-nvx svm-icount
# timeout: 300
# The module's life: not unloaded under a VM or an attached program, whose owner holders.sh
# names; nothing left behind by 200 VMs; gone without a trace, and the stock modules back.
status=0
if [ "$LAB" = svm-icount ]; then
	vendor=kvm_amd
	load()
	{
		modprobe irqbypass && insmod /lab/kmod/kvm.ko && modprobe kvm_amd nested=1
	}
	rmmod kvm_amd kvm || exit
else
	vendor=kvm_intel
	load()
	{
		load-kvm
	}
	rmmod kvm_intel kvm || exit
fi

# Objects in use of every slab that KVM or the module has, and of those that VMs are made of.
slabs()
{
	awk '/^(kvm_vcpu|x86_emulator|pte_list_desc|kvm_mmu_page|kvm_async_pf|nvx)/ { print $1, $2 }' \
		/proc/slabinfo
}

load || exit
find /sys/kernel/debug/kvm -maxdepth 1 -name '[0-9]*-[0-9]*' | wc -l >"$OUT/vms.before"
# 200 take Bochs three minutes: on one kernel.
cycles=200
case $LAB-$(uname -r) in vmx*-6.12.*) cycles=40 ;; esac
echo $cycles >"$OUT/wanted"
i=0
while [ $i -lt $cycles ]; do
	labvmm --l2 cpuid=1 -o "$OUT/vm.json" 2>>"$OUT/vm.err" || {
		echo "VM $i failed"
		status=1
		break
	}
	# The first one leaves what KVM keeps for all VMs.
	[ $i -ne 0 ] || slabs >"$OUT/slabs.first"
	i=$((i + 1))
done
echo $i >"$OUT/cycles"
slabs >"$OUT/slabs.last"
find /sys/kernel/debug/kvm -maxdepth 1 -name '[0-9]*-[0-9]*' | wc -l >"$OUT/vms.after"

# A VM that runs.
labvmm --guest cpuid=1 --hold 5 -o "$OUT/held.json" &
vmm=$!
sleep 2
rmmod $vendor 2>"$OUT/rmmod.vm"
echo $? >"$OUT/rmmod.vm.rc"
holders.sh >"$OUT/holders.vm"
echo $vmm >"$OUT/holders.vm.pid"
kill $vmm
wait $vmm

# A program on the module's tracepoint.
# Its command runs when all is attached; the verifier needs a while under Bochs.
rm -f /tmp/attached
nvx stat --json -o "$OUT/stat.json" -- sh -c 'touch /tmp/attached; sleep 600' &
nvx=$!
while [ ! -e /tmp/attached ] && kill -0 $nvx; do
	sleep 1
done
rmmod $vendor && rmmod kvm 2>"$OUT/rmmod.bpf"
echo $? >"$OUT/rmmod.bpf.rc"
holders.sh >"$OUT/holders.bpf"
echo $nvx >"$OUT/holders.bpf.pid"
kill -TERM $nvx
wait $nvx

rmmod kvm
echo $? >"$OUT/rmmod.rc"
find /sys/kernel/tracing/events -maxdepth 1 -name nvx | wc -l >"$OUT/events.left"
grep -c nvx_ /proc/kallsyms >"$OUT/symbols.left"
holders.sh >"$OUT/holders.none"
dmesg | grep -iE 'BUG|WARNING|Oops|RIP:|Objects remaining' >"$OUT/splats"
if [ $vendor = kvm_amd ]; then
	modprobe kvm_amd nested=1 || status=1
else
	load || status=1
fi
exit $status
