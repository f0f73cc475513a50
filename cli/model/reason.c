// SPDX-License-Identifier: GPL-2.0-only
#include <asm/kvm.h> /* the exception vectors that SVM_EXIT_REASONS counts on */
#include <asm/svm.h>
#include <asm/vmx.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <nvx_abi.h>

#include "model/reason.h"
#include "util/argutil.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

struct name {
	uint32_t code;
	const char *name;
};

/* Behind each table: what the uapi headers of Debian 12 (Linux 6.1) do not have yet. */
static const struct name vmx_names[] = {
	VMX_EXIT_REASONS,
#ifndef EXIT_REASON_TDCALL
	{77, "TDCALL"}, /* kernel commit c42856af8f70 */
#endif
#ifndef EXIT_REASON_SEAMCALL
	{76, "SEAMCALL"}, /* kernel commit 9d7dfb95da2c: a number, but no printed name */
#endif
#ifndef EXIT_REASON_MSR_READ_IMM
	{84, "MSR_READ_IMM"}, /* kernel commit 885df2d2109a */
	{85, "MSR_WRITE_IMM"},
#endif
};

static const struct name svm_names[] = {
	SVM_EXIT_REASONS,
#ifndef SVM_EXIT_BUS_LOCK
	{0x0a5, "buslock"}, /* kernel commit 89f9edf4c69d */
#endif
#ifndef SVM_EXIT_IDLE_HLT
	{0x0a6, "idle-halt"}, /* kernel commit fa662c908073 */
#endif
	/* Codes that the header defines and SVM_EXIT_REASONS leaves out. */
	{SVM_EXIT_MWAIT_COND, "mwait_cond"},
	{SVM_EXIT_RDPRU, "rdpru"},
	{SVM_EXIT_SW, "sw"},
	{SVM_VMGEXIT_TERM_REQUEST, "vmgexit_term_request"},
	{SVM_VMGEXIT_UNSUPPORTED_EVENT, "vmgexit_unsupported_event"},
};

/* A constant whose own name is no spelling of what is printed for it. */
#define CONSTANT(c)                                                                                \
	{                                                                                          \
		c, #c                                                                              \
	}

static const struct name vmx_other[] = {
	/* The name until kernel commit 9dadc2f918df, still in many notes and scripts. */
	{EXIT_REASON_INTERRUPT_WINDOW, "PENDING_INTERRUPT"},
	/* The SDM's spelling of the instructions. */
	{EXIT_REASON_VMOFF, "VMXOFF"},
	{EXIT_REASON_VMON, "VMXON"},
};

static const struct name svm_other[] = {
	CONSTANT(SVM_EXIT_INTR),	   CONSTANT(SVM_EXIT_IDTR_READ),
	CONSTANT(SVM_EXIT_GDTR_READ),	   CONSTANT(SVM_EXIT_LDTR_READ),
	CONSTANT(SVM_EXIT_TR_READ),	   CONSTANT(SVM_EXIT_IDTR_WRITE),
	CONSTANT(SVM_EXIT_GDTR_WRITE),	   CONSTANT(SVM_EXIT_LDTR_WRITE),
	CONSTANT(SVM_EXIT_TR_WRITE),	   CONSTANT(SVM_EXIT_IOIO),
	CONSTANT(SVM_EXIT_VMMCALL),	   CONSTANT(SVM_EXIT_EFER_WRITE_TRAP),
	CONSTANT(SVM_EXIT_CR0_WRITE_TRAP), CONSTANT(SVM_EXIT_CR4_WRITE_TRAP),
	CONSTANT(SVM_EXIT_CR8_WRITE_TRAP), CONSTANT(SVM_VMGEXIT_PSC),
	CONSTANT(SVM_VMGEXIT_HV_FEATURES), CONSTANT(SVM_EXIT_ERR),
	{0x0a5, "SVM_EXIT_BUS_LOCK"},	   {0x0a6, "SVM_EXIT_IDLE_HLT"},
};

static const struct names {
	const struct name *printed, *other;
	size_t nr_printed, nr_other;
} isa_names[] = {
	[NVX_ISA_VMX] = {vmx_names, vmx_other, ARRAY_SIZE(vmx_names), ARRAY_SIZE(vmx_other)},
	[NVX_ISA_SVM] = {svm_names, svm_other, ARRAY_SIZE(svm_names), ARRAY_SIZE(svm_other)},
};

