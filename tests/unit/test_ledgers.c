// SPDX-License-Identifier: GPL-2.0-only
/*
 * The ledgers of IPIs and flushes, event by event in the order in which KVM fires them:
 * paths and causes that the labs' processors do not have, beside those that they do.
 */
#include "engine_vcpu.h"

#include <asm/vmx.h>

/* SDM vol. 3, 11.6.1: shorthands, and the logical destination mode */
#define LOGICAL	     (1u << 11)
#define SELF	     (1u << 18)
#define ALL	     (2u << 18)
#define OTHERS	     (3u << 18)
#define DEST(xapic_id) ((uint32_t)(xapic_id) << 24)

static void vmx_exit(uint32_t reason)
{
	now += 100;
	nvx_on_exit(vcpu, now, NVX_ISA_VMX, reason, 0);
}

static const struct nvx_ipi_slot *ipi(uint32_t who, uint32_t path, uint32_t kind)
{
	for (int i = 0; i < vcpu->n_ipi; i++)
		if (vcpu->ipis[i].key ==
		    ((uint64_t)who << 56 | NVX_KEY_USED | path << 8 | kind))
			return &vcpu->ipis[i];
	fail_msg("no IPIs of who %u by path %u, kind %u", who, path, kind);
	return NULL;
}

static void is_ipi(uint32_t path, uint32_t kind, uint64_t ipis, uint64_t dests, uint64_t exits)
{
	const struct nvx_ipi_slot *s = ipi(NVX_WHO_L1, path, kind);

	assert_int_equal(s->ipis, ipis);
	assert_int_equal(s->dests, dests);
	assert_int_equal(s->exits, exits);
}

static uint64_t flushes(uint32_t who, uint32_t kind, uint32_t cause)
{
	for (int i = 0; i < vcpu->n_tlb; i++)
		if (vcpu->tlb[i].key == ((uint64_t)who << 56 | NVX_KEY_USED | kind << 8 | cause))
			return vcpu->tlb[i].count;
	return 0;
}

/* APICv without IPI virtualization: the write has happened, the exit is a trap after it. */
static void apic_write_of_vmx(void **state)
{
	(void)state;
	nvx_on_level(vcpu, 1, 0);
	vcpu->nr_vcpus = 5;
	for (int i = 0; i < 7; i++) {
		vmx_exit(EXIT_REASON_APIC_WRITE);
		nvx_on_apic_write(vcpu, NVX_APIC_ICR2, DEST(3));
		entry();
		vmx_exit(EXIT_REASON_APIC_WRITE);
		nvx_on_apic_write(vcpu, NVX_APIC_ICR, 0xf1);
		entry();
	}
	/* shorthands need no ICR2: one exit an IPI */
	vmx_exit(EXIT_REASON_APIC_WRITE);
	nvx_on_apic_write(vcpu, NVX_APIC_ICR, OTHERS | 0xf1);
	entry();
	/* another register is no IPI: the timer, the EOI */
	vmx_exit(EXIT_REASON_APIC_WRITE);
	nvx_on_apic_write(vcpu, 0x380, 1000);
	nvx_on_apic_write(vcpu, 0xb0, 0);
	entry();
	is_ipi(NVX_IPI_APIC_WRITE, NVX_IPI_KIND_UNICAST, 7, 7, 14);
	is_ipi(NVX_IPI_APIC_WRITE, NVX_IPI_KIND_OTHERS, 1, 4, 1);
	assert_int_equal(vcpu->n_ipi, 2);
}

/* AVIC that leaves a register to KVM; the same trap under another code. */
static void apic_write_of_avic(void **state)
{
	(void)state;
	nvx_on_level(vcpu, 1, 0);
	for (int i = 0; i < 3; i++) {
		svm_exit(SVM_EXIT_AVIC_UNACCELERATED_ACCESS);
		nvx_on_apic_write(vcpu, NVX_APIC_ICR2, DEST(0x06));
		entry();
		svm_exit(SVM_EXIT_AVIC_UNACCELERATED_ACCESS);
		nvx_on_apic_write(vcpu, NVX_APIC_ICR, LOGICAL | 0xf1);
		entry();
	}
	is_ipi(NVX_IPI_APIC_WRITE, NVX_IPI_KIND_SUBSET, 3, 6, 6);
}

