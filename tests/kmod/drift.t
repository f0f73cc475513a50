#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# drift.t KVER...: the newest kernel's KVM is one that was reviewed.  When it is not, the modules
# were built for the newest one that is (NVX_DRIFT=skip), and that is said here, once and loudly.
set -uo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
n=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

for kver in "$@"; do
	n=$((n + 1))
	out=$top/build/kmod/$kver
	if [ ! -e "$out/kernel" ]; then
		echo "not ok $n - $kver: modules are built"
	elif [ -e "$out/drift" ]; then
		echo "ok $n - $kver: newest kernel # SKIP DRIFT: $(grep -o 'seam [a-z_]*' "$out/drift" |
			sort -u | paste -sd,); built for $(sed -n 's/^release=//p' "$out/kernel")"
		sed 's/^/# /' "$out/drift"
	else
		echo "ok $n - $kver: newest kernel, $(sed -n 's/^version=//p' "$out/kernel"), was reviewed"
	fi

	# Each row of KERNELS stands for a source that prepare.sh takes without a word; only those
	# in the cache can be asked.
	declare series version source
	eval "$("$top/kmod/kernel.sh" "$kver")"
	n=$((n + 1))
	if "$top/kmod/prepare.sh" -l "$source" "$series" "$version" >"$tmp/rows" && [ ! -s "$tmp/rows" ]; then
		echo "ok $n - $kver: every function that a seam relies on has its hash"
	elif [ -e "$out/drift" ]; then
		echo "ok $n - $kver: every function that a seam relies on has its hash # SKIP DRIFT"
	else
		echo "not ok $n - $kver: every function that a seam relies on has its hash"
		sed 's/^/# /' "$tmp/rows"
	fi
done
echo "1..$n"
