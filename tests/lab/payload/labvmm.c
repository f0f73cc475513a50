// SPDX-License-Identifier: GPL-2.0-only
/*
 * labvmm: a small VMM for the labs. It runs an L1 of ours whose L2s do exactly so many
 * operations, or a plain guest that does them, and checks that each was done and answered.
 */
#define _GNU_SOURCE
#include <cpuid.h>
#include <errno.h>
#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>
#include "report.h"
#include "spec.h"
#include "usage.h"
#include "vm.h"

#define MAX_IMAGE	LAB_IMAGE_MAX

struct options {
	const char *kind;	/* svm, vmx, guest */
	const char *image;
	const char *output;
	const char *comm;
	unsigned int ncpus;
	unsigned int delay;
	unsigned int hold;
	unsigned int repeat;
	unsigned int reflect;
	int apic;		/* 0: as the operations need, 1: xAPIC, 2: x2APIC */
	int end_threads;
	struct lab_cpu cpu;
};

extern const char l1_svm[], l1_svm_end[], l1_vmx[], l1_vmx_end[];

enum {
	OPT_L1 = 256, OPT_GUEST, OPT_L2, OPT_L1OP, OPT_L1OP_AFTER, OPT_REFLECT, OPT_NO_REFLECT,
	OPT_ALTERNATE, OPT_SYNTH, OPT_NESTED_PAGING, OPT_VPID, OPT_EVMCS, OPT_PER_EXIT, OPT_VMLOAD,
	OPT_REPEAT, OPT_DELAY, OPT_HOLD, OPT_END_THREADS, OPT_NAME, OPT_PID_NAME, OPT_APIC,
	OPT_IMAGE, OPT_HELP,
};

static const struct option long_options[] = {
	{ "l1", required_argument, NULL, OPT_L1 },
	{ "guest", required_argument, NULL, OPT_GUEST },
	{ "l2", required_argument, NULL, OPT_L2 },
	{ "l1op", required_argument, NULL, OPT_L1OP },
	{ "l1op-after", required_argument, NULL, OPT_L1OP_AFTER },
	{ "reflect", required_argument, NULL, OPT_REFLECT },
	{ "no-reflect", required_argument, NULL, OPT_NO_REFLECT },
	{ "alternate", required_argument, NULL, OPT_ALTERNATE },
	{ "synth", required_argument, NULL, OPT_SYNTH },
	{ "nested-paging", required_argument, NULL, OPT_NESTED_PAGING },
	{ "vpid", required_argument, NULL, OPT_VPID },
	{ "evmcs", no_argument, NULL, OPT_EVMCS },
	{ "per-exit", required_argument, NULL, OPT_PER_EXIT },
	{ "vmload", no_argument, NULL, OPT_VMLOAD },
	{ "repeat", required_argument, NULL, OPT_REPEAT },
	{ "delay", required_argument, NULL, OPT_DELAY },
	{ "hold", required_argument, NULL, OPT_HOLD },
	{ "end-threads", no_argument, NULL, OPT_END_THREADS },
	{ "name", required_argument, NULL, OPT_NAME },
	{ "pid-name", required_argument, NULL, OPT_PID_NAME },
	{ "apic", required_argument, NULL, OPT_APIC },
	{ "image", required_argument, NULL, OPT_IMAGE },
	{ "help", no_argument, NULL, OPT_HELP },
	{ NULL, 0, NULL, 0 },
};

static void __attribute__((noreturn)) usage_error(const char *what)
{
	fprintf(stderr, "labvmm: %s (labvmm --help)\n", what);
	exit(2);
}

static unsigned long long number(const char *text, unsigned long long max)
{
	char *end;
	unsigned long long v;

	errno = 0;
	v = strtoull(text, &end, 0);
	if (errno || end == text || *end || *text == '-' || v > max)
		usage_error("a number is out of range");
	return v;
}

static void must(int err)
{
	if (err)
		exit(2);
}

static void set_kind(struct options *o, const char *kind)
{
	if (o->kind)
		usage_error("one of --l1 and --guest, once");
	if (strcmp(kind, "svm") && strcmp(kind, "vmx") && strcmp(kind, "guest"))
		usage_error("--l1 is svm or vmx");
	o->kind = kind;
}

