#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# labs: vmx-nvx
# timeout: 300
# One L2 by plain VMCS, shadow VMCS and enlightened VMCS: exits of L1, fields copied, guest time of a
# round trip; two L2s in turn; then the kernel's selftests of enlightened VMCS, by the switches.
tracing=/sys/kernel/tracing/events
keys=direction,reason,groups
status=0

# switches CACHED COPY-ALL-OUT ALL-DIRTY
switches()
{
	nvx features evmcs.cached="$1" evmcs.copy-all-out="$2" evmcs.all-dirty="$3" || exit
}

hists()
{
	echo "$1hist:keys=exit_reason:size=2048" >$tracing/kvm/kvm_exit/trigger &&
		echo "$1hist:keys=$keys:vals=fields,fields_skipped:size=2048" >$tracing/nvx/nvx_evmcs/trigger || status=1
}

collect()
{
	cat $tracing/kvm/kvm_exit/hist >"$OUT/$1.exits"
	cat $tracing/nvx/nvx_evmcs/hist >"$OUT/$1.evmcs"
	hists '!'
}

# count NAME OPTION...
count()
{
	name=$1
	shift
	hists ''
	labvmm "$@" -o "$OUT/$name.json" 2>"$OUT/$name.err" || {
		echo "$name: labvmm failed"
		cat "$OUT/$name.err"
		status=1
	}
	collect "$name"
}

now()
{
	cut -d' ' -f1 /proc/uptime
}

# cost NAME OPTION...: guest seconds of 8000 round trips
cost()
{
	name=$1
	shift
	a=$(now)
	labvmm --l2 cpuid=200 "$@" -o /dev/null
	b=$(now)
	labvmm --l2 cpuid=8200 "$@" -o /dev/null
	c=$(now)
	echo "$name $(echo "$a $b $c" | awk '{ printf "%.2f", $3 - 2 * $2 + $1 }')" >>"$OUT/costs"
}

selftests()
{
	hists ''
	for test in evmcs_test hyperv_cpuid hyperv_features; do
		timeout -s KILL 40 "/lab/selftests/$test" >"$OUT/$1-$test.log" 2>&1 </dev/null
		echo "$1 $test $?" >>"$OUT/results"
	done
	collect "tests-$1"
}

load-kvm enable_shadow_vmcs=0 || exit
count plain --l2 cpuid=1000
cost plain
load-kvm || exit
count shadow --l2 cpuid=1000
cost shadow
for setting in stock:1:1:0 dirty:1:1:1 cached:2:1:0 changed:1:0:0 all:4:0:0; do
	IFS=: read -r run cached out dirty <<-END
		$setting
	END
	switches "$cached" "$out" "$dirty"
	count "$run" --evmcs --l2 cpuid=1000
	count "two-$run" --evmcs --alternate 1 --l2 cpuid=30 --l2 cpuid=30
	cost "$run" --evmcs
	[ "$run" = changed ] || selftests "$run"
done
labvmm -name guest=live --hold 3 --evmcs --alternate 1 --l2 cpuid=500 --l2 cpuid=500 -o "$OUT/live.vmm" &
vmm=$!
sleep 2
nvx features --vm $vmm --json >"$OUT/live.json" || status=1
wait $vmm || status=1
switches 1 1 0
dmesg | grep -iE 'BUG|WARNING|Oops|RIP:' >"$OUT/splats"
exit $status
