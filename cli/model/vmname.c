// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "model/vmname.h"
#include "util/utf8.h"

/* A piece of somebody else's bytes: no NUL behind it. */
struct text {
	const char *s;
	size_t len;
};

struct args {
	const char *next, *end;
};

static bool next_arg(struct args *args, struct text *arg)
{
	const char *stop;

	if (args->next >= args->end)
		return false;
	stop = memchr(args->next, '\0', (size_t)(args->end - args->next));
	if (!stop)
		stop = args->end;
	*arg = (struct text){args->next, (size_t)(stop - args->next)};
	args->next = stop < args->end ? stop + 1 : stop;
	return true;
}

static bool equals(struct text t, const char *s)
{
	return t.len == strlen(s) && !memcmp(t.s, s, t.len);
}

static bool starts(struct text t, const char *s)
{
	return t.len >= strlen(s) && !memcmp(t.s, s, strlen(s));
}

static bool contains(struct text t, const char *s)
{
	return memmem(t.s, t.len, s, strlen(s)) != NULL;
}

static struct text skip(struct text t, size_t n)
{
	return (struct text){t.s + n, t.len - n};
}

static struct text basename_of(struct text path)
{
	const char *slash;

	while (path.len > 1 && path.s[path.len - 1] == '/')
		path.len--;
	slash = memrchr(path.s, '/', path.len);
	return slash && path.len > 1 ? skip(path, (size_t)(slash - path.s) + 1) : path;
}

const char *nvx_vmm__name(enum nvx_vmm vmm)
{
	switch (vmm) {
	case NVX_VMM_QEMU:
		return "qemu";
	case NVX_VMM_LIBVIRT:
		return "libvirt";
	case NVX_VMM_KUBEVIRT:
		return "kubevirt";
	case NVX_VMM_FIRECRACKER:
		return "firecracker";
	case NVX_VMM_CLOUD_HYPERVISOR:
		return "cloud-hypervisor";
	case NVX_VMM_CROSVM:
		return "crosvm";
	case NVX_VMM_UNKNOWN:
		break;
	}
	return "unknown";
}

static enum nvx_vmm vmm_of(struct text program)
{
	struct text base = basename_of(program);

	/* Debian and Proxmox run QEMU as `kvm`. */
	if (starts(base, "qemu-system") || starts(base, "qemu-kvm") || equals(base, "qemu") ||
	    equals(base, "kvm"))
		return NVX_VMM_QEMU;
	if (starts(base, "firecracker"))
		return NVX_VMM_FIRECRACKER;
	/* comm has 15 characters: `cloud-hyperviso` */
	if (starts(base, "cloud-hyperviso"))
		return NVX_VMM_CLOUD_HYPERVISOR;
	if (starts(base, "crosvm"))
		return NVX_VMM_CROSVM;
	return NVX_VMM_UNKNOWN;
}

static void set(char *dst, size_t size, struct text value)
{
	nvx_utf8__sanitize(dst, size, value.s, value.len);
}