static void parse_word(struct options *o, int opt)
{
	struct lab_cpu *cpu = &o->cpu;

	switch (opt) {
	case OPT_L1:
		set_kind(o, optarg);
		break;
	case OPT_GUEST:
		set_kind(o, "guest");
		must(spec__parse_ops(optarg, &cpu->pre));
		break;
	case OPT_L2:
		if (cpu->nl2s == LAB_MAX_L2S)
			usage_error("too many L2s");
		must(spec__parse_ops(optarg, &cpu->l2s[cpu->nl2s++].prog));
		break;
	case OPT_L1OP:
		must(spec__parse_ops(optarg, &cpu->pre));
		break;
	case OPT_L1OP_AFTER:
		must(spec__parse_ops(optarg, &cpu->post));
		break;
	case OPT_REFLECT:
	case OPT_NO_REFLECT:
		must(spec__parse_reflect(optarg, opt == OPT_REFLECT, &o->reflect));
		break;
	case OPT_PER_EXIT:
		must(spec__parse_steps(optarg, cpu));
		break;
	case OPT_VMLOAD:
		must(spec__parse_steps("vmsave,vmload:host,vmload", cpu));
		break;
	case OPT_NESTED_PAGING:
	case OPT_VPID:
		if (strcmp(optarg, "on") && strcmp(optarg, "off"))
			usage_error("--nested-paging and --vpid are on or off");
		*(opt == OPT_VPID ? &cpu->vpid : &cpu->nested_paging) = !strcmp(optarg, "on");
		break;
	case OPT_EVMCS:
		cpu->evmcs = 1;
		break;
	case OPT_APIC:
		if (strcmp(optarg, "x") && strcmp(optarg, "x2"))
			usage_error("--apic is x or x2");
		o->apic = strcmp(optarg, "x") ? 2 : 1;
		break;
	}
}

static void parse(struct options *o, int argc, char **argv)
{
	int opt;

	while ((opt = getopt_long_only(argc, argv, "c:o:h", long_options, NULL)) != -1) {
		switch (opt) {
		case 'c':
			o->ncpus = number(optarg, LAB_MAX_CPUS);
			break;
		case 'o':
			o->output = optarg;
			break;
		case OPT_ALTERNATE:
			o->cpu.alternate = number(optarg, ~0ULL);
			break;
		case OPT_SYNTH:
			o->cpu.synth = number(optarg, ~0ULL);
			break;
		case OPT_REPEAT:
			o->repeat = number(optarg, 1000000);
			break;
		case OPT_DELAY:
			o->delay = number(optarg, 100000);
			break;
		case OPT_HOLD:
			o->hold = number(optarg, 100000);
			break;
		case OPT_END_THREADS:
			o->end_threads = 1;
			break;
		case OPT_NAME:
			/* For whoever reads our command line, as one reads QEMU's. */
			break;
		case OPT_PID_NAME:
			o->comm = optarg;
			break;
		case OPT_IMAGE:
			o->image = optarg;
			break;
		case OPT_HELP:
		case 'h':
			fputs(usage_text, stdout);
			exit(0);
		case '?':
			usage_error("bad option");
		default:
			parse_word(o, opt);
		}
	}
	if (optind != argc)
		usage_error("too many words");
}

static int host_is_amd(void)
{
	unsigned int eax, ebx, ecx, edx;

	__cpuid(0, eax, ebx, ecx, edx);
	return ebx == signature_AMD_ebx || !memcmp(&ebx, "Hygo", 4);
}

static int has_op(const struct lab_prog *p, unsigned int code)
{
	for (unsigned int i = 0; i < p->nops; i++)
		if (p->ops[i].code == code)
			return 1;
	return 0;
}

static int any_has_op(const struct lab_cpu *cpu, unsigned int code)
{
	int found = has_op(&cpu->pre, code) || has_op(&cpu->post, code);

	for (unsigned int i = 0; i < cpu->nl2s; i++)
		found |= has_op(&cpu->l2s[i].prog, code);
	return found;
}

/* In one program a port is either L1's or L0's: SVM has one bit for IN and OUT. */
static int port_conflict(const struct lab_prog *p, const struct lab_op *a, const struct lab_op *b)
{
	unsigned int class = spec__op_class(a->code), other = spec__op_class(b->code);

	if (class > other)
		return port_conflict(p, b, a);
	return class == LAB_CLASS_IN && other == LAB_CLASS_OUT && a->arg == b->arg &&
	       (p->reflect >> a->code & 1) != (p->reflect >> b->code & 1);
}

static void check_ports(const struct lab_prog *p)
{
	for (unsigned int i = 0; i < p->nops; i++)
		for (unsigned int j = 0; j < i; j++)
			if (port_conflict(p, &p->ops[i], &p->ops[j]))
				usage_error("in and out of one port are reflected together");
}

