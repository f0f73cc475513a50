// SPDX-License-Identifier: GPL-2.0-only
#include <stdarg.h>
#include <string.h>
#include <unistd.h>
#include "report.h"
#include "spec.h"

/* What must have come up to one place: its number, and the sum of the values sent. */
struct expected {
	unsigned long long seen[LAB_NR_CLASSES];
	unsigned long long sum[LAB_NR_CLASSES];
};

static int wrong(const char *format, ...)
{
	va_list ap;

	fputs("labvmm: ", stderr);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	return 1;
}

static void expect_op(struct expected *e, const struct lab_op *op, unsigned long long repeat)
{
	unsigned int class = spec__op_class(op->code);

	if (op->code == LAB_OP_MMIO) {
		/* reads at even, writes at odd iterations */
		e->seen[LAB_CLASS_MMIOR] += (op->count + 1) / 2 * repeat;
		e->seen[LAB_CLASS_MMIOW] += op->count / 2 * repeat;
	} else if (class < LAB_NR_CLASSES) {
		e->seen[class] += (op->code == LAB_OP_XICR ? 2 : 1) * op->count * repeat;
	}
}

/* Adds what the program's ops, reflected or not as asked for, must show one level up. */
static void expect(struct expected *e, const struct lab_prog *p, int reflected)
{
	int used[LAB_NR_CLASSES] = {};

	for (unsigned int i = 0; i < p->nops; i++) {
		const struct lab_op *op = &p->ops[i];

		if ((p->reflect >> op->code & 1) != (unsigned int)reflected)
			continue;
		expect_op(e, op, p->repeat);
		if (op->code == LAB_OP_MMIO)
			used[LAB_CLASS_MMIOW] = 1;
		else if (spec__op_class(op->code) < LAB_NR_CLASSES)
			used[spec__op_class(op->code)] = 1;
	}
	for (unsigned int c = 0; c < LAB_NR_CLASSES; c++)
		e->sum[c] += used[c] ? p->sum[c] : 0;
}

static int check_prog(const struct lab_prog *p, const char *who)
{
	int bad = 0;

	if (p->rounds != p->repeat)
		bad += wrong("%s: %llu of %u rounds", who, p->rounds, p->repeat);
	for (unsigned int i = 0; i < p->nops; i++) {
		const struct lab_op *op = &p->ops[i];
		const char *name = spec__op_name(op->code);

		if (op->done != op->count * p->repeat)
			bad += wrong("%s: %s: %llu done of %llu", who, name, op->done,
				     op->count * p->repeat);
		if (op->bad)
			bad += wrong("%s: %s: %llu wrong values, the last %#llx", who, name,
				     op->bad, op->got);
	}
	return bad;
}

static int check_seen(const char *who, const struct expected *e, const unsigned long long *seen,
		      const unsigned long long *sum)
{
	int bad = 0;

	for (unsigned int c = 0; c < LAB_NR_CLASSES; c++) {
		if (c == LAB_CLASS_INTR || c == LAB_CLASS_END)
			continue;
		if (seen[c] != e->seen[c])
			bad += wrong("%s: %llu %s exits arrived, not %llu", who, seen[c],
				     spec__class_name(c), e->seen[c]);
		if (sum[c] != e->sum[c])
			bad += wrong("%s: %s: the values sent add up to %#llx, not %#llx", who,
				     spec__class_name(c), sum[c], e->sum[c]);
	}
	return bad;
}

static int check_l2(const struct lab_l2 *l2, const char *who)
{
	struct expected e = {};
	int bad = check_prog(&l2->prog, who);

	expect(&e, &l2->prog, 1);
	bad += check_seen(who, &e, l2->seen, l2->sum);
	if (!l2->ended)
		bad += wrong("%s did not end", who);
	return bad;
}

/* Only these come up to user space: the rest ends in KVM. */
static void only_user_space(struct expected *e)
{
	for (unsigned int c = 0; c < LAB_NR_CLASSES; c++) {
		if (c == LAB_CLASS_IN || c == LAB_CLASS_OUT || c == LAB_CLASS_MMIOR ||
		    c == LAB_CLASS_MMIOW)
			continue;
		e->seen[c] = 0;
		e->sum[c] = 0;
	}
}

static int check_cpu(const struct vcpu *v)
{
	const struct lab_cpu *cpu = v->cpu;
	struct expected e = {};
	char who[64];
	int bad;

	snprintf(who, sizeof(who), "CPU %u: before", v->id);
	bad = check_prog(&cpu->pre, who);
	snprintf(who, sizeof(who), "CPU %u: after", v->id);
	bad += check_prog(&cpu->post, who);
	for (unsigned int i = 0; i < cpu->nl2s; i++) {
		snprintf(who, sizeof(who), "CPU %u: L2 %u", v->id, i);
		bad += check_l2(&cpu->l2s[i], who);
		expect(&e, &cpu->l2s[i].prog, 0);
	}
	expect(&e, &cpu->pre, 0);
	expect(&e, &cpu->post, 0);
	only_user_space(&e);
	snprintf(who, sizeof(who), "CPU %u: labvmm", v->id);
	bad += check_seen(who, &e, v->seen, v->sum);
	if (cpu->synth_done != cpu->synth)
		bad += wrong("CPU %u: %llu of %llu synthesised exits", v->id, cpu->synth_done,
			     cpu->synth);
	return bad;
}

