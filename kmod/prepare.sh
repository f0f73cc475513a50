#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# prepare.sh SOURCE OUT SERIES VERSION: copy KVM of kernel A to OUT, lay the overlay,
# apply the semantic patches, and verify that every seam is what it was reviewed to be.
#
#   SOURCE   tree with arch/x86/kvm and virt/kvm
#   SERIES   6.1 or 6.12: the rows of seams.tsv that count
#   VERSION  of the source, for messages
#
# prepare.sh -l SOURCE SERIES VERSION: print the rows that kmod/hashes.tsv lacks.
#
# Exit code 3: a seam is not what it was; 1: anything else.
#
# NVX_DRIFT=allow builds in spite of unknown function bodies.  NVX_COCCI_CACHE is a
# directory of patched files, kept by the hash of what went into them.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
top=$(dirname "$here")
patched=(vmx/vmx.h vmx/vmx.c vmx/nested.c x86.c lapic.c mmu/mmu.c hyperv.c)
failed=0

die()
{
	echo "kmod: $*" >&2
	exit 1
}

complain()
{
	echo "kmod: $*" >&2
	failed=1
}

# rows: seam, file, count, regex, functions of this series; "-" stands for none.
rows()
{
	awk -F'\t' -v OFS='\t' -v series="$1" '/^#/ || !NF { next }
		$2 == "*" || $2 == series { print $1, $3, $4, $5, $6 == "" ? "-" : $6 }' \
		"$here/seams.tsv"
}

body_hash()
{
	local body

	body=$(awk -v name="$2" -f "$here/body.awk" "$1")
	[ -z "$body" ] || sha256sum <<<"$body" | cut -c1-16
}

known()
{
	awk -F'\t' -v f="$1" -v n="$2" -v h="$3" \
		'$1 == f && $2 == n && $3 == h { found = 1 } END { exit !found }' \
		"$here/hashes.tsv"
}

check_bodies()
{
	local kvm=$1 series=$2 version=$3 seam file functions function hash

	while IFS=$'\t' read -r seam file _ _ functions; do
		[ "$functions" != - ] || continue
		for function in ${functions//,/ }; do
			hash=$(body_hash "$kvm/$file" "$function")
			if [ -z "$hash" ]; then
				complain "seam $seam: $file has no $function() in $version"
			elif ! known "$file" "$function" "$hash"; then
				drift "seam $seam: $file: the body of $function() in $version" \
				      "is not one that was reviewed (hash $hash)"
			fi
		done
	done < <(rows "$series")
}

drift()
{
	if [ "${NVX_DRIFT-}" = allow ]; then
		echo "kmod: $* (allowed)" >&2
	else
		complain "$*; review it, then add the hash to kmod/hashes.tsv, or build" \
			 "in spite of it: make kmod NVX_DRIFT=allow"
	fi
}

list_unknown()
{
	local kvm=$1/arch/x86/kvm series=$2 version=$3 seam file functions function hash

	while IFS=$'\t' read -r seam file _ _ functions; do
		[ "$functions" != - ] || continue
		for function in ${functions//,/ }; do
			hash=$(body_hash "$kvm/$file" "$function")
			[ -n "$hash" ] || die "seam $seam: $file has no $function()"
			known "$file" "$function" "$hash" ||
				printf '%s\t%s\t%s\t%s\n' "$file" "$function" "$hash" "$version"
		done
	done < <(rows "$series") | sort -u
}

# One file of KVM; what spatch made of the same two inputs before is taken as it is.
patch_file()
{
	local kvm=$1 file=$2 cocci=$here/cocci/${2//\//_}.cocci cache=${NVX_COCCI_CACHE-} key log

	key=$(cat "$cocci" "$kvm/$file" | sha256sum | cut -c1-32)
	if [ -n "$cache" ] && [ -e "$cache/$key" ]; then
		cp "$cache/$key" "$kvm/$file"
		return
	fi
	log=$(spatch --very-quiet --no-show-diff --no-includes --in-place \
		--sp-file "$cocci" "$kvm/$file" 2>&1) ||
		die "spatch failed on $file: $log"
	if [ -n "$cache" ]; then
		mkdir -p "$cache"
		cp "$kvm/$file" "$cache/.$key.$$"
		mv "$cache/.$key.$$" "$cache/$key"
	fi
}

check_counts()
{
	local kvm=$1 series=$2 version=$3 seam file count regex got

	while IFS=$'\t' read -r seam file count regex _; do
		got=$(grep -cE -- "$regex" "$kvm/$file") || true
		[ "$got" = "$count" ] ||
			complain "seam $seam: $file of $version: /$regex/ is there $got times," \
				 "expected $count"
	done < <(rows "$series")
}

if [ "${1-}" = -l ]; then
	[ $# -eq 4 ] || die "usage: prepare.sh -l SOURCE SERIES VERSION"
	list_unknown "$2" "$3" "$4"
	exit
fi

[ $# -eq 4 ] || die "usage: prepare.sh SOURCE OUT SERIES VERSION"
source=$1 out=$2 series=$3 version=$4
for file in arch/x86/kvm/x86.c virt/kvm/kvm_main.c; do
	[ -e "$source/$file" ] || die "$source holds no KVM source (no $file)"
done
command -v spatch >/dev/null || die "no spatch: run 'make deps' (package coccinelle)"

rm -rf "$out"
mkdir -p "$out/arch/x86" "$out/nvx"
cp -r "$source/arch/x86/kvm" "$out/arch/x86/"
cp -r "$source/virt" "$out/"
kvm=$out/arch/x86/kvm

for file in "${patched[@]}"; do
	[ -e "$kvm/$file" ] || complain "seam include: $version has no $file"
done
check_bodies "$kvm" "$series" "$version"
[ $failed -eq 0 ] || exit 3

pids=()
for file in "${patched[@]}"; do
	patch_file "$kvm" "$file" &
	pids+=($!)
done
for pid in "${pids[@]}"; do
	wait "$pid" || failed=1
done
[ $failed -eq 0 ] || exit 1
check_counts "$kvm" "$series" "$version"
[ $failed -eq 0 ] || exit 3

cp "$here"/overlay/*.[ch] "$here"/core/*.[ch] "$here"/compat/*.h "$top"/include/nvx_{tp,switch}.h "$out/nvx/"
cp "$here/Kbuild.top" "$out/Kbuild"
cp "$here/Kbuild.kvm" "$kvm/Kbuild"
