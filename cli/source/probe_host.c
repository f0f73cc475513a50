// SPDX-License-Identifier: GPL-2.0-only
/* The probe's view of the machine, of KVM's modules, and of this user's privileges. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/kvm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "source/probe_priv.h"

/* "vendor_id : AuthenticAMD" and "flags : ... svm ..." of the first CPU in cpuinfo */
static void read_cpu(struct nvx_probe *p, const char *proc)
{
	char path[4096], line[8192];
	FILE *f;

	snprintf(path, sizeof(path), "%s/cpuinfo", proc);
	f = fopen(path, "re");
	if (!f)
		return;
	while (fgets(line, sizeof(line), f) && line[0] != '\n') {
		if (!strncmp(line, "vendor_id", strlen("vendor_id"))) {
			if (strstr(line, "GenuineIntel"))
				p->cpu = NVX_CPU_INTEL;
			else if (strstr(line, "AuthenticAMD") || strstr(line, "HygonGenuine"))
				p->cpu = NVX_CPU_AMD;
		} else if (!strncmp(line, "flags", strlen("flags"))) {
			p->cpu_virt = strstr(line, " vmx ") || strstr(line, " svm ") ||
				      strstr(line, " vmx\n") || strstr(line, " svm\n");
		}
	}
	fclose(f);
}

static void probe_dev_kvm(struct nvx_probe *p, const char *dev)
{
	static const char lost[] = "this user can run no VM here; profiling needs no access to it";
	char path[4096];
	int fd, version;

	snprintf(path, sizeof(path), "%s/kvm", dev);
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0) {
		int err = errno;

		p->dev_kvm = err == EACCES || err == EPERM ? NVX_HAVE_UNKNOWN : NVX_HAVE_NO;
		nvx_probe__row(p, "KVM", "dev_kvm", "/dev/kvm", p->dev_kvm, lost, "%s",
			       strerror(err));
		return;
	}
	version = ioctl(fd, KVM_GET_API_VERSION, 0);
	p->dev_kvm = version == KVM_API_VERSION ? NVX_HAVE_YES : NVX_HAVE_NO;
	if (version < 0)
		nvx_probe__row(p, "KVM", "dev_kvm", "/dev/kvm", p->dev_kvm, lost,
			       "opens, but KVM_GET_API_VERSION fails: %s", strerror(errno));
	else
		nvx_probe__row(p, "KVM", "dev_kvm", "/dev/kvm", p->dev_kvm,
			       nvx_probe__lost(p->dev_kvm, lost), "API version %d", version);
	close(fd);
}

void nvx_probe__host(struct nvx_probe *p, const struct nvx_probe_paths *paths)
{
	enum nvx_have have;

	nvx_probe__read(p->release, sizeof(p->release), "%s/sys/kernel/osrelease", paths->proc);
	nvx_probe__row(p, "Host", "kernel", "kernel release",
		       p->release[0] ? NVX_HAVE_YES : NVX_HAVE_UNKNOWN, NULL, "%s", p->release);
	read_cpu(p, paths->proc);
	have = p->cpu_virt ? NVX_HAVE_YES : NVX_HAVE_NO;
	nvx_probe__row(p, "Host", "cpu", "CPU with vmx or svm", have,
		       nvx_probe__lost(have, "kvm_intel and kvm_amd cannot load here"), "%s",
		       nvx_cpu_vendor__name(p->cpu));
}

/* A module's directory in sysfs exists for built-in code too, but then without initstate. */
static enum nvx_have probe_module(struct nvx_probe *p, const char *sys, const char *name,
				  const char *id, const char *consequence)
{
	enum nvx_have have = nvx_probe__exists("%s/module/%s", sys, name);
	bool loaded = nvx_probe__exists("%s/module/%s/initstate", sys, name) == NVX_HAVE_YES;

	nvx_probe__row(p, "KVM", id, name, have, nvx_probe__lost(have, consequence), "%s",
		       have == NVX_HAVE_NO ? "not loaded"
		       : loaded		   ? "loaded"
					   : "built in");
	return have;
}

