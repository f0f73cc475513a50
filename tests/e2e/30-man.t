#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# Man pages: one a command, clean mdoc, and no option that only one side knows.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"

mapfile -t verbs < <("$NVX" --help | sed -n 's/^  \([a-z]*\)  *.*/\1/p')
{ "$NVX" --help; for verb in "${verbs[@]}"; do "$NVX" "$verb" --help; done; } >"$tap_dir/helps"
ok "nvx(8) is there" test -s docs/man/nvx.8
for page in docs/man/*.8; do
	ok "mandoc is content with $page" mandoc -T lint -W warning "$page"
done
for verb in "${verbs[@]}"; do
	page=docs/man/nvx-$verb.8
	ok "nvx-$verb(8) is there" test -s "$page"
	[ -s "$page" ] || continue
	ok "nvx(8) points to it" grep -q "nvx-$verb 8" docs/man/nvx.8
	mapfile -t options < <("$NVX" "$verb" --help | grep -oE '(^| )--[a-z][a-z-]*' | tr -d ' ' |
		sort -u | grep -vxE -- '--(help|usage|version)')
	mandoc -T utf8 "$page" | sed -E 's/.\x08//g; s/‐/-/g' >"$tap_dir/page"
	for option in "${options[@]}"; do
		ok "nvx-$verb(8) tells of $option" grep -qF -- "$option" "$tap_dir/page"
	done
	grep -oE -- '--[a-z][a-z-]+' "$tap_dir/page" | sort -u >"$tap_dir/named"
	while read -r option; do
		ok "what nvx-$verb(8) calls $option exists" grep -qF -- "$option" "$tap_dir/helps"
	done <"$tap_dir/named"
done

done_testing
