#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# install.sh install|uninstall KVER: put the modules where modprobe prefers them to the
# distribution's, or take them away.  The distribution's stay where they are: they are what
# is loaded when ours are gone, or do not fit the kernel that was booted.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
top=$(dirname "$here")
root=${DESTDIR-}
modules=(kvm kvm-intel)

die()
{
	echo "kmod: $*" >&2
	exit 1
}

tool()
{
	command -v "$1" || echo "/sbin/$1"
}

release_of()
{
	local file=$top/build/kmod/$1/kernel

	if [ -e "$file" ]; then
		sed -n 's/^release=//p' "$file"
	else
		echo "$1"
	fi
}

secure_boot()
{
	local var

	for var in /sys/firmware/efi/efivars/SecureBoot-*; do
		# Four bytes of attributes, then the value.
		[ -e "$var" ] && [ "$(od -An -tu1 -j4 -N1 "$var" | tr -d ' ')" = 1 ] && return
	done
	return 1
}

# With a machine owner's key, kernels under lockdown load the modules too.
sign()
{
	local release=$1 file=$2 key=${NVX_SIGN_KEY:-/var/lib/dkms/mok.key}
	local cert=${NVX_SIGN_CERT:-/var/lib/dkms/mok.pub} signer

	if [ ! -e "$key" ] || [ ! -e "$cert" ]; then
		secure_boot || return 0
		die "Secure Boot is on and there is no key to sign with ($key, $cert):" \
		    "the kernel would refuse the module; see docs/kmod.md"
	fi
	for signer in "/lib/modules/$release/build/scripts/sign-file" \
		      "/usr/lib/linux-kbuild-"*"/scripts/sign-file" \
		      "$top/build/cache/headers/$release/root/usr/lib/linux-kbuild-"*"/scripts/sign-file"; do
		[ -x "$signer" ] && break
	done
	[ -x "$signer" ] || die "no sign-file: install linux-headers-$release"
	"$signer" sha256 "$key" "$cert" "$file"
}

do_install()
{
	local kver=$1 release dir name

	release=$(release_of "$kver")
	dir=$root/lib/modules/$release
	[ -e "$top/build/kmod/$kver/kvm.ko" ] || die "not built: make kmod KVER=$kver"
	[ -d "$dir" ] || die "kernel $release is not installed (no $dir)"
	[ "$(id -u)" -eq 0 ] || [ -n "$root" ] || die "installing needs root"
	mkdir -p "$dir/updates/nvx"
	for name in "${modules[@]}"; do
		cp "$top/build/kmod/$kver/$name.ko" "$dir/updates/nvx/.$name.ko"
		sign "$release" "$dir/updates/nvx/.$name.ko"
		mv "$dir/updates/nvx/.$name.ko" "$dir/updates/nvx/$name.ko"
	done
	"$(tool depmod)" ${root:+-b "$root"} "$release"
	echo "kmod: installed for $release; the stock modules stay in kernel/arch/x86/kvm"
	echo "kmod: to switch without a reboot, with no VM running:" \
	     "rmmod kvm_intel kvm; modprobe kvm_intel"
}

ours_loaded()
{
	[ -d /sys/kernel/tracing/events/nvx ] || [ -d /sys/kernel/debug/tracing/events/nvx ] ||
		grep -q '^[0-9a-f]* . nvx_vcpu_offset' /proc/kallsyms 2>/dev/null
}

unload()
{
	local name

	for name in kvm_intel kvm_amd kvm; do
		[ ! -d "/sys/module/$name" ] || "$(tool rmmod)" "$name" || return 1
	done
}

do_uninstall()
{
	local release dir reload="" name

	release=$(release_of "$1")
	dir=$root/lib/modules/$release
	if [ -z "$root" ] && [ "$(uname -r)" = "$release" ] && ours_loaded; then
		for name in kvm_intel kvm_amd; do
			[ ! -d "/sys/module/$name" ] || reload=$name
		done
		if ! unload; then
			# What was unloaded before the one that is busy comes back.
			[ -z "$reload" ] || "$(tool modprobe)" "$reload" || true
			echo "kmod: the module is in use, nothing was changed:" >&2
			"$here/holders.sh" >&2
			die "end these, then run make kmod-uninstall again"
		fi
	fi
	rm -rf "$dir/updates/nvx"
	[ ! -d "$dir" ] || "$(tool depmod)" ${root:+-b "$root"} "$release"
	[ -z "$reload" ] || "$(tool modprobe)" "$reload"
	echo "kmod: removed from $release${reload:+; the stock $reload is loaded}"
}

[ $# -eq 2 ] || die "usage: install.sh install|uninstall KVER"
case $1 in
install) do_install "$2" ;;
uninstall) do_uninstall "$2" ;;
*) die "usage: install.sh install|uninstall KVER" ;;
esac
