#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# record, report, diff and tune at the command line, over a session that is kept.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"

series=tests/fixtures/series.nvx
exits=$("$NVX" report --json "$series" | python3 -c 'import json, sys
print(sum(vm["l1_exits"] + vm["l2_exits"] + vm["unknown_exits"]
          for vm in json.load(sys.stdin)["totals"]))')

# shellcheck disable=SC2317 # ok calls them
# says WHAT COMMAND...: it fails with 1 and one line that has WHAT
says()
{
	local what=$1

	shift
	"$@" >/dev/null 2>"$tap_dir/err"
	[ $? -eq 1 ] && [ "$(wc -l <"$tap_dir/err")" -eq 1 ] && grep -qF -- "$what" "$tap_dir/err"
}

# shellcheck disable=SC2317
usage()
{
	"$@" >/dev/null 2>&1
	[ $? -eq 2 ]
}

ok "a session has exits" test "${exits:-0}" -gt 1000
"$NVX" report --folded "$series" >"$tap_dir/folded"
ok "stacks add up to all exits" test "$(awk '{ n += $NF } END { print n }' "$tap_dir/folded")" = "$exits"
ok "an L2 exit has L1 exits on top" grep -q '^L2:cpuid;L1:vmrun [0-9]' "$tap_dir/folded"

"$NVX" diff "$series" "$series" >"$tap_dir/diff"
ok "a session does not differ from itself" grep -q '^0 of [1-9][0-9]* figures differ\|^Nothing can be proven' "$tap_dir/diff"
ok "its configuration does not either" grep -q '^The configurations do not differ' "$tap_dir/diff"
ok "Markdown" grep -q '^| L1 exits | ' <("$NVX" diff --markdown "$series" "$series")
ok "JSON" python3 -c 'import json, sys
d = json.loads(sys.argv[1])
assert d["schema"] == "nvx-diff-1" and len(d["figures"]) > 20 and d["differ"] == 0' \
	"$("$NVX" diff --json "$series" "$series")"
ok "several files a side" grep -q '"unit":"session"' <("$NVX" diff --json "$series" "$series" "$series" "$series" -- \
	"$series" "$series" "$series" "$series")

head -c 40000 "$series" >"$tap_dir/cut.nvx"
"$NVX" report "$tap_dir/cut.nvx" >"$tap_dir/out" 2>"$tap_dir/err"
ok "a session that was cut off is shown" test $? -eq 0 -a -s "$tap_dir/out"
ok "with how far it goes" grep -q 'incomplete: cut off: it has no end; [1-9][0-9]* deltas' "$tap_dir/err"
{ head -c 40000 "$series"; head -c 1000 /dev/zero; } >"$tap_dir/bad.nvx"
ok "a damaged one fails with how far it goes" says 'deltas, ' "$NVX" report "$tap_dir/bad.nvx"
ok "it has no single vCPUs" says 'no totals of single vCPUs' "$NVX" report --vcpu 0 "$tap_dir/cut.nvx"
ok "one vCPU of a whole one" grep -q '^  L2     cpuid' <("$NVX" report --vcpu 0 "$series")
ok "a vCPU that it does not have" grep -qx '  none' <("$NVX" report --vcpu 7 "$series")
ok "what is no session" says 'is no session of nvx' "$NVX" report Makefile
ok "a file that is not there" says 'No such file' "$NVX" diff "$series" "$tap_dir/none.nvx"
ok "a directory" says "$tap_dir" "$NVX" report "$tap_dir"

ok "record needs a file" usage "$NVX" record -d 1
ok "diff needs two" usage "$NVX" diff "$series"
ok "tune needs a switch" usage "$NVX" tune -d 1
ok "tune needs two values" usage "$NVX" tune halt_poll_ns=1
ok "tune needs different ones" usage "$NVX" tune halt_poll_ns=1,1
ok "a switch that is not there" says 'no switch' "$NVX" tune nonsense=0,1
ok "report takes one format" usage "$NVX" report --html --folded "$series"

done_testing
