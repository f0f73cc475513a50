#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What watching costs the guest: one workload under each tool.  Under icount a
# guest's time is its instructions, so (with - without) / exits is the cost of an
# exit, whatever the machine is doing.
# labs: svm-bench
# timeout: 900
N=20011
cat >/tmp/work <<WORK
#!/bin/sh
exec labvmm --guest cpuid=$N -o $OUT/run.json
WORK
# the first second pays for the window in which nvx measures its own cost
cat >/tmp/warm-work <<WORK
#!/bin/sh
labvmm --guest cpuid=3001 -o /dev/null
sleep 1
exec /tmp/work
WORK
chmod +x /tmp/work /tmp/warm-work

took()
{
	echo "$1 $(sed -n 's/.*"seconds":\([0-9.]*\).*/\1/p' "$OUT/run.json")" >>"$OUT/times"
}

nvx_tier()
{
	nvx stat --source "$1" -o "$OUT/$1.txt" -- /tmp/warm-work 2>>"$OUT/errors" && took "nvx-$1"
}

echo "exits $N" >"$OUT/times"
/tmp/work; took none
/tmp/work; took none
for p in empty ref table clock read record; do
	bench-ref $p /tmp/work; took $p
done
nvx_tier btf
nvx_tier classic
perf kvm --host stat record -o /tmp/perf.data -- /tmp/work >"$OUT/perf.log" 2>&1 &&
	took perf-kvm-stat-record
rm -f /tmp/perf.data
(cd /tmp && trace-cmd record -q -b 20000 -e kvm:kvm_exit -e kvm:kvm_entry /tmp/work \
	>"$OUT/trace-cmd.log" 2>&1) && took trace-cmd
rm -f /tmp/trace.dat*
# the module's tracepoints, with their own base: it is another kvm.ko
if [ -e /lab/kmod/kvm.ko ]; then
	rmmod kvm_amd kvm && insmod /lab/kmod/kvm.ko && modprobe kvm_amd nested=1
	/tmp/work; took none-module
	bench-ref module /tmp/work; took module
	nvx_tier module
	rmmod kvm_amd kvm && modprobe kvm_amd nested=1
fi
# shellcheck source=/dev/null
[ ! -e /lab/peers ] || . /lab/peers
exit 0
