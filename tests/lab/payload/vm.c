// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>
#include "vm.h"

#define PAGE		4096ULL
#define LARGE		0x200000ULL
#define STACK_PAGES	4
#define ARENA_PAGES	16	/* of L1, and for each of its L2s: */
#define L2_PAGES	32
#define MSR_FEATURE_CONTROL 0x3a
#define APIC_SVR	0xf0
#define APIC_BASE_FLAGS	0x800	/* enabled; 0x400 is x2APIC, 0x100 the boot CPU */

static int failure(const char *what)
{
	int err = errno ? -errno : -EIO;

	fprintf(stderr, "labvmm: %s: %s\n", what, strerror(-err));
	return err;
}

struct lab_params *vm__params(struct vm *vm)
{
	return (struct lab_params *)(vm->ram + LAB_PARAMS);
}

static uint64_t prog_layout(struct lab_prog *p, uint64_t at, unsigned int cpu, int x2apic)
{
	uint64_t page = 1;	/* page 0 is for instructions that are made at run time */

	for (unsigned int i = 0; i < p->nops; i++) {
		if (p->ops[i].code != LAB_OP_TOUCH)
			continue;
		p->ops[i].arg = page;
		page += p->ops[i].value;
	}
	p->scratch = at;
	p->cpu = cpu;
	p->x2apic = x2apic;
	return at + page * PAGE;
}

static uint64_t block_size(void)
{
	return (sizeof(struct lab_cpu) + PAGE - 1) / PAGE * PAGE;
}

/* Everything of one CPU, from "at" on; with cpu == NULL only its size counts. */
static uint64_t cpu_layout(const struct vm_config *c, struct lab_cpu *cpu, uint64_t at,
			   unsigned int id)
{
	cpu->id = id;
	at = prog_layout(&cpu->pre, at, id, c->x2apic);
	at = prog_layout(&cpu->post, at, id, c->x2apic);
	for (unsigned int i = 0; i < cpu->nl2s; i++)
		at = prog_layout(&cpu->l2s[i].prog, at, id, c->x2apic);
	at += STACK_PAGES * PAGE;	/* grows down from here */
	cpu->arena = at;
	at += (ARENA_PAGES + L2_PAGES * cpu->nl2s) * PAGE;
	cpu->arena_end = at;
	return at;
}

