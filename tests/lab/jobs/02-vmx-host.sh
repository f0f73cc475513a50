#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# labs: vmx
# timeout: 20
# What KVM makes of the emulated VMX: the ground that every other job stands on.

for file in /sys/module/kvm_intel/parameters/*; do
	echo "${file##*/} $(cat "$file")"
done >"$OUT/kvm_intel"
for file in /sys/module/kvm/parameters/*; do
	echo "${file##*/} $(cat "$file")"
done >"$OUT/kvm"
ls /sys/kernel/tracing/events/kvm >"$OUT/tracepoints"
ls /sys/kernel/btf >"$OUT/btf"
grep -m 1 '^vmx flags' /proc/cpuinfo >"$OUT/vmx-flags"
nproc >"$OUT/cpus"
ls -l /dev/kvm
