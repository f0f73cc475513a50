#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
# seams.t KVER...: every change of upstream code that a seam relies on stops the build with
# the seam's name; a change that means nothing does not.
set -uo pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export NVX_COCCI_CACHE=$top/build/kmod/.cocci
declare series version source
n=0

ok()
{
	n=$((n + 1))
	echo "ok $n - $1"
}

not_ok()
{
	n=$((n + 1))
	echo "not ok $n - $1"
	sed 's/^/# /' "$tmp/log" | head -n 15
}

# A copy of KVM to spoil: links, but for the files that a mutation edits.
fresh()
{
	rm -rf "$tmp/src"
	mkdir -p "$tmp/src/arch/x86"
	cp -r "$source/arch/x86/kvm" "$tmp/src/arch/x86/"
	ln -s "$source/virt" "$tmp/src/virt"
	kvm=$tmp/src/arch/x86/kvm
}

prepare()
{
	"$top/kmod/prepare.sh" "$tmp/src" "$tmp/out" "$series" "$version" >"$tmp/log" 2>&1
}

# must_fail TITLE SEAM: prepare stops, and names the seam.
must_fail()
{
	if prepare; then
		not_ok "$kver: $1: the build went on"
	elif grep -q "seam $2: " "$tmp/log"; then
		ok "$kver: $1: stops and names seam $2"
	else
		not_ok "$kver: $1: stops without naming seam $2"
	fi
}

must_pass()
{
	if prepare; then
		ok "$kver: $1: builds"
	else
		not_ok "$kver: $1"
	fi
}

# Edits a file and makes sure that this changed it: a mutation that does nothing proves nothing.
edit()
{
	cp "$kvm/$1" "$tmp/before"
	sed -i -E "$2" "$kvm/$1"
	if cmp -s "$kvm/$1" "$tmp/before"; then
		echo "the mutation $2 does not apply to $1" >"$tmp/log"
		not_ok "$kver: $1: mutation applies"
	fi
}

# Every function that seams.tsv names, all at once: each must be reported under its seam.
every_body()
{
	local seam file functions function missing=0 all=0

	fresh
	while IFS=$'\t' read -r seam file functions; do
		for function in ${functions//,/ }; do
			awk -v name="$function" '
				!seen && /^[A-Za-z_]/ && $0 ~ ("(^|[^A-Za-z0-9_])" name "\\(") && !/;[ \t]*$/ {
					in_head = 1
				}
				{ print }
				in_head && /;[ \t]*$/ { in_head = 0 }
				in_head && /^\{/ { print "\tbarrier();"; in_head = 0; seen = 1 }
			' "$kvm/$file" >"$tmp/edited" && cp "$tmp/edited" "$kvm/$file"
		done
	done <"$tmp/functions"
	if prepare; then
		not_ok "$kver: every wrapped body changed: the build went on"
		return
	fi
	while IFS=$'\t' read -r seam file functions; do
		for function in ${functions//,/ }; do
			all=$((all + 1))
			grep -qF "seam $seam: $file: the body of $function() in" "$tmp/log" && continue
			missing=$((missing + 1))
			echo "seam $seam: $function() went unnoticed" >>"$tmp/unnoticed"
		done
	done <"$tmp/functions"
	if [ $missing -eq 0 ]; then
		ok "$kver: each of $all wrapped bodies changed: stops and names its seam"
	else
		mv "$tmp/unnoticed" "$tmp/log"
		not_ok "$kver: $missing of $all changed bodies went unnoticed"
	fi
}

mutations()
{
	fresh
	must_pass "unchanged source"

	edit vmx/nested.c 's|^static void nested_vmx_transition_tlb_flush|/* a remark */\n&|'
	edit vmx/vmx.c '/vmx_flush_tlb_gva\(struct/,/^}/s|^\{|{\n\t/* another remark */|'
	must_pass "comments and blanks changed"

	fresh
	edit vmx/nested.c 's/nested_vmx_transition_tlb_flush/nested_vmx_tlb_transition/g'
	must_fail "function renamed" transition
	NVX_DRIFT=allow must_fail "function renamed, drift allowed" transition

	fresh
	edit vmx/nested.c 's/^(\tnested_vmx_transition_tlb_flush\(vcpu, vmcs12, )true/\1true, 0/'
	NVX_DRIFT=allow must_fail "argument added" transition

	fresh
	edit vmx/nested.c 's/^(\tnested_vmx_transition_tlb_flush\(vcpu, vmcs12, )true\);/&\n&/'
	NVX_DRIFT=allow must_fail "third call site" transition

	fresh
	edit vmx/vmx.c '/^(static )?void vmx_flush_tlb_guest\(/,/^}/s/vpid_sync_context/vpid_sync_vcpu_single/'
	must_fail "body changed" flush_hook

	fresh
	edit vmx/vmx.c '/^(static )?void vmx_flush_tlb_gva\(/,/^}/s/^\tvpid_sync/\tif else } ( ;\n&/'
	NVX_DRIFT=allow must_fail "function that cannot be parsed" flush_hook

	fresh
	edit lapic.c '/^void kvm_apic_send_ipi\(/s/u32 icr_high\)/u32 icr_high, bool extra)/'
	NVX_DRIFT=allow must_fail "parameter added" ipi

	fresh
	edit vmx/vmx.h 's/^\tu16 last_vpid;/\tu32 last_vpid;/'
	must_fail "member of struct nested_vmx changed" member

	fresh
	edit mmu/mmu.c '/^int kvm_mmu_load\(/,/^}/s/^\tkvm_mmu_load_pgd\(vcpu\);/\tkvm_mmu_load_pgd(vcpu, 0);/'
	NVX_DRIFT=allow must_fail "call of another form" flush_load

	fresh
	edit vmx/vmx.c '/^(static )?void vmx_flush_tlb_guest\(/,/^}/s/vpid_sync_context/vpid_sync_vcpu_single/'
	NVX_DRIFT=allow must_pass "body changed, drift allowed"
	if grep -q 'seam flush_hook: .*allowed' "$tmp/log"; then
		ok "$kver: drift that is allowed is still named"
	else
		not_ok "$kver: drift that is allowed is silent"
	fi
}

for kver in "$@"; do
	eval "$("$top/kmod/kernel.sh" "$kver")"
	awk -F'\t' -v OFS='\t' -v series="$series" \
		'!/^#/ && ($2 == "*" || $2 == series) && $6 != "" { print $1, $3, $6 }' \
		"$top/kmod/seams.tsv" >"$tmp/functions"
	mutations
	every_body
done
echo "1..$n"
