#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What watching costs the guest: one workload under each tool.  Under icount a
# guest's time is its instructions, so (with - without) / exits is the cost of an
# exit, whatever the machine is doing.
# labs: svm-bench
# timeout: 900
N=20011
W="labvmm --guest cpuid=$N -o $OUT/run.json"
took()
{
	echo "$1 $(sed -n 's/.*"seconds":\([0-9.]*\).*/\1/p' "$OUT/run.json")" >>"$OUT/times"
}
echo "exits $N" >"$OUT/times"
for i in 1 2; do
	$W; took none
done
for p in empty ref; do
	bench-ref $p $W; took $p
done
for s in module btf classic; do
	# the cost window turns statistics on; the first guest pays for it, the second does not
	nvx stat --source $s -o "$OUT/$s.txt" -- sh -c "labvmm --guest cpuid=3001 -o /dev/null; sleep 1; $W" \
		2>>"$OUT/errors" && took "nvx-$s"
done
perf kvm --host stat record -o /tmp/perf.data -- $W >"$OUT/perf.log" 2>&1 && took perf-kvm-stat-record
rm -f /tmp/perf.data
(cd /tmp && trace-cmd record -q -b 20000 -e kvm:kvm_exit -e kvm:kvm_entry $W >"$OUT/trace-cmd.log" 2>&1) && took trace-cmd
rm -f /tmp/trace.dat*
# shellcheck source=/dev/null
[ ! -e /lab/peers ] || . /lab/peers
exit 0
