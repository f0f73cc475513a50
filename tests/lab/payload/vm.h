/* SPDX-License-Identifier: GPL-2.0-only */
/* One virtual machine on /dev/kvm, its memory laid out as abi.h says. */
#ifndef LAB_VM_H
#define LAB_VM_H

#include <pthread.h>
#include <stddef.h>
#include "abi.h"

struct kvm_run;

struct vcpu {
	struct vm *vm;
	unsigned int id;
	int fd;
	int tid;
	struct kvm_run *run;
	pthread_t thread;
	struct lab_cpu *cpu;
	/* accesses that came up to us */
	unsigned long long seen[LAB_NR_CLASSES];
	unsigned long long sum[LAB_NR_CLASSES];
};

struct vm {
	int kvm;
	int fd;
	unsigned char *ram;
	size_t size;
	unsigned int ncpus;
	int x2apic;
	int end_threads;	/* a vCPU's thread ends with its work, else it idles in the guest */
	pthread_mutex_t lock;
	pthread_cond_t changed;
	unsigned int done;
	int failed;
	struct vcpu vcpus[LAB_MAX_CPUS];
};

/* How every CPU is to be set up; the results are in vm->vcpus[].cpu afterwards. */
struct vm_config {
	unsigned int ncpus;
	int x2apic;
	int vmx;
	int end_threads;
	const void *image;
	size_t image_size;
	const struct lab_cpu *cpu;	/* template */
};

int vm__create(struct vm *vm, const struct vm_config *config);
/* Let the vCPUs run until each reported that it is done, or one failed. */
int vm__run(struct vm *vm);
struct lab_params *vm__params(struct vm *vm);

#endif
