// SPDX-License-Identifier: GPL-2.0-only
/*
 * The programs of the feature module's tracepoints, fed with the scalars that docs/tracepoints.md
 * promises.  The tracepoints themselves are the VMX lab's.
 */
#include "bpf_test.h"

#include <asm/svm.h>
#include <asm/vmx.h>

#define VM 4711ULL
#define SLOTS 8
#define VMCS12 0x5a1000ULL

static struct bpf_object *obj;
static int vcpus;

static void fire_at(const char *name, const uint64_t *args)
{
	const struct bpf_program *p = bpf_object__find_program_by_name(obj, name);

	assert_non_null(p);
	assert_int_equal(run_program(p, (void *)args, 12 * sizeof(*args)), 0);
}

#define AT(name, ...) fire_at(name, (uint64_t[12]){__VA_ARGS__})

struct exit_args {
	uint64_t level, isa, reason, qualification, info2, rcx, rax, rdx;
};

static void nvx_exit(uint64_t vcpu, struct exit_args x)
{
	uint64_t a[12] = {[NVX_TP_VM_PID] = VM,		[NVX_TP_VCPU] = vcpu,
			  [NVX_TP_LEVEL] = x.level,	[NVX_EXIT_ISA] = x.isa,
			  [NVX_EXIT_REASON] = x.reason, [NVX_EXIT_QUALIFICATION] = x.qualification,
			  [NVX_EXIT_INFO2] = x.info2,	[NVX_EXIT_RCX] = x.rcx,
			  [NVX_EXIT_RAX] = x.rax,	[NVX_EXIT_RDX] = x.rdx};

	fire_at("nvx_exit", a);
}

/* A copy: the map is not mapped here. */
static struct nvx_vcpu *counters(uint64_t vcpu)
{
	static union nvx_vcpu_cell cell;

	for (uint32_t i = 1; i <= SLOTS; i++) {
		assert_int_equal(bpf_map_lookup_elem(vcpus, &i, &cell), 0);
		if (cell.v.state == NVX_LIVE && cell.v.vcpu == (VM << 32 | vcpu))
			return &cell.v;
	}
	fail_msg("no slot for vCPU %u", (unsigned int)vcpu);
	return NULL;
}

static void expect_number(const struct nvx_vcpu *v, uint64_t who, uint64_t kind, uint64_t number,
			  uint64_t count)
{
	for (int i = 0; i < v->n_drill; i++)
		if (v->drills[i].key == (who << 56 | kind << 48 | number)) {
			assert_int_equal(v->drills[i].count, count);
			return;
		}
	fail_msg("kind %u, number 0x%llx is missing", (unsigned int)kind,
		 (unsigned long long)number);
}

