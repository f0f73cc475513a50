# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh disable=SC2154
# Sourced by the job 95-bench where the lab has the peers that compile their programs.
if command -v bpftrace >/dev/null; then
	bpftrace -e 'tracepoint:kvm:kvm_exit { @[args->exit_reason] = count(); @t[tid] = nsecs; }
		tracepoint:kvm:kvm_entry /@t[tid]/ { @h = hist(nsecs - @t[tid]); delete(@t[tid]); }' \
		>"$OUT/bpftrace.log" 2>&1 &
	peer=$!
	while ! grep -q Attaching "$OUT/bpftrace.log"; do sleep 1; done
	sleep 2
	/tmp/work; took bpftrace
	kill -INT $peer
	wait $peer
fi
if [ -e /usr/sbin/kvmexit-bpfcc ]; then
	/usr/bin/python3 -u /usr/sbin/kvmexit-bpfcc 3600 >"$OUT/kvmexit.log" 2>&1 &
	peer=$!
	tries=0
	# attached: its program is in the kernel
	until bpftool prog 2>/dev/null | grep -q tracepoint || [ $tries -ge 200 ]; do
		sleep 1
		tries=$((tries + 1))
	done
	sleep 2
	if bpftool prog | grep -q tracepoint; then
		/tmp/work; took bcc-kvmexit
	fi
	kill -INT $peer
	wait $peer
fi