/* A UUID in lower case, with `dash` between its parts; anything else is left out. */
static bool copy_uuid(char *to, struct text value, char dash)
{
	if (value.len != 36)
		return false;
	for (size_t i = 0; i < value.len; i++) {
		char c = value.s[i];
		bool between = i == 8 || i == 13 || i == 18 || i == 23;
		bool hex =
			(c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');

		if (between ? c != dash : !hex)
			return false;
	}
	for (size_t i = 0; i < value.len; i++) {
		char c = value.s[i];

		to[i] = (char)(c == dash ? '-' : c | (c >= 'A' && c <= 'F' ? 0x20 : 0));
	}
	to[value.len] = '\0';
	return true;
}

/* As the VMM got it. */
static void set_uuid(struct nvx_vmname *out, struct text value)
{
	copy_uuid(out->uuid, value, '-');
}

void nvx_vmname__pod(const char *cgroup, size_t len, struct nvx_vmname *out)
{
	struct text rest = { cgroup, len }, uid;
	const char *pod;

	/* .../pod7f3c... by one driver, ...-pod7f3c_....slice by systemd: dashes are its levels */
	while ((pod = memmem(rest.s, rest.len, "pod", 3))) {
		rest = skip(rest, (size_t)(pod - rest.s) + 3);
		uid = (struct text){ rest.s, rest.len < 36 ? rest.len : 36 };
		if (copy_uuid(out->pod, uid, '-') || copy_uuid(out->pod, uid, '_'))
			return;
	}
}

/*
 * The first `key=value` or bare item of a QEMU option list.  A comma in a value is doubled;
 * the value is stored with its commas single.  Returns the rest behind the comma.
 */
static struct text next_item(struct text list, struct text *key, char *value, size_t size)
{
	char raw[512] = "";
	size_t i = 0, out = 0, eq = 0;
	bool has_eq = false;

	while (i < list.len && !has_eq && list.s[i] != ',') {
		has_eq = list.s[i] == '=';
		eq = i;
		i++;
	}
	*key = has_eq ? (struct text){list.s, eq} : (struct text){list.s, 0};
	if (!has_eq)
		i = 0;
	for (; i < list.len; i++) {
		if (list.s[i] == ',') {
			if (i + 1 >= list.len || list.s[i + 1] != ',')
				break;
			i++;
		}
		if (out < sizeof(raw))
			raw[out++] = list.s[i];
	}
	nvx_utf8__sanitize(value, size, raw, out);
	return i < list.len ? skip(list, i + 1) : skip(list, i);
}

/* -name [guest=]NAME[,process=NAME][,debug-threads=on] */
static void qemu_name(struct nvx_vmname *out, struct text list)
{
	bool first = true;

	while (list.len > 0) {
		char value[sizeof(out->name)];
		struct text key;

		list = next_item(list, &key, value, sizeof(value));
		if (equals(key, "guest") || (first && key.len == 0))
			memcpy(out->name, value, sizeof(value));
		first = false;
	}
}

/* KubeVirt names its domains NAMESPACE_VMI; a namespace (a DNS label) has no underscore. */
static void kubevirt_split(struct nvx_vmname *out)
{
	char *bar = strchr(out->name, '_');
	size_t len = bar ? (size_t)(bar - out->name) : 0;

	if (!bar || len == 0 || len >= sizeof(out->ns) || !bar[1])
		return;
	memcpy(out->ns, out->name, len);
	out->ns[len] = '\0';
	memmove(out->name, bar + 1, strlen(bar + 1) + 1);
}

static void parse_qemu(struct nvx_vmname *out, struct args args)
{
	bool libvirt = false, kubevirt = false;
	struct text arg;

	while (next_arg(&args, &arg)) {
		/* QEMU takes one dash or two. */
		struct text option = starts(arg, "--") ? skip(arg, 1) : arg;

		if (equals(option, "-name")) {
			if (next_arg(&args, &arg))
				qemu_name(out, arg);
			continue;
		}
		if (equals(option, "-uuid")) {
			if (next_arg(&args, &arg))
				set_uuid(out, arg);
			continue;
		}
		libvirt |= contains(arg, "libvirt/qemu/") || contains(arg, "/libvirt/");
		kubevirt |= contains(arg, "/kubevirt") || contains(arg, "manufacturer=KubeVirt") ||
			    contains(arg, "family=KubeVirt");
	}
	if (kubevirt) {
		out->vmm = NVX_VMM_KUBEVIRT;
		kubevirt_split(out);
	} else if (libvirt) {
		out->vmm = NVX_VMM_LIBVIRT;
	}
}

/* Value of `--option VALUE` or `--option=VALUE`; arg is where the scan stands. */
static bool option_value(struct args *args, struct text arg, const char *option, struct text *value)
{
	size_t len = strlen(option);

	if (equals(arg, option))
		return next_arg(args, value);
	if (starts(arg, option) && arg.len > len && arg.s[len] == '=') {
		*value = skip(arg, len + 1);
		return true;
	}
	return false;
}

/*
 * A name from a socket's path: its file name without .sock.  Where tools put one fixed file name
 * into a directory a VM (Kata: /run/vc/vm/SANDBOX/clh-api.sock), the directory's name.
 */
static void name_from_socket(struct nvx_vmname *out, struct text path)
{
	static const char *const generic[] = {
		"api",	  "clh-api", "clh", "ch",     "cloud-hypervisor",
		"ch-api", "crosvm",  "vm",  "socket", "sock"};
	static const char *const suffix[] = {".sock", ".socket", ".api"};
	struct text base = basename_of(path);

	for (size_t i = 0; i < sizeof(suffix) / sizeof(suffix[0]); i++) {
		size_t len = strlen(suffix[i]);

		if (base.len > len && !memcmp(base.s + base.len - len, suffix[i], len)) {
			base.len -= len;
			break;
		}
	}
	for (size_t i = 0; i < sizeof(generic) / sizeof(generic[0]); i++) {
		struct text dir = {path.s, (size_t)(base.s - path.s)};
		struct text parent = basename_of(dir);

		if (!equals(base, generic[i]) || dir.len < 2)
			continue;
		while (parent.len > 0 && parent.s[parent.len - 1] == '/')
			parent.len--;
		if (parent.len > 0 && !equals(parent, "tmp") && !equals(parent, "run"))
			base = parent;
		break;
	}
	set(out->name, sizeof(out->name), base);
}

static void parse_firecracker(struct nvx_vmname *out, struct args args)
{
	struct text arg, value;

	while (next_arg(&args, &arg)) {
		/* What follows `--` belongs to a program that the jailer starts. */
		if (option_value(&args, arg, "--id", &value))
			set(out->name, sizeof(out->name), value);
	}
}

static void parse_cloud_hypervisor(struct nvx_vmname *out, struct args args)
{
	struct text arg, value, key;

	while (next_arg(&args, &arg)) {
		char item[sizeof(out->name)];

		if (option_value(&args, arg, "--api-socket", &value)) {
			if (starts(value, "path="))
				value = skip(value, strlen("path="));
			if (!starts(value, "fd="))
				name_from_socket(out, value);
		} else if (option_value(&args, arg, "--platform", &value)) {
			while (value.len > 0) {
				value = next_item(value, &key, item, sizeof(item));
				if (equals(key, "uuid"))
					set_uuid(out, (struct text){item, strlen(item)});
			}
		}
	}
}

static void parse_crosvm(struct nvx_vmname *out, struct args args)
{
	struct text arg, value;
	bool named = false;

	while (next_arg(&args, &arg)) {
		if (option_value(&args, arg, "--name", &value)) {
			set(out->name, sizeof(out->name), value);
			named = true;
		} else if (!named && (option_value(&args, arg, "--socket", &value) ||
				      option_value(&args, arg, "-s", &value))) {
			name_from_socket(out, value);
		}
	}
}

void nvx_vmname__parse(const char *cmdline, size_t len, const char *comm, uint32_t pid,
		       struct nvx_vmname *out)
{
	struct args args = {cmdline, cmdline + len};
	struct text program = {"", 0};

	memset(out, 0, sizeof(*out));
	if (len > 0 && next_arg(&args, &program))
		out->vmm = vmm_of(program);
	if (out->vmm == NVX_VMM_UNKNOWN)
		out->vmm = vmm_of((struct text){comm, strlen(comm)});
	switch (out->vmm) {
	case NVX_VMM_QEMU:
		parse_qemu(out, args);
		break;
	case NVX_VMM_FIRECRACKER:
		parse_firecracker(out, args);
		break;
	case NVX_VMM_CLOUD_HYPERVISOR:
		parse_cloud_hypervisor(out, args);
		break;
	case NVX_VMM_CROSVM:
		parse_crosvm(out, args);
		break;
	default:
		break;
	}
	if (!out->name[0]) {
		char clean[64];

		nvx_utf8__sanitize(clean, sizeof(clean), comm, strlen(comm));
		snprintf(out->name, sizeof(out->name), "%s-%" PRIu32, clean[0] ? clean : "pid",
			 pid);
		out->fallback = true;
	}
}
