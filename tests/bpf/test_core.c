// SPDX-License-Identifier: GPL-2.0-only
/*
 * The programs against the layout LAYOUT_H: fake vCPUs laid out as it says, BTF made
 * from it, events by test runs.  What was relocated wrongly reads a wrong number.
 */
#include "bpf_test.h"

#include <asm/svm.h>
#include <asm/vmx.h>

#include "model/rows.h"

#include LAYOUT_H

#define GPA_L2 0x5a1000ULL
#define VM_PID ((uint32_t)getpid())

struct fake {
	struct kvm kvm;
	struct vmcb vmcb;
	union {
		struct kvm_vcpu vcpu;
		struct vcpu_vmx vmx;
		struct vcpu_svm svm;
	} __attribute__((aligned(64)));
};

static struct fake_memory memory;
static struct nvx_live *live;

static struct fake *fake(int i)
{
	return (struct fake *)memory.user + i;
}

static uint64_t kernel(const void *user)
{
	return memory.kernel + ((const uint8_t *)user - memory.user);
}

static void set_level(struct fake *f, int level)
{
#ifdef LAYOUT_GUEST_MODE
	f->vcpu.stat.guest_mode = level == 2;
#else
	f->vcpu.arch.hflags = level == 2 ? 1 << 5 | 1 << 1 : 1 << 1;
#endif
}

static struct fake *new_fake(int i, uint32_t isa, int level)
{
	struct fake *f = fake(i);

	memset(f, 0, sizeof(*f));
	f->vcpu.kvm = (void *)kernel(&f->kvm);
	f->vcpu.vcpu_id = 70 + i;
	if (isa == NVX_ISA_SVM) {
		f->svm.vmcb = (void *)kernel(&f->vmcb);
		f->svm.nested.vmcb12_gpa = GPA_L2;
	} else {
		f->vmx.nested.current_vmptr = GPA_L2;
	}
	set_level(f, level);
	return f;
}

static void kvm_exit(struct fake *f, uint32_t isa)
{
#ifdef LAYOUT_OLD_ORDER
	FIRE(live, "nvx_exit", 0xdead, kernel(&f->vcpu), isa);
#else
	FIRE(live, "nvx_exit", kernel(&f->vcpu), isa, 0xdead);
#endif
}

static void vmx_exit(struct fake *f, uint32_t reason)
{
	vmx_exit_reason_of(&f->vmx) = reason;
	kvm_exit(f, NVX_ISA_VMX);
}

static void svm_exit(struct fake *f, uint32_t code, uint64_t info1, uint64_t info2)
{
	f->vmcb.control.exit_code = code;
	f->vmcb.control.exit_info_1 = info1;
	f->vmcb.control.exit_info_2 = info2;
	kvm_exit(f, NVX_ISA_SVM);
}

static void entry(struct fake *f)
{
	FIRE(live, "nvx_entry", kernel(&f->vcpu));
}

/* kvm_nested_vmexit_inject(exit_code, info1, info2, int_info, int_info_err, isa) */
static void inject(struct fake *f, uint32_t isa, uint32_t reason, uint64_t info1)
{
	FIRE(live, "nvx_inject", reason, info1, 0, 0, 0, isa);
	set_level(f, 1);
}

static const struct nvx_vcpu *counters(const struct fake *f)
{
	for (uint32_t i = 1; i <= live->max; i++)
		if (live->cells[i].v.state == NVX_LIVE &&
		    live->cells[i].v.vcpu == kernel(&f->vcpu))
			return &live->cells[i].v;
	fail_msg("no slot for the vCPU");
	return NULL;
}

static const struct nvx_exit_slot *find_exit(const struct nvx_vcpu *v, uint32_t who,
					     uint32_t reason)
{
	for (int i = 0; i < v->n_exit; i++)
		if (NVX_KEY_WHO(v->exits[i].key) == who &&
		    NVX_KEY_REASON(v->exits[i].key) == reason)
			return &v->exits[i];
	fail_msg("no exits of who %u for 0x%x", who, reason);
	return NULL;
}

