#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The main job: an L2 that does exact numbers of things, counted by nvx stat.
# labs: svm-icount
# timeout: 120
nvx stat --json -o "$OUT/one.json" -- labvmm -name guest=one --l1 svm \
	--l2 cpuid=10007,icr=503,hypercall:77=307,rdmsr:0x8b=101,out:0x80=211,in:0x61=97 \
	-o "$OUT/one.vmm"
