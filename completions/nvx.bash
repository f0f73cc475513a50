# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# Completion of nvx for bash.  Options come from `nvx VERB --help`, so that none is forgotten here.

_nvx_options()
{
	"$1" "$2" --help 2>/dev/null | grep -oE '(^|[ ,])--?[a-zA-Z?][a-z-]*' | tr -d ' ,'
}

_nvx_words()
{
	mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur")
}

# The last word of a comma-separated list.
_nvx_list()
{
	local head=

	[[ $cur != *,* ]] || head=${cur%,*},
	mapfile -t COMPREPLY < <(compgen -P "$head" -W "$1" -- "${cur##*,}")
}

_nvx_vm_pids()
{
	local fd

	for fd in /proc/[0-9]*/fd/*; do
		[[ $(readlink "$fd" 2>/dev/null) != anon_inode:kvm-vm ]] || cut -d/ -f3 <<<"$fd"
	done | sort -u
}

_nvx()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} i

	COMPREPLY=()
	if ((COMP_CWORD == 1)); then
		_nvx_words "$("${COMP_WORDS[0]}" --help 2>/dev/null | sed -n 's/^  \([a-z]*\)  .*/\1/p') --help --version"
		return
	fi
	# behind -- stands a command of its own
	for ((i = 2; i < COMP_CWORD; i++)); do
		[[ ${COMP_WORDS[i]} != -- ]] || { mapfile -t COMPREPLY < <(compgen -c -- "$cur"); return; }
	done
	# readline gives --key=time as three words
	[[ $cur != = ]] || cur=
	[[ $prev != = ]] || prev=${COMP_WORDS[COMP_CWORD - 2]}
	case $prev in
	-k | --key) _nvx_words "count time avg name" ;;
	--by) _nvx_words "vm l2 host" ;;
	--format) _nvx_words "trace.dat perf.data text table" ;;
	--level) _nvx_words "1 2" ;;
	--source) _nvx_words "module btf classic" ;;
	--section) _nvx_list "exits msrs io chains ipis tlb time" ;;
	-V | --view) _nvx_words "vms exits chains msrs ipis tlb apicv evmcs vcpus features" ;;
	-p | --pid) _nvx_words "$(_nvx_vm_pids)" ;;
	-o | --output | --replay) mapfile -t COMPREPLY < <(compgen -f -- "$cur") ;;
	-d | --duration | --delay | -n | --count | -i | --interval | --vm | --vcpu | --top | --max-vcpus | --note | --rounds | --settle | --table | --listen | --top-reasons | --stale | --user | --a | --b) ;;
	*)
		if [[ $cur == -* ]]; then
			_nvx_words "$(_nvx_options "${COMP_WORDS[0]}" "${COMP_WORDS[1]}")"
		elif [[ ${COMP_WORDS[1]} =~ ^(replay|import|report|diff)$ ]]; then
			mapfile -t COMPREPLY < <(compgen -f -- "$cur")
		fi
		;;
	esac
}

complete -o filenames -F _nvx nvx
