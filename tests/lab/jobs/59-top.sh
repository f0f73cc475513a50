#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# nvx top live in a terminal (tmux) beside nvx stat, while a VM comes, runs L2s and goes: the same
# exits on the screen as in the JSON; then the same as plain text.
# labs: svm-icount
# timeout: 60
mkdir -p /tmp/vmm
vmm=/tmp/vmm/qemu-system-x86_64
ln -sf "$(command -v labvmm)" $vmm
export LC_ALL=C.UTF-8
mux() { /bin/tmux -f /dev/null -S /tmp/mux "$@"; }
capture() { mux capture-pane -p -t t >"$OUT/$1"; }
until_shows() # TEXT
{
	n=0
	until mux capture-pane -p -t t | grep -qF "$1"; do
		n=$((n + 1))
		[ $n -lt 150 ] || { echo "the screen never showed: $1"; capture stuck; return 1; }
		sleep 0.1
	done
}
mux new-session -d -x 150 -y 40 -s t "TERM=screen nvx top --since -V exits 2>$OUT/err; echo \$? >$OUT/rc; cat" || exit
until_shows "nothing in this time" || exit
nvx stat --json -o "$OUT/stat.json" -- $vmm -name guest=web1 --hold 1 -o "$OUT/run.json" \
	--l2 cpuid=1009,rdmsr:0x8b=53,icr=17 &
stat=$!
mux send-keys -t t 1
until_shows web1 || exit
sleep 0.3
capture vms
mux send-keys -t t Enter
until_shows "VM web1"
capture vcpus
mux send-keys -t t a
wait $stat || exit
mux send-keys -t t 2
# the VM is gone by then, and stays in the sums
until_shows "VMs 0" || exit
sleep 2.5
capture exits
mux send-keys -t t 0
until_shows "section exits" || exit
capture features
mux send-keys -t t S
until_shows "record a session" || exit
mux send-keys -t t Enter
until_shows "recording to" || exit
sleep 2
mux send-keys -t t S
until_shows "deltas" || exit
mv nvx-top.nvx "$OUT/" || exit
mux send-keys -t t q
n=0
until [ -s "$OUT/rc" ] || [ $n -gt 100 ]; do
	n=$((n + 1))
	sleep 0.1
done
mux kill-server
nvx report --json "$OUT/nvx-top.nvx" >"$OUT/report.json" || exit
nvx top --plain -n 1 -d 100ms >"$OUT/plain"
