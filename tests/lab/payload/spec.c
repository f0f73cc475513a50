// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "spec.h"

static const char *const op_names[] = {
#define X(name, id) [LAB_OP_##id] = name,
	LAB_OPS(X)
#undef X
};

static const char *const class_names[] = {
#define X(name, id) [LAB_CLASS_##id] = name,
	LAB_CLASSES(X)
#undef X
};

static const char *const step_names[] = {
#define X(name, id) [LAB_STEP_##id] = name,
	LAB_STEPS(X)
#undef X
};

#define MAX_COUNT	10000000ULL
#define MAX_TOUCH	65536
#define HLT_USEC	1000
#define MAX_TEXT	2048

const char *spec__op_name(unsigned int code)
{
	return code < LAB_NR_OPS ? op_names[code] : "?";
}

const char *spec__class_name(unsigned int class)
{
	return class < LAB_NR_CLASSES ? class_names[class] : "?";
}

unsigned int spec__op_class(unsigned int code)
{
	switch (code) {
	case LAB_OP_CPUID:
		return LAB_CLASS_CPUID;
	case LAB_OP_RDMSR:
		return LAB_CLASS_RDMSR;
	case LAB_OP_WRMSR:
		return LAB_CLASS_WRMSR;
	case LAB_OP_ICR:
		return LAB_CLASS_ICR;
	case LAB_OP_SELFIPI:
		return LAB_CLASS_SELFIPI;
	case LAB_OP_XICR:
		return LAB_CLASS_XICR;
	case LAB_OP_HYPERCALL:
	case LAB_OP_PVIPI:
		return LAB_CLASS_HYPERCALL;
	case LAB_OP_IN:
	case LAB_OP_INI:
		return LAB_CLASS_IN;
	case LAB_OP_OUT:
	case LAB_OP_OUTI:
		return LAB_CLASS_OUT;
	case LAB_OP_MMIOR:
		return LAB_CLASS_MMIOR;
	case LAB_OP_MMIOW:
		return LAB_CLASS_MMIOW;
	case LAB_OP_HLT:
		return LAB_CLASS_HLT;
	case LAB_OP_PAUSE:
		return LAB_CLASS_PAUSE;
	}
	return LAB_NR_CLASSES;
}

static int bad(const char *what, const char *text)
{
	fprintf(stderr, "labvmm: %s: %s\n", what, text);
	return -EINVAL;
}

