/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The IPI ledger.  An IPI is known by what the vCPU's registers say at its exit:
 * other events come before the exit on some kernels and after it on others.
 */
#ifndef NVX_ENGINE_IPI_H
#define NVX_ENGINE_IPI_H

#include "isa.h"
#include "slots.h"

/* SDM vol. 3, table 11-6; TLFS 10.2; KVM's Documentation/virt/kvm/x86/hypercalls.rst */
#define NVX_MSR_X2APIC_ICR	0x830
#define NVX_MSR_X2APIC_SELF	0x83f
#define NVX_MSR_HV_ICR		0x40000071
#define NVX_HC_SEND_IPI		10
#define NVX_APIC_PAGE		0xfee00000ULL
#define NVX_APIC_ICR		0x300
#define NVX_APIC_ICR2		0x310

/* An IPI as it was asked for. */
struct nvx_ipi {
	__u32 path; /* enum nvx_ipi_path */
	__u32 kind; /* enum nvx_ipi_kind */
	__u64 dests; /* 0: not known */
};

nvx_inline __u64 nvx_popcount(__u64 v)
{
	v = v - ((v >> 1) & 0x5555555555555555ULL);
	v = (v & 0x3333333333333333ULL) + ((v >> 2) & 0x3333333333333333ULL);
	v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
	return (v * 0x0101010101010101ULL) >> 56;
}

nvx_inline __u32 nvx_kind_of(__u64 dests)
{
	return dests == 1 ? NVX_IPI_KIND_UNICAST : NVX_IPI_KIND_SUBSET;
}

/*
 * nvx_icr - what a write to an ICR asks for
 * @ipi: its path is set; gets kind and dests
 * @low: bits 31:0 (SDM vol. 3, 11.6.1): shorthand 19:18, logical mode 11
 * @dest: destination field: 32 bits in x2APIC mode, 8 otherwise
 * @x2apic: which of the two
 * @nr_vcpus: of the VM; 0 where that is not known
 *
 * Logical ids: a cluster's 16 bits in x2APIC mode, the flat model's 8 bits
 * otherwise (the cluster model went with the Pentium 4).
 */
nvx_inline void nvx_icr(struct nvx_ipi *ipi, __u32 low, __u32 dest, int x2apic, __u32 nr_vcpus)
{
	__u32 shorthand = (low >> 18) & 3;
	__u32 everyone = x2apic ? 0xffffffff : 0xff;

	if (shorthand == NVX_IPI_SELF) {
		ipi->kind = NVX_IPI_KIND_SELF;
		ipi->dests = 1;
	} else if (shorthand == NVX_IPI_ALL_BUT_SELF) {
		ipi->kind = NVX_IPI_KIND_OTHERS;
		ipi->dests = nr_vcpus ? nr_vcpus - 1 : 0;
	} else if (shorthand == NVX_IPI_ALL || dest == everyone) {
		ipi->kind = NVX_IPI_KIND_ALL;
		ipi->dests = nr_vcpus;
	} else if (low & 1 << 11) {
		ipi->dests = nvx_popcount(dest & (x2apic ? 0xffff : 0xff));
		ipi->kind = nvx_kind_of(ipi->dests);
	} else {
		ipi->dests = 1;
		ipi->kind = NVX_IPI_KIND_UNICAST;
	}
}

/* nvx_may_broadcast - can this write to an ICR be for all, so that their number matters? */
nvx_inline int nvx_may_broadcast(__u32 low, __u32 high)
{
	return low >> 18 & 3 || high >> 24 == 0xff;
}

/* nvx_ipi_slow - slot + 1 of a ledger key; 0: full */
nvx_slow int nvx_ipi_slow(struct nvx_vcpu *v, __u64 key)
{
	__u64 n, i;

	if (!v)
		return 0;
	n = v->n_ipi;
	for (i = 0; i < NVX_IPI_SLOTS; i++) {
		if (i >= n)
			break;
		if (v->ipis[i].key == key)
			break;
	}
	if (i >= NVX_IPI_SLOTS)
		return 0;
	if (i >= n) {
		v->ipis[i].key = key;
		v->n_ipi = i + 1;
	}
	return i + 1;
}

/*
 * nvx_ipi_count - the open exit, or the one just counted, asked for an IPI
 * @v: the vCPU
 * @ipi: as decoded
 * @ipis: 1; 0 for an exit that only prepares one (ICR2)
 */
nvx_inline void nvx_ipi_count(struct nvx_vcpu *v, const struct nvx_ipi *ipi, __u64 ipis)
{
	__u64 i = (__u32)nvx_ipi_slow(v, (__u64)v->exit_who << 56 | NVX_KEY_USED | ipi->path << 8 |
						 ipi->kind);

	nvx_opaque(i);
	if (i - 1 >= NVX_IPI_SLOTS) {
		v->drops[NVX_DROP_IPI_SLOTS]++;
		return;
	}
	v->ipis[i - 1].exits++;
	v->ipis[i - 1].ipis += ipis;
	v->ipis[i - 1].dests += ipis ? ipi->dests : 0;
	v->ipis[i - 1].unknown += ipis && !ipi->dests;
}

/* nvx_is_icr_msr - is this an MSR whose write sends an IPI? */
nvx_inline int nvx_is_icr_msr(__u32 msr)
{
	return msr == NVX_MSR_X2APIC_ICR || msr == NVX_MSR_X2APIC_SELF || msr == NVX_MSR_HV_ICR;
}

