#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# install.t KVER...: modprobe prefers our modules once they are installed, has the stock ones again
# after kmod-uninstall, and a key signs them.  All of it in a root of its own.
set -uo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
PATH=$PATH:/usr/sbin:/sbin
n=0

# check TITLE COMMAND...
check()
{
	local title=$1

	shift
	n=$((n + 1))
	if "$@" >"$tmp/log" 2>&1; then
		echo "ok $n - $kver: $title"
	else
		echo "not ok $n - $kver: $title"
		sed 's/^/# /' "$tmp/log" | tail -n 15
	fi
}

# The stock modules of the kernel, as its package would have installed them.
stock_root()
{
	local release=$1 lab

	lab=$("$top/tests/lab/fetch-kernel" "$kver")
	rm -rf "$tmp/root"
	mkdir -p "$tmp/root/lib/modules/$release/kernel/arch/x86" "$tmp/root/lib/modules/$release/kernel/virt"
	cp -r "$lab/modules/kernel/arch/x86/kvm" "$tmp/root/lib/modules/$release/kernel/arch/x86/"
	cp -r "$lab/modules/kernel/virt" "$tmp/root/lib/modules/$release/kernel/"
	cp "$lab"/modules/modules.{order,builtin,builtin.modinfo} "$tmp/root/lib/modules/$release/"
	depmod -b "$tmp/root" "$release"
}

# loads PATTERN: what modprobe would load for kvm_intel has two files like it.
loads()
{
	modprobe -d "$tmp/root" -S "$release" --show-depends kvm_intel | tee /dev/stderr |
		grep -cE "$1" | grep -qx 2
}

signed()
{
	modinfo -F signer "$tmp/root/lib/modules/$release/updates/nvx/$1.ko" | grep -qx "nvx test"
}

run()
{
	DESTDIR=$tmp/root NVX_SIGN_KEY=$key NVX_SIGN_CERT=$tmp/mok.der "$top/kmod/install.sh" "$1" "$kver"
}

openssl req -new -x509 -newkey rsa:2048 -nodes -days 2 -subj "/CN=nvx test/" -outform DER \
	-keyout "$tmp/mok.key" -out "$tmp/mok.der" 2>/dev/null
for kver in "$@"; do
	release=$(sed -n 's/^release=//p' "$top/build/kmod/$kver/kernel")
	key=$tmp/none
	stock_root "$release"
	check "stock modules are what modprobe loads at first" loads '/kernel/arch/x86/kvm/kvm(-intel)?\.ko'
	check "kmod-install" run install
	check "ours are what modprobe loads then" loads '/updates/nvx/kvm(-intel)?\.ko'
	check "the stock modules are still there" test -e \
		"$(echo "$tmp/root/lib/modules/$release/kernel/arch/x86/kvm/kvm.ko"*)"
	check "kmod-uninstall" run uninstall
	check "the stock modules are what modprobe loads again" \
		loads '/kernel/arch/x86/kvm/kvm(-intel)?\.ko'
	check "nothing of ours is left" test ! -e "$tmp/root/lib/modules/$release/updates/nvx"
	key=$tmp/mok.key
	check "kmod-install with a key" run install
	check "kvm.ko is signed" signed kvm
	check "kvm-intel.ko is signed" signed kvm-intel
done
echo "1..$n"