static const struct names *names_of(unsigned int isa)
{
	return isa < ARRAY_SIZE(isa_names) && isa_names[isa].printed ? &isa_names[isa] : NULL;
}

static const char *find_code(const struct names *names, uint32_t code)
{
	for (size_t i = 0; i < names->nr_printed; i++)
		if (names->printed[i].code == code)
			return names->printed[i].name;
	return NULL;
}

/* VMX: bits 31:16 modify the basic reason (SDM vol. 3, 25.9.1). */
static const char *vmx_flagged(uint32_t code, char *buf, size_t size)
{
	static const struct name flags[] = {VMX_EXIT_REASON_FLAGS};
	const char *basic = find_code(&isa_names[NVX_ISA_VMX], code & 0xffff);
	uint32_t rest = code & 0xffff0000;
	char number[16];
	int len;

	if (!basic) {
		snprintf(number, sizeof(number), "0x%x", code & 0xffff);
		basic = number;
	}
	len = snprintf(buf, size, "%s", basic);
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		if (!(rest & flags[i].code) || len < 0 || (size_t)len >= size)
			continue;
		rest &= ~flags[i].code;
		len += snprintf(buf + len, size - (size_t)len, "|%s", flags[i].name);
	}
	if (rest && len >= 0 && (size_t)len < size)
		snprintf(buf + len, size - (size_t)len, "|0x%x", rest);
	return buf;
}

const char *nvx_reason__name(unsigned int isa, uint32_t code, char *buf, size_t size)
{
	const struct names *names = names_of(isa);
	const char *name = names ? find_code(names, code) : NULL;

	if (name)
		return name;
	if (isa == NVX_ISA_VMX && code & 0xffff0000)
		return vmx_flagged(code, buf, size);
	snprintf(buf, size, "0x%x", code);
	return buf;
}

static const char *skip_prefix(const char *name)
{
	static const char *const prefix[] = {"SVM_EXIT_", "EXIT_REASON_", "EXIT_", "SVM_"};

	for (size_t i = 0; i < ARRAY_SIZE(prefix); i++)
		if (!strncasecmp(name, prefix[i], strlen(prefix[i])))
			return name + strlen(prefix[i]);
	return name;
}

static char fold(char c)
{
	if (c == '-' || c == ' ')
		return '_';
	/* ASCII only: toupper() depends on the locale, and in Turkish has another I. */
	return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

static bool same(const char *a, const char *b)
{
	for (a = skip_prefix(a), b = skip_prefix(b); *a && fold(*a) == fold(*b); a++, b++)
		;
	return *a == *b;
}

int nvx_reason__code(unsigned int isa, const char *name, uint32_t *code)
{
	const struct names *names = names_of(isa);
	uint64_t number;

	if (!nvx_arg__u64(name, UINT32_MAX, &number)) {
		*code = (uint32_t)number;
		return 0;
	}
	if (!names || !*skip_prefix(name))
		return -ENOENT;
	for (size_t i = 0; i < names->nr_printed; i++) {
		if (same(names->printed[i].name, name)) {
			*code = names->printed[i].code;
			return 0;
		}
	}
	for (size_t i = 0; i < names->nr_other; i++) {
		if (same(names->other[i].name, name)) {
			*code = names->other[i].code;
			return 0;
		}
	}
	return -ENOENT;
}

int nvx_reason__at(unsigned int isa, size_t i, uint32_t *code, const char **name)
{
	const struct names *names = names_of(isa);

	if (!names || i >= names->nr_printed)
		return -ENOENT;
	/* The i-th smallest: the one with i codes below it.  Codes of a table are distinct. */
	for (size_t k = 0; k < names->nr_printed; k++) {
		size_t below = 0;

		for (size_t m = 0; m < names->nr_printed; m++)
			below += names->printed[m].code < names->printed[k].code;
		if (below == i) {
			*code = names->printed[k].code;
			*name = names->printed[k].name;
			return 0;
		}
	}
	return -ENOENT;
}