static const struct nvx_drill_slot *find_drill(const struct nvx_vcpu *v, uint32_t who,
					       uint32_t kind, uint64_t number)
{
	for (int i = 0; i < v->n_drill; i++)
		if (v->drills[i].key == ((uint64_t)who << 56 | (uint64_t)kind << 48 | number))
			return &v->drills[i];
	fail_msg("no numbers of who %u, kind %u: 0x%llx", who, kind, (unsigned long long)number);
	return NULL;
}

static int setup(void **state)
{
	(void)state;
	fake_memory__open(&memory, 16 * sizeof(struct fake) + 4096);
#ifdef LAYOUT_OLD_ORDER
	live = open_live(LAYOUT_O, NVX_EXIT_ARGS_REASON_FIRST, 16);
#else
	live = open_live(LAYOUT_O, NVX_EXIT_ARGS_VCPU_FIRST, 16);
#endif
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	nvx_live__close(live);
	fake_memory__close(&memory);
	return 0;
}

static void identity(void **state)
{
	struct fake *f = new_fake(0, NVX_ISA_VMX, 1);
	const struct nvx_vcpu *v;
	char comm[NVX_COMM + 1] = "";
	FILE *file = fopen("/proc/self/comm", "r");

	(void)state;
	assert_int_equal(fscanf(file, "%16s", comm), 1);
	fclose(file);
	vmx_exit(f, EXIT_REASON_CPUID);
	v = counters(f);
	assert_int_equal(v->tid, gettid());
	assert_int_equal(v->tgid, VM_PID);
	assert_int_equal(v->vcpu_id, 70);
	assert_int_equal(v->kvm, kernel(&f->kvm));
	assert_string_equal(v->comm, comm);
	assert_int_equal(v->isa, NVX_ISA_VMX);
	assert_int_equal(v->level, 1);
	assert_true(v->t_first > 0);
	assert_true(v->t_thread > 0);
	assert_int_equal(find_exit(v, NVX_WHO_L1, EXIT_REASON_CPUID)->count, 1);
}

/* The level and the L2 are right from the first event on. */
static void attached_in_l2(void **state)
{
	struct fake *vmx = new_fake(1, NVX_ISA_VMX, 2), *svm = new_fake(2, NVX_ISA_SVM, 2);

	(void)state;
	vmx_exit(vmx, EXIT_REASON_CPUID);
	svm_exit(svm, SVM_EXIT_CPUID, 0, 0);
	assert_int_equal(counters(vmx)->level, 2);
	assert_int_equal(counters(vmx)->l2[0].addr, GPA_L2);
	assert_int_equal(find_exit(counters(vmx), 1, EXIT_REASON_CPUID)->count, 1);
	assert_int_equal(counters(svm)->level, 2);
	assert_int_equal(counters(svm)->l2[0].addr, GPA_L2);
	assert_int_equal(find_exit(counters(svm), 1, SVM_EXIT_CPUID)->count, 1);
	/* what the level was before is unknown, so this is no resync */
	assert_int_equal(counters(vmx)->resyncs, 0);
	/* L2 is left without a switch event: a reset, say */
	set_level(vmx, 1);
	vmx_exit(vmx, EXIT_REASON_HLT);
	assert_int_equal(counters(vmx)->resyncs, 1);
	assert_int_equal(find_exit(counters(vmx), NVX_WHO_L1, EXIT_REASON_HLT)->count, 1);
}

