#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# deps.sh [-q] PACKAGE...: install those that are missing, without questions.
# -q: say nothing when there is nothing to do.
set -euo pipefail

quiet=
if [ "${1-}" = -q ]; then
	quiet=1
	shift
fi

die()
{
	echo "deps: $*" >&2
	exit 1
}

# Prints the packages of the list that are not installed.
missing()
{
	local have

	# dpkg-query fails when it does not know one of the names.
	have=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null |
		sed -n 's/^installed //p') || true
	comm -23 <(printf '%s\n' "$@" | sort -u) <(sort -u <<<"$have")
}

# Whether the package lists know each of these names.
known()
{
	local policy

	policy=$(apt-cache policy "$@" 2>/dev/null)
	[ "$(grep -c '^  Candidate: [^(]' <<<"$policy")" -eq $# ]
}

update()
{
	echo "deps: updating the package lists"
	apt-get -qq update || die "apt-get update failed: is the network up?"
	updated=1
}

install()
{
	DEBIAN_FRONTEND=noninteractive apt-get -y -qq -o Dpkg::Use-Pty=0 \
		install --no-install-recommends "$@"
}

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
	die "this is no Debian system (no apt-get): install by hand: $*"
fi

mapfile -t need < <(missing "$@")
if [ ${#need[@]} -eq 0 ]; then
	[ -n "$quiet" ] || echo "deps: all $# packages are installed"
	exit 0
fi
[ "$(id -u)" -eq 0 ] ||
	die "missing packages: ${need[*]}; run 'make deps' as root to install them"

updated=
known "${need[@]}" || update
echo "deps: installing ${need[*]}"
# Old package lists name versions that the mirror has dropped since.
if ! install "${need[@]}"; then
	[ -z "$updated" ] || die "apt-get install failed"
	update
	install "${need[@]}" || die "apt-get install failed"
fi
mapfile -t need < <(missing "$@")
[ ${#need[@]} -eq 0 ] || die "still missing after installation: ${need[*]}"
