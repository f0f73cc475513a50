// SPDX-License-Identifier: GPL-2.0-only
#include "source/hostinfo.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALUE_MAX 16384

struct gather {
	const char *root;
	struct nvx_config *config;
	int failed;
};

static void set(struct gather *g, const char *key, const char *value)
{
	if (nvx_config__set(g->config, key, value))
		g->failed = -ENOMEM;
}

/* First line of a file, or false. */
static bool read_line(const struct gather *g, const char *path, char *buf, size_t size)
{
	char full[512];
	FILE *f;
	bool ok;

	snprintf(full, sizeof(full), "%s%s", g->root, path);
	f = fopen(full, "re");
	if (!f)
		return false;
	ok = fgets(buf, size, f);
	fclose(f);
	if (ok)
		buf[strcspn(buf, "\n")] = '\0';
	return ok;
}

static void file(struct gather *g, const char *key, const char *path)
{
	char value[VALUE_MAX];

	if (read_line(g, path, value, sizeof(value)))
		set(g, key, value);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Every file of a directory as PREFIX.NAME; in order, whatever the file system's is. */
static void directory(struct gather *g, const char *prefix, const char *path)
{
	struct dirent **entry;
	char full[512];
	int nr;

	snprintf(full, sizeof(full), "%s%s", g->root, path);
	nr = scandir(full, &entry, NULL, by_name);
	for (int i = 0; i < nr; i++) {
		char key[400], name[700];

		snprintf(key, sizeof(key), "%s.%s", prefix, entry[i]->d_name);
		snprintf(name, sizeof(name), "%s/%s", path, entry[i]->d_name);
		if (entry[i]->d_name[0] != '.')
			file(g, key, name);
		free(entry[i]);
	}
	if (nr >= 0)
		free(entry);
}

/* Model, flags and microcode of the first CPU, and how many there are. */
static void cpu(struct gather *g)
{
	static const struct {
		const char *name, *key;
	} want[] = { { "model name", "cpu.model" }, { "microcode", "cpu.microcode" },
		     { "flags", "cpu.flags" }, { "vmx flags", "cpu.vmx_flags" } };
	char line[VALUE_MAX], full[512], count[24];
	unsigned int nr = 0;
	FILE *f;

	snprintf(full, sizeof(full), "%s/proc/cpuinfo", g->root);
	f = fopen(full, "re");
	if (!f)
		return;
	while (fgets(line, sizeof(line), f)) {
		char *value = strchr(line, ':');

		if (!value)
			continue;
		nr += !strncmp(line, "processor", 9);
		value += strspn(value, ": ");
		value[strcspn(value, "\n")] = '\0';
		line[strcspn(line, "\t:")] = '\0';
		for (size_t i = 0; nr == 1 && i < sizeof(want) / sizeof(*want); i++)
			if (!strcmp(line, want[i].name))
				set(g, want[i].key, value);
	}
	fclose(f);
	snprintf(count, sizeof(count), "%u", nr);
	set(g, "cpu.count", count);
}

static void module(struct gather *g, const char *name)
{
	char path[300], key[300];

	snprintf(path, sizeof(path), "/sys/module/%s/srcversion", name);
	snprintf(key, sizeof(key), "module.%s", name);
	file(g, key, path);
	snprintf(path, sizeof(path), "/sys/module/%s/taint", name);
	snprintf(key, sizeof(key), "module.%s.taint", name);
	file(g, key, path);
	snprintf(path, sizeof(path), "/sys/module/%s/parameters", name);
	snprintf(key, sizeof(key), "param.%s", name);
	directory(g, key, path);
}

int nvx_hostinfo__host(const char *root, const struct nvx_probe *probe, struct nvx_config *config)
{
	struct gather g = { .root = root, .config = config };

	file(&g, "kernel.release", "/proc/sys/kernel/osrelease");
	file(&g, "kernel.version", "/proc/sys/kernel/version");
	file(&g, "kernel.cmdline", "/proc/cmdline");
	cpu(&g);
	file(&g, "cpu.smt", "/sys/devices/system/cpu/smt/control");
	file(&g, "cpu.governor", "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor");
	file(&g, "kernel.clocksource",
	     "/sys/devices/system/clocksource/clocksource0/current_clocksource");
	file(&g, "kernel.thp", "/sys/kernel/mm/transparent_hugepage/enabled");
	file(&g, "kernel.ksm", "/sys/kernel/mm/ksm/run");
	directory(&g, "mitigation", "/sys/devices/system/cpu/vulnerabilities");
	module(&g, "kvm");
	module(&g, "kvm_intel");
	module(&g, "kvm_amd");
	for (size_t i = 0; probe && i < probe->nr_rows; i++) {
		char key[160], value[200];

		snprintf(key, sizeof(key), "probe.%s", probe->row[i].id);
		snprintf(value, sizeof(value), "%s%s%s", nvx_have__name(probe->row[i].have),
			 *probe->row[i].detail ? ", " : "", probe->row[i].detail);
		set(&g, key, value);
	}
	return g.failed;
}

/* KEY, or KEY.2 and so on where it is taken. */
static int set_next(struct nvx_config *config, const char *prefix, const char *option,
		    const char *value)
{
	char key[200];
	int len = snprintf(key, sizeof(key) - 16, "%s.%s", prefix, option);

	if (len >= (int)sizeof(key) - 16)
		len = sizeof(key) - 17;
	for (unsigned int i = 2; nvx_config__get(config, key) && i < 10000; i++)
		sprintf(key + len, ".%u", i);
	return nvx_config__set(config, key, value);
}

/* Passwords and keys stand in command lines; what may hold one is named, not copied. */
static bool secret(const char *option, const char *value)
{
	return strstr(value, "secret") || strstr(value, "password") || strstr(option, "password");
}

int nvx_hostinfo__cmdline(const char *prefix, const char *cmdline, size_t len,
			  struct nvx_config *config)
{
	const char *end = cmdline + len, *word = cmdline, *option = NULL;
	int ret = 0;

	/* the last argument may lack its NUL */
	for (bool first = true; word < end && !ret; first = false) {
		size_t n = strnlen(word, end - word);
		char value[VALUE_MAX];

		snprintf(value, sizeof(value), "%.*s", (int)n, word);
		word += n + 1;
		if (first) {
			ret = set_next(config, prefix, "binary", value);
			continue;
		}
		if (*value == '-' && value[1]) {
			char name[150];

			snprintf(name, sizeof(name), "%s", value + (value[1] == '-'));
			option = word < end && *word != '-' ? word : NULL;
			snprintf(value, sizeof(value), "%.*s",
				 option ? (int)strnlen(option, end - option) : 0, option ?: "");
			if (option)
				word += strnlen(option, end - option) + 1;
			ret = set_next(config, prefix, name,
				       secret(name, value) ? "(not recorded)" : value);
		} else {
			ret = set_next(config, prefix, "argument", value);
		}
	}
	return ret;
}

/* libvirt and KubeVirt start QEMU. */
static const char *prefix_of(enum nvx_vmm vmm)
{
	if (vmm == NVX_VMM_UNKNOWN)
		return "vmm";
	return vmm <= NVX_VMM_KUBEVIRT ? "qemu" : nvx_vmm__name(vmm);
}

int nvx_hostinfo__vm(const char *root, const struct nvx_vm *vm, struct nvx_config *config)
{
	char path[512], *data = NULL;
	size_t room = 0;
	ssize_t len = 0;
	int ret = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/proc/%u/cmdline", root, vm->pid);
	f = vm->pid ? fopen(path, "re") : NULL;
	if (!f)
		return 0;
	data = malloc(VALUE_MAX * 4);
	room = VALUE_MAX * 4;
	if (data)
		len = fread(data, 1, room, f);
	fclose(f);
	if (!data)
		return -ENOMEM;
	ret = nvx_hostinfo__cmdline(prefix_of(vm->id.vmm), data, len, config);
	free(data);
	return ret;
}