static void vmx_round_trip(void **state)
{
	struct fake *f = new_fake(3, NVX_ISA_VMX, 1);
	const struct nvx_exit_slot *x;
	const struct nvx_vcpu *v;

	(void)state;
	vmx_exit(f, EXIT_REASON_VMLAUNCH);
	/* kvm_nested_vmenter(rip, vmcb, nested_rip, ...) */
	FIRE(live, "nvx_enter", 0x1000, GPA_L2 + 0x1000);
	set_level(f, 2);
	entry(f);
	/* bits above the basic reason make no row of their own, but the failed entry does */
	vmx_exit(f, EXIT_REASON_CPUID | 1 << 27);
	inject(f, NVX_ISA_VMX, EXIT_REASON_CPUID, 0);
	entry(f);
	vmx_exit(f, EXIT_REASON_VMREAD);
	entry(f);
	vmx_exit(f, EXIT_REASON_VMRESUME);
	FIRE(live, "nvx_enter", 0x1000, GPA_L2 + 0x1000);
	set_level(f, 2);
	entry(f);

	v = counters(f);
	x = find_exit(v, 1, EXIT_REASON_CPUID);
	assert_int_equal(x->count, 1);
	assert_int_equal(x->reflected, 1);
	assert_int_equal(v->l2[0].addr, GPA_L2 + 0x1000);
	assert_int_equal(v->l2[0].entries, 2);
	assert_int_equal(v->n_chain, 1);
	assert_int_equal(NVX_KEY_REASON(v->chains[0].key), EXIT_REASON_CPUID);
	assert_int_equal(v->chains[0].count, 1);
	assert_int_equal(v->chains[0].reflected, 1);
	assert_int_equal(v->chains[0].len[2], 1);
	assert_int_equal(v->n_cell, 2);
}

/* VMLAUNCH fails its checks: VMX says nothing, but at the entry the level is still 1. */
static void vmx_failed_entry(void **state)
{
	struct fake *f = new_fake(4, NVX_ISA_VMX, 1);

	(void)state;
	vmx_exit(f, EXIT_REASON_VMLAUNCH);
	FIRE(live, "nvx_enter", 0x1000, GPA_L2);
	entry(f);
	vmx_exit(f, EXIT_REASON_HLT);
	assert_int_equal(counters(f)->entry_failed, 1);
	assert_int_equal(counters(f)->level, 1);
	assert_int_equal(counters(f)->resyncs, 0);
	assert_int_equal(find_exit(counters(f), NVX_WHO_L1, EXIT_REASON_HLT)->count, 1);
}

static void vmx_numbers(void **state)
{
	struct fake *f = new_fake(5, NVX_ISA_VMX, 2);
	const struct nvx_vcpu *v;

	(void)state;
	f->vcpu.arch.regs[0] = 0x1122334400000005;
	f->vcpu.arch.regs[1] = 0x5566778800000830;
	vmx_exit(f, EXIT_REASON_MSR_WRITE);
	entry(f);
	vmx_exit(f, EXIT_REASON_MSR_READ);
	entry(f);
	vmx_exit(f, EXIT_REASON_VMCALL);
	entry(f);
	v = counters(f);
	assert_int_equal(find_drill(v, 1, NVX_DRILL_WRMSR, 0x830)->count, 1);
	assert_int_equal(find_drill(v, 1, NVX_DRILL_RDMSR, 0x830)->count, 1);
	assert_int_equal(find_drill(v, 1, NVX_DRILL_HYPERCALL, 5)->count, 1);
}

/* KVM reads the qualification after kvm_exit: it is another exit's until then. */
static void vmx_late_port(void **state)
{
	struct fake *f = new_fake(6, NVX_ISA_VMX, 2);
	const struct nvx_vcpu *v;

	(void)state;
	vmx_qualification_of(&f->vmx) = 0x99990000;
	vmx_exit(f, EXIT_REASON_IO_INSTRUCTION);
	vmx_qualification_of(&f->vmx) = 0x03f80000; /* OUT, byte */
	entry(f);
	vmx_exit(f, EXIT_REASON_IO_INSTRUCTION);
	vmx_qualification_of(&f->vmx) = 0x00600008; /* IN, byte */
	inject(f, NVX_ISA_VMX, EXIT_REASON_IO_INSTRUCTION, 0x00600008);
	entry(f);
	v = counters(f);
	assert_int_equal(v->n_drill, 2);
	assert_int_equal(find_drill(v, 1, NVX_DRILL_PIO_OUT, 0x3f8)->count, 1);
	assert_int_equal(find_drill(v, 1, NVX_DRILL_PIO_IN, 0x60)->count, 1);
	assert_int_equal(find_drill(v, 1, NVX_DRILL_PIO_IN, 0x60)->reflected, 1);
}

