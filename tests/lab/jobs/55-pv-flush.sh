#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# KVM's paravirtual flush: a Linux with two vCPUs on one CPU, so that one of them is always
# preempted when the other takes a page away. The witness is the kernel's own event.
# labs: svm-linux
# kernels: 6.1
# timeout: 180
event=/sys/kernel/tracing/events/kvm/kvm_pv_tlb_flush
cat >/tmp/pv-flush-job <<'SCRIPT'
echo "@cpus $(nproc)"
/lab/payload/munmap 307
echo "@munmap $?"
SCRIPT
echo 'hist:keys=need_flush_tlb' >$event/trigger || exit
nvx stat --json -o "$OUT/stat.json" -- l1-linux -c 2 /tmp/pv-flush-job >"$OUT/console"
rc=$?
cat $event/hist >"$OUT/hist"
echo '!hist:keys=need_flush_tlb' >$event/trigger
exit $rc
