#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The session in tests/fixtures/series.nvx: 90 s of a nested guest that goes on all the time, on a
# machine that has other things to do.  `make series-fixture` runs it as a job and keeps it.
# labs: svm-linux
# timeout: 60
labvmm -name guest=busy --repeat 1000000 --alternate 5 \
	--per-exit vmsave,vmload:host,rdmsr:0x1d9,vmload \
	--l2 cpuid=53,icr=17,hypercall:5=11,spin:20000=5 \
	--l2 rdmsr:0x8b=29,out:0x80=13,mmio:0xd0000000=7,spin:20000=5 >"$OUT/labvmm.log" 2>&1 &
sleep 1
nvx record -o "$OUT/series.nvx" -d 90 -i 0.4 --note "a busy guest"
