#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The kernel's own xapic_ipi_test says how many IPIs it sent: does the ledger?
# labs: svm-linux
# timeout: 240
nvx stat --json -o "$OUT/stat.json" -- \
	/lab/selftests/xapic_ipi_test -s 1 >"$OUT/said" 2>&1
rc=$?
cat "$OUT/said"
exit $rc
