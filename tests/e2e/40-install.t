#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# make install: everything below DESTDIR, it runs from there, and uninstall leaves nothing.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"

dest=$tap_dir/dest
run make install DESTDIR="$dest" PREFIX=/opt/nvx
ok "make install" exited 0
run "$dest/opt/nvx/sbin/nvx" --version
ok "the installed nvx runs" said "^nvx $(<VERSION)"
for page in docs/man/*.8; do
	ok "installs ${page##*/}" test -s "$dest/opt/nvx/share/man/man8/${page##*/}"
done
unit=$dest/opt/nvx/lib/systemd/system/nvx-export.service
ok "the unit starts what is installed" grep -q '^ExecStart=/opt/nvx/sbin/nvx export$' "$unit"
for file in lib/systemd/system/nvx-export.socket lib/sysusers.d/nvx.conf \
	share/nvx/dashboards/{prometheus/nvx.rules.yml,grafana/nvx-vm.json}; do
	ok "installs ${file##*/}" test -s "$dest/opt/nvx/$file"
done
if [ -x "$(command -v systemd-analyze)" ]; then
	sed "s:=/opt/nvx/:=$dest/opt/nvx/:" "$unit" >"$tap_dir/nvx-export.service"
	run systemd-analyze verify --man=no "$tap_dir/nvx-export.service"
	ok "systemd takes the unit" exited 0
	ok "... without a word" test ! -s "$tap_dir/err"
	run systemd-analyze security --offline=true --threshold=35 "$unit"
	ok "... and finds that it confines itself" exited 0
	run systemd-sysusers --dry-run "$dest/opt/nvx/lib/sysusers.d/nvx.conf"
	ok "systemd takes the user" exited 0
else
	skip "systemd takes the unit" "no systemd here"
fi
ok "nothing outside of PREFIX" test "$(ls "$dest")" = opt
run make uninstall DESTDIR="$dest" PREFIX=/opt/nvx
ok "make uninstall" exited 0
ok "leaves no file" test -z "$(find "$dest" -type f)"

done_testing
