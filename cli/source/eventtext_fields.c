// SPDX-License-Identifier: GPL-2.0-only
/*
 * What an event's text says.  Each value is behind its label, and labels have changed over the
 * years and tools: every one that was seen is taken.
 */
#include <asm/svm.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/reason.h"
#include "source/eventtext.h"
#include "source/kvmevents.h"

#define WORD 64

static bool is_label(const char *at, const char *start, const char *label, size_t len)
{
	bool inside = at > start && (isalnum((unsigned char)at[-1]) || at[-1] == '_');

	if (inside || strncmp(at, label, len))
		return false;
	at += len;
	return *at == ' ' || *at == ':' || *at == '=' || *at == '\t';
}

/* What follows `label`, `label:` or `label=`; NULL: no such label. */
static const char *behind(const char *text, const char *label)
{
	size_t len = strlen(label);

	for (const char *at = strstr(text, label); at; at = strstr(at + 1, label)) {
		if (!is_label(at, text, label, len))
			continue;
		at += len;
		return at + strspn(at, " \t:=");
	}
	return NULL;
}

static const char *behind_any(const char *text, const char *const *label)
{
	const char *at = NULL;

	for (; *label && !at; label++)
		at = behind(text, *label);
	return at;
}

/* A number; those without 0x are of `base`. */
static bool number(const char *at, int base, uint64_t *v)
{
	char *end;

	if (!at || !isxdigit((unsigned char)*at))
		return false;
	if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
		base = 16;
	*v = strtoull(at, &end, base);
	return end > at && !isalnum((unsigned char)*end);
}

static void word(const char *at, char *buf)
{
	size_t n = strcspn(at, " \t,;\n");

	n = n < WORD - 1 ? n : WORD - 1;
	memcpy(buf, at, n);
	buf[n] = 0;
}

/* SVM's exceptions: EXIT_EXCP_GP of trace-cmd, "GP excp" of the kernel. */
static bool exception_by_name(const char *at, struct nvx_event *e)
{
	static const char vector[][3] = { "DE", "DB", "??", "BP", "OF", "BR", "UD", "NM", "DF", "??",
					  "TS", "NP", "SS", "GP", "PF", "??", "MF", "AC", "MC", "XF" };
	bool prefixed = !strncmp(at, "EXIT_EXCP_", 10);

	if (prefixed)
		at += 10;
	if (strlen(at) < 2 || (!prefixed && strncmp(at + 2, " excp", 5)))
		return false;
	for (unsigned int i = 0; i < sizeof(vector) / sizeof(*vector); i++) {
		if (strncmp(at, vector[i], 2))
			continue;
		e->isa = NVX_ISA_SVM;
		e->reason = SVM_EXIT_EXCP_BASE + i;
		return true;
	}
	return false;
}

/*
 * The spelling tells the vendor: trace-cmd's plugin says EXIT_NPF for SVM and EPT_VIOLATION for
 * VMX, the kernel npf and EPT_VIOLATION.
 */
static int reason_by_name(const char *at, struct nvx_event *e)
{
	char name[WORD], *flag;
	uint64_t v;
	int isa;

	if (exception_by_name(at, e))
		return 0;
	word(at, name);
	/* the kernel appends flags of VMX: INVALID_STATE|FAILED_VMENTRY */
	flag = strchr(name, '|');
	if (flag)
		*flag = 0;
	isa = islower((unsigned char)*name) || !strncmp(name, "EXIT_", 5) ||
			      !strncmp(name, "SVM_", 4) ?
		      NVX_ISA_SVM : NVX_ISA_VMX;
	if (!strncmp(name, "EXIT_REASON_", 12))
		isa = NVX_ISA_VMX;
	if (!strcmp(name, "UNKNOWN") || !strcmp(name, "unknown")) {
		/* UNKNOWN (131072): which vendor's is not told */
		at = strchr(at, '(');
		if (!at || !number(at + 1, 10, &v))
			return -EINVAL;
		e->reason = v;
		return 0;
	}
	if (nvx_reason__code(isa, name, &e->reason))
		return -EINVAL;
	e->isa = isa;
	if (flag && strstr(flag + 1, "FAILED_VMENTRY"))
		e->reason |= 1u << 31;
	return 0;
}

static int reason(const char *text, const char *const *labels, struct nvx_event *e)
{
	const char *at = behind_any(text, labels);
	uint64_t v;

	if (!at)
		return -EINVAL;
	if (number(behind(text, "isa"), 0, &v))
		e->isa = v;
	if (isdigit((unsigned char)*at)) {
		if (!number(at, 10, &v))
			return -EINVAL;
		e->reason = v;
		return 0;
	}
	return reason_by_name(at, e);
}

/* "info1 0x4 info2 0x1000", or "info 4 1000" */
static bool exit_info(const char *text, struct nvx_event *e)
{
	const char *at = behind(text, "info");

	if (number(behind(text, "info1"), 16, &e->a)) {
		number(behind(text, "info2"), 16, &e->b);
		return true;
	}
	if (!number(at, 16, &e->a))
		return false;
	at += strcspn(at, " \t");
	number(at + strspn(at, " \t"), 16, &e->b);
	return true;
}

