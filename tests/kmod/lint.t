#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# lint.t KVER...: checkpatch --strict, sparse and coccicheck have nothing to say about our files.
if out=$("$(dirname "$0")/../../kmod/lint.sh" "$@" 2>&1); then
	echo "ok 1 - kmod/lint.sh $*"
else
	echo "not ok 1 - kmod/lint.sh $*"
	echo "$out" | sed 's/^/# /'
fi
echo 1..1
