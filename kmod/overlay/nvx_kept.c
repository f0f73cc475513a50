// SPDX-License-Identifier: GPL-2.0-only
/* In kvm.ko: the end of nested EPT roots that are kept beyond KVM's own cache. */
#include <linux/kvm_host.h>
#include "nvx.h"
#include "nvx_compat.h"

/* L0 is a guest of Hyper-V, which flushes guest-physical translations by their root. */
bool nvx_flushes_by_root(void)
{
	return kvm_x86_ops.NVX_FLUSH_BY_ROOT;
}
EXPORT_SYMBOL_GPL(nvx_flushes_by_root);

static struct kvm_mmu_root_info as_kvms(struct nvx_root root)
{
	return (struct kvm_mmu_root_info) { .hpa = root.hpa, .pgd = root.pgd };
}

void nvx_free_root(struct kvm_vcpu *vcpu, struct nvx_root root)
{
	struct kvm_mmu *mmu = &vcpu->arch.guest_mmu;
	struct kvm_mmu_root_info kvms = mmu->prev_roots[0];

	if (root.hpa == NVX_NO_ROOT)
		return;
	mmu->prev_roots[0] = as_kvms(root);
	kvm_mmu_free_roots(vcpu->kvm, mmu, KVM_MMU_ROOT_PREVIOUS(0));
	mmu->prev_roots[0] = kvms;
}
EXPORT_SYMBOL_GPL(nvx_free_root);

void nvx_free_kept(struct kvm_vcpu *vcpu)
{
	struct nvx_vcpu *nv = nvx_vcpu(vcpu);
	struct nvx_root root;

	while (nv && (root = nvx_roots_take_any(&nv->kept)).hpa != NVX_NO_ROOT)
		nvx_free_root(vcpu, root);
}
EXPORT_SYMBOL_GPL(nvx_free_kept);

/* @distro frees what is obsolete in KVM's cache; it is shown ours, a few at a time. */
void nvx_free_obsolete(struct kvm_vcpu *vcpu, void (*distro)(struct kvm *kvm, struct kvm_mmu *mmu))
{
	struct kvm_mmu *mmu = &vcpu->arch.guest_mmu;
	struct kvm_mmu_root_info kvms[KVM_MMU_NUM_PREV_ROOTS];
	struct nvx_vcpu *nv = nvx_vcpu(vcpu);
	u32 i, j;

	if (!nv || !nv->kept.nr)
		return;
	memcpy(kvms, mmu->prev_roots, sizeof(kvms));
	for (i = 0; i < nv->kept.nr; i += j) {
		u32 n = min_t(u32, nv->kept.nr - i, KVM_MMU_NUM_PREV_ROOTS);

		for (j = 0; j < KVM_MMU_NUM_PREV_ROOTS; j++)
			mmu->prev_roots[j].hpa = INVALID_PAGE;
		for (j = 0; j < n; j++)
			mmu->prev_roots[j] = as_kvms(nv->kept.root[i + j]);
		distro(vcpu->kvm, mmu);
		for (j = 0; j < n; j++)
			nv->kept.root[i + j].hpa = mmu->prev_roots[j].hpa;
	}
	memcpy(mmu->prev_roots, kvms, sizeof(kvms));
	nvx_roots_pack(&nv->kept);
}
