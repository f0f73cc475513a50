#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# make demo: this host or the lab?  And what the documents took from commands.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"

# probe NAME STATUS-OF-KVM MODULE STATUS-OF-NESTED TIER TIER-AS-ROOT REASON
probe()
{
	cat >"$tap_dir/$1" <<-JSON
		{"vendor_module": "$3", "tier": "$5", "tier_root": "$6", "tier_reason": "$7",
		 "rows": [{"id": "dev_kvm", "status": "$2"}, {"id": "nested", "status": "$4"}]}
	JSON
}

# where NAME WANT WORDS: what the demo takes, and what it says of it
# shellcheck disable=SC2317 # called by ok
where()
{
	tests/lab/demo where "$tap_dir/$1" >"$tap_dir/out" 2>"$tap_dir/err" &&
		[ "$(<"$tap_dir/out")" = "$2" ] && [[ $(<"$tap_dir/err") == "$3"* ]]
}

probe nested yes kvm_amd yes btf btf ""
ok "nested VMs can be seen here: live" where nested live ""
[ ! -s "$tap_dir/err" ]
ok "... without a word" test $? = 0
probe classic yes kvm_intel yes classic classic "no BTF"
ok "by the classic tracepoints too" where classic live ""
probe nokvm no "" no none none "no kvm"
ok "no /dev/kvm: the lab" where nokvm lab "demo: this host has no usable /dev/kvm"
probe other yes kvm_pvm no none none "x"
ok "another vendor module: the lab" where other lab "demo: KVM runs here on kvm_pvm"
probe off yes kvm_intel no btf btf ""
ok "nested off: the lab" where off lab "demo: nested virtualization is off here"
probe user yes kvm_intel yes none btf "run as root"
ok "not root: the lab, and it says so" where user lab "demo: only root may look"
probe lockdown yes kvm_amd yes none none "kernel lockdown"
ok "nothing to look with: the lab, with nvx's reason" where lockdown lab "demo: kernel lockdown"
ok "this host is one of both" grep -qxE 'live|lab' <(tests/lab/demo where 2>/dev/null)

block()
{
	sed -n "/^<!-- $2 -->/,/^<!-- end of $2 -->/p" "$1"
}

ok "README.md has a screen of nvx stat" grep -q '^Exits by level and reason' <(block README.md screen)
ok "... with the command that printed it" grep -q '^\$ nvx stat ' <(block README.md screen)
ok "README.md has the table of make bench" grep -q '^reference: ' <(block README.md bench)
ok "the sizes in docs/design.md are those of make size" diff -B \
	<(block docs/design.md size | grep '^    ' | sed 's/^    //') <("${MAKE:-make}" -s size | grep -v '^  BPF ')

# every name that the golden files have must be told of
grep -ohE '"[a-z][a-z0-9_]*":' tests/golden/stat*.json | tr -d '":' | sort -u >"$tap_dir/fields"
ok "golden JSON has names" test "$(wc -l <"$tap_dir/fields")" -gt 50
while read -r field; do
	grep -qF "\`$field\`" docs/json.md || echo "$field"
done <"$tap_dir/fields" >"$tap_dir/untold"
ok "docs/json.md tells of each of them" diff /dev/null "$tap_dir/untold"

complete_nvx()
{
	bash -c '. completions/nvx.bash
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_nvx
		printf "%s\n" "${COMPREPLY[@]}"' - "$NVX" "$@"
}

mapfile -t verbs < <("$NVX" --help | sed -n 's/^  \([a-z]*\)  *.*/\1/p')
for verb in "${verbs[@]}"; do
	ok "completion knows $verb" grep -qx "$verb" <(complete_nvx "")
done
ok "... and options" grep -qx -- --section <(complete_nvx stat --s)
ok "... and words of a list" grep -qx exits,msrs <(complete_nvx stat --section exits,m)

done_testing
