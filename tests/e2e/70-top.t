#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# nvx top in a real terminal (tmux), over a recording: keys in, screens out, golden ones at three sizes;
# its figures are those of nvx replay.  NVX_GOLDEN_WRITE=1 writes the screens anew.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"

trace=tests/fixtures/svm-6.1-l1-linux.trace.dat
golden=tests/golden/top
export LC_ALL=C.UTF-8 TERM=screen-256color
unset NO_COLOR
socket=$tap_dir/tmux-0
screen() { tmux -f /dev/null -S "$socket" "$@"; }
trap 'screen kill-server 2>/dev/null; rm -rf "$tap_dir"' EXIT

# start COLUMNS LINES ARGUMENTS...: nvx top in a terminal of that size; its exit code goes to $tap_dir/rc
start()
{
	local cols=$1 lines=$2

	shift 2
	rm -f "$tap_dir/rc"
	# a server of its own each time: the last one may still be ending
	socket=$tap_dir/tmux-$((${socket##*-} + 1))
	screen new-session -d -x "$cols" -y "$lines" -s t \
		"stty -a >$tap_dir/stty; $NVX top --replay $trace $* 2>$tap_dir/err; echo \$? >$tap_dir/rc; \
		stty -a >$tap_dir/stty2; cat"
}

# shellcheck disable=SC2317 # ok calls it
shows() { screen capture-pane -p -t t | grep -qF -- "$1"; }

# shellcheck disable=SC2317 # ok calls it
# wait_for TEXT: until the screen has it; 20 s at most
wait_for()
{
	for ((i = 0; i < 200; i++)); do
		! shows "$1" || return 0
		sleep 0.1
	done
	screen capture-pane -p -t t
	return 1
}

keys() { screen send-keys -t t "$@"; }

# shellcheck disable=SC2317 # ok calls it
# as_golden NAME: the screen is the one that is kept
as_golden()
{
	screen capture-pane -p -t t >"$tap_dir/$1"
	if [ -n "${NVX_GOLDEN_WRITE-}" ]; then
		mkdir -p "$golden"
		cp "$tap_dir/$1" "$golden/$1"
	fi
	diff -u "$golden/$1" "$tap_dir/$1"
}

# shellcheck disable=SC2317 # ok calls it
# in_readme FILE: README.md shows this screen; it is written there as golden files are
in_readme()
{
	python3 - "$1" "${NVX_GOLDEN_WRITE-}" <<-'P'
		import re, sys
		screen = [line.rstrip() for line in open(sys.argv[1])]
		text = "\n\n" + "\n".join(("    " + line).rstrip() for line in screen) + "\n\n"
		head, rest = open("README.md").read().split("<!-- top -->")
		old, tail = rest.split("<!-- end of top -->")
		if sys.argv[2]:
		    open("README.md", "w").write(head + "<!-- top -->" + text + "<!-- end of top -->" + tail)
		elif old != text:
		    sys.exit("README.md shows another screen")
	P
}

# shellcheck disable=SC2317 # ok calls it
ended()
{
	for ((i = 0; i < 100; i++)); do
		[ ! -s "$tap_dir/rc" ] || break
		sleep 0.1
	done
	[ "$(cat "$tap_dir/rc" 2>/dev/null)" = "$1" ] || { cat "$tap_dir/rc" "$tap_dir/err"; return 1; }
}

finish() { screen kill-server 2>/dev/null; }

start 80 24 --fast --since
ok "the recording is shown to its end" wait_for "END at 36.59s"
ok "VMs at 80x24" as_golden vms-80x24
keys 2
ok "a key shows another view" wait_for "[2 Exits]"
ok "exits at 80x24" as_golden exits-80x24
keys Down Down Enter
ok "Enter shows a histogram" wait_for "time until the vCPU runs again"
ok "the histogram at 80x24" as_golden hist-80x24
keys Escape
wait_for "by /s" >/dev/null
keys 3 +
ok "chains open" wait_for "L1 vmload"
ok "chains at 80x24" as_golden chains-80x24
ok "README has that screen" in_readme "$tap_dir/chains-80x24"
screen resize-window -t t -x 120 -y 40
ok "a bigger window shows more" wait_for "SYNTH"
ok "chains at 120x40" as_golden chains-120x40
screen resize-window -t t -x 300 -y 100
keys 2 /
wait_for "filter:" >/dev/null
keys vm Enter
ok "a filter" wait_for "only \`vm\`"
ok "exits at 300x100, filtered" as_golden exits-300x100
keys s
wait_for "write this view to:" >/dev/null
keys C-u
for ((i = 0; i < 12; i++)); do keys BSpace; done
keys "$tap_dir/saved" Enter
ok "the view is saved" wait_for "written to the end of"
ok "the whole of it" grep -q '^vmrun  *L1' "$tap_dir/saved"
screen resize-window -t t -x 20 -y 4
sleep 0.3
screen resize-window -t t -x 80 -y 24
keys '?'
ok "help" wait_for "mark: every figure"
keys '?' S
wait_for "record a session" >/dev/null
keys Enter
ok "no session of a recording" wait_for "nvx import"
keys q
ok "q ends it" ended 0
ok "the terminal is as before" diff "$tap_dir/stty" "$tap_dir/stty2"
ok "nothing was said" test ! -s "$tap_dir/err"
finish

start 80 24 --step -d 5
ok "by steps: nothing yet" wait_for "gathering"
keys n
ok "one step is one interval" wait_for "at 5.00s"
keys n
ok "and another" wait_for "at 10.00s"
keys m
ok "a mark" wait_for "marked: 2 intervals before"
keys n n
ok "changes since the mark" wait_for "since mark 10.00s (2 before, 2 after)"
pkill -TERM -f "^$NVX top --replay $trace" || pkill -TERM -x nvx
ok "SIGTERM ends it" ended 0
ok "and gives the terminal back" diff "$tap_dir/stty" "$tap_dir/stty2"
finish

start 80 24 --step
wait_for "gathering" >/dev/null
screen kill-server
for ((i = 0; i < 50; i++)); do pgrep -f "^$NVX top --replay" >/dev/null || break; sleep 0.1; done
ok "without its terminal it ends" test -z "$(pgrep -f "^$NVX top --replay")"

# The same figures as nvx replay's JSON.
"$NVX" replay --fast --json "$trace" >"$tap_dir/json"
"$NVX" top --replay "$trace" --fast --plain --since --view exits | tail -n 60 >"$tap_dir/plain"
cat >"$tap_dir/same.py" <<'P'
import json, re, sys
want = {}
for row in json.load(open(sys.argv[1]))["exits"]["exits"]:
    key = (row["reason"], row["level"])
    want[key] = want.get(key, 0) + row["count"]
text = open(sys.argv[2]).read()
text = text[text.rindex("REASON "):]
got = {}
for line in text.splitlines()[1:]:
    m = re.match(r"(\S.*?) +(L1|L2|\?) +([\d,]+) ", line)
    if m:
        got[m[1], m[2].lstrip("L")] = int(m[3].replace(",", ""))
assert len(want) > 20 and got == want, (set(want.items()) ^ set(got.items()))
P
ok "its exits are those of nvx replay" python3 "$tap_dir/same.py" "$tap_dir/json" "$tap_dir/plain"
run "$NVX" top --replay "$trace" --fast --plain --ascii -n 1
ok "plain text is ASCII where asked" test "$rc" -eq 0 -a -z "$(LC_ALL=C grep -P '[^\x00-\x7f]' "$tap_dir/out")"
run "$NVX" top
ok "no terminal" failed_in_one_line 1 'nvx top --plain'
run env TERM=nonsense script -qec "$NVX top --replay $trace" /dev/null
ok "a terminal that ncurses does not know" grep -q 'TERM=nonsense' "$tap_dir/out"
run "$NVX" top --replay Makefile --plain
ok "what is no recording" exited 1
run "$NVX" top --view nothing
ok "no such view" exited 2
run "$NVX" top --fast
ok "--fast alone" exited 2
done_testing
