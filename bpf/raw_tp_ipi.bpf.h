/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Programs of raw tracepoints that add to what registers tell of an exit: of use
 * only to sources that have registers.
 *
 * The including program defines before:
 * read_nr_vcpus(v)	reads how many vCPUs the VM has, where it can be read
 */
#ifndef NVX_RAW_TP_IPI_BPF_H
#define NVX_RAW_TP_IPI_BPF_H

/* VMX: the address of an EPT violation, which the vCPU does not cache. */
SEC("raw_tp/kvm_page_fault")
int nvx_page_fault(struct bpf_raw_tracepoint_args *ctx)
{
	struct nvx_vcpu *v = nvx_current();

	if (v && v->isa == NVX_ISA_VMX && v->exit)
		nvx_on_fault(v, ctx->args[1]);
	return 0;
}

SEC("raw_tp/kvm_apic")
int nvx_apic(struct bpf_raw_tracepoint_args *ctx)
{
	struct nvx_vcpu *v;

	if (!ctx->args[0] || (ctx->args[1] != NVX_APIC_ICR && ctx->args[1] != NVX_APIC_ICR2))
		return 0;
	v = nvx_current();
	if (!v)
		return 0;
	if (ctx->args[1] == NVX_APIC_ICR && nvx_may_broadcast(ctx->args[2], v->icr2))
		read_nr_vcpus(v);
	nvx_on_apic_write(v, ctx->args[1], ctx->args[2]);
	return 0;
}

SEC("raw_tp/kvm_hv_send_ipi")
int nvx_hv_send_ipi(struct bpf_raw_tracepoint_args *ctx)
{
	struct nvx_vcpu *v = nvx_current();

	if (v && v->exit)
		nvx_on_hv_ipi(v, nvx_popcount(ctx->args[1]));
	return 0;
}

SEC("raw_tp/kvm_hv_send_ipi_ex")
int nvx_hv_send_ipi_ex(struct bpf_raw_tracepoint_args *ctx)
{
	struct nvx_vcpu *v = nvx_current();

	if (v && v->exit)
		nvx_on_hv_ipi(v, 0);
	return 0;
}

#endif
