#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# On this very host, whatever it offers: probe works for everyone, and what cannot
# be done is one clear line and exit code 1.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"

# json EXPRESSION FILE: a Python expression over the parsed file d
json()
{
	python3 -c 'import json, sys
d = json.load(open(sys.argv[2]))
sys.exit(0 if eval(sys.argv[1]) else "does not hold: " + sys.argv[1])' "$1" "$2"
}

run "$NVX" probe
ok "nvx probe: exit code 0" exited 0
ok "nvx probe: names the kernel" said "$(uname -r)"

run "$NVX" probe --json
ok "nvx probe --json: exit code 0" exited 0
cp "$tap_dir/out" "$tap_dir/probe.json"
ok "it parses, and names the kernel" json "d['kernel'] == '$(uname -r)'" "$tap_dir/probe.json"
ok "every row says yes, no or unknown" \
	json "all(r['status'] in ('yes', 'no', 'unknown') for r in d['rows'])" "$tap_dir/probe.json"
ok "what is missing has its consequence" \
	json "all(r['status'] == 'yes' for r in d['rows']) or any(r['consequence'] for r in d['rows'])" \
	"$tap_dir/probe.json"
ok "a section that cannot be filled says why" \
	json "all((s['available'] and not s['partial']) or s['reason'] for s in d['sections'].values())" \
	"$tap_dir/probe.json"

if [ "$(id -u)" -eq 0 ]; then
	# as nobody, from a place that nobody may read
	cp "$NVX" "$tap_dir/nvx"
	nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all)
	run "${nobody[@]}" "$tap_dir/nvx" probe --json
	ok "unprivileged: nvx probe --json: exit code 0" exited 0
	cp "$tap_dir/out" "$tap_dir/nobody.json"
	ok "unprivileged: it parses" json "d['kernel'] == '$(uname -r)'" "$tap_dir/nobody.json"
	ok "unprivileged: this user has no source" json "d['tier'] == 'none'" "$tap_dir/nobody.json"
	ok "unprivileged: as root it would find no less" \
		json "d['tier_root'] in ('$(python3 -c 'import json, sys
print(json.load(open(sys.argv[1]))["tier_root"])' "$tap_dir/probe.json")', 'none')" \
		"$tap_dir/nobody.json"
	run "${nobody[@]}" "$tap_dir/nvx" stat -d 1
	ok "unprivileged: nvx stat is refused in one line" failed_in_one_line 1 '^nvx: '
else
	skip "unprivileged against root" "needs root to compare with"
fi

run "$NVX" stat -d 1 --json
if json "d['tier'] == 'none'" "$tap_dir/probe.json" >/dev/null 2>&1; then
	ok "no source here: nvx stat says so in one line" failed_in_one_line 1 '^nvx: '
	run "$NVX" stat -- true
	ok "no source here: nor with a command" failed_in_one_line 1 '^nvx: '
	for source in module btf classic; do
		run "$NVX" stat --source $source -d 1
		ok "no source here: not by force either ($source)" failed_in_one_line 1 '^nvx: '
	done
else
	ok "nvx stat: exit code 0" exited 0
	ok "nvx stat --json: parses" json "d['schema'] == 'nvx-stat-1'" "$tap_dir/out"
	run "$NVX" stat -d 1 -p 4194303
	ok "no such process: one line" failed_in_one_line 1 'no process 4194303'
	run "$NVX" stat -d 1 --vm no-such-vm
	ok "no such VM: one line" failed_in_one_line 1 'no-such-vm'
	run "$NVX" stat -d 1 -o "$tap_dir/missing/file"
	ok "output that cannot be written: one line" failed_in_one_line 1 'cannot write'
	run "$NVX" stat -- sh -c 'exit 3'
	ok "a command that fails fails nvx" exited 1
fi

timeout 60 "$NVX" probe >/dev/full 2>"$tap_dir/err"
rc=$? out='' err=$(<"$tap_dir/err")
ok "nvx probe on a full disk: one line, exit code 1" failed_in_one_line 1 'No space left'
timeout 60 "$NVX" probe --json >/dev/full 2>"$tap_dir/err"
rc=$? out='' err=$(<"$tap_dir/err")
ok "nvx probe --json on a full disk: one line, exit code 1" failed_in_one_line 1 'No space left|Input/output error'

done_testing
