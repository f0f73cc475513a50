#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# vCPU threads that end: more of them, one after another, than there are slots;
# then more at once than there are slots.
# labs: svm-icount
# timeout: 60
mkdir -p /tmp/vmm
ln -sf "$(command -v labvmm)" /tmp/vmm/qemu-system-x86_64
cat >/tmp/vmm/many <<'SCRIPT'
for n in $(seq 40); do
	/tmp/vmm/qemu-system-x86_64 -name "guest=vm$n" --end-threads "$@" -o /tmp/vmm/many.vmm || exit
	cat /tmp/vmm/many.vmm >>"$OUT/many.vmm"
done
SCRIPT
nvx stat --max-vcpus 8 --by host --json -o "$OUT/many.json" -- \
	sh /tmp/vmm/many --l2 cpuid=101,out:0x80=7
echo $? >"$OUT/many.rc"
nvx stat --max-vcpus 8 --json -o "$OUT/full.json" -- \
	/tmp/vmm/qemu-system-x86_64 -name guest=full -c 12 --l2 cpuid=103 --hold 1 -o "$OUT/full.vmm"
