/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hosts made of files: a directory with proc, sys and dev as a probe meets them, and hand-made
 * BTF with the members that nvx reads, in every layout that kernels have had.
 */
#ifndef NVX_TESTS_PROBE_FIXTURE_H
#define NVX_TESTS_PROBE_FIXTURE_H

#include <bpf/btf.h>

#include "unit.h"

/* What a fixture host is like; zero is a plain root shell on a 6.12 host with all there is. */
struct host {
	bool intel;
	bool vt;      /* vcpu_vmx.vt, 6.16 and newer */
	bool old;     /* before 5.16: kvm_exit(exit_reason, vcpu, isa), kvm_nested_vmrun */
	bool no_stat; /* before 5.14: no guest_mode */
	bool no_regs;
	bool no_module_btf, no_btf;
	bool builtin; /* KVM's types in vmlinux */
	bool no_kvm, no_vendor;
	bool module; /* the nvx module's tracepoints */
	bool no_tracefs;
	bool user; /* an unprivileged user's capabilities */
	bool no_nested;
	bool userns;
	const char *lockdown;
	const char *other_module;
};

static inline void write_btf(const char *dir, const char *name, struct btf *btf)
{
	__u32 size;
	const void *data = btf__raw_data(btf, &size);
	char path[256];

	assert_non_null(data);
	snprintf(path, sizeof(path), "sys/kernel/btf/%s", name);
	put_bytes(dir, path, data, size);
}

/* The last type added gets one more member, 8 bytes on. */
static inline void field(struct btf *btf, const char *name, int type, unsigned int index)
{
	assert_true(type > 0);
	assert_int_equal(btf__add_field(btf, name, type, index * 64, 0), 0);
}

/* typedef void (*btf_trace_NAME)(void *, ...): what TRACE_EVENT leaves in BTF */
static inline void add_tracepoint(struct btf *btf, const char *name, const int *args, int nr)
{
	int ptr = btf__add_ptr(btf, 0), proto = btf__add_func_proto(btf, 0);
	char typedef_name[64];

	assert_int_equal(btf__add_func_param(btf, "__data", ptr), 0);
	for (int i = 0; i < nr; i++)
		assert_int_equal(btf__add_func_param(btf, "arg", args[i]), 0);
	snprintf(typedef_name, sizeof(typedef_name), "btf_trace_%s", name);
	assert_true(btf__add_typedef(btf, typedef_name, btf__add_ptr(btf, proto)) > 0);
}

static inline int add_kvm_vcpu(struct btf *btf, const struct host *host, int u64)
{
	int regs = btf__add_const(btf, u64), inner, stat, arch, alias;

	/* members behind const, behind a typedef and in an anonymous union are found as well */
	inner = btf__add_union(btf, NULL, 8);
	field(btf, "guest_mode", u64, 0);
	stat = btf__add_struct(btf, "kvm_vcpu_stat", 16);
	field(btf, "exits", u64, 0);
	if (!host->no_stat)
		field(btf, NULL, inner, 1);
	arch = btf__add_struct(btf, "kvm_vcpu_arch", 16);
	if (!host->no_regs)
		field(btf, "regs", regs, 0);
	field(btf, "hflags", u64, 1);
	alias = btf__add_typedef(btf, "vcpu_arch_t", arch);
	arch = btf__add_struct(btf, "kvm_vcpu", 32);
	field(btf, "arch", alias, 0);
	field(btf, "stat", stat, 2);
	return arch;
}

static inline void add_kvm(struct btf *btf, const struct host *host, int u64)
{
	const char *entry = host->old ? "kvm_nested_vmrun" : "kvm_nested_vmenter";
	static const char *const same[] = {"kvm_entry", "kvm_nested_vmexit",
					   "kvm_nested_vmexit_inject", "kvm_mmio"};
	int vcpu = btf__add_ptr(btf, add_kvm_vcpu(btf, host, u64));

	if (host->old)
		add_tracepoint(btf, "kvm_exit", (int[]){u64, vcpu, u64}, 3);
	else
		add_tracepoint(btf, "kvm_exit", (int[]){vcpu, u64}, 2);
	for (size_t i = 0; i < ARRAY_SIZE(same); i++)
		add_tracepoint(btf, same[i], &u64, 1);
	add_tracepoint(btf, entry, &u64, 1);
}

static inline void add_vendor(struct btf *btf, const struct host *host, int u64)
{
	int nested, vt;

	if (!host->intel) {
		int vmcb = btf__add_ptr(btf, btf__add_struct(btf, "vmcb", 0));

		nested = btf__add_struct(btf, "svm_nested_state", 8);
		field(btf, "vmcb12_gpa", u64, 0);
		btf__add_struct(btf, "vcpu_svm", 24);
		field(btf, "vmcb", vmcb, 0);
		field(btf, "nested", nested, 1);
		return;
	}
	vt = btf__add_struct(btf, "vcpu_vt", 16);
	field(btf, "exit_reason", u64, 0);
	field(btf, "exit_qualification", u64, 1);
	nested = btf__add_struct(btf, "nested_vmx", 8);
	field(btf, "current_vmptr", u64, 0);
	btf__add_struct(btf, "vcpu_vmx", 32);
	field(btf, "nested", nested, 0);
	if (host->vt) {
		field(btf, "vt", vt, 1);
	} else {
		field(btf, "exit_reason", u64, 1);
		field(btf, "exit_qualification", u64, 2);
	}
}

