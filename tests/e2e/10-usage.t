#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# The command line: usage errors are exit code 2 and name the mistake; help is exit code 0.
# shellcheck source-path=SCRIPTDIR
. "$(dirname "$0")/tap.sh"

run "$NVX"
ok "no command: exit code 2" exited 2
ok "no command: usage on stderr, nothing on stdout" test -z "$out"
ok "no command: lists the commands" said 'stat .*probe'

run "$NVX" nonsense
ok "unknown command: one line, exit code 2" failed_in_one_line 2 'nonsense'

for word in --help -h help; do
	run "$NVX" "$word"
	ok "nvx $word: exit code 0" exited 0
	ok "nvx $word: on stdout" said '^Usage: nvx COMMAND'
done
for word in --version -V; do
	run "$NVX" "$word"
	ok "nvx $word" said "^nvx $(<VERSION)"
done

# Output that cannot be written is a failure in one line, whoever prints it.
for words in --help --version 'stat --help' 'probe --help'; do
	# shellcheck disable=SC2086
	run sh -c '"$0" "$@" >/dev/full' "$NVX" $words
	ok "nvx $words on a full disk" failed_in_one_line 1 'No space left'
done

# Each command that the usage names has its help.
mapfile -t verbs < <("$NVX" --help | sed -n 's/^  \([a-z]*\)  *.*/\1/p')
ok "the usage lists commands" test ${#verbs[@]} -ge 2
for verb in "${verbs[@]}"; do
	run "$NVX" "$verb" --help
	ok "nvx $verb --help: exit code 0" exited 0
	ok "nvx $verb --help: says how it is called" said "Usage: nvx $verb"
	run "$NVX" "$verb" --no-such-option
	ok "nvx $verb --no-such-option: exit code 2" exited 2
	ok "nvx $verb --no-such-option: names it" said 'no-such-option'
	ok "nvx $verb --no-such-option: nothing on stdout" test -z "$out"
done

# usage OPTIONS... : REGEX
while IFS=: read -r words regex; do
	# shellcheck disable=SC2086
	run "$NVX" stat $words
	ok "nvx stat $words: exit code 2" exited 2
	# shellcheck disable=SC2086
	ok "nvx stat $words: says why" said "$regex"
done <<'END'
-d:argument
-d x:duration
-d 0:duration
-d -1:duration
-i 1ms:interval
-i 5x:interval
-p 0:pid
-p word:pid
-p 99999999:pid
--vcpu -1:vcpu
--level 3:level
--level 0:level
--top many:top
-k size:key
--section:argument
--section cpu:cpu
--by colour:by
--source magic:source
--max-vcpus 70000:max-vcpus
END

run "$NVX" probe extra
ok "nvx probe takes no argument" exited 2

done_testing