/* An EPT violation that L1 is told of: its address comes with kvm_page_fault. */
static void vmx_page(void **state)
{
	struct fake *f = new_fake(7, NVX_ISA_VMX, 2);

	(void)state;
	vmx_exit(f, EXIT_REASON_EPT_VIOLATION);
	/* kvm_page_fault(vcpu, fault_address, error_code) */
	FIRE(live, "nvx_page_fault", kernel(&f->vcpu), 0xfebc1234, 4);
	inject(f, NVX_ISA_VMX, EXIT_REASON_EPT_VIOLATION, 0);
	entry(f);
	/* L1's own access to a device: kvm_mmio(type, len, gpa, val) */
	vmx_exit(f, EXIT_REASON_EPT_MISCONFIG);
	FIRE(live, "nvx_mmio", 2, 4, 0xfee00300, 0);
	FIRE(live, "nvx_mmio", 2, 4, 0xfee00310, 0);
	entry(f);
	vmx_exit(f, EXIT_REASON_EPT_MISCONFIG);
	FIRE(live, "nvx_fast_mmio", 0xfe003000);
	entry(f);
	assert_int_equal(find_drill(counters(f), 1, NVX_DRILL_MMIO, 0xfebc1)->reflected, 1);
	assert_int_equal(find_drill(counters(f), NVX_WHO_L1, NVX_DRILL_MMIO, 0xfee00)->count, 1);
	assert_int_equal(find_drill(counters(f), NVX_WHO_L1, NVX_DRILL_MMIO, 0xfe003)->count, 1);
}

static void svm_round_trip(void **state)
{
	struct fake *f = new_fake(8, NVX_ISA_SVM, 1);
	const struct nvx_vcpu *v;

	(void)state;
	svm_exit(f, SVM_EXIT_VMRUN, 0, 0);
	FIRE(live, "nvx_enter", 0x1000, GPA_L2);
	set_level(f, 2);
	entry(f);
	/* an interrupt for L0 ends L2, which then leaves for L1's interrupt */
	svm_exit(f, SVM_EXIT_INTR, 0, 0);
	inject(f, NVX_ISA_SVM, SVM_EXIT_INTR, 0);
	entry(f);
	svm_exit(f, SVM_EXIT_VMRUN, 0, 0);
	FIRE(live, "nvx_enter", 0x1000, GPA_L2);
	set_level(f, 2);
	entry(f);
	v = counters(f);
	assert_int_equal(find_exit(v, NVX_WHO_L1, SVM_EXIT_VMRUN)->count, 2);
	assert_int_equal(find_exit(v, 1, SVM_EXIT_INTR)->synthesised, 1);
	assert_int_equal(find_exit(v, 1, SVM_EXIT_INTR)->reflected, 0);
	assert_int_equal(v->chains[0].count, 1);
	assert_int_equal(v->chains[0].len[1], 1);
	assert_int_equal(v->entries, 2);
	assert_int_equal(v->leaves, 1);
}

static void svm_numbers(void **state)
{
	struct fake *f = new_fake(9, NVX_ISA_SVM, 2);
	const struct nvx_vcpu *v;

	(void)state;
	f->vcpu.arch.regs[0] = 11;
	f->vcpu.arch.regs[1] = 0xc0000080;
	svm_exit(f, SVM_EXIT_MSR, 1, 0);
	entry(f);
	svm_exit(f, SVM_EXIT_MSR, 0, 0);
	entry(f);
	svm_exit(f, SVM_EXIT_VMMCALL, 0, 0);
	entry(f);
	svm_exit(f, SVM_EXIT_IOIO, 0x00700011, 0);
	entry(f);
	svm_exit(f, SVM_EXIT_NPF, 1ULL << 32 | 1 << 3 | 2, 0xfed00010);
	entry(f);
	/* memory that is not there yet is no device; told to L1, it is L1's page */
	svm_exit(f, SVM_EXIT_NPF, 1ULL << 32 | 4, 0x7654321);
	entry(f);
	svm_exit(f, SVM_EXIT_NPF, 1ULL << 32 | 4, 0x7654321);
	inject(f, NVX_ISA_SVM, SVM_EXIT_NPF, 0);
	entry(f);
	v = counters(f);
	assert_int_equal(v->n_drill, 6);
	assert_int_equal(find_drill(v, 1, NVX_DRILL_WRMSR, 0xc0000080)->count, 1);
	assert_int_equal(find_drill(v, 1, NVX_DRILL_RDMSR, 0xc0000080)->count, 1);
	assert_int_equal(find_drill(v, 1, NVX_DRILL_HYPERCALL, 11)->count, 1);
	assert_int_equal(find_drill(v, 1, NVX_DRILL_PIO_IN, 0x70)->count, 1);
	assert_int_equal(find_drill(v, 1, NVX_DRILL_MMIO, 0xfed00)->count, 1);
	assert_int_equal(find_drill(v, 1, NVX_DRILL_MMIO, 0x7654)->count, 1);
	assert_int_equal(find_drill(v, 1, NVX_DRILL_MMIO, 0x7654)->reflected, 1);
}