/* Modules on KVM besides the two vendors: another vendor, device pass-through, a rival. */
static void probe_others(struct nvx_probe *p, const char *sys)
{
	static const char *const places[] = {"module/kvm/holders", "module"};
	char list[100] = "", path[4096];
	size_t len = 0;

	for (size_t i = 0; i < 2; i++) {
		struct dirent *entry;
		DIR *dir;

		snprintf(path, sizeof(path), "%s/%s", sys, places[i]);
		dir = opendir(path);
		while (dir && (entry = readdir(dir))) {
			const char *name = entry->d_name;

			if (name[0] == '.' || !strcmp(name, "kvm_intel") ||
			    !strcmp(name, "kvm_amd"))
				continue;
			if ((i == 1 && strncmp(name, "kvm_", 4)) || strstr(list, name))
				continue;
			if (!p->vendor_module[0] && !strncmp(name, "kvm_", 4))
				snprintf(p->vendor_module, sizeof(p->vendor_module), "%.31s", name);
			if (len < sizeof(list))
				len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%.60s",
							len ? " " : "", name);
		}
		if (dir)
			closedir(dir);
	}
	nvx_probe__row(p, "KVM", "kvm_other", "other modules on kvm",
		       list[0] ? NVX_HAVE_YES : NVX_HAVE_NO, NULL, "%s", list);
}

static enum nvx_have probe_param(struct nvx_probe *p, const char *sys, const char *id,
				 const char *module, const char *name, const char *consequence)
{
	enum nvx_have have = NVX_HAVE_UNKNOWN;
	char value[32];
	int err = nvx_probe__read(value, sizeof(value), "%s/module/%s/parameters/%s", sys, module,
				  name);

	if (!err && (value[0] == 'Y' || (value[0] >= '1' && value[0] <= '9')))
		have = NVX_HAVE_YES;
	else if (!err && (value[0] == 'N' || value[0] == '0'))
		have = NVX_HAVE_NO;
	if (err)
		nvx_probe__row(p, "KVM", id, id, have, "", "%s has no readable parameter %s",
			       module, name);
	else
		nvx_probe__row(p, "KVM", id, id, have, have == NVX_HAVE_NO ? consequence : "",
			       "%s.%s=%s", module, name, value);
	return have;
}

static void probe_params(struct nvx_probe *p, const char *sys)
{
	static const char no_nested[] = "no guest can run VMs of its own: there is no L2";
	static const char no_tdp[] =
		"guests run on shadow page tables: many page-fault exits at every level";
	static const char no_apicv[] = "interrupts and IPIs of guests cost exits";

	if (!strcmp(p->vendor_module, "kvm_intel")) {
		p->nested = probe_param(p, sys, "nested", "kvm_intel", "nested", no_nested);
		probe_param(p, sys, "ept", "kvm_intel", "ept", no_tdp);
		probe_param(p, sys, "vpid", "kvm_intel", "vpid",
			    "every entry and exit flushes the TLB");
		probe_param(p, sys, "enable_apicv", "kvm_intel", "enable_apicv", no_apicv);
		probe_param(p, sys, "enable_shadow_vmcs", "kvm_intel", "enable_shadow_vmcs",
			    "each VMREAD and VMWRITE of an L1 exits to L0");
	} else if (!strcmp(p->vendor_module, "kvm_amd")) {
		p->nested = probe_param(p, sys, "nested", "kvm_amd", "nested", no_nested);
		probe_param(p, sys, "npt", "kvm_amd", "npt", no_tdp);
		probe_param(p, sys, "avic", "kvm_amd", "avic", no_apicv);
		probe_param(p, sys, "vgif", "kvm_amd", "vgif",
			    "each STGI and CLGI of an L1 exits to L0");
		probe_param(p, sys, "vls", "kvm_amd", "vls",
			    "each VMLOAD and VMSAVE of an L1 exits to L0");
	}
}

