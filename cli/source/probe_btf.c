// SPDX-License-Identifier: GPL-2.0-only
/* What the BTF of vmlinux and of KVM's modules says; readable without privileges. */
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <string.h>

#include "source/probe_priv.h"

struct types {
	struct btf *vmlinux, *kvm_own, *vendor_own;
	/* Where to look: the module's BTF, or vmlinux's where the code is built in. */
	struct btf *kvm, *vendor;
};

static const struct btf_type *skip_mods(const struct btf *btf, __u32 id)
{
	const struct btf_type *t = btf__type_by_id(btf, id);

	while (t && (btf_is_mod(t) || btf_is_typedef(t)))
		t = btf__type_by_id(btf, t->type);
	return t;
}

/* The member of that name in a struct or union, anonymous ones inside it included. */
static const struct btf_type *find_member(const struct btf *btf, const struct btf_type *type,
					  const char *name, size_t len, unsigned int depth)
{
	const struct btf_member *m;

	if (!type || !btf_is_composite(type) || depth > 8)
		return NULL;
	m = btf_members(type);
	for (int i = 0; i < btf_vlen(type); i++) {
		const char *own = btf__name_by_offset(btf, m[i].name_off);
		const struct btf_type *found;

		if (own && own[0]) {
			if (strlen(own) == len && !memcmp(own, name, len))
				return skip_mods(btf, m[i].type);
			continue;
		}
		found = find_member(btf, skip_mods(btf, m[i].type), name, len, depth + 1);
		if (found)
			return found;
	}
	return NULL;
}

/* "kvm_vcpu.stat.guest_mode": a path through embedded structs, never through a pointer */
static bool has_path(const struct btf *btf, const char *path)
{
	const struct btf_type *type;
	size_t len = strcspn(path, ".");
	char name[64];
	int id;

	if (!btf || len >= sizeof(name))
		return false;
	memcpy(name, path, len);
	name[len] = '\0';
	id = btf__find_by_name_kind(btf, name, BTF_KIND_STRUCT);
	if (id < 0)
		return false;
	type = btf__type_by_id(btf, (__u32)id);
	while (type && path[len] == '.') {
		path += len + 1;
		len = strcspn(path, ".");
		type = find_member(btf, type, path, len, 0);
	}
	return type != NULL;
}

/* Every tracepoint leaves a typedef of its prototype, for raw_tp's sake. */
static const struct btf_type *tracepoint_proto(const struct btf *btf, const char *name)
{
	const struct btf_type *t;
	char type_name[64];
	int id;

	snprintf(type_name, sizeof(type_name), "btf_trace_%s", name);
	id = btf ? btf__find_by_name_kind(btf, type_name, BTF_KIND_TYPEDEF) : -1;
	if (id < 0)
		return NULL;
	t = skip_mods(btf, (__u32)id);
	t = t && btf_is_ptr(t) ? skip_mods(btf, t->type) : NULL;
	return t && btf_is_func_proto(t) ? t : NULL;
}

static enum nvx_exit_args exit_args(const struct btf *btf)
{
	const struct btf_type *proto = tracepoint_proto(btf, "kvm_exit"), *first;

	/* the prototype's own first parameter is the tracepoint's private pointer */
	if (!proto || btf_vlen(proto) < 3)
		return NVX_EXIT_ARGS_UNKNOWN;
	first = skip_mods(btf, btf_params(proto)[1].type);
	if (!first)
		return NVX_EXIT_ARGS_UNKNOWN;
	return btf_is_ptr(first) ? NVX_EXIT_ARGS_VCPU_FIRST : NVX_EXIT_ARGS_REASON_FIRST;
}

static struct btf *load(const char *dir, const char *name, struct btf *base)
{
	char path[8192];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	if (nvx_probe__exists("%s", path) != NVX_HAVE_YES)
		return NULL;
	return btf__parse_split(path, base);
}

/* Modules with BTF have a file of their own; what is built in lies in vmlinux. */
static struct btf *home_of(struct btf *own, struct btf *vmlinux, const char *type)
{
	if (own)
		return own;
	return vmlinux && btf__find_by_name_kind(vmlinux, type, BTF_KIND_STRUCT) > 0 ? vmlinux
										     : NULL;
}

static void load_types(struct nvx_probe *p, const char *dir, struct types *t)
{
	bool amd = !strcmp(p->vendor_module, "kvm_amd");

	t->vmlinux = load(dir, "vmlinux", NULL);
	if (!t->vmlinux)
		return;
	t->kvm_own = load(dir, "kvm", t->vmlinux);
	t->kvm = t->kvm_own ? t->kvm_own : home_of(NULL, t->vmlinux, "kvm_vcpu");
	if (p->vendor_module[0])
		t->vendor_own = load(dir, p->vendor_module, t->vmlinux);
	t->vendor = home_of(t->vendor_own, t->vmlinux, amd ? "vcpu_svm" : "vcpu_vmx");
	p->kvm_builtin = t->kvm && !t->kvm_own && !t->vendor_own;
}

