#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# build.sh KVER [KSRC]: build/kmod/KVER/kvm.ko and kvm-intel.ko, with BTF, without debug info.
#
# NVX_DRIFT=skip, with a series: when the newest kernel has drifted, build for the newest one
# of kmod/KERNELS and leave what prepare.sh said in the file "drift" beside the modules.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
top=$(dirname "$here")
kver=$1
out=$top/build/kmod/$kver
tree=$out/tree
cc=${KMOD_CC:-gcc-12}
log=$out/build.log

die()
{
	echo "kmod: $*" >&2
	exit 1
}

# Copies what differs, so that kbuild compiles nothing else again.
sync_tree()
{
	local new=$1 old=$2 file

	mkdir -p "$old"
	(cd "$new" && find . -type d -print0) | (cd "$old" && xargs -0 mkdir -p)
	while IFS= read -r file; do
		cmp -s "$new/$file" "$old/$file" || cp "$new/$file" "$old/$file"
	done < <(cd "$new" && find . -type f)
	# What kbuild made stays; a source that is gone goes.
	while IFS= read -r file; do
		[ -e "$new/$file" ] || rm "$old/$file"
	done < <(cd "$old" && find . -type f \( -name '*.[chS]' -o -name Kbuild -o -name Makefile \) \
			! -name '*.mod.c' ! -name kvm-asm-offsets.h)
}

# kbuild has made BTF already where the headers hold a vmlinux.
add_btf()
{
	local module=$1

	if readelf -SW "$module" | grep -q ' \.BTF '; then
		return
	fi
	if [ -z "$vmlinux" ]; then
		echo "kmod: no BTF of $release found: $(basename "$module") gets none" >&2
		return
	fi
	pahole -J --btf_base="$vmlinux" --btf_gen_floats --lang_exclude=rust "$module"
}

declare series release version build source vmlinux

prepare()
{
	rm -rf "$out/.new"
	NVX_COCCI_CACHE=$top/build/kmod/.cocci "$here/prepare.sh" "$source" "$out/.new" \
		"$series" "$version"
}

prepare_known()
{
	local known

	known=$(awk -F'\t' -v series="$kver" '!/^#/ && $1 == series { last = $2 } END { print last }' \
		"$here/KERNELS")
	[ -n "$known" ] && [ "$known" != "$release" ] || return 1
	echo "kmod: $release has drifted; building for $known instead" >&2
	found=$("$here/kernel.sh" "$known")
	eval "$found"
	prepare
}

found=$("$here/kernel.sh" "$kver" "${2-}")
eval "$found"
mkdir -p "$out"
exec 9>"$out/.lock"
flock 9
# A source that is edited while this runs must look newer than what comes out of it.
touch "$out/.started"
rm -f "$out/drift"
rc=0
prepare 2>"$out/.drift" || rc=$?
cat "$out/.drift" >&2
if [ $rc -eq 3 ] && [ "${NVX_DRIFT-}" = skip ] && prepare_known; then
	mv "$out/.drift" "$out/drift"
elif [ $rc -ne 0 ]; then
	exit 1
fi
sync_tree "$out/.new" "$tree"
rm -rf "$out/.new"

start=$SECONDS
make -C "$build" M="$tree" KVM_OOT="$tree" CC="$cc" -j"$(nproc)" modules >"$log" 2>&1 || {
	{ grep -E 'error|Error|warning' -A3 "$log" || tail -n 20 "$log"; } | head -n 40 >&2
	die "the build failed, see $log"
}
if grep -qE ': warning: ' "$log"; then
	grep -E ': warning: ' "$log" >&2
	die "warnings, see $log"
fi
for name in kvm kvm-intel; do
	cp "$tree/arch/x86/kvm/$name.ko" "$out/.$name.ko"
	add_btf "$out/.$name.ko"
	strip --strip-debug "$out/.$name.ko"
	readelf -SW "$out/.$name.ko" | grep -q ' \.BTF ' || [ -z "$vmlinux" ] ||
		die "$name.ko lost its BTF"
	touch -r "$out/.started" "$out/.$name.ko"
	mv "$out/.$name.ko" "$out/$name.ko"
done
cp "$tree/Module.symvers" "$out/Module.symvers"
{
	echo "release=$release"
	echo "version=$version"
} >"$out/kernel"
echo "kmod: $out/kvm.ko, kvm-intel.ko for $release ($((SECONDS - start)) s)"
