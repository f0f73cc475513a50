#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Where the time of a vCPU goes. Each VM does one thing only, so that it is known; the witness
# of how long a vCPU lived is a trace, that of its waiting the scheduler's own statistics.
# labs: svm-icount
# timeout: 60
w=/sys/kernel/tracing/instances/time
mkdir -p /tmp/vmm $w
ln -sf "$(command -v labvmm)" /tmp/vmm/qemu-system-x86_64
cat >/tmp/vmm/time <<'SCRIPT'
start()
{
	name=$1
	shift
	/tmp/vmm/qemu-system-x86_64 -name "guest=$name" "$@" -o "$OUT/$name.vmm" &
	started="$started $name:$!"
}
# What the scheduler says of each thread, then the end, which nothing in the guest announces.
end()
{
	for vm in $started; do
		for task in "/proc/${vm#*:}/task/"*; do
			echo "${task##*/} $(cat "$task/schedstat") $(tr ' ' _ <"$task/comm")"
		done >"$OUT/${vm%:*}.sched"
		kill -KILL "${vm#*:}"
		wait "${vm#*:}"
	done
	started=
}
forever=100000000=10000
start idle --hold 99 --guest cpuid=11
sleep 0.5
end
start timer --hold 99 --guest hlt:3000=100000
sleep 0.5
end
start l1-spin --guest spin:$forever
sleep 0.5
end
start l2-spin --l2 spin:$forever
sleep 0.5
end
start chains --per-exit cpuid*3 --l2 cpuid=10000000
sleep 0.4
end
start pair-1 --guest spin:$forever
start pair-2 --l2 spin:$forever
sleep 0.8
end
SCRIPT

echo 8192 >$w/buffer_size_kb
echo mono >$w/trace_clock
# a vCPU's first exit, and its end
echo 1 >$w/events/kvm/kvm_exit/enable
echo 1 >$w/events/sched/sched_process_exit/enable
nvx stat --json -i 100ms -o "$OUT/time.json" -- sh /tmp/vmm/time
rc=$?
echo 0 >$w/tracing_on
awk '/: kvm_exit: / { match($0, /-[0-9]+ +\[/); id = substr($0, RSTART, RLENGTH)
	if (seen[id]++) next }
	/: (kvm_exit|sched_process_exit): /' $w/trace >"$OUT/trace"
cat $w/per_cpu/cpu*/stats >"$OUT/trace-stats"
echo 0 >$w/events/enable
rmdir $w
exit $rc