static int lookup(const char *const *names, unsigned int n, const char *name)
{
	for (unsigned int i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return i;
	return -1;
}

static int number(const char *text, unsigned long long max, unsigned long long *v)
{
	char *end;

	errno = 0;
	*v = strtoull(text, &end, 0);
	if (errno || end == text || *end || *text == '-' || *v > max)
		return bad("not a number in range", text);
	return 0;
}

/* Which numbers an op takes after its name. */
static int op_max(unsigned int code, unsigned long long *arg_max, unsigned long long *value_max)
{
	*arg_max = UINT_MAX;
	*value_max = 0;
	switch (code) {
	case LAB_OP_CPUID:
		return 0;
	case LAB_OP_IN:
	case LAB_OP_OUT:
		*arg_max = 0xffff;
		return 1;
	case LAB_OP_INI:
	case LAB_OP_OUTI:
		*arg_max = 0xff;
		return 1;
	case LAB_OP_WRMSR:
		*value_max = ULLONG_MAX;
		return 2;
	case LAB_OP_RDMSR:
	case LAB_OP_HYPERCALL:
	case LAB_OP_MMIO:
	case LAB_OP_MMIOR:
	case LAB_OP_MMIOW:
		return 1;
	case LAB_OP_PVIPI:
		/* the mask is op.value; it takes the place of an argument in the text */
		*value_max = ULLONG_MAX;
		return 1;
	case LAB_OP_SPIN:
		*value_max = ULLONG_MAX;
		return 1;
	case LAB_OP_TOUCH:
		*value_max = MAX_TOUCH;
		return 1;
	case LAB_OP_HLT:
		*value_max = UINT_MAX / 1000;
		return 0;
	}
	*arg_max = 0;
	return 0;
}

static int check_op(const struct lab_op *op, const char *text)
{
	switch (op->code) {
	case LAB_OP_WRMSR:
		if (op->arg == 0x830 || op->arg == 0x83f)
			return bad("say icr or selfipi instead", text);
		break;
	case LAB_OP_IN:
	case LAB_OP_OUT:
	case LAB_OP_INI:
	case LAB_OP_OUTI:
		if (op->arg == LAB_PORT)
			return bad("port 0xf4 is the guest's line to labvmm", text);
		break;
	case LAB_OP_MMIO:
	case LAB_OP_MMIOR:
	case LAB_OP_MMIOW:
		if (op->arg >> 12 == LAB_APIC_BASE >> 12)
			return bad("say xicr instead", text);
		if (op->arg & 3)
			return bad("not a multiple of 4", text);
		break;
	}
	return 0;
}

static int is_value_only(unsigned int code)
{
	return code == LAB_OP_PVIPI || code == LAB_OP_SPIN || code == LAB_OP_TOUCH ||
	       code == LAB_OP_HLT;
}

/* Whom an IPI is for: nobody, an id, a word, or `logical` and a destination. */
static int parse_icr(struct lab_op *op, const char *first, const char *second, const char *text)
{
	unsigned long long v;

	op->arg = op->code == LAB_OP_ICR ? LAB_ICR_NOBODY : 0xfe;
	if (first && !strcmp(first, "logical")) {
		if (!second)
			return bad("logical needs a destination", text);
		op->value = LAB_ICR_LOGICAL;
		first = second;
		second = NULL;
	}
	if (second)
		return bad("wrong number of values", text);
	if (!first)
		return 0;
	if (!strcmp(first, "self"))
		op->arg = LAB_ICR_SELF;
	else if (!strcmp(first, "others"))
		op->value = LAB_ICR_OTHERS;
	else if (!strcmp(first, "all"))
		op->value = LAB_ICR_ALL;
	else if (number(first, op->code == LAB_OP_ICR ? UINT_MAX : 0xff, &v))
		return -EINVAL;
	else
		op->arg = v;
	return 0;
}

static int parse_args(char *args, struct lab_op *op, const char *text)
{
	unsigned long long arg_max, value_max, v;
	int need = op_max(op->code, &arg_max, &value_max);
	char *save, *first = strtok_r(args, ":", &save), *second = strtok_r(NULL, ":", &save);

	if (op->code == LAB_OP_ICR || op->code == LAB_OP_XICR)
		return parse_icr(op, first, second, text);
	if (strtok_r(NULL, ":", &save) || (second && need < 2) || !!first + !!second < need ||
	    (first && !arg_max))
		return bad("wrong number of values", text);
	if (first && number(first, is_value_only(op->code) ? value_max : arg_max, &v))
		return -EINVAL;
	if (is_value_only(op->code))
		op->value = first ? v : HLT_USEC;
	else if (first)
		op->arg = v;
	if (second && number(second, value_max, &op->value))
		return -EINVAL;
	return check_op(op, text);
}

static int parse_op(char *text, struct lab_prog *prog)
{
	char copy[128], *count = strchr(text, '='), *args;
	struct lab_op *op = &prog->ops[prog->nops];
	int code;

	if (prog->nops == LAB_MAX_OPS)
		return bad("too many operations", text);
	snprintf(copy, sizeof(copy), "%s", text);
	if (!count)
		return bad("no =COUNT", copy);
	*count++ = 0;
	args = strchr(text, ':');
	if (args)
		*args++ = 0;
	code = lookup(op_names, LAB_NR_OPS, text);
	if (code < 0)
		return bad("no such operation", text);
	op->code = code;
	if (number(count, MAX_COUNT, &op->count))
		return -EINVAL;
	if (parse_args(args ? args : "", op, copy))
		return -EINVAL;
	prog->nops++;
	return 0;
}

/* Calls fn for each word between commas. */
static int each(const char *text, int (*fn)(char *word, void *ctx), void *ctx)
{
	char copy[MAX_TEXT], *save;

	if (strlen(text) >= sizeof(copy))
		return bad("too long", text);
	strcpy(copy, text);
	for (char *w = strtok_r(copy, ",", &save); w; w = strtok_r(NULL, ",", &save))
		if (fn(w, ctx))
			return -EINVAL;
	return 0;
}

static int op_word(char *word, void *ctx)
{
	return parse_op(word, ctx);
}

int spec__parse_ops(const char *text, struct lab_prog *prog)
{
	return each(text, op_word, prog);
}

/* Ops that are told apart by their form only are reflected together. */
static int reflect_word(char *word, void *ctx)
{
	unsigned int bits = 0, *mask = ctx;
	int code = lookup(op_names, LAB_NR_OPS, word);

	if (!strcmp(word, "all")) {
		*mask = ~0u;
		return 0;
	}
	if (code < 0 || (spec__op_class(code) == LAB_NR_CLASSES && code != LAB_OP_MMIO))
		return bad("no operation that exits", word);
	for (unsigned int i = 0; i < LAB_NR_OPS; i++)
		if (i == (unsigned int)code ||
		    (spec__op_class(i) == spec__op_class(code) &&
		     spec__op_class(i) != LAB_NR_CLASSES))
			bits |= 1u << i;
	if (code == LAB_OP_MMIO || code == LAB_OP_MMIOR || code == LAB_OP_MMIOW)
		bits = 1u << LAB_OP_MMIO | 1u << LAB_OP_MMIOR | 1u << LAB_OP_MMIOW;
	*mask |= bits;
	return 0;
}

int spec__parse_reflect(const char *text, int set, unsigned int *mask)
{
	unsigned int bits = 0;

	if (each(text, reflect_word, &bits))
		return -EINVAL;
	if (!set && bits != ~0u &&
	    bits & (1u << LAB_OP_HYPERCALL | 1u << LAB_OP_PVIPI))
		return bad("a hypercall of L2 always goes to L1", text);
	*mask = set ? *mask | bits : *mask & ~bits;
	*mask |= 1u << LAB_OP_HYPERCALL | 1u << LAB_OP_PVIPI;
	return 0;
}

static int step_word(char *word, void *ctx)
{
	struct lab_cpu *cpu = ctx;
	struct lab_step *step = &cpu->steps[cpu->nsteps];
	char *times = strchr(word, '*'), *arg;
	unsigned long long v = 0;
	int code;

	if (cpu->nsteps == LAB_MAX_STEPS)
		return bad("too many steps", word);
	step->count = 1;
	if (times) {
		*times++ = 0;
		if (number(times, 1000, &step->count))
			return -EINVAL;
	}
	arg = strchr(word, ':');
	if (arg)
		*arg++ = 0;
	code = lookup(step_names, LAB_NR_STEPS, word);
	if (code < 0)
		return bad("no such step", word);
	if (arg && !strcmp(arg, "host") && (code == LAB_STEP_VMSAVE || code == LAB_STEP_VMLOAD))
		v = 1;
	else if (arg && number(arg, UINT_MAX, &v))
		return -EINVAL;
	if (!arg && (code == LAB_STEP_VMREAD || code == LAB_STEP_VMWRITE))
		v = 0x681e;	/* GUEST_RIP */
	if (!arg && code == LAB_STEP_RDMSR)
		return bad("which MSR", word);
	step->code = code;
	step->arg = v;
	cpu->nsteps++;
	return 0;
}

int spec__parse_steps(const char *text, struct lab_cpu *cpu)
{
	return each(text, step_word, cpu);
}
