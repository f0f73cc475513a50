#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# mutants.t BUILDDIR: the model catches each fault of mutants.tsv, put into the core one by one.
set -uo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
here=$top/tests/model
tmp=$(mktemp -d "${1:-$top/build}/mutants-XXXXXX")
trap 'rm -rf "$tmp"' EXIT
steps=8000000

# try NAME FILE EXPRESSION: prints what became of it; "caught" is the good case.
try()
{
	local dir=$1 file=$2 expression=$3 rc=0

	mkdir -p "$dir"
	cp "$top"/kmod/core/nvx_{core,vpid,roots}.h "$top"/kmod/core/nvx_{vpid,roots,flush}.c "$dir"
	sed -i -E "$expression" "$dir/$file"
	if cmp -s "$dir/$file" "$top/kmod/core/$file"; then
		echo "the fault does not fit the code any more"
		return
	fi
	gcc -std=gnu11 -O1 -w -fsanitize=bounds -fno-sanitize-recover=all -I"$dir" \
		-I"$top/include" -I"$here" -o "$dir/model" "$here"/{vpid,kvm,tlb}.c "$dir"/nvx_{vpid,roots,flush}.c 2>"$dir/log" || {
		echo "does not compile: $(head -n 1 "$dir/log")"
		return
	}
	timeout 60 "$dir/model" $steps 20 >"$dir/out" 2>&1 || rc=$?
	case $rc in
	0) echo "not caught in $steps steps" ;;
	124) echo "hangs" ;;
	*) echo caught ;;
	esac
}

nr=0
names=()
while IFS=$'\t' read -r name file expression; do
	[[ $name == \#* ]] && continue
	names+=("$name")
	try "$tmp/$nr" "$file" "$expression" >"$tmp/$nr.verdict" &
	nr=$((nr + 1))
	while [ "$(jobs -rp | wc -l)" -ge 2 ]; do
		wait -n
	done
done <"$here/mutants.tsv"
wait
echo "1..$nr"
failed=0
for ((i = 0; i < nr; i++)); do
	verdict=$(cat "$tmp/$i.verdict")
	if [ "$verdict" = caught ]; then
		echo "ok $((i + 1)) - ${names[i]}"
	else
		echo "not ok $((i + 1)) - ${names[i]}: $verdict"
		failed=1
	fi
done
exit $failed
