#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# dkms.t KVER...: DKMS itself builds our modules, signs them with a machine owner's key and
# installs them, in trees of its own.  Builds KVM once more: minutes.
set -uo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
PATH=$PATH:/usr/sbin:/sbin
name=nvx-kvm
ours=$(cat "$top/VERSION")
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
		tail -n 40 "$tmp/log" | sed 's/^/# /'
	fi
}

run_dkms()
{
	dkms "$@" -m $name -v "$ours" --dkmstree "$tmp/dkms" --sourcetree "$tmp/usr/src" \
		--installtree "$tmp/modules"
}

signed_by()
{
	local file

	file=$(find "$tmp/modules/$release" -name "$1.ko*")
	[ -n "$file" ] && modinfo -F signer "$file" | grep -qx "nvx test"
}

# What the framework's file of a host says, for the time of this test.
use_key()
{
	openssl req -new -x509 -newkey rsa:2048 -nodes -days 1 -subj "/CN=nvx test" \
		-keyout "$tmp/mok.key" -outform DER -out "$tmp/mok.der" 2>/dev/null
	conf=/etc/dkms/framework.conf.d/nvx-test.conf
	mkdir -p "${conf%/*}"
	printf 'mok_signing_key=%s\nmok_certificate=%s\n' "$tmp/mok.key" "$tmp/mok.der" >$conf
	trap 'rm -rf "$tmp" "$conf"' EXIT
}

use_key
mkdir -p "$tmp/dkms" "$tmp/modules"
make -C "$top" -s kmod-dkms DESTDIR="$tmp" >/dev/null
for kver in "$@"; do
	declare release build
	eval "$("$top/kmod/kernel.sh" "$kver")"
	echo "sign_tool=$(find "${build%/usr/src/*}/usr/lib" -path '*/scripts/sign-file')" >>"$conf"
	[ "$kver" = "$1" ] && check "added" run_dkms add
	check "built" run_dkms build -k "$release" --kernelsourcedir "$build"
	mkdir -p "$tmp/modules/$release"
	check "installed" run_dkms install -k "$release" --kernelsourcedir "$build"
	check "kvm.ko is signed" signed_by kvm
	check "kvm-intel.ko is signed" signed_by kvm-intel
done
echo "1..$n"
