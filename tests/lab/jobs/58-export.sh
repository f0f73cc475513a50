#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# nvx export beside nvx stat, over one VM's whole life: the same sums, read over HTTP after
# every right was dropped.  A second one never was root: it starts with the rights that the unit
# in dashboards/systemd gives.
# labs: svm-icount
# timeout: 40
mkdir -p /tmp/vmm
vmm=/tmp/vmm/qemu-system-x86_64
ln -sf "$(command -v labvmm)" $vmm
nvx export -v --listen 127.0.0.1:9742 2>"$OUT/export.err" &
export=$!
caps=+bpf,+perfmon,+sys_admin,+dac_read_search,+sys_ptrace
/bin/setpriv --reuid 1234 --regid 1234 --clear-groups --inh-caps "-all,$caps" \
	--ambient-caps "-all,$caps" --bounding-set "-all,$caps" --no-new-privs \
	nvx export -v --listen 127.0.0.1:9743 2>"$OUT/user.err" &
user=$!
serving() # PID NAME
{
	until grep -q serving "$OUT/$2.err" || ! kill -0 "$1"; do
		sleep 0.1
	done
	grep -E '^(Cap|NoNewPrivs|Uid|Gid|Groups)' "/proc/$1/status" >"$OUT/$2.rights"
}
serving $export export
serving $user user
nvx stat --json -o "$OUT/stat.json" -- $vmm -name 'guest=a"b\c' --hold 1 -o "$OUT/run.json" \
	--l2 cpuid=1009,rdmsr:0x8b=53,icr=17 || exit
wget -q -O "$OUT/metrics" http://127.0.0.1:9742/metrics &&
	wget -q -O "$OUT/openmetrics" --header 'Accept: application/openmetrics-text' \
		http://127.0.0.1:9742/metrics &&
	wget -q -O "$OUT/user.metrics" http://127.0.0.1:9743/metrics
rc=$?
kill $export $user
wait $export && wait $user && exit $rc
