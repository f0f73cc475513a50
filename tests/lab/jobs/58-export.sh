#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# nvx export beside nvx stat, over one VM's whole life: the same sums, read over HTTP after
# every right was dropped.
# labs: svm-icount
# timeout: 40
mkdir -p /tmp/vmm
vmm=/tmp/vmm/qemu-system-x86_64
ln -sf "$(command -v labvmm)" $vmm
nvx export -v --listen 127.0.0.1:9742 2>"$OUT/export.err" &
export=$!
until grep -q serving "$OUT/export.err" || ! kill -0 $export; do
	sleep 0.1
done
grep -E '^(Cap|NoNewPrivs)' /proc/$export/status >"$OUT/rights"
nvx stat --json -o "$OUT/stat.json" -- $vmm -name 'guest=a"b\c' --hold 1 -o "$OUT/run.json" \
	--l2 cpuid=1009,rdmsr:0x8b=53,icr=17 || exit
wget -q -O "$OUT/metrics" http://127.0.0.1:9742/metrics &&
	wget -q -O "$OUT/openmetrics" --header 'Accept: application/openmetrics-text' \
		http://127.0.0.1:9742/metrics
rc=$?
kill $export
wait $export && exit $rc
