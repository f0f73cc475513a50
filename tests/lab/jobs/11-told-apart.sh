#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Two L2s in one L1, and two VMs at once, one of them with two vCPUs: each is
# told from the others, and each filter keeps what it names.
# labs: svm-icount
# timeout: 60
mkdir -p /tmp/vmm
vmm=/tmp/vmm/qemu-system-x86_64
ln -sf "$(command -v labvmm)" $vmm

# The VMs are there, but do nothing yet, so that a filter can name them.
$vmm -name guest=pair --delay 5 --hold 99 --alternate 3 -o "$OUT/pair.vmm" \
	--l2 cpuid=401,rdmsr:0x8b=101 --l2 cpuid=211,hypercall:5=307 &
pair=$!
$vmm -name guest=smp,debug-threads=on --delay 5 --hold 99 -c 2 -o "$OUT/smp.vmm" \
	--l2 cpuid=503,out:0x80=97 --l1op rdmsr:0x1b=13 &
smp=$!
has_vm()
{
	for fd in "/proc/$1/fd/"*; do
		case $(readlink "$fd") in *kvm-vm) return 0 ;; esac
	done
	return 1
}
until has_vm $pair && has_vm $smp; do
	sleep 0.1
done
nvx stat --json --by l2 -o "$OUT/all.json" -- \
nvx stat --json --by l2 --level 2 --vm pair -o "$OUT/vm.json" -- \
nvx stat --json --by l2 --vcpu 1 -o "$OUT/vcpu.json" -- \
nvx stat --json --by l2 --level 1 -p $smp -o "$OUT/pid.json" &
nvx=$!
until grep -q ok "$OUT/pair.vmm" && grep -q ok "$OUT/smp.vmm"; do
	sleep 0.1
done
# As by Ctrl-C: it ends the inner ones too, and all print what they have.
kill -INT $nvx
wait $nvx
rc=$?
kill $pair $smp
exit $rc
