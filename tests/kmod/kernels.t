#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# What make kmod says about a kernel or a source that it cannot build.
set -uo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
n=0

# refused TITLE PATTERN COMMAND...: fails, with a message like PATTERN.
refused()
{
	local title=$1 pattern=$2 out

	shift 2
	n=$((n + 1))
	if out=$("$@" 2>&1); then
		echo "not ok $n - $title: succeeded"
	elif grep -qE "$pattern" <<<"$out"; then
		echo "ok $n - $title"
	else
		echo "not ok $n - $title"
		echo "# ${out//$'\n'/$'\n'# }"
	fi
}

cd "$top" || exit 1
refused "release without headers: says so, lists those installed and those available" \
	'no headers for kernel 6\.1\.0-1-amd64; installed: .*; in the package lists: .*6\.1\.0-' \
	make kmod KVER=6.1.0-1-amd64
refused "series without headers" 'no headers for kernel 5\.4;' make kmod KVER=5.4
refused "not a kernel" 'no headers for kernel nonsense;' make kmod KVER=nonsense
refused "KSRC without KVM" 'KSRC=/usr has no arch/x86/kvm' kmod/kernel.sh 6.1 /usr
echo "1..$n"
