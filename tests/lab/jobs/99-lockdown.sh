#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Kernel lockdown, which there is no way back from: the last job of its boot.
# labs: svm-icount
# timeout: 30
mount -t securityfs none /sys/kernel/security
cat /sys/kernel/security/lockdown >"$OUT/before"
nvx stat --json -d 100ms >"$OUT/before.json" || exit
echo confidentiality >/sys/kernel/security/lockdown || exit
nvx stat -d 1 >"$OUT/out" 2>"$OUT/err"
echo $? >"$OUT/stat.rc"
nvx probe --json >"$OUT/probe.json"