void nvx_probe__kvm(struct nvx_probe *p, const struct nvx_probe_paths *paths)
{
	probe_dev_kvm(p, paths->dev);
	p->kvm = probe_module(p, paths->sys, "kvm", "kvm", "there is no VM to profile");
	p->kvm_intel = probe_module(p, paths->sys, "kvm_intel", "kvm_intel", "");
	p->kvm_amd = probe_module(p, paths->sys, "kvm_amd", "kvm_amd", "");
	if (p->kvm_intel == NVX_HAVE_YES)
		strcpy(p->vendor_module, "kvm_intel");
	else if (p->kvm_amd == NVX_HAVE_YES)
		strcpy(p->vendor_module, "kvm_amd");
	probe_others(p, paths->sys);
	probe_params(p, paths->sys);
}

struct self {
	uint32_t euid;
	uint64_t caps;
};

static struct self read_self(const char *proc)
{
	struct self self = {.euid = UINT32_MAX};
	char path[4096], line[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/self/status", proc);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		unsigned int real, effective;

		if (sscanf(line, "Uid: %u %u", &real, &effective) == 2)
			self.euid = effective;
		else if (!strncmp(line, "CapEff:", 7))
			self.caps = strtoull(line + 7, NULL, 16);
	}
	if (f)
		fclose(f);
	return self;
}

/*
 * bpf() and perf ask for capabilities in the initial user namespace; in another one, root's are
 * worth nothing there.  Only the initial one maps all ids to themselves.
 */
static bool in_init_userns(const char *proc)
{
	unsigned int inside = 1, outside = 1, count = 0;
	char map[256];

	if (nvx_probe__read(map, sizeof(map), "%s/self/uid_map", proc))
		return true; /* a kernel without user namespaces */
	return sscanf(map, "%u %u %u", &inside, &outside, &count) == 3 && inside == 0 &&
	       outside == 0 && count == UINT32_MAX;
}

static void probe_caps(struct nvx_probe *p, const char *proc)
{
	static const char group[] = "Privileges";
	struct self self = read_self(proc);
	const struct {
		const char *id;
		int cap;
		bool *have;
		const char *lost;
	} caps[] = {
		{"CAP_BPF", CAP_BPF, &p->cap_bpf, "nvx cannot load programs without CAP_SYS_ADMIN"},
		{"CAP_PERFMON", CAP_PERFMON, &p->cap_perfmon,
		 "nvx cannot attach to tracepoints without CAP_SYS_ADMIN"},
		{"CAP_SYS_ADMIN", CAP_SYS_ADMIN, &p->cap_sys_admin,
		 "nvx cannot use the BTF of modules"},
	};

	p->euid = self.euid;
	p->init_userns = in_init_userns(proc);
	nvx_probe__row(p, group, "root", "root", p->euid ? NVX_HAVE_NO : NVX_HAVE_YES, "",
		       "effective user id %u%s", p->euid,
		       p->init_userns ? "" : ", in a user namespace of its own");
	for (size_t i = 0; i < sizeof(caps) / sizeof(caps[0]); i++) {
		*caps[i].have = self.caps >> caps[i].cap & 1;
		nvx_probe__row(p, group, caps[i].id, caps[i].id,
			       *caps[i].have ? NVX_HAVE_YES : NVX_HAVE_NO,
			       *caps[i].have ? "" : caps[i].lost, "%s",
			       p->init_userns ? "" : "does not count in this user namespace");
	}
	/* CAP_SYS_ADMIN stands for both others (bpf_capable() and perfmon_capable()). */
	p->may_load = p->init_userns && (p->cap_sys_admin || (p->cap_bpf && p->cap_perfmon));
	/* BPF_BTF_GET_FD_BY_ID asks for CAP_SYS_ADMIN itself. */
	p->may_module_btf = p->init_userns && p->cap_sys_admin;
}