static int setup(void **state)
{
	struct bpf_map *free_slots, *map;

	(void)state;
	obj = bpf_object__open_file(BPF_DIR "/module.bpf.o", NULL);
	assert_non_null(obj);
	map = bpf_object__find_map_by_name(obj, "vcpus");
	free_slots = bpf_object__find_map_by_name(obj, "free_slots");
	assert_int_equal(bpf_map__set_max_entries(map, SLOTS + 1), 0);
	assert_int_equal(bpf_map__set_max_entries(free_slots, SLOTS), 0);
	assert_int_equal(
		bpf_map__set_max_entries(bpf_object__find_map_by_name(obj, "slots"), SLOTS), 0);
	assert_int_equal(bpf_object__load(obj), 0);
	vcpus = bpf_map__fd(map);
	for (uint32_t i = 1; i <= SLOTS; i++)
		assert_int_equal(bpf_map_update_elem(bpf_map__fd(free_slots), NULL, &i, 0), 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	bpf_object__close(obj);
	return 0;
}

/* VMX: one chain of a reflected ICR write; numbers, IPI and identity from scalars. */
static void vmx(void **state)
{
	struct nvx_vcpu *v;

	(void)state;
	nvx_exit(3, (struct exit_args){
			    .level = 1, .isa = NVX_ISA_VMX, .reason = EXIT_REASON_VMLAUNCH});
	AT("nvx_enter", 0x1000, VMCS12);
	AT("nvx_entry", 0);
	nvx_exit(3, (struct exit_args){.level = 2,
				       .isa = NVX_ISA_VMX,
				       .reason = EXIT_REASON_MSR_WRITE,
				       .rcx = 0x830,
				       .rax = 0xfd,
				       .rdx = 2});
	AT("nvx_inject", EXIT_REASON_MSR_WRITE, 0, 0, 0, 0, NVX_ISA_VMX);
	AT("nvx_entry", 0);
	nvx_exit(3, (struct exit_args){.level = 1,
				       .isa = NVX_ISA_VMX,
				       .reason = EXIT_REASON_IO_INSTRUCTION,
				       .qualification = 0x3f80000});
	AT("nvx_entry", 0);
	nvx_exit(3, (struct exit_args){
			    .level = 1, .isa = NVX_ISA_VMX, .reason = EXIT_REASON_VMRESUME});
	AT("nvx_enter", 0x1000, VMCS12);
	AT("nvx_entry", 0);
	v = counters(3);
	assert_int_equal(v->vcpu_id, 3);
	assert_int_equal(v->kvm, VM);
	assert_int_equal(v->l2[0].addr, VMCS12);
	assert_int_equal(v->entries, 2);
	assert_int_equal(v->leaves, 1);
	assert_int_equal(v->resyncs, 0);
	assert_int_equal(v->chains[0].reflected, 1);
	assert_int_equal(v->chains[0].len[2], 1);
	expect_number(v, 1, NVX_DRILL_WRMSR, 0x830, 1);
	expect_number(v, NVX_WHO_L1, NVX_DRILL_PIO_OUT, 0x3f8, 1);
	assert_int_equal(v->n_ipi, 1);
	assert_int_equal(v->ipis[0].ipis, 1);
	assert_int_equal(NVX_KEY_HIGH(v->ipis[0].key), NVX_IPI_X2APIC);
	assert_int_equal(NVX_KEY_LOW(v->ipis[0].key), NVX_IPI_KIND_UNICAST);
}

/* A failed entry is an event of its own here. */
static void failed_entry(void **state)
{
	(void)state;
	nvx_exit(4, (struct exit_args){
			    .level = 1, .isa = NVX_ISA_VMX, .reason = EXIT_REASON_VMLAUNCH});
	AT("nvx_enter", 0x1000, VMCS12);
	AT("nvx_enter_failed", 0);
	AT("nvx_entry", 0);
	nvx_exit(4, (struct exit_args){.level = 1, .isa = NVX_ISA_VMX, .reason = EXIT_REASON_HLT});
	assert_int_equal(counters(4)->entry_failed, 1);
	assert_int_equal(counters(4)->level, 1);
	assert_int_equal(counters(4)->resyncs, 0);
}

static void svm(void **state)
{
	struct nvx_vcpu *v;

	(void)state;
	/* attached while L2 runs: the level is right, the identity is not known yet */
	nvx_exit(5, (struct exit_args){
			    .level = 2, .isa = NVX_ISA_SVM, .reason = SVM_EXIT_VMMCALL, .rax = 9});
	AT("nvx_entry", 0);
	nvx_exit(5, (struct exit_args){.level = 2,
				       .isa = NVX_ISA_SVM,
				       .reason = SVM_EXIT_MSR,
				       .rcx = 0xc0000080});
	AT("nvx_entry", 0);
	nvx_exit(5, (struct exit_args){.level = 2,
				       .isa = NVX_ISA_SVM,
				       .reason = SVM_EXIT_NPF,
				       .qualification = 1 << 3,
				       .info2 = 0xfebc1000});
	AT("nvx_entry", 0);
	v = counters(5);
	assert_int_equal(v->level, 2);
	expect_number(v, NVX_WHO_L2_UNKNOWN, NVX_DRILL_HYPERCALL, 9, 1);
	expect_number(v, NVX_WHO_L2_UNKNOWN, NVX_DRILL_RDMSR, 0xc0000080, 1);
	expect_number(v, NVX_WHO_L2_UNKNOWN, NVX_DRILL_MMIO, 0xfebc1, 1);
}

static void flushes(void **state)
{
	uint64_t a[12] = {VM, 6, 1};
	struct nvx_vcpu *v;

	(void)state;
	nvx_exit(6,
		 (struct exit_args){.level = 1, .isa = NVX_ISA_VMX, .reason = EXIT_REASON_INVVPID});
	a[NVX_TLB_KIND] = NVX_FLUSH_GUEST;
	a[NVX_TLB_CAUSE] = NVX_CAUSE_INVVPID;
	fire_at("nvx_tlb_flush", a);
	fire_at("nvx_tlb_flush", a);
	v = counters(6);
	assert_int_equal(v->n_tlb, 1);
	assert_int_equal(v->tlb[0].count, 2);
	assert_int_equal(NVX_KEY_HIGH(v->tlb[0].key), NVX_FLUSH_GUEST);
	assert_int_equal(NVX_KEY_LOW(v->tlb[0].key), NVX_CAUSE_INVVPID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(vmx),
		cmocka_unit_test(failed_entry),
		cmocka_unit_test(svm),
		cmocka_unit_test(flushes),
	};

	need_bpf();
	return cmocka_run_group_tests_name("module", tests, setup, teardown);
}
