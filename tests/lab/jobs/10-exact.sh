#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The main job: an L2 that does exact numbers of things, counted by nvx stat.
# One inside the other, two nvx count the same run: their formats must agree.
# labs: svm-icount
# timeout: 60
# The name that nvx shows is that of QEMU's -name.
mkdir -p /tmp/vmm
ln -sf "$(command -v labvmm)" /tmp/vmm/qemu-system-x86_64

nvx stat -o "$OUT/one.txt" -k time --top 3 -- \
nvx stat --json --by l2 -o "$OUT/one.json" -- \
/tmp/vmm/qemu-system-x86_64 -name guest=one \
	--l2 cpuid=10007,icr=503,hypercall:77=307,rdmsr:0x8b=101,out:0x80=211,in:0x61=97 \
	-o "$OUT/one.vmm"