static int exit_event(const char *text, struct nvx_event *e, bool *no_info)
{
	static const char *const labels[] = { "reason", "exit_reason", NULL };
	uint64_t v;

	if (reason(text, labels, e))
		return -EINVAL;
	*no_info |= !exit_info(text, e);
	if (number(behind(text, "vcpu"), 10, &v) || number(behind(text, "vcpu_id"), 0, &v))
		e->vcpu = v;
	return 0;
}

static int inject_event(const char *text, struct nvx_event *e)
{
	static const char *const labels[] = { "reason", "exit_code", NULL };
	static const char *const info[] = { "ext_int", "int_info", "exit_int_info", "intr_info", NULL };

	if (reason(text, labels, e))
		return -EINVAL;
	number(behind_any(text, info), 16, &e->a);
	return 0;
}

/* "msr_write 830 = 0x400f1", "write=1 ecx=0x830 data=0x400f1" */
static int msr_event(const char *text, struct nvx_event *e)
{
	const char *write = behind(text, "msr_write"), *read = behind(text, "msr_read");
	uint64_t v;

	if (write || read) {
		e->reason = write != NULL;
		return number(write ? write : read, 16, &e->a) ? 0 : -EINVAL;
	}
	if (!number(behind(text, "write"), 0, &v) || !number(behind(text, "ecx"), 16, &e->a))
		return -EINVAL;
	e->reason = v;
	return 0;
}

/* "apic_write APIC_ICR = 0x400f1", "rw=1 reg=0x300 val=..." */
static int apic_event(const char *text, struct nvx_event *e)
{
	const char *at = behind(text, "apic_write");
	uint64_t v;

	if (behind(text, "apic_read"))
		return -ENOENT;
	if (!at) {
		if (!number(behind(text, "rw"), 0, &v) || !v)
			return -ENOENT;
		e->reason = 1;
		return number(behind(text, "reg"), 16, &e->a) &&
		       number(behind(text, "val"), 16, &e->b) ? 0 : -EINVAL;
	}
	e->reason = 1;
	if (!strncmp(at, "APIC_ICR2 ", 10))
		e->a = 0x310;
	else if (!strncmp(at, "APIC_ICR ", 9))
		e->a = 0x300;
	else if (!number(at, 16, &e->a))
		return -ENOENT; /* a register that sends nothing */
	at = strchr(at, '=');
	return at && number(at + strspn(at, "= "), 16, &e->b) ? 0 : -EINVAL;
}

/* "wait time 4711 ns, polling valid", "poll time ...", "ns=4711 waited=1" */
static int wakeup_event(const char *text, struct nvx_event *e)
{
	if (number(behind(text, "ns"), 0, &e->a)) {
		number(behind(text, "waited"), 0, &e->b);
		return 0;
	}
	e->b = strstr(text, "wait ") != NULL;
	return number(behind(text, "time"), 10, &e->a) ? 0 : -EINVAL;
}

static int address(const char *text, const char *const *labels, struct nvx_event *e)
{
	return number(behind_any(text, labels), 16, &e->a) ? 0 : -EINVAL;
}

int nvx_eventtext_fields(const char *name, const char *text, struct nvx_event *e, bool *no_info)
{
	static const char *const vmcb[] = { "vmcb", "vmcs", NULL }, *const gpa[] = { "gpa", NULL };
	static const char *const fault[] = { "address", "fault_address", NULL };
	int i = nvx_known_event__find(name);
	uint64_t v;

	if (i < 0)
		return -ENOENT;
	e->type = nvx_known_event[i].type;
	switch (e->type) {
	case NVX_EV_EXIT:
		return exit_event(text, e, no_info);
	case NVX_EV_ENTRY:
		if (number(behind(text, "vcpu"), 10, &v) || number(behind(text, "vcpu_id"), 0, &v))
			e->vcpu = v;
		return 0;
	case NVX_EV_NESTED_ENTER:
		return address(text, vmcb, e);
	case NVX_EV_INJECT:
		return inject_event(text, e);
	case NVX_EV_MSR:
		return msr_event(text, e);
	case NVX_EV_HYPERCALL:
		return number(behind(text, "nr"), 0, &e->a) ? 0 : -EINVAL;
	case NVX_EV_MMIO:
		return address(text, gpa, e) && address(text, (const char *const[]){
						"fast_mmio_gpa", NULL }, e) ? -EINVAL : 0;
	case NVX_EV_PAGE_FAULT:
		return address(text, fault, e);
	case NVX_EV_APIC_WRITE:
		return apic_event(text, e);
	case NVX_EV_WAKEUP:
		return wakeup_event(text, e);
	case NVX_EV_THREAD_END:
		return number(behind(text, "pid"), 10, &e->a) ? 0 : -EINVAL;
	default:
		return 0;
	}
}
