#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# labs: vmx vmx-nvx vmx-2cpu vmx-nvx-2cpu
# timeout: 300
# The kernel's own KVM selftests: a line each in $OUT/results, "name wanted-exit-code
# exit-code guest-seconds", and the output of each.
prefix=/sys/module/kvm/parameters/force_emulation_prefix
was=$(cat $prefix)
# userspace_msr_exit_test needs the forced emulation of its MSR accesses.
echo 1 >$prefix
grep -v '^#' /lab/selftests.txt >/tmp/selftests
while read -r name want args; do
	# On one CPU it takes 40 guest seconds; the others need no second one.
	case $(nproc)-$name in
	1-xapic_ipi_test) continue ;;
	2-xapic_ipi_test) limit=200 ;;
	1-*) limit=20 ;;
	*) continue ;;
	esac
	start=$(cut -d' ' -f1 /proc/uptime)
	# shellcheck disable=SC2086
	timeout -s KILL $limit "/lab/selftests/$name" $args >"$OUT/$name.log" 2>&1 </dev/null
	rc=$?
	end=$(cut -d' ' -f1 /proc/uptime)
	echo "$name $want $rc $(echo "$end $start" | awk '{ printf "%.2f", $1 - $2 }')" >>"$OUT/results"
done </tmp/selftests
echo "$was" >$prefix