/* Interrupts that a program sends to its own CPU, or -1: to others, where they may merge. */
static long long own_ipis(const struct lab_prog *p, unsigned int ncpus)
{
	long long n = 0;

	for (unsigned int i = 0; i < p->nops; i++) {
		const struct lab_op *op = &p->ops[i];
		int icr = op->code == LAB_OP_ICR || op->code == LAB_OP_XICR;

		if (p->reflect >> op->code & 1)
			continue;
		if (op->code == LAB_OP_SELFIPI || (icr && op->arg == LAB_ICR_SELF))
			n += op->count * p->repeat;
		else if (icr && (op->value || op->arg < ncpus))
			return -1;
		else if (op->code == LAB_OP_PVIPI && ncpus > 1)
			return -1;
		else if (op->code == LAB_OP_PVIPI)
			n += (op->value & 1) * op->count * p->repeat;
	}
	return n;
}

static unsigned long long timers(const struct lab_prog *p)
{
	unsigned long long n = 0;

	for (unsigned int i = 0; i < p->nops; i++)
		if (p->ops[i].code == LAB_OP_HLT && !(p->reflect >> LAB_OP_HLT & 1))
			n += p->ops[i].count * p->repeat;
	return n;
}

static int check_irqs(struct vm *vm)
{
	const unsigned long long *got = vm__params(vm)->irqs;
	unsigned long long ipis = 0, synth = 0, timer = 0;
	int known = 1, bad = 0;

	for (unsigned int i = 0; i < vm->ncpus; i++) {
		const struct lab_cpu *cpu = vm->vcpus[i].cpu;

		for (unsigned int n = 0; n < cpu->nl2s + 2; n++) {
			const struct lab_prog *p = n < cpu->nl2s ? &cpu->l2s[n].prog :
						   n == cpu->nl2s ? &cpu->pre : &cpu->post;
			long long own = own_ipis(p, vm->ncpus);

			known &= own >= 0;
			ipis += own;
			timer += timers(p);
		}
		synth += cpu->synth_done;
	}
	if (known && got[LAB_VEC_IPI] != ipis)
		bad += wrong("%llu IPIs arrived, not %llu", got[LAB_VEC_IPI], ipis);
	/* L1 may have had to set it twice */
	if (got[LAB_VEC_TIMER] < timer)
		bad += wrong("%llu timer interrupts, not %llu", got[LAB_VEC_TIMER], timer);
	if (got[LAB_VEC_SYNTH] != synth)
		bad += wrong("%llu interrupts for %llu synthesised exits", got[LAB_VEC_SYNTH],
			     synth);
	return bad;
}

static void print_prog(FILE *f, const char *name, const struct lab_prog *p)
{
	fprintf(f, "\"%s\":[", name);
	for (unsigned int i = 0; i < p->nops; i++) {
		const struct lab_op *op = &p->ops[i];

		fprintf(f, "%s{\"op\":\"%s\",\"arg\":%u,\"value\":%llu,\"count\":%llu,"
			"\"done\":%llu,\"checked\":%llu,\"bad\":%llu}", i ? "," : "",
			spec__op_name(op->code), op->arg, op->value, op->count * p->repeat,
			op->done, op->checked, op->bad);
	}
	fputc(']', f);
}

static void print_classes(FILE *f, const char *name, const unsigned long long *seen)
{
	const char *comma = "";

	fprintf(f, "\"%s\":{", name);
	for (unsigned int c = 0; c < LAB_NR_CLASSES; c++) {
		if (!seen[c])
			continue;
		fprintf(f, "%s\"%s\":%llu", comma, spec__class_name(c), seen[c]);
		comma = ",";
	}
	fputc('}', f);
}

static void print_l2(FILE *f, const struct lab_l2 *l2, unsigned int index)
{
	fprintf(f, "\n   {\"index\":%u,\"vmcb\":\"%#llx\",\"entries\":%llu,", index, l2->vmcb,
		l2->entries);
	print_prog(f, "ops", &l2->prog);
	fputc(',', f);
	print_classes(f, "exits_to_l1", l2->seen);
	fputs(",\"codes\":{", f);
	for (int i = 0; i < LAB_MAX_CODES && l2->codes[i].count; i++)
		fprintf(f, "%s\"%#llx\":%llu", i ? "," : "", l2->codes[i].code,
			l2->codes[i].count);
	fputs("}}", f);
}

static void print_cpu(FILE *f, const struct vcpu *v)
{
	const struct lab_cpu *cpu = v->cpu;

	fprintf(f, "\n  {\"cpu\":%u,\"tid\":%d,\"synthesised\":%llu,", v->id, v->tid,
		cpu->synth_done);
	print_prog(f, "before", &cpu->pre);
	fputc(',', f);
	print_prog(f, "after", &cpu->post);
	fputc(',', f);
	print_classes(f, "user_exits", v->seen);
	fputs(",\"l2s\":[", f);
	for (unsigned int i = 0; i < cpu->nl2s; i++) {
		fputs(i ? "," : "", f);
		print_l2(f, &cpu->l2s[i], i);
	}
	fputs("]}", f);
}

int report__print(FILE *f, struct vm *vm, const char *kind, double seconds)
{
	const struct lab_params *p = vm__params(vm);
	const char *comma = "";
	int bad = check_irqs(vm);

	fprintf(f, "{\"kind\":\"%s\",\"pid\":%d,\"seconds\":%.6f,\"interrupts\":{", kind, getpid(),
		seconds);
	for (int i = 0; i < 256; i++) {
		if (!p->irqs[i])
			continue;
		fprintf(f, "%s\"%#x\":%llu", comma, i, p->irqs[i]);
		comma = ",";
	}
	fputs("},\n \"cpus\":[", f);
	for (unsigned int i = 0; i < vm->ncpus; i++) {
		bad += check_cpu(&vm->vcpus[i]);
		fputs(i ? "," : "", f);
		print_cpu(f, &vm->vcpus[i]);
	}
	fprintf(f, "],\n \"wrong\":%d,\"ok\":%s}\n", bad, bad ? "false" : "true");
	fflush(f);
	return bad;
}