static void probe_lockdown(struct nvx_probe *p, const char *sys)
{
	char text[80];
	int err = nvx_probe__read(text, sizeof(text), "%s/kernel/security/lockdown", sys);

	p->lockdown_confidentiality =
		strstr(text, "[confidentiality]") ? NVX_HAVE_YES : NVX_HAVE_NO;
	if (err == -EACCES || err == -EPERM)
		p->lockdown_confidentiality = NVX_HAVE_UNKNOWN;
	nvx_probe__row(p, "Privileges", "lockdown", "kernel lockdown",
		       err && err != -ENOENT ? NVX_HAVE_UNKNOWN
		       : strstr(text, "[integrity]") || strstr(text, "[confidentiality]")
			       ? NVX_HAVE_YES
			       : NVX_HAVE_NO,
		       p->lockdown_confidentiality == NVX_HAVE_YES
			       ? "no tracing of kernel memory: nvx cannot work here"
			       : "",
		       "%s",
		       err == -ENOENT ? "no lockdown file: not built in, or securityfs is not "
					"mounted"
		       : err	      ? strerror(-err)
				      : text);
}

static void probe_secure_boot(struct nvx_probe *p, const char *sys)
{
	/* UEFI 2.10, 3.3: the global variable SecureBoot; efivarfs puts 4 bytes of attributes first
	 */
	static const char name[] = "SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";
	enum nvx_have have = NVX_HAVE_NO, efi = nvx_probe__exists("%s/firmware/efi", sys);
	const char *detail = "not booted by UEFI";

	if (efi != NVX_HAVE_NO) {
		unsigned char value[5];
		char path[4096];
		int fd;

		snprintf(path, sizeof(path), "%s/firmware/efi/efivars/%s", sys, name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd >= 0 && read(fd, value, sizeof(value)) == sizeof(value)) {
			have = value[4] ? NVX_HAVE_YES : NVX_HAVE_NO;
			detail = value[4] ? "on" : "off";
		} else {
			have = NVX_HAVE_UNKNOWN;
			detail = "the variable SecureBoot cannot be read";
		}
		if (fd >= 0)
			close(fd);
	}
	nvx_probe__row(p, "Privileges", "secure_boot", "Secure Boot", have,
		       have == NVX_HAVE_YES ? "the nvx module must be signed by an enrolled key"
					    : "",
		       "%s", detail);
}

void nvx_probe__privileges(struct nvx_probe *p, const struct nvx_probe_paths *paths)
{
	static const char group[] = "Privileges";
	char value[32];

	probe_caps(p, paths->proc);
	probe_lockdown(p, paths->sys);
	probe_secure_boot(p, paths->sys);

	nvx_probe__read(value, sizeof(value), "%s/sys/kernel/unprivileged_bpf_disabled",
			paths->proc);
	nvx_probe__row(
		p, group, "unprivileged_bpf", "unprivileged BPF",
		value[0] == '0' ? NVX_HAVE_YES
		: value[0]	? NVX_HAVE_NO
				: NVX_HAVE_UNKNOWN,
		"", "kernel.unprivileged_bpf_disabled=%s; nvx needs tracing programs in any case",
		value[0] ? value : "?");
	nvx_probe__read(value, sizeof(value), "%s/sys/kernel/bpf_stats_enabled", paths->proc);
	p->bpf_stats = value[0] == '1' ? NVX_HAVE_YES : value[0] ? NVX_HAVE_NO : NVX_HAVE_UNKNOWN;
	nvx_probe__row(p, group, "bpf_stats", "BPF run-time statistics", p->bpf_stats,
		       p->bpf_stats == NVX_HAVE_YES
			       ? "every BPF program of this host pays two clock reads a run"
			       : "",
		       "kernel.bpf_stats_enabled=%s", value[0] ? value : "?");
}
