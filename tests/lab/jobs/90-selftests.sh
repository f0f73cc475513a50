#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# labs: svm-icount
# timeout: 120
# The kernel's own KVM selftests: is this lab's KVM the one that Linux ships?
grep -v '^#' /lab/selftests.txt >"$OUT/list"
while read -r name want args; do
	test=/lab/selftests/$name
	[ -x "$test" ] || { echo "$name $want missing" >>"$OUT/results"; continue; }
	echo "== $name"
	# shellcheck disable=SC2086
	timeout -s KILL 30 "$test" $args
	echo "$name $want $?" >>"$OUT/results"
done <"$OUT/list"
