#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What nvx stat does when its command, its user or the host does not do as wished.
# labs: svm-icount
# timeout: 60
mkdir -p /tmp/vmm
vmm=/tmp/vmm/qemu-system-x86_64
ln -sf "$(command -v labvmm)" $vmm

# try NAME COMMAND...: its output, its messages and its exit code
try()
{
	name=$1
	shift
	"$@" >"$OUT/$name.out" 2>"$OUT/$name.err"
	echo $? >"$OUT/$name.rc"
}
try no-vms nvx stat --vm nosuch -d 1
$vmm -name guest=there --guest cpuid=5 --hold 99 -o /tmp/vmm/there &
there=$!
until grep -q ok /tmp/vmm/there; do
	sleep 0.1
done
try no-vm nvx stat --vm nosuch -d 1
kill $there
wait
try no-output nvx stat -d 1 -o /nosuch/file
try usage nvx stat --nosuch
try usage-level nvx stat --level 3
try usage-verb nvx nosuch
try command-missing nvx stat --json -- /nosuch/program
# shellcheck disable=SC2016
try command-fails nvx stat --json -- sh -c '"$0" --l2 cpuid=103 >/dev/null; exit 3' $vmm
# Without the modules' BTF the tier below it serves, unless BTF is asked for.
mount -t tmpfs none /sys/kernel/btf
try no-btf nvx stat --source btf -d 1
umount /sys/kernel/btf
# Ctrl-C
nvx stat --json >"$OUT/interrupt.out" 2>"$OUT/interrupt.err" &
nvx=$!
sleep 1
$vmm -name guest=counted --l2 cpuid=211 --hold 1 >/dev/null
kill -INT $nvx
wait $nvx
echo $? >"$OUT/interrupt.rc"
# Nothing of an earlier nvx holds the modules.
rmmod kvm_amd || exit
try no-vendor nvx stat -d 1
rmmod kvm || exit
try no-kvm nvx stat -d 1
try no-kvm-command nvx stat -- touch "$OUT/touched"
modprobe kvm_amd nested=1