static int map_memory(struct vm *vm, const struct vm_config *c)
{
	uint64_t end = LAB_BLOCKS + c->ncpus * block_size();
	struct kvm_userspace_memory_region region = {};
	struct lab_cpu *scratch = malloc(sizeof(*scratch));

	if (!scratch)
		return failure("malloc");
	*scratch = *c->cpu;
	for (unsigned int i = 0; i < c->ncpus; i++)
		end = cpu_layout(c, scratch, end, i);
	free(scratch);
	vm->size = (end + LARGE - 1) / LARGE * LARGE;
	vm->ram = mmap(NULL, vm->size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (vm->ram == MAP_FAILED)
		return failure("guest memory");
	/* The number of page faults below must not depend on what huge pages are there. */
	madvise(vm->ram, vm->size, MADV_NOHUGEPAGE);
	memset(vm->ram, 0, vm->size);
	region.memory_size = vm->size;
	region.userspace_addr = (uintptr_t)vm->ram;
	if (ioctl(vm->fd, KVM_SET_USER_MEMORY_REGION, &region))
		return failure("KVM_SET_USER_MEMORY_REGION");
	return 0;
}

static void fill_memory(struct vm *vm, const struct vm_config *c)
{
	uint64_t *root = (uint64_t *)(vm->ram + LAB_PAGES), *pdpt = root + 512, *pds = pdpt + 512;
	uint64_t *gdt = (uint64_t *)(vm->ram + LAB_GDT), end;
	struct lab_params *p = vm__params(vm);

	root[0] = (LAB_PAGES + PAGE) | 7;
	for (uint64_t i = 0; i < 4; i++)
		pdpt[i] = (LAB_PAGES + (2 + i) * PAGE) | 7;
	for (uint64_t i = 0; i < 2048; i++)
		pds[i] = i * LARGE | 0x87;
	gdt[LAB_CS / 8] = 0x00af9b000000ffffULL;
	gdt[LAB_DS / 8] = 0x00cf93000000ffffULL;
	gdt[LAB_TR / 8] = 0x00008b0000000067ULL | (uint64_t)LAB_TSS << 16;
	memcpy(vm->ram + LAB_IMAGE, c->image, c->image_size);
	p->magic = LAB_MAGIC;
	p->version = LAB_VERSION;
	p->ncpus = c->ncpus;
	p->x2apic = c->x2apic;
	end = LAB_BLOCKS + c->ncpus * block_size();
	for (unsigned int i = 0; i < c->ncpus; i++) {
		struct lab_cpu *cpu = (struct lab_cpu *)(vm->ram + LAB_BLOCKS + i * block_size());

		*cpu = *c->cpu;
		end = cpu_layout(c, cpu, end, i);
		vm->vcpus[i].cpu = cpu;
	}
}

#define MAX_CPUID	256

#define HV_LEAVES	0x40000000u

/* In place of KVM's own leaves those by which an L1 takes us for Hyper-V. */
static int add_hyperv(struct vcpu *v, struct kvm_cpuid2 *id)
{
	uint16_t version = 0;
	struct kvm_enable_cap cap = {
		.cap = KVM_CAP_HYPERV_ENLIGHTENED_VMCS, .args = { (uintptr_t)&version },
	};
	struct kvm_cpuid2 *hv = calloc(1, sizeof(*hv) + MAX_CPUID * sizeof(hv->entries[0]));
	unsigned int i, n = 0;
	int err = 0;

	if (!hv)
		return failure("calloc");
	hv->nent = MAX_CPUID;
	if (ioctl(v->fd, KVM_ENABLE_CAP, &cap)) {
		err = failure("KVM_CAP_HYPERV_ENLIGHTENED_VMCS");
	} else if (ioctl(v->fd, KVM_GET_SUPPORTED_HV_CPUID, hv)) {
		err = failure("KVM_GET_SUPPORTED_HV_CPUID");
	} else {
		for (i = 0; i < id->nent; i++)
			if (id->entries[i].function >> 8 != HV_LEAVES >> 8)
				id->entries[n++] = id->entries[i];
		for (i = 0; i < hv->nent && n < MAX_CPUID; i++)
			id->entries[n++] = hv->entries[i];
		id->nent = n;
	}
	free(hv);
	return err;
}

static int set_cpuid(struct vcpu *v)
{
	struct kvm_cpuid2 *id = calloc(1, sizeof(*id) + MAX_CPUID * sizeof(id->entries[0]));
	int err = 0;

	if (!id)
		return failure("calloc");
	id->nent = MAX_CPUID;
	if (ioctl(v->vm->kvm, KVM_GET_SUPPORTED_CPUID, id)) {
		err = failure("KVM_GET_SUPPORTED_CPUID");
		goto out;
	}
	for (unsigned int i = 0; i < id->nent; i++) {
		struct kvm_cpuid_entry2 *e = &id->entries[i];

		if (e->function == 1)
			e->ebx = (e->ebx & 0xffffff) | v->id << 24;
		else if (e->function == 0xb || e->function == 0x1f)
			e->edx = v->id;
	}
	if (v->cpu->evmcs)
		err = add_hyperv(v, id);
	if (!err && ioctl(v->fd, KVM_SET_CPUID2, id))
		err = failure("KVM_SET_CPUID2");
out:
	free(id);
	return err;
}

static int set_sregs(struct vcpu *v)
{
	struct kvm_segment cs = {
		.limit = 0xffffffff, .selector = LAB_CS, .type = 11, .present = 1, .l = 1,
		.s = 1, .g = 1,
	};
	struct kvm_segment ds = {
		.limit = 0xffffffff, .selector = LAB_DS, .type = 3, .present = 1, .db = 1,
		.s = 1, .g = 1,
	};
	struct kvm_sregs s;

	if (ioctl(v->fd, KVM_GET_SREGS, &s))
		return failure("KVM_GET_SREGS");
	s.cs = cs;
	s.ds = s.es = s.fs = s.gs = s.ss = ds;
	s.tr = (struct kvm_segment){
		.base = LAB_TSS, .limit = 0x67, .selector = LAB_TR, .type = 11, .present = 1,
	};
	s.gdt.base = LAB_GDT;
	s.gdt.limit = LAB_TR + 15;
	s.cr0 = 0x80010033;	/* PG WP NE ET MP PE */
	s.cr3 = LAB_PAGES;
	s.cr4 = 0x20;		/* PAE */
	s.efer = 0x500;		/* LMA LME */
	s.apic_base = LAB_APIC_BASE | APIC_BASE_FLAGS | (v->vm->x2apic ? 0x400 : 0) |
		      (v->id ? 0 : 0x100);
	if (ioctl(v->fd, KVM_SET_SREGS, &s))
		return failure("KVM_SET_SREGS");
	return 0;
}

/* A local APIC that is not enabled by software drops every fixed interrupt. */
static int enable_apic(struct vcpu *v)
{
	struct kvm_lapic_state s;
	uint32_t svr = 0x1ff;

	if (ioctl(v->fd, KVM_GET_LAPIC, &s))
		return failure("KVM_GET_LAPIC");
	memcpy(s.regs + APIC_SVR, &svr, sizeof(svr));
	if (ioctl(v->fd, KVM_SET_LAPIC, &s))
		return failure("KVM_SET_LAPIC");
	return 0;
}

/* What a BIOS does: locked, VMXON allowed outside of SMX. */
static int allow_vmx(struct vcpu *v)
{
	struct {
		struct kvm_msrs head;
		struct kvm_msr_entry entry;
	} m = { .head.nmsrs = 1, .entry = { .index = MSR_FEATURE_CONTROL, .data = 5 } };

	errno = EINVAL;
	if (ioctl(v->fd, KVM_SET_MSRS, &m) != 1)
		return failure("IA32_FEATURE_CONTROL (is kvm_intel loaded with nested=1?)");
	return 0;
}

static int create_vcpu(struct vcpu *v, int vmx)
{
	struct kvm_mp_state state = { .mp_state = KVM_MP_STATE_RUNNABLE };
	struct kvm_regs regs = { .rflags = 2, .rip = LAB_IMAGE };
	int size = ioctl(v->vm->kvm, KVM_GET_VCPU_MMAP_SIZE, 0), err;

	v->fd = ioctl(v->vm->fd, KVM_CREATE_VCPU, v->id);
	if (v->fd < 0)
		return failure("KVM_CREATE_VCPU");
	v->run = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, v->fd, 0);
	if (v->run == MAP_FAILED)
		return failure("kvm_run");
	err = set_cpuid(v);
	if (!err && vmx)
		err = allow_vmx(v);
	if (!err)
		err = set_sregs(v);
	if (!err)
		err = enable_apic(v);
	if (err)
		return err;
	regs.rdi = LAB_BLOCKS + v->id * block_size();
	regs.rsp = v->cpu->arena - 8;	/* as after a CALL */
	if (ioctl(v->fd, KVM_SET_REGS, &regs))
		return failure("KVM_SET_REGS");
	if (ioctl(v->fd, KVM_SET_MP_STATE, &state))
		return failure("KVM_SET_MP_STATE");
	return 0;
}