/*
 * AVIC could not deliver: EXITINFO1 has the ICR (APM vol. 2, 15.29.9.1).  For a target that
 * does not run KVM only wakes it; for an ICR that the hardware refuses it emulates the
 * write, whose kvm_apic is the same IPI once more.
 */
static void avic_incomplete(void **state)
{
	(void)state;
	nvx_on_level(vcpu, 1, 0);
	vcpu->nr_vcpus = 9;
	for (int i = 0; i < 11; i++) {
		svm_exit(SVM_EXIT_AVIC_INCOMPLETE_IPI);
		nvx_on_avic_ipi(vcpu, (uint64_t)DEST(2) << 32 | 0xf1);
		if (i & 1)
			nvx_on_apic_write(vcpu, NVX_APIC_ICR, 0xf1);
		entry();
	}
	svm_exit(SVM_EXIT_AVIC_INCOMPLETE_IPI);
	nvx_on_avic_ipi(vcpu, ALL | 0xf1);
	entry();
	svm_exit(SVM_EXIT_AVIC_INCOMPLETE_IPI);
	nvx_on_avic_ipi(vcpu, (uint64_t)DEST(0xff) << 32 | 0xf1);
	entry();
	svm_exit(SVM_EXIT_AVIC_INCOMPLETE_IPI);
	nvx_on_avic_ipi(vcpu, SELF | 0xf1);
	entry();
	is_ipi(NVX_IPI_AVIC_INCOMPLETE, NVX_IPI_KIND_UNICAST, 11, 11, 11);
	is_ipi(NVX_IPI_AVIC_INCOMPLETE, NVX_IPI_KIND_ALL, 2, 18, 2);
	is_ipi(NVX_IPI_AVIC_INCOMPLETE, NVX_IPI_KIND_SELF, 1, 1, 1);
	assert_int_equal(vcpu->n_ipi, 3);
}

/* TLFS 10.5: the mask of kvm_hv_send_ipi; the sparse set of the other form is out of reach. */
static void hyperv_hypercall(void **state)
{
	(void)state;
	nvx_on_level(vcpu, 1, 0);
	vmx_exit(EXIT_REASON_VMCALL);
	nvx_on_hv_ipi(vcpu, nvx_popcount(0x8));
	entry();
	vmx_exit(EXIT_REASON_VMCALL);
	nvx_on_hv_ipi(vcpu, nvx_popcount(0x8000000000000071));
	/* KVM delivers by writing no ICR of the sender: what its hypercall does is no xAPIC IPI */
	nvx_on_apic_write(vcpu, NVX_APIC_ICR, 0xf1);
	entry();
	vmx_exit(EXIT_REASON_VMCALL);
	nvx_on_hv_ipi(vcpu, 0);
	entry();
	is_ipi(NVX_IPI_HV_HYPERCALL, NVX_IPI_KIND_UNICAST, 1, 1, 1);
	is_ipi(NVX_IPI_HV_HYPERCALL, NVX_IPI_KIND_SUBSET, 1, 5, 1);
	assert_int_equal(ipi(NVX_WHO_L1, NVX_IPI_HV_HYPERCALL, NVX_IPI_KIND_UNKNOWN)->unknown, 1);
	assert_int_equal(vcpu->n_ipi, 3);
}

/* A cause that an event tells is of the flush after it, and of no other. */
static void told_causes(void **state)
{
	(void)state;
	nvx_on_level(vcpu, 1, 0);
	for (int i = 0; i < 5; i++) {
		vmx_exit(EXIT_REASON_EXTERNAL_INTERRUPT);
		nvx_flush_expect(vcpu, NVX_CAUSE_PV);
		nvx_on_flush(vcpu, NVX_FLUSH_GUEST, NVX_CAUSE_NONE, 0);
		nvx_on_flush(vcpu, NVX_FLUSH_CURRENT, NVX_CAUSE_NONE, 0);
		entry();
	}
	for (int i = 0; i < 3; i++) {
		vmx_exit(EXIT_REASON_EXTERNAL_INTERRUPT);
		nvx_flush_expect(vcpu, NVX_CAUSE_HYPERV);
		nvx_on_flush(vcpu, NVX_FLUSH_GUEST, NVX_CAUSE_NONE, 0);
		entry();
	}
	assert_int_equal(flushes(NVX_WHO_L1, NVX_FLUSH_GUEST, NVX_CAUSE_PV), 5);
	assert_int_equal(flushes(NVX_WHO_L1, NVX_FLUSH_GUEST, NVX_CAUSE_HYPERV), 3);
	assert_int_equal(flushes(NVX_WHO_L1, NVX_FLUSH_CURRENT, NVX_CAUSE_OTHER), 5);
	assert_int_equal(vcpu->n_tlb, 3);
}

