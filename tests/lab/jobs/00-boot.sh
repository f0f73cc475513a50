#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# labs: svm-icount svm-linux
# timeout: 30
# What L0 is, for 00-boot.py to judge.
uname -r >"$OUT/uname"
cat /sys/module/kvm_amd/parameters/nested >"$OUT/nested"
cat /sys/module/kvm_amd/parameters/npt >"$OUT/npt"
ls /sys/kernel/tracing/events/kvm >"$OUT/events"
ls -l /sys/kernel/btf >"$OUT/btf"
cat /proc/mounts >"$OUT/mounts"
for tool in perf trace-cmd bpftool; do
	"$tool" --version >"$OUT/$tool" 2>&1 || "$tool" version >"$OUT/$tool" 2>&1
done
for program in nvx labvmm qemu-system-x86_64; do
	command -v "$program" >"$OUT/has-$program"
done
cat /proc/cpuinfo >"$OUT/cpuinfo"
# One byte that no text tool leaves alone, for the way out.
head -c 65536 /dev/zero | tr '\0' '\377' >"$OUT/blob"
