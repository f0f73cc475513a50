#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# lint.sh KVER...: checkpatch --strict, coccicheck and sparse over our own files of the
# module, never over the distribution's.  Prints what is wrong; nothing is the good case.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
top=$(dirname "$here")
ours=("$here"/overlay/*.[ch] "$here"/core/*.[ch] "$here"/compat/*.h "$top"/include/nvx_{tp,switch}.h)
failed=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
declare build source

report()
{
	[ -n "$2" ] || return 0
	echo "$1:"
	echo "${2//"$top/"/}"
	failed=1
}

# Trace headers are a language of their own, in which the kernel's break these rules too;
# version checks belong into compat/ only.
checkpatch()
{
	local file=$1 ignore=

	case $file in
	*/nvx_trace.h) ignore=OPEN_ENDED_LINE,PARENTHESIS_ALIGNMENT ;;
	*/nvx_trace_names.h)
		ignore=COMPLEX_MACRO,CAMELCASE,MACRO_ARG_UNUSED,TRAILING_SEMICOLON ;;
	# expansions of one table
	*/nvx*_evmcs.c) ignore=COMPLEX_MACRO,TRAILING_SEMICOLON,MACRO_ARG_UNUSED,MULTISTATEMENT_MACRO_USE_DO_WHILE,MACRO_ARG_REUSE,MACRO_ARG_PRECEDENCE ;;
	*/compat/*) ignore=LINUX_VERSION_CODE,CONSTANT_COMPARISON ;;
	esac
	# It leaves a cache of names in the directory where it runs.
	cd "$tmp" && perl "$source/scripts/checkpatch.pl" --strict --no-tree --no-summary --terse --show-types \
		--max-line-length=100 ${ignore:+--ignore "$ignore"} -f "$file" 2>&1 |
		grep -E '(ERROR|WARNING|CHECK):'
}

coccicheck()
{
	local rule

	while IFS= read -r rule; do
		spatch -D report --no-show-diff --very-quiet --no-includes \
			--cocci-file "$rule" "${ours[@]}" 2>/dev/null
	done < <(find "$source/scripts/coccinelle" -name '*.cocci' ! -path '*/tests/*' | sort) |
		grep -v '^$'
}

# Touched, our files are all that kbuild compiles again, and so all that sparse sees; what it
# says about the headers they include is not ours.
sparse_objects()
{
	local tree=$top/build/kmod/$1/tree log

	touch "$tree"/nvx/*.c
	log=$(make -C "$build" M="$tree" KVM_OOT="$tree" CC="${KMOD_CC:-gcc-12}" C=1 \
		CHECK=sparse modules 2>&1) || {
		tail -n 20 <<<"$log"
		return
	}
	[ "$(grep -c '  CHECK  .*/nvx/' <<<"$log")" -gt 0 ] || echo "sparse did not run"
	grep -E '/nvx/[a-z_]+\.[ch]:[0-9]+' <<<"$log" | grep -v '  CHECK  '
}

command -v sparse >/dev/null || { echo "kmod: no sparse: run 'make deps'" >&2; exit 1; }
for kver in "$@"; do
	found=$("$here/kernel.sh" "$kver") || exit 1
	eval "$found"
	report "sparse, $kver" "$(sparse_objects "$kver")"
done
for file in "${ours[@]}"; do
	report "checkpatch, ${file#"$top/"}" "$(checkpatch "$file")"
done
report coccicheck "$(coccicheck)"
report shellcheck "$(cd "$top" && shellcheck kmod/*.sh tests/kmod/kernels.t tests/kmod/seams.t)"
[ $failed -ne 0 ] || echo "lint-kmod: clean (checkpatch --strict, coccicheck, sparse on $*)"
exit $failed