static inline void make_types(const char *dir, const struct host *host)
{
	struct btf *vmlinux = btf__new_empty(), *kvm, *vendor;
	int u64 = btf__add_int(vmlinux, "u64", 8, 0);

	add_tracepoint(vmlinux, "sched_process_exit", &u64, 1);
	if (host->builtin) {
		add_kvm(vmlinux, host, u64);
		add_vendor(vmlinux, host, u64);
	}
	write_btf(dir, "vmlinux", vmlinux);
	kvm = btf__new_empty_split(vmlinux);
	add_kvm(kvm, host, u64);
	vendor = btf__new_empty_split(vmlinux);
	add_vendor(vendor, host, u64);
	if (!host->no_module_btf && !host->builtin) {
		write_btf(dir, "kvm", kvm);
		write_btf(dir, host->intel ? "kvm_intel" : "kvm_amd", vendor);
	}
	btf__free(vendor);
	btf__free(kvm);
	btf__free(vmlinux);
}

static inline void make_modules(const char *dir, const struct host *host)
{
	const char *vendor = host->intel ? "kvm_intel" : "kvm_amd";
	char path[256];

	if (host->other_module) {
		snprintf(path, sizeof(path), "sys/module/%s/", host->other_module);
		put(dir, path, "");
	}
	if (host->no_kvm)
		return;
	put(dir, "sys/module/kvm/parameters/halt_poll_ns", "200000\n");
	if (!host->builtin)
		put(dir, "sys/module/kvm/initstate", "live\n");
	if (host->no_vendor)
		return;
	snprintf(path, sizeof(path), "sys/module/%s/initstate", vendor);
	put(dir, path, "live\n");
	snprintf(path, sizeof(path), "sys/module/%s/parameters/nested", vendor);
	put(dir, path, host->no_nested ? "0\n" : "1\n");
	snprintf(path, sizeof(path), "sys/module/%s/parameters/%s", vendor,
		 host->intel ? "ept" : "npt");
	put(dir, path, "Y\n");
	if (!host->intel)
		put(dir, "sys/module/kvm_amd/parameters/avic", "N\n");
}

static inline void make_tracefs(const char *dir, const struct host *host)
{
	static const char *const events[] = {"kvm_entry",
					     "kvm_nested_vmenter_failed",
					     "kvm_nested_vmexit",
					     "kvm_nested_vmexit_inject",
					     "kvm_nested_intr_vmexit",
					     "kvm_userspace_exit",
					     "kvm_msr",
					     "kvm_hypercall",
					     "kvm_pio",
					     "kvm_mmio",
					     "kvm_fast_mmio",
					     "kvm_page_fault",
					     "kvm_apic_ipi"};
	char path[256];

	put(dir, "sys/kernel/tracing/", "");
	if (host->no_tracefs)
		return;
	put(dir, "sys/kernel/tracing/events/sched/sched_process_exit/format", "");
	if (host->module)
		put(dir, "sys/kernel/tracing/events/nvx/nvx_exit/format", "");
	if (host->no_kvm)
		return;
	put(dir, "sys/kernel/tracing/events/kvm/kvm_exit/format", "field:u32 exit_reason;\n");
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		snprintf(path, sizeof(path), "sys/kernel/tracing/events/kvm/%s/", events[i]);
		put(dir, path, "");
	}
	put(dir,
	    host->old ? "sys/kernel/tracing/events/kvm/kvm_nested_vmrun/"
		      : "sys/kernel/tracing/events/kvm/kvm_nested_vmenter/",
	    "");
}

/* A new directory that holds the host. */
static inline char *make_host(const struct host *host)
{
	char *dir = make_dir();

	put(dir, "proc/sys/kernel/osrelease", host->old ? "5.10.0-fixture\n" : "6.12.0-fixture\n");
	put(dir, "proc/cpuinfo",
	    host->intel ? "processor\t: 0\nvendor_id\t: GenuineIntel\nflags\t\t: fpu vmx lm\n\n"
			: "processor\t: 0\nvendor_id\t: AuthenticAMD\nflags\t\t: fpu lm svm\n\n");
	put(dir, "proc/self/status",
	    host->user ? "Name:\tnvx\nUid:\t1000\t1000\t1000\t1000\nCapEff:\t0000000000000000\n"
		       : "Name:\tnvx\nUid:\t0\t0\t0\t0\nCapEff:\t000001ffffffffff\n");
	put(dir, "proc/self/uid_map",
	    host->userns ? "         0       1000          1\n"
			 : "         0          0 4294967295\n");
	put(dir, "proc/sys/kernel/unprivileged_bpf_disabled", "2\n");
	put(dir, "proc/sys/kernel/bpf_stats_enabled", "0\n");
	put(dir, "dev/", "");
	if (host->lockdown)
		put(dir, "sys/kernel/security/lockdown", host->lockdown);
	make_modules(dir, host);
	make_tracefs(dir, host);
	if (!host->no_btf)
		make_types(dir, host);
	return dir;
}

#endif