int vm__create(struct vm *vm, const struct vm_config *c)
{
	struct kvm_enable_cap split = { .cap = KVM_CAP_SPLIT_IRQCHIP, .args = { 24 } };
	unsigned long long identity = 0xfffbc000;
	int err;

	memset(vm, 0, sizeof(*vm));
	pthread_mutex_init(&vm->lock, NULL);
	pthread_cond_init(&vm->changed, NULL);
	vm->ncpus = c->ncpus;
	vm->x2apic = c->x2apic;
	vm->end_threads = c->end_threads;
	vm->kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	if (vm->kvm < 0)
		return failure("/dev/kvm");
	vm->fd = ioctl(vm->kvm, KVM_CREATE_VM, 0);
	if (vm->fd < 0)
		return failure("KVM_CREATE_VM");
	/* Intel without unrestricted guest needs both; elsewhere they do nothing. */
	if (ioctl(vm->fd, KVM_SET_IDENTITY_MAP_ADDR, &identity) ||
	    ioctl(vm->fd, KVM_SET_TSS_ADDR, identity + PAGE))
		return failure("KVM_SET_TSS_ADDR");
	/* Local APICs in KVM, and nothing else: no port or page answers but ours. */
	if (ioctl(vm->fd, KVM_ENABLE_CAP, &split))
		return failure("KVM_CAP_SPLIT_IRQCHIP");
	err = map_memory(vm, c);
	if (err)
		return err;
	fill_memory(vm, c);
	for (unsigned int i = 0; i < c->ncpus; i++) {
		vm->vcpus[i].vm = vm;
		vm->vcpus[i].id = i;
		err = create_vcpu(&vm->vcpus[i], c->vmx);
		if (err)
			return err;
	}
	return 0;
}
