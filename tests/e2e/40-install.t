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
ok "nothing outside of PREFIX" test "$(ls "$dest")" = opt
run make uninstall DESTDIR="$dest" PREFIX=/opt/nvx
ok "make uninstall" exited 0
ok "leaves no file" test -z "$(find "$dest" -type f)"

done_testing