#ifdef LAYOUT_PROTECTED
/* Registers of an encrypted guest mean nothing, so no number is made of them. */
static void encrypted(void **state)
{
	struct fake *f = new_fake(10, NVX_ISA_SVM, 1);

	(void)state;
	f->vcpu.arch.guest_state_protected = 1;
	f->vcpu.arch.regs[1] = 0x10;
	svm_exit(f, SVM_EXIT_MSR, 1, 0);
	assert_true(counters(f)->marks & NVX_M_OPAQUE);
	assert_int_equal(counters(f)->n_drill, 0);
	assert_int_equal(find_exit(counters(f), NVX_WHO_L1, SVM_EXIT_MSR)->count, 1);
}
#endif

/* A vCPU whose memory cannot be read is told as a drop, not as an exit for reason 0. */
static void unreadable(void **state)
{
	struct fake *f = new_fake(11, NVX_ISA_SVM, 1);

	(void)state;
	f->svm.vmcb = (void *)0x10;
	kvm_exit(f, NVX_ISA_SVM);
	assert_int_equal(counters(f)->drops[NVX_DROP_READ], 1);
	assert_int_equal(counters(f)->n_exit, 0);
}

/* All of the above arrives in a sample, under one VM for each struct kvm. */
static void sample(void **state)
{
	struct nvx_rows *rows = nvx_rows__new();
	struct nvx_sample *s;
	size_t nr;

	(void)state;
	assert_int_equal(nvx_live__sample(live, &s), 0);
	assert_int_equal(nvx_rollup(rows, NULL, s, NULL), 0);
	nvx_live__vms(live, &nr);
#ifdef LAYOUT_PROTECTED
	assert_int_equal(nr, 12);
#else
	assert_int_equal(nr, 11);
#endif
	assert_int_equal(nvx_rows__sum(rows, NVX_SET_VMS, NVX_V_VCPUS, -1, NVX_VM_ALL), nr);
	assert_int_equal(nvx_rows__sum(rows, NVX_SET_VMS, NVX_V_ENTRIES, -1, NVX_VM_ALL), 5);
	assert_int_equal(nvx_rows__sum(rows, NVX_SET_VMS, NVX_V_FAILED, -1, NVX_VM_ALL), 1);
	assert_int_equal(nvx_rows__sum(rows, NVX_SET_VMS, NVX_V_LOST, -1, NVX_VM_ALL), 1);
	assert_int_equal(nvx_rows__sum(rows, NVX_SET_MSRS, NVX_V_COUNT, 2, NVX_VM_ALL), 4);
	nvx_rows__free(rows);
	nvx_sample__free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(identity),
		cmocka_unit_test(attached_in_l2),
		cmocka_unit_test(vmx_round_trip),
		cmocka_unit_test(vmx_failed_entry),
		cmocka_unit_test(vmx_numbers),
		cmocka_unit_test(vmx_late_port),
		cmocka_unit_test(vmx_page),
		cmocka_unit_test(svm_round_trip),
		cmocka_unit_test(svm_numbers),
#ifdef LAYOUT_PROTECTED
		cmocka_unit_test(encrypted),
#endif
		cmocka_unit_test(unreadable),
		cmocka_unit_test(sample),
	};

	need_bpf();
	return cmocka_run_group_tests_name("core", tests, setup, teardown);
}