/* VMX flushes all of a vCPU that comes to a CPU; the first time it comes from nowhere. */
static void migrated(void **state)
{
	static const uint32_t cpus[] = { 2, 2, 0, 0, 2 };

	(void)state;
	nvx_on_level(vcpu, 1, 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(cpus); i++) {
		vmx_exit(EXIT_REASON_EXTERNAL_INTERRUPT);
		nvx_on_flush(vcpu, NVX_FLUSH_ALL, NVX_CAUSE_NONE, cpus[i]);
		entry();
	}
	assert_int_equal(flushes(NVX_WHO_L1, NVX_FLUSH_ALL, NVX_CAUSE_MIGRATED), 2);
	assert_int_equal(flushes(NVX_WHO_L1, NVX_FLUSH_ALL, NVX_CAUSE_OTHER), 3);
}

/* What the open exit says, for each that says something. */
static void causes_by_exit(void **state)
{
	static const struct {
		uint32_t reason, cause;
	} vmx[] = {
		{ EXIT_REASON_INVVPID, NVX_CAUSE_INVVPID },
		{ EXIT_REASON_INVEPT, NVX_CAUSE_INVEPT },
		{ EXIT_REASON_INVLPG, NVX_CAUSE_INVLPG },
		{ EXIT_REASON_CR_ACCESS, NVX_CAUSE_GUEST },
		{ EXIT_REASON_INVPCID, NVX_CAUSE_GUEST },
		{ EXIT_REASON_CPUID, NVX_CAUSE_OTHER },
	};

	(void)state;
	nvx_on_level(vcpu, 1, 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(vmx); i++) {
		uint64_t before = flushes(NVX_WHO_L1, NVX_FLUSH_CURRENT, vmx[i].cause);

		vmx_exit(vmx[i].reason);
		nvx_on_flush(vcpu, NVX_FLUSH_CURRENT, NVX_CAUSE_NONE, 0);
		entry();
		assert_int_equal(flushes(NVX_WHO_L1, NVX_FLUSH_CURRENT, vmx[i].cause), before + 1);
	}
	assert_int_equal(vcpu->drops[NVX_DROP_TLB_SLOTS], 0);
}

/* Between a switch and its entry flushes are the switch's, and counted for its direction. */
static void of_a_switch(void **state)
{
	(void)state;
	run_l2();
	for (int i = 0; i < 3; i++) {
		svm_exit(SVM_EXIT_CPUID);
		leave(SVM_EXIT_CPUID);
		nvx_on_flush(vcpu, NVX_FLUSH_CURRENT, NVX_CAUSE_NONE, 0);
		entry();
		svm_exit(SVM_EXIT_VMRUN);
		enter(A);
		nvx_on_flush(vcpu, NVX_FLUSH_CURRENT, NVX_CAUSE_NONE, 0);
		nvx_on_flush(vcpu, NVX_FLUSH_GUEST, NVX_CAUSE_NONE, 0);
		entry();
	}
	assert_int_equal(flushes(NVX_WHO_L1, NVX_FLUSH_CURRENT, NVX_CAUSE_SWITCH), 3);
	assert_int_equal(flushes(1, NVX_FLUSH_CURRENT, NVX_CAUSE_SWITCH), 3);
	assert_int_equal(flushes(1, NVX_FLUSH_GUEST, NVX_CAUSE_SWITCH), 3);
	assert_int_equal(vcpu->switch_flushes[NVX_L2_TO_L1 - 1][1], 3);
	assert_int_equal(vcpu->switch_flushes[NVX_L1_TO_L2 - 1][2], 3);
	/* that of run_l2() brought none */
	assert_int_equal(vcpu->switch_flushes[NVX_L1_TO_L2 - 1][0], 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(apic_write_of_vmx), T(apic_write_of_avic), T(avic_incomplete),
		T(hyperv_hypercall),  T(told_causes),	     T(migrated),
		T(causes_by_exit),    T(of_a_switch),
	};

	return cmocka_run_group_tests_name("ledgers", tests, NULL, NULL);
}
