#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# kernel.sh KVER [KSRC]: find what building for a kernel needs, fetch what is missing into
# build/cache, and print it as shell assignments:
#
#   series   6.1
#   release  what uname -r says in it
#   version  of the Debian package
#   build    tree of headers for kbuild
#   source   tree with arch/x86/kvm and virt/kvm
#   vmlinux  file with the kernel's BTF, or empty
#
# KVER is a series (the newest kernel of it in the package lists) or a full release.
set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
cache=$top/build/cache
# shellcheck disable=SC2034 # printed through ${!name}
declare series release version build source vmlinux=

die()
{
	echo "kmod: $*" >&2
	exit 1
}

fetch()
{
	# _apt may not be able to write here; that only costs a warning otherwise.
	(cd "$1" && apt-get -qq -o APT::Sandbox::User=root -o Dpkg::Use-Pty=0 \
		download "${@:2}") >&2
}

# Releases of a series whose headers the package lists have, oldest first.
available()
{
	apt-cache pkgnames "linux-headers-$1" 2>/dev/null |
		sed -nE 's/^linux-headers-([0-9]+\.[0-9]+\.[0-9]+(\+deb[0-9]+)?(-[0-9]+)?-amd64)$/\1/p' |
		sort -V
}

installed()
{
	local dir

	for dir in /lib/modules/*/build; do
		[ ! -e "$dir/Makefile" ] || basename "$(dirname "$dir")"
	done
}

# A machine may have come without package lists.
update()
{
	[ "$(id -u)" -ne 0 ] || apt-get -qq update >&2 || true
}

no_headers()
{
	local have can

	have=$(installed | paste -sd' ')
	can=$(available 6. | paste -sd' ')
	die "no headers for kernel $1; installed: ${have:-none}; in the package lists:" \
	    "${can:-none (run apt-get update)}"
}

resolve_release()
{
	case $1 in
	[0-9]*.[0-9]*.[0-9]*) release=$1 ;;
	[0-9]*.[0-9]*)
		# The labs run the kernel that they cached: build for that one.
		if [ -e "$cache/kernel/$1/release" ]; then
			release=$(cat "$cache/kernel/$1/release")
		else
			[ -n "$(available "$1.")" ] || update
			release=$(available "$1." | tail -n 1)
			[ -n "$release" ] ||
				release=$(installed | { grep -F "$1." || true; } | sort -V | tail -n 1)
		fi
		[ -n "$release" ] || no_headers "$1"
		;;
	*) no_headers "$1" ;;
	esac
	series=$(cut -d. -f1,2 <<<"$release")
}

# Headers that are not installed: unpacked, with the absolute path to their other half edited.
unpack_headers()
{
	local dir=$cache/headers/$release tmp common makefile

	[ ! -e "$dir/version" ] || return 0
	available "$series." | grep -qxF "$release" || no_headers "$release"
	tmp=$(mktemp -d "$cache/headers/.new-XXXXXX")
	echo "kmod: fetching the headers of $release" >&2
	common=linux-headers-${release%-amd64}-common
	fetch "$tmp" "linux-headers-$release" "$common" || die "cannot download linux-headers-$release"
	version=$(dpkg-deb -f "$tmp/linux-headers-${release}_"*.deb Version)
	fetch_kbuild "$tmp" || die "cannot download linux-kbuild of $release"
	for deb in "$tmp"/*.deb; do
		dpkg -x "$deb" "$tmp/root"
		rm "$deb"
	done
	makefile=$tmp/root/usr/src/linux-headers-$release/Makefile
	# relative to itself: the tree may move
	sed -i "s|include /usr/src/|include \$(realpath \$(dir \$(lastword \$(MAKEFILE_LIST)))..)/|" "$makefile"
	echo "$version" >"$tmp/version"
	rm -rf "$dir"
	mv "$tmp" "$dir"
}

# One package a release since 6.12, one a series before.
fetch_kbuild()
{
	fetch "$1" "linux-kbuild-${release%-amd64}" 2>/dev/null ||
		fetch "$1" "linux-kbuild-$series=$version"
}

find_headers()
{
	local dir=/lib/modules/$release/build

	if [ -e "$dir/Makefile" ]; then
		build=$(readlink -f "$dir")
		version=$(dpkg-query -W -f '${Version}' "linux-headers-$release" 2>/dev/null) ||
			version=$release
		return
	fi
	mkdir -p "$cache/headers"
	exec 8>"$cache/headers/.lock"
	flock 8
	unpack_headers
	exec 8>&-
	dir=$cache/headers/$release
	version=$(cat "$dir/version")
	build=$dir/root/usr/src/linux-headers-$release
}

# The tarball of linux-source, of the very version of the headers.
unpack_source()
{
	local dir=$cache/ksrc/$version tmp package=linux-source-$series tarball

	[ ! -e "$dir/.done" ] || return 0
	tmp=$(mktemp -d "$cache/ksrc/.new-XXXXXX")
	tarball=/usr/src/$package.tar.xz
	if [ ! -e "$tarball" ] ||
	   [ "$(dpkg-query -W -f '${Version}' "$package" 2>/dev/null)" != "$version" ]; then
		echo "kmod: fetching $package $version" >&2
		fetch "$tmp" "$package=$version" ||
			die "no $package $version in the package sources: give KSRC=path"
		dpkg-deb --fsys-tarfile "$tmp"/*.deb |
			tar -x -C "$tmp" --strip-components=3 --wildcards '*.tar.xz'
		rm "$tmp"/*.deb
		tarball=$tmp/$package.tar.xz
	fi
	echo "kmod: unpacking KVM of $package $version" >&2
	tar -xf "$tarball" -C "$tmp" --strip-components=1 "$package/arch/x86/kvm" "$package/virt" \
		"$package/scripts/checkpatch.pl" "$package/scripts/spelling.txt" \
		"$package/scripts/const_structs.checkpatch" "$package/scripts/coccinelle"
	rm -f "$tmp"/*.tar.xz
	touch "$tmp/.done"
	rm -rf "$dir"
	mv "$tmp" "$dir"
}

find_source()
{
	if [ -n "$1" ]; then
		[ -e "$1/arch/x86/kvm/x86.c" ] || die "KSRC=$1 has no arch/x86/kvm"
		source=$(readlink -f "$1")
		return
	fi
	mkdir -p "$cache/ksrc"
	exec 8>"$cache/ksrc/.lock"
	flock 8
	unpack_source
	exec 8>&-
	# shellcheck disable=SC2034
	source=$cache/ksrc/$version
}

# BTF of the kernel: modules keep only the difference to it.  6.12 headers bring it.
find_vmlinux()
{
	local lab=$cache/kernel/$series file image

	for file in "$build/vmlinux" "$cache/btf/$release"; do
		if [ -e "$file" ]; then
			vmlinux=$file
			return
		fi
	done
	if [ "$(uname -r)" = "$release" ] && [ -e /sys/kernel/btf/vmlinux ]; then
		vmlinux=/sys/kernel/btf/vmlinux
		return
	fi
	if [ "$(cat "$lab/release" 2>/dev/null)" = "$release" ]; then
		vmlinux=$lab/vmlinux
		return
	fi
	mkdir -p "$cache/btf"
	image=/boot/vmlinuz-$release
	if [ ! -e "$image" ]; then
		echo "kmod: fetching the image of $release for its BTF" >&2
		rm -rf "$cache/btf/.new"
		mkdir "$cache/btf/.new"
		fetch "$cache/btf/.new" "linux-image-$release" || return 0
		dpkg -x "$cache"/btf/.new/*.deb "$cache/btf/.new"
		image=$cache/btf/.new/boot/vmlinuz-$release
	fi
	python3 "$top/tests/lab/extract-vmlinux.py" "$image" "$cache/btf/$release" >&2 || return 0
	rm -rf "$cache/btf/.new"
	# shellcheck disable=SC2034
	vmlinux=$cache/btf/$release
}

case $# in
1 | 2) ;;
*) die "usage: kernel.sh KVER [KSRC]" ;;
esac
resolve_release "$1"
find_headers
find_source "${2-}"
find_vmlinux
for name in series release version build source vmlinux; do
	printf '%s=%q\n' "$name" "${!name}"
done