/*
 * nvx_on_icr_msr - the exit just counted wrote to such an MSR
 * @v: the vCPU
 * @msr, @low, @high: RCX, RAX, RDX
 */
nvx_inline void nvx_on_icr_msr(struct nvx_vcpu *v, __u32 msr, __u32 low, __u32 high)
{
	/* the number of L2's vCPUs is L1's secret */
	__u32 nr = v->exit_who == NVX_WHO_L1 ? v->nr_vcpus : 0;
	struct nvx_ipi ipi = { .kind = NVX_IPI_KIND_SELF, .dests = 1 };

	if (msr == NVX_MSR_X2APIC_SELF) {
		ipi.path = NVX_IPI_X2APIC_SELF;
	} else if (msr == NVX_MSR_X2APIC_ICR) {
		ipi.path = NVX_IPI_X2APIC;
		nvx_icr(&ipi, low, high, 1, nr);
	} else {
		/* TLFS 10.2.3: the layout of xAPIC's ICR2:ICR */
		ipi.path = NVX_IPI_HV_ICR;
		nvx_icr(&ipi, low, high >> 24, 0, nr);
	}
	nvx_ipi_count(v, &ipi, 1);
}

/* nvx_on_pv_ipi - the exit just counted is KVM_HC_SEND_IPI with these two bitmaps */
nvx_inline void nvx_on_pv_ipi(struct nvx_vcpu *v, __u64 low, __u64 high)
{
	struct nvx_ipi ipi = { .path = NVX_IPI_PV,
			       .dests = nvx_popcount(low) + nvx_popcount(high) };

	ipi.kind = nvx_kind_of(ipi.dests);
	nvx_ipi_count(v, &ipi, 1);
}

/*
 * nvx_on_hv_ipi - the open exit is Hyper-V's hypercall for IPIs
 * @dests: 0 where its sparse set is out of reach
 */
nvx_inline void nvx_on_hv_ipi(struct nvx_vcpu *v, __u64 dests)
{
	struct nvx_ipi ipi = { .path = NVX_IPI_HV_HYPERCALL, .dests = dests };

	ipi.kind = dests ? nvx_kind_of(dests) : NVX_IPI_KIND_UNKNOWN;
	v->events++;
	nvx_ipi_count(v, &ipi, 1);
}

/*
 * nvx_on_apic_write - L0 emulates a write to the local APIC
 * @v: the vCPU; its open exit is the write, or none of ours (an MSR write, a fast path)
 * @reg: offset in the APIC page
 * @val: value
 */
nvx_inline void nvx_on_apic_write(struct nvx_vcpu *v, __u32 reg, __u32 val)
{
	struct nvx_ipi ipi = { .path = NVX_IPI_XAPIC, .kind = NVX_IPI_KIND_UNICAST };
	__u64 i = v->exit;
	__u32 reason;

	nvx_opaque(i);
	if (i - 1 >= NVX_EXIT_SLOTS || (reg != NVX_APIC_ICR && reg != NVX_APIC_ICR2))
		return;
	reason = NVX_KEY_REASON(v->exits[i - 1].key);
	if (nvx_is_msr(v->isa, reason) || nvx_is_hypercall(v->isa, reason))
		return;
	if (v->isa == NVX_ISA_VMX ? reason == EXIT_REASON_APIC_WRITE :
				    reason == SVM_EXIT_AVIC_UNACCELERATED_ACCESS)
		ipi.path = NVX_IPI_APIC_WRITE;
	/* 0x401 tells its IPI by itself; KVM replays the write of the ICR */
	if (v->isa == NVX_ISA_SVM && reason == SVM_EXIT_AVIC_INCOMPLETE_IPI)
		return;
	v->events++;
	if (reg == NVX_APIC_ICR2) {
		v->icr2 = val;
		/* counted with the IPI that follows: its kind is not known yet */
		v->marks |= NVX_M_ICR2;
		return;
	}
	nvx_icr(&ipi, val, v->icr2 >> 24, 0, v->nr_vcpus);
	nvx_ipi_count(v, &ipi, 1);
	if (v->marks & NVX_M_ICR2) {
		v->marks &= ~NVX_M_ICR2;
		nvx_ipi_count(v, &ipi, 0);
	}
}

/*
 * nvx_on_avic_ipi - AVIC could not deliver an IPI by itself
 * @icr: exit_info_1 (APM vol. 2, 15.29.9.1): ICR low in bits 31:0, high in 63:32
 */
nvx_inline void nvx_on_avic_ipi(struct nvx_vcpu *v, __u64 icr)
{
	struct nvx_ipi ipi = { .path = NVX_IPI_AVIC_INCOMPLETE };

	nvx_icr(&ipi, icr, icr >> 56, 0, v->nr_vcpus);
	nvx_ipi_count(v, &ipi, 1);
}

/*
 * nvx_on_l2_apic_page - L1 is told of L2's access to an APIC page that it emulates
 * @gpa: the address, with its offset
 *
 * The value is in an instruction that L0 does not decode: an IPI of unknown kind.
 */
nvx_inline void nvx_on_l2_apic_page(struct nvx_vcpu *v, __u64 gpa)
{
	struct nvx_ipi ipi = { .path = NVX_IPI_XAPIC, .kind = NVX_IPI_KIND_UNKNOWN };

	if (gpa == (NVX_APIC_PAGE | NVX_APIC_ICR))
		nvx_ipi_count(v, &ipi, 1);
	else if (gpa == (NVX_APIC_PAGE | NVX_APIC_ICR2))
		nvx_ipi_count(v, &ipi, 0);
}

#endif
