#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# model.t PROGRAM STEPS: the model, half of the steps on each of two CPUs, with other seeds.
program=$1
half=$(($2 / 2))
"$program" $half 0 >"$program.out0" 2>&1 &
pids=($!)
"$program" $half 1000000 >"$program.out1" 2>&1 &
pids+=($!)
echo 1..2
failed=0
for i in 0 1; do
	if wait "${pids[i]}"; then
		echo "ok $((i + 1)) - $(sed 's/^ok //' "$program.out$i")"
	else
		echo "not ok $((i + 1)) - $half steps"
		sed 's/^/# /' "$program.out$i"
		failed=1
	fi
done
exit $failed