static enum nvx_have have(bool there)
{
	return there ? NVX_HAVE_YES : NVX_HAVE_NO;
}

static void probe_files(struct nvx_probe *p, const struct types *t)
{
	static const char group[] = "BTF";
	const char *where[] = {"in a file of its own", "in vmlinux"};

	p->vmlinux_btf = have(t->vmlinux);
	nvx_probe__row(p, group, "btf_vmlinux", "vmlinux", p->vmlinux_btf,
		       nvx_probe__lost(p->vmlinux_btf,
				       "no CO-RE: classic tracepoints only, no MSR numbers"),
		       "%s", "");
	p->kvm_btf = have(t->kvm);
	nvx_probe__row(
		p, group, "btf_kvm", "kvm", p->kvm_btf,
		nvx_probe__lost(p->kvm_btf,
				"classic tracepoints only: no MSR numbers, level ? at first"),
		"%s", t->kvm ? where[!t->kvm_own] : "");
	p->vendor_btf = have(t->vendor);
	nvx_probe__row(p, group, "btf_vendor",
		       p->vendor_module[0] ? p->vendor_module : "vendor module", p->vendor_btf,
		       nvx_probe__lost(p->vendor_btf, "exit reasons only from classic tracepoints"),
		       "%s", t->vendor ? where[!t->vendor_own] : "");
}

static void probe_exit_args(struct nvx_probe *p, const struct types *t)
{
	static const char *const text[] = {
		[NVX_EXIT_ARGS_UNKNOWN] = "unknown",
		[NVX_EXIT_ARGS_VCPU_FIRST] = "(vcpu, isa)",
		[NVX_EXIT_ARGS_REASON_FIRST] = "(exit_reason, vcpu, isa)",
	};
	enum nvx_have known;

	p->exit_args = exit_args(t->kvm);
	known = p->exit_args == NVX_EXIT_ARGS_UNKNOWN ? NVX_HAVE_NO : NVX_HAVE_YES;
	nvx_probe__row(p, "BTF", "exit_args", "arguments of kvm_exit", known,
		       nvx_probe__lost(known, "raw tracepoints are out: classic ones only"), "%s",
		       text[p->exit_args]);
}

static void probe_field(struct nvx_probe *p, enum nvx_probe_field field, const struct btf *btf,
			const char *other, const char *consequence)
{
	const char *name = nvx_probe_field__name(field), *found = NULL;

	if (has_path(btf, name))
		found = name;
	else if (other && has_path(btf, other))
		found = other;
	p->field[field] = !btf ? NVX_HAVE_UNKNOWN : have(found);
	if (found && field == NVX_FIELD_VMX_EXIT_REASON)
		p->vmx_layout = found == other ? NVX_VMX_VT_EXIT_REASON : NVX_VMX_EXIT_REASON;
	nvx_probe__row(p, "BTF", name, name, p->field[field],
		       btf ? nvx_probe__lost(p->field[field], consequence) : "", "%s",
		       !btf			 ? "no BTF to look into"
		       : found == other && found ? found
						 : "");
}

void nvx_probe__btf(struct nvx_probe *p, const struct nvx_probe_paths *paths)
{
	/* A broken file is a finding of ours, not a message of libbpf's. */
	libbpf_print_fn_t print = libbpf_set_print(NULL);
	struct types t = {0};

	load_types(p, paths->btf, &t);
	probe_files(p, &t);
	probe_exit_args(p, &t);
	for (int i = 0; i < NVX_PROBE_TP_COUNT; i++) {
		const struct btf *btf = i == NVX_PROBE_TP_SCHED_PROCESS_EXIT ? t.vmlinux : t.kvm;

		if (btf)
			p->tp[i] = have(tracepoint_proto(btf, nvx_probe_tp__name(i)));
	}
	probe_field(p, NVX_FIELD_GUEST_MODE, t.kvm, NULL,
		    "the level comes from hflags, if that is known");
	probe_field(p, NVX_FIELD_HFLAGS, t.kvm, NULL, "");
	probe_field(p, NVX_FIELD_REGS, t.kvm, NULL, "no MSR and hypercall numbers");
	if (!strcmp(p->vendor_module, "kvm_amd")) {
		probe_field(p, NVX_FIELD_SVM_VMCB, t.vendor, NULL, "no exit codes by BTF");
		probe_field(p, NVX_FIELD_SVM_VMCB12, t.vendor, NULL, "L2s are not told apart");
	} else if (!strcmp(p->vendor_module, "kvm_intel")) {
		probe_field(p, NVX_FIELD_VMX_EXIT_REASON, t.vendor, "vcpu_vmx.vt.exit_reason",
			    "no exit reasons by BTF");
		probe_field(p, NVX_FIELD_VMX_EXIT_QUAL, t.vendor, "vcpu_vmx.vt.exit_qualification",
			    "no I/O ports by BTF");
		probe_field(p, NVX_FIELD_VMX_VMPTR, t.vendor, NULL, "L2s are not told apart");
	}
	btf__free(t.vendor_own);
	btf__free(t.kvm_own);
	btf__free(t.vmlinux);
	libbpf_set_print(print);
}
