#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# holders.sh: who keeps kvm.ko from being unloaded, one line each; nothing when nobody does.
# POSIX sh and /proc only, so that it runs in a rescue shell too.

name_of()
{
	tr '\0' ' ' <"/proc/$1/cmdline" 2>/dev/null | cut -c1-60
}

holds()
{
	echo "pid $1 ($(name_of "$1" | sed 's/ *$//')): $2"
}

# What one descriptor pins.  A raw_tp link names its tracepoint; links of other kinds name a
# program only, so they count when their owner runs nvx's or KVM's programs beside them.
descriptor()
{
	case $(readlink "/proc/$1/fd/$2" 2>/dev/null) in
	anon_inode:kvm-vm | anon_inode:kvm-vcpu*)
		echo "a virtual machine" ;;
	anon_inode:bpf_link | anon_inode:bpf-link)
		info=$(cat "/proc/$1/fdinfo/$2" 2>/dev/null)
		tp=$(echo "$info" | sed -n 's/^tp_name:[[:space:]]*//p')
		case $tp in
		nvx_* | kvm_*) echo "a BPF program on its tracepoints" ;;
		"")
			echo "$info" | grep -qE '^link_type:[[:space:]]*(tracing|perf_event|kprobe_multi)' &&
				echo "a BPF program that may be on its functions" ;;
		esac ;;
	"anon_inode:[perf_event]")
		echo "perf events that may be its tracepoints" ;;
	/dev/kvm)
		echo "/dev/kvm open" ;;
	esac
}

for proc in /proc/[0-9]*; do
	pid=${proc#/proc/}
	seen=
	for fd in "$proc"/fd/*; do
		what=$(descriptor "$pid" "${fd##*/}")
		case "$seen" in
		*"|$what|"*) continue ;;
		esac
		[ -n "$what" ] || continue
		seen="$seen|$what|"
		holds "$pid" "$what"
	done
done
