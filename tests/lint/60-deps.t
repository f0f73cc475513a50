#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# On a bare machine the Debian packages come before anything that needs one of
# them: in an empty build directory each target's first command installs them.
cd "$(dirname "$0")/../.." || exit 1

targets=(all install test-unit test-bpf test-e2e test-replay test-fuzz lab-images lab-vmx-images soak)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

echo "1..${#targets[@]}"
for target in "${targets[@]}"; do
	first=$(make -n B="$dir/build" "$target" 2>"$dir/errors" | head -1)
	if [[ $first == mk/deps.sh* ]]; then
		echo "ok - $target"
	else
		echo "not ok - $target"
		{ echo "first command: $first"; cat "$dir/errors"; } | sed 's/^/# /'
	fi
done
