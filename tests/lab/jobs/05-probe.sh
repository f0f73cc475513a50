#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# labs: svm-icount vmx
# timeout: 60
# nvx probe on a real host: as root, as a user, and with one thing after the other taken away.
# Whatever is taken away is covered by a mount in a namespace of its own, so nothing stays.
# shellcheck disable=SC2317 # the functions are called through record

record() {
	name=$1
	shift
	"$@" >"$OUT/$name.out" 2>"$OUT/$name.err"
	echo $? >"$OUT/$name.status"
}

as_user() {
	su -s /bin/sh nobody -c "PATH=$PATH $*"
}

without() {
	dirs=$1
	shift
	# shellcheck disable=SC2016 # the inner shell expands
	unshare -m sh -c 'for d in $1; do mount -t tmpfs none "$d" || exit 99; done; shift; "$@"' \
		sh "$dirs" "$@"
}

grep -q '^nobody:' /etc/passwd || echo 'nobody:x:65534:65534::/:/bin/sh' >>/etc/passwd
events="/sys/kernel/tracing /sys/kernel/debug"
btf=/sys/kernel/btf

record text nvx probe
record root nvx probe --json
record user as_user nvx probe --json
# What follows has nothing to do with the vendor, and the VMX lab is slow.
case $LAB in vmx*) exit 0 ;; esac
record no-btf without "$btf" nvx probe --json
record no-events without "$events" nvx probe --json
record nothing without "$btf $events" nvx probe --json
record no-kvm without /sys/module nvx probe --json

# What cannot work says so in one line.
record stat-user as_user nvx stat -d 1
record stat-nothing without "$btf $events" nvx stat -d 1
record stat-no-kvm without /sys/module nvx stat -d 1
record stat-no-pid nvx stat -d 1 -p 4000000
record stat-no-vm nvx stat -d 1 -p 1
record stat-no-name nvx stat -d 1 --vm nobody-has-this-name
record stat-usage nvx stat -d never
# And what can work in part does.
record stat-no-btf without "$btf" nvx stat -d 0.2 --json
record stat-no-events without "$events" nvx stat -d 0.2 --json
exit 0
