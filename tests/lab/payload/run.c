// SPDX-License-Identifier: GPL-2.0-only
/* The vCPU threads, and what the guest asks of us. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/kvm.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "vm.h"

static void tell(struct vm *vm, int failed)
{
	pthread_mutex_lock(&vm->lock);
	if (failed)
		vm->failed = 1;
	else
		vm->done++;
	pthread_cond_broadcast(&vm->changed);
	pthread_mutex_unlock(&vm->lock);
}

static void print_fault(struct vcpu *v)
{
	static const char *const what[] = {
		[LAB_FAULT_EXCEPTION] = "exception (vector << 32 | error code)",
		[LAB_FAULT_ENTRY] = "L2 entry failed",
		[LAB_FAULT_EXIT] = "unexpected exit of L2",
		[LAB_FAULT_L2] = "an L2 has a fault",
		[LAB_FAULT_MEMORY] = "out of memory",
		[LAB_FAULT_FEATURE] = "the CPU or labvmm is not what L1 needs",
	};
	const struct lab_fault *f = &vm__params(v->vm)->fault;

	fprintf(stderr, "labvmm: CPU %u: %s: detail %#llx rip %#llx address %#llx\n", v->id,
		f->what < sizeof(what) / sizeof(what[0]) && what[f->what] ? what[f->what] : "?",
		f->detail, f->rip, f->address);
}

static void count(struct vcpu *v, unsigned int class, unsigned long long value)
{
	v->seen[class]++;
	v->sum[class] += value;
}

/* 1: go on, 0: done, -1: failed */
static int on_io(struct vcpu *v)
{
	struct kvm_run *run = v->run;
	unsigned char *data = (unsigned char *)run + run->io.data_offset;

	if (run->io.port == LAB_PORT) {
		if (*data == LAB_DONE)
			return 0;
		print_fault(v);
		return -1;
	}
	if (run->io.direction == KVM_EXIT_IO_OUT) {
		count(v, LAB_CLASS_OUT, *data);
	} else {
		count(v, LAB_CLASS_IN, 0);
		*data = lab_answer(LAB_CLASS_IN, run->io.port);
	}
	return 1;
}

static int on_mmio(struct vcpu *v)
{
	struct kvm_run *run = v->run;
	unsigned int value;

	if (run->mmio.is_write) {
		memcpy(&value, run->mmio.data, sizeof(value));
		count(v, LAB_CLASS_MMIOW, value);
	} else {
		count(v, LAB_CLASS_MMIOR, 0);
		value = lab_answer(LAB_CLASS_MMIOR, run->mmio.phys_addr);
		memcpy(run->mmio.data, &value, sizeof(value));
	}
	return 1;
}

static int on_exit_to_user(struct vcpu *v)
{
	struct kvm_regs regs = {};

	switch (v->run->exit_reason) {
	case KVM_EXIT_IO:
		return on_io(v);
	case KVM_EXIT_MMIO:
		return on_mmio(v);
	}
	ioctl(v->fd, KVM_GET_REGS, &regs);
	fprintf(stderr, "labvmm: CPU %u: KVM exit reason %u at rip %#llx\n", v->id,
		v->run->exit_reason, regs.rip);
	if (v->run->exit_reason == KVM_EXIT_INTERNAL_ERROR)
		fprintf(stderr, "labvmm: suberror %u\n", v->run->internal.suberror);
	else if (v->run->exit_reason == KVM_EXIT_FAIL_ENTRY)
		fprintf(stderr, "labvmm: hardware reason %#llx\n",
			v->run->fail_entry.hardware_entry_failure_reason);
	return -1;
}

static void *vcpu_thread(void *arg)
{
	struct vcpu *v = arg;
	int go = 1, told = 0;

	v->tid = syscall(SYS_gettid);
	while (go > 0) {
		if (ioctl(v->fd, KVM_RUN, 0)) {
			if (errno == EINTR || errno == EAGAIN)
				continue;
			perror("labvmm: KVM_RUN");
			go = -1;
			break;
		}
		go = on_exit_to_user(v);
		if (!go && !told) {
			tell(v->vm, 0);
			told = 1;
			go = !v->vm->end_threads;
		}
	}
	if (go < 0)
		tell(v->vm, 1);
	return NULL;
}

int vm__run(struct vm *vm)
{
	int failed;

	for (unsigned int i = 0; i < vm->ncpus; i++) {
		struct vcpu *v = &vm->vcpus[i];
		char name[16];
		int err = pthread_create(&v->thread, NULL, vcpu_thread, v);

		if (err) {
			fprintf(stderr, "labvmm: thread: %s\n", strerror(err));
			return -err;
		}
		/* as QEMU calls them with -name debug-threads=on */
		snprintf(name, sizeof(name), "CPU %hhu/KVM", (unsigned char)i);
		pthread_setname_np(v->thread, name);
	}
	pthread_mutex_lock(&vm->lock);
	while (!vm->failed && vm->done < vm->ncpus)
		pthread_cond_wait(&vm->changed, &vm->lock);
	failed = vm->failed;
	pthread_mutex_unlock(&vm->lock);
	for (unsigned int i = 0; !failed && vm->end_threads && i < vm->ncpus; i++)
		pthread_join(vm->vcpus[i].thread, NULL);
	return failed ? -EIO : 0;
}
