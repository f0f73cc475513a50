#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# labs: vmx vmx-nvx vmx-2cpu vmx-nvx-2cpu
# timeout: 20
# What KVM makes of the emulated VMX: the ground that every other job stands on.
for module in kvm kvm_intel; do
	for file in /sys/module/"$module"/parameters/*; do
		echo "${file##*/} $(cat "$file")"
	done >"$OUT/$module"
done
uname -r >"$OUT/uname"
nproc >"$OUT/cpus"
ls /sys/kernel/tracing/events/kvm >"$OUT/events"
ls /sys/kernel/btf >"$OUT/btf"
grep -m 1 '^vmx flags' /proc/cpuinfo >"$OUT/vmx-flags"
# An odd number of bytes that no text tool leaves alone, for the way out.
head -c 65543 /dev/zero | tr '\0' '\377' >"$OUT/blob"
