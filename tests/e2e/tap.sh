# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# TAP for shell tests: run a command, say what it must have done.
set -uo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
NVX=${NVX:-build/nvx}
tap_nr=0 tap_failed=0
tap_dir=$(mktemp -d /tmp/nvx-e2e-XXXXXX)
# the unprivileged user reads results here, too
chmod 755 "$tap_dir"
trap 'rm -rf "$tap_dir"' EXIT

# ok NAME COMMAND...: passes if the command succeeds
ok()
{
	local name=$1

	shift
	tap_nr=$((tap_nr + 1))
	if "$@" >"$tap_dir/ok" 2>&1; then
		echo "ok $tap_nr - $name"
	else
		echo "not ok $tap_nr - $name"
		sed 's/^/# /' "$tap_dir/ok"
		tap_failed=1
	fi
}

skip()
{
	tap_nr=$((tap_nr + 1))
	echo "ok $tap_nr - $1 # SKIP $2"
}

# run COMMAND...: sets out, err and rc.  Nothing of nvx may take long here.
run()
{
	timeout 60 "$@" >"$tap_dir/out" 2>"$tap_dir/err" </dev/null
	rc=$?
	out=$(<"$tap_dir/out")
	err=$(<"$tap_dir/err")
}

# What the last run did, for messages.
show_run()
{
	printf 'exit code %s\nstdout: %s\nstderr: %s\n' "$rc" "$out" "$err"
	return 1
}

exited()
{
	[ "$rc" -eq "$1" ] || show_run
}

# failed_in_one_line CODE REGEX: all that it said is one line on stderr, which matches
failed_in_one_line()
{
	if [ "$rc" -ne "$1" ] || [ -n "$out" ] || [ "$(wc -l <"$tap_dir/err")" -ne 1 ] ||
		! [[ $err =~ $2 ]]; then
		show_run
	fi
}

said()
{
	[[ $out$'\n'$err =~ $1 ]] || show_run
}

done_testing()
{
	echo "1..$tap_nr"
	exit "$tap_failed"
}