static void check_options(struct options *o)
{
	int vmx;

	if (!o->kind) {
		if (!o->cpu.nl2s)
			usage_error("--l2 or --guest is missing");
		o->kind = host_is_amd() ? "svm" : "vmx";
	}
	vmx = !strcmp(o->kind, "vmx");
	if (o->cpu.evmcs && (!vmx || o->ncpus > 1))
		usage_error("--evmcs is for one CPU with VMX");
	if (strcmp(o->kind, "guest") ? !o->cpu.nl2s : o->cpu.nl2s)
		usage_error("--l1 goes with --l2, --guest without");
	if (!o->ncpus || !o->repeat)
		usage_error("a number is out of range");
	if (vmx && !(o->reflect >> LAB_OP_CPUID & 1))
		usage_error("VMX always reflects CPUID of L2");
	for (unsigned int i = 0; i < o->cpu.nsteps; i++) {
		unsigned int code = o->cpu.steps[i].code;

		if (code == LAB_STEP_RDMSR || code == LAB_STEP_CPUID)
			continue;
		if ((code == LAB_STEP_VMREAD || code == LAB_STEP_VMWRITE) != vmx)
			usage_error("--per-exit: the other vendor's instruction");
	}
	if (!o->apic)
		o->apic = any_has_op(&o->cpu, LAB_OP_XICR) ? 1 : 2;
	if (o->apic == 1 && (any_has_op(&o->cpu, LAB_OP_ICR) ||
			     any_has_op(&o->cpu, LAB_OP_SELFIPI)))
		usage_error("icr and selfipi need x2APIC mode, xicr needs xAPIC mode");
	if (o->apic == 2 && any_has_op(&o->cpu, LAB_OP_XICR))
		usage_error("xicr needs --apic x");
	if (o->apic == 1 && !(o->reflect >> LAB_OP_HLT & 1))
		usage_error("hlt of L2 is reflected in xAPIC mode");
	for (unsigned int i = 0; i < o->cpu.nl2s; i++)
		check_ports(&o->cpu.l2s[i].prog);
}

static void finish_prog(struct lab_prog *p, const struct options *o, int is_l2)
{
	p->vmmcall = strcmp(o->kind, "guest") ? !strcmp(o->kind, "svm") : host_is_amd();
	/* --repeat is for what is counted: the L2s, or the plain guest. */
	p->repeat = is_l2 || !strcmp(o->kind, "guest") ? o->repeat : 1;
	p->reflect = is_l2 ? o->reflect : 0;
}

static const void *load_image(const struct options *o, size_t *size)
{
	static char buffer[MAX_IMAGE];
	FILE *f;

	if (!o->image) {
		/* a plain guest is an L1 without L2s, whichever */
		int vmx = !strcmp(o->kind, "vmx");

		*size = vmx ? (uintptr_t)l1_vmx_end - (uintptr_t)l1_vmx :
			      (uintptr_t)l1_svm_end - (uintptr_t)l1_svm;
		return vmx ? l1_vmx : l1_svm;
	}
	f = fopen(o->image, "re");
	if (!f) {
		perror(o->image);
		exit(1);
	}
	*size = fread(buffer, 1, sizeof(buffer), f);
	fclose(f);
	return buffer;
}

/* MMIO must have nothing behind it. */
static void check_mmio(const struct vm *vm, const struct lab_prog *p)
{
	for (unsigned int i = 0; i < p->nops; i++) {
		unsigned int code = p->ops[i].code;

		if ((code == LAB_OP_MMIO || code == LAB_OP_MMIOR || code == LAB_OP_MMIOW) &&
		    p->ops[i].arg < vm->size) {
			fprintf(stderr, "labvmm: %#x is memory (it ends at %#zx)\n", p->ops[i].arg,
				vm->size);
			exit(2);
		}
	}
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static int run(struct options *o)
{
	struct vm_config config = {
		.ncpus = o->ncpus, .x2apic = o->apic == 2, .vmx = !strcmp(o->kind, "vmx"),
		.end_threads = o->end_threads || !o->hold, .cpu = &o->cpu,
	};
	FILE *out = stdout;
	struct vm vm;
	double start;
	int bad;

	config.image = load_image(o, &config.image_size);
	if (vm__create(&vm, &config))
		return 1;
	check_mmio(&vm, &o->cpu.pre);
	check_mmio(&vm, &o->cpu.post);
	for (unsigned int i = 0; i < o->cpu.nl2s; i++)
		check_mmio(&vm, &o->cpu.l2s[i].prog);
	if (o->output) {
		out = fopen(o->output, "we");
		if (!out) {
			perror(o->output);
			return 1;
		}
	}
	sleep(o->delay);
	start = now();
	if (vm__run(&vm))
		return 1;
	bad = report__print(out, &vm, o->kind, now() - start);
	sleep(o->hold);
	return !!bad;
}

int main(int argc, char **argv)
{
	static struct options o = {
		.ncpus = 1, .repeat = 1, .reflect = ~0u, .cpu = { .nested_paging = 1, .vpid = 1 },
	};

	parse(&o, argc, argv);
	check_options(&o);
	finish_prog(&o.cpu.pre, &o, 0);
	finish_prog(&o.cpu.post, &o, 0);
	for (unsigned int i = 0; i < o.cpu.nl2s; i++)
		finish_prog(&o.cpu.l2s[i].prog, &o, 1);
	/* Threads that exist before exec keep no name, so this is the whole process's. */
	if (o.comm)
		prctl(PR_SET_NAME, o.comm);
	return run(&o);
}
