#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Sessions of a nested guest that goes on all the time: a whole one, one whose recorder is killed;
# nvx tune of something that matters, of one that does not, and however it ends.
# labs: svm-linux
# timeout: 200
params=/sys/module/kvm/parameters
echo 50000 >$params/halt_poll_ns
labvmm -name guest=busy --repeat 1000000 --alternate 5 \
	--per-exit vmsave,vmload:host,rdmsr:0x1d9,vmload \
	--l2 cpuid=53,icr=17,hypercall:5=11,spin:20000=5 \
	--l2 rdmsr:0x8b=29,out:0x80=13,mmio:0xd0000000=7,spin:20000=5 >"$OUT/labvmm.log" 2>&1 &
busy=$!
sleep 1

nvx record -v -o "$OUT/series.nvx" -d 8 -i 0.2 --note "a busy guest" 2>"$OUT/record.err"
echo "record $?" >"$OUT/codes"
nvx report --json -o "$OUT/series.json" "$OUT/series.nvx"
echo "report $?" >>"$OUT/codes"
nvx report --folded -o "$OUT/series.folded" "$OUT/series.nvx"
echo "folded $?" >>"$OUT/codes"

# killed as soon as some deltas are there
nvx record -o "$OUT/killed.nvx" -i 0.2 &
recorder=$!
n=0
until nvx report "$OUT/killed.nvx" 2>&1 | grep -q '[5-9] deltas' || [ $((n += 1)) -gt 60 ]; do
	sleep 0.2
done
kill -KILL $recorder
nvx report --json -o "$OUT/killed.json" "$OUT/killed.nvx" 2>"$OUT/killed.err"
echo "killed $?" >>"$OUT/codes"

# tune NAME ARGUMENT...: its result, and what the setting is afterwards
tune()
{
	name=$1
	shift
	nvx tune -d 1 -i 0.5 --settle 0.1 --rounds 5 --json -o "$OUT/$name" "$@" \
		>"$OUT/$name.json" 2>"$OUT/$name.err"
	echo "$name $? $(cat $params/halt_poll_ns)" >>"$OUT/codes"
}
tune effect --a "kill -CONT $busy" --b "kill -STOP $busy"
nvx diff --top 2 "$OUT/effect.a.nvx" "$OUT/effect.b.nvx" >"$OUT/effect.txt"
tune none --a "echo 0 >$params/report_ignored_msrs" --b "echo 1 >$params/report_ignored_msrs"

child_of()
{
	grep -l "^PPid:[[:space:]]*$1\$" /proc/[0-9]*/status 2>/dev/null | cut -d/ -f3
}

# end NAME SIGNAL WHOM: a tune that ends early, once it has switched; then the setting
end()
{
	nvx tune -d 30 --settle 0.1 halt_poll_ns=7,9 >"$OUT/$1.txt" 2>"$OUT/$1.err" &
	parent=$!
	n=0
	until grep -qx 7 $params/halt_poll_ns && [ $((n += 1)) -gt 5 ] || [ $((n += 1)) -gt 300 ]; do
		sleep 0.2
	done
	child=$(child_of $parent)
	victim=$parent
	[ "$3" = parent ] || victim=$child
	kill "-$2" "$victim"
	wait $parent
	code=$?
	n=0
	until grep -qx 50000 $params/halt_poll_ns || [ $((n += 1)) -gt 50 ]; do sleep 0.2; done
	echo "$1 $code $(cat $params/halt_poll_ns)" >>"$OUT/codes"
}
end interrupted INT parent
end terminated TERM parent
end parent-killed KILL parent
end child-killed KILL child
kill "$busy"
