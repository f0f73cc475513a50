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
	# It wants an Intel, leaves at once for reasons above 68, and takes the raw tracepoint's
	# first argument for the reason, which it is not since 5.16: so with those three put right.
	sed -e 's/b"Intel"/b"AMD"/' -e 's/define REASON_NUM 69/define REASON_NUM 128/' \
		-e 's/BPF.support_raw_tracepoint_in_module()/False/' \
		/usr/sbin/kvmexit-bpfcc >/tmp/kvmexit
	/usr/bin/python3 -u /tmp/kvmexit 3600 >"$OUT/kvmexit.log" 2>&1 &
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
	# a shell's background job ignores SIGINT, and Python then leaves it so
	kill -TERM $peer
	wait $peer
fi
