// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include "source/vmname.h"
#include "util/utf8.h"

#define FIXTURES "tests/unit/fixtures/cmdline/"

/* Read a fixture, one argument a line, as the kernel would give it: each ends in NUL. */
static size_t load(const char *name, char *buf, size_t size)
{
	char path[256];
	size_t len;
	FILE *f;

	snprintf(path, sizeof(path), FIXTURES "%s.args", name);
	f = fopen(path, "r");
	assert_non_null(f);
	len = fread(buf, 1, size, f);
	assert_true(len > 0 && len < size);
	fclose(f);
	for (size_t i = 0; i < len; i++)
		if (buf[i] == '\n')
			buf[i] = '\0';
	return len;
}

static void fixtures(void **state)
{
	static const struct {
		const char *file;
		enum nvx_vmm vmm;
		const char *name, *ns, *uuid;
	} cases[] = {
		{"qemu-plain", NVX_VMM_QEMU, "web01", "", "6ba7b810-9dad-11d1-80b4-00c04fd430c8"},
		{"proxmox", NVX_VMM_QEMU, "db-primary", "", ""},
		{"libvirt", NVX_VMM_LIBVIRT, "win11", "", "0d7b9a9e-55b2-4a7e-a7d2-3a3b8f0c9f11"},
		{"libvirt-commas", NVX_VMM_LIBVIRT, "a,b=c,", "", ""},
		{"kubevirt", NVX_VMM_KUBEVIRT, "vm_one", "team-a",
		 "5a9fc181-957e-5c32-9e5a-2de5e9673531"},
		{"firecracker", NVX_VMM_FIRECRACKER, "b1d2-micro", "", ""},
		{"firecracker-jailed", NVX_VMM_FIRECRACKER, "551e7604-e35c-42b3-b825-416853441234",
		 "", ""},
		{"cloud-hypervisor", NVX_VMM_CLOUD_HYPERVISOR, "build-42", "",
		 "deadbeef-0000-4000-8000-00000000cafe"},
		{"kata-clh", NVX_VMM_CLOUD_HYPERVISOR, "9f3c0b6d7a", "", ""},
		{"crosvm", NVX_VMM_CROSVM, "termina", "", ""},
		{"crosvm-socket", NVX_VMM_CROSVM, "penguin", "", ""},
	};
	char cmdline[4096];

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		size_t len = load(cases[i].file, cmdline, sizeof(cmdline));
		struct nvx_vmname vm;

		nvx_vmname__parse(cmdline, len, "main", 42, &vm);
		assert_int_equal(vm.vmm, cases[i].vmm);
		assert_string_equal(vm.name, cases[i].name);
		assert_string_equal(vm.ns, cases[i].ns);
		assert_string_equal(vm.uuid, cases[i].uuid);
		assert_false(vm.fallback);
		/* the last NUL may be missing: a process can overwrite it */
		nvx_vmname__parse(cmdline, len - 1, "main", 42, &vm);
		assert_string_equal(vm.uuid, cases[i].uuid);
		assert_string_equal(vm.name, cases[i].name);
	}
}

struct odd {
	const char *args;
	size_t len;
	enum nvx_vmm vmm;
	const char *name;
	bool fallback;
};

#define ODD(args, vmm, name, fallback)                                                             \
	{                                                                                          \
		args, sizeof(args), vmm, name, fallback                                            \
	}

static void odd_lines(void **state)
{
	static const struct odd cases[] = {
		{"", 0, NVX_VMM_UNKNOWN, "comm-42", true}, /* a kernel thread */
		ODD("", NVX_VMM_UNKNOWN, "comm-42", true),
		ODD("\0\0\0", NVX_VMM_UNKNOWN, "comm-42", true),
		ODD("/", NVX_VMM_UNKNOWN, "comm-42", true),
		ODD("////", NVX_VMM_UNKNOWN, "comm-42", true),
		ODD("bash\0-name\0x", NVX_VMM_UNKNOWN, "comm-42", true),
		ODD("qemu-system-x86_64", NVX_VMM_QEMU, "comm-42", true),
		ODD("qemu-system-x86_64\0-name", NVX_VMM_QEMU, "comm-42", true),
		ODD("qemu-system-x86_64\0-name\0", NVX_VMM_QEMU, "comm-42", true),
		ODD("qemu-system-x86_64\0-name\0debug-threads=on", NVX_VMM_QEMU, "comm-42", true),
		ODD("qemu-system-x86_64\0-name\0,,,,", NVX_VMM_QEMU, ",,", false),
		ODD("qemu-system-x86_64\0-name\0guest=", NVX_VMM_QEMU, "comm-42", true),
		ODD("qemu-system-x86_64\0-name\0process=p,guest=g", NVX_VMM_QEMU, "g", false),
		ODD("qemu-system-x86_64\0--name\0two-dashes", NVX_VMM_QEMU, "two-dashes", false),
		ODD("qemu-system-x86_64\0-name\0a\0-name\0b", NVX_VMM_QEMU, "b", false),
		ODD("qemu-system-x86_64\0-name\0a\nb \"c\" 'd'", NVX_VMM_QEMU, "a?b \"c\" 'd'",
		    false),
		ODD("qemu-system-x86_64\0-name\0b\xc3\xbcro", NVX_VMM_QEMU, "b\xc3\xbcro", false),
		ODD("qemu-system-x86_64\0-name\0\xff\xfe\x1b[31m", NVX_VMM_QEMU, "???[31m", false),
		ODD("qemu-system-x86_64\0-name\0x\0-uuid\0not-a-uuid", NVX_VMM_QEMU, "x", false),
		ODD("firecracker\0--id", NVX_VMM_FIRECRACKER, "comm-42", true),
		ODD("firecracker\0--id=", NVX_VMM_FIRECRACKER, "comm-42", true),
		ODD("cloud-hypervisor\0--api-socket\0fd=3", NVX_VMM_CLOUD_HYPERVISOR, "comm-42",
		    true),
		ODD("cloud-hypervisor\0--api-socket\0/tmp/api.sock", NVX_VMM_CLOUD_HYPERVISOR,
		    "api", false),
		ODD("cloud-hypervisor\0--api-socket=vm7.sock", NVX_VMM_CLOUD_HYPERVISOR, "vm7",
		    false),
		ODD("cloud-hypervisor\0--api-socket\0.sock", NVX_VMM_CLOUD_HYPERVISOR, ".sock",
		    false),
		ODD("cloud-hypervisor\0--api-socket\0api", NVX_VMM_CLOUD_HYPERVISOR, "api", false),
		ODD("cloud-hypervisor\0--api-socket\0/", NVX_VMM_CLOUD_HYPERVISOR, "/", false),
		ODD("crosvm\0run\0--name", NVX_VMM_CROSVM, "comm-42", true),
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		/* a copy of the exact size, so that a read past the end is caught */
		char *copy = malloc(cases[i].len ? cases[i].len : 1);
		struct nvx_vmname vm;

		memcpy(copy, cases[i].args, cases[i].len);
		nvx_vmname__parse(copy, cases[i].len, "comm", 42, &vm);
		assert_string_equal(vm.name, cases[i].name);
		assert_int_equal(vm.vmm, cases[i].vmm);
		assert_int_equal(vm.fallback, cases[i].fallback);
		assert_string_equal(vm.uuid, "");
		free(copy);
	}
}

/* The program may be unreadable; the kernel's short name still tells the VMM. */
static void by_comm(void **state)
{
	struct nvx_vmname vm;

	(void)state;
	nvx_vmname__parse("", 0, "qemu-system-x86", 7, &vm);
	assert_int_equal(vm.vmm, NVX_VMM_QEMU);
	assert_string_equal(vm.name, "qemu-system-x86-7");
	nvx_vmname__parse("", 0, "cloud-hyperviso", 7, &vm);
	assert_int_equal(vm.vmm, NVX_VMM_CLOUD_HYPERVISOR);
	nvx_vmname__parse("", 0, "", 7, &vm);
	assert_string_equal(vm.name, "pid-7");
	nvx_vmname__parse("", 0, "a\033b\n", 7, &vm);
	assert_string_equal(vm.name, "a?b?-7");
}

static void long_names(void **state)
{
	static char line[1 << 20];
	struct nvx_vmname vm;
	size_t head = sizeof("qemu-kvm\0-name");

	(void)state;
	/* one MiB of name, without a NUL: cut at a character's border */
	memcpy(line, "qemu-kvm\0-name", head);
	for (size_t i = head; i + 2 < sizeof(line); i += 3)
		memcpy(line + i, "東", 3);
	nvx_vmname__parse(line, sizeof(line), "comm", 1, &vm);
	assert_int_equal(strlen(vm.name), (sizeof(vm.name) - 1) / 3 * 3);
	/* one MiB of commas, of `=`, of NULs, of dashes */
	for (const char *c = ",=-\xff"; *c; c++) {
		memset(line + head, *c, sizeof(line) - head);
		nvx_vmname__parse(line, sizeof(line), "comm", 1, &vm);
		assert_true(strlen(vm.name) > 0);
	}
	memset(line + head, 0, sizeof(line) - head);
	nvx_vmname__parse(line, sizeof(line), "comm", 1, &vm);
	assert_string_equal(vm.name, "comm-1");
}

/* Random bytes behind each VMM's name: always a name, always printable UTF-8. */
static void random_bytes(void **state)
{
	static const char *const programs[] = {"qemu-kvm", "firecracker", "cloud-hypervisor",
					       "crosvm"};
	static const char *const pieces[] = {
		"-name",  "--id",  "--api-socket", "--platform", "uuid=", "path=",
		"guest=", ",",	   ",,",	   "=",		 "_",	  "/kubevirt",
		"--name", "-uuid", ".sock",	   "/"};
	uint64_t seed = 1;

	(void)state;
	for (int round = 0; round < 20000; round++) {
		char line[256];
		size_t len = (size_t)snprintf(line, sizeof(line), "%s",
					      programs[round % ARRAY_SIZE(programs)]) +
			     1;
		struct nvx_vmname vm;
		char *copy;

		while (len < 200) {
			seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
			if (seed >> 63) {
				const char *piece = pieces[(seed >> 33) % ARRAY_SIZE(pieces)];

				len += (size_t)sprintf(line + len, "%s", piece);
				len += seed >> 40 & 1;
			} else {
				line[len++] = (char)(seed >> 48);
			}
			if ((seed >> 50) % 16 == 0)
				break;
		}
		copy = malloc(len);
		memcpy(copy, line, len);
		nvx_vmname__parse(copy, len, "c", 3, &vm);
		free(copy);
		assert_true(vm.name[0]);
		for (size_t i = 0, n; vm.name[i]; i += n) {
			uint32_t cp;

			n = nvx_utf8__decode(vm.name + i, strlen(vm.name + i), &cp);
			assert_true(n > 0 && nvx_utf8__printable(cp));
		}
	}
}

static void from_proc(void **state)
{
	char *proc = make_dir(), cmdline[4096];
	static char big[3 << 20];
	struct nvx_vmname vm;
	size_t len = load("libvirt", cmdline, sizeof(cmdline));

	(void)state;
	put_bytes(proc, "100/cmdline", cmdline, len);
	put(proc, "100/comm", "qemu-system-x86\n");
	assert_int_equal(nvx_vmname__read(proc, 100, &vm), 0);
	assert_string_equal(vm.name, "win11");

	/* a kernel thread: an empty command line */
	put(proc, "101/cmdline", "");
	put(proc, "101/comm", "kvm-pit/100\n");
	assert_int_equal(nvx_vmname__read(proc, 101, &vm), 0);
	assert_string_equal(vm.name, "kvm-pit/100-101");
	assert_int_equal(vm.vmm, NVX_VMM_UNKNOWN);

	/* gone */
	assert_int_equal(nvx_vmname__read(proc, 102, &vm), -ESRCH);
	assert_string_equal(vm.name, "pid-102");

	/* gone between the two reads */
	put(proc, "103/comm", "qemu-system-x86\n");
	assert_int_equal(nvx_vmname__read(proc, 103, &vm), -ESRCH);
	assert_string_equal(vm.name, "qemu-system-x86-103");

	/* three MiB: read up to the limit, the name is in front */
	memset(big, 'x', sizeof(big));
	memcpy(big, cmdline, len);
	put_bytes(proc, "104/cmdline", big, sizeof(big));
	assert_int_equal(nvx_vmname__read(proc, 104, &vm), 0);
	assert_string_equal(vm.name, "win11");

	/* a directory where a file should be */
	put(proc, "105/cmdline/", "");
	assert_int_equal(nvx_vmname__read(proc, 105, &vm), 0);
	assert_string_equal(vm.name, "pid-105");
	rm_dir(proc);

	/* and the real one: this very test */
	assert_int_equal(nvx_vmname__read("/proc", (uint32_t)getpid(), &vm), 0);
	assert_true(vm.fallback);
}

/* What /proc has of VMs in pods, by both cgroup drivers and versions, and of one in none. */
static void pods(void **state)
{
	static const char uid[] = "7f3c9a52-1f0e-4a7b-9a55-0c2d3e4f5a6b";
	struct nvx_vmname vm;

	(void)state;
	for (uint32_t pid = 3101; pid <= 3103; pid++) {
		assert_int_equal(nvx_vmname__read("tests/unit/fixtures/proc-kubevirt", pid, &vm), 0);
		assert_int_equal(vm.vmm, NVX_VMM_KUBEVIRT);
		assert_string_equal(vm.name, "vm_one");
		assert_string_equal(vm.ns, "team-a");
		assert_string_equal(vm.pod, uid);
	}
	assert_int_equal(nvx_vmname__read("tests/unit/fixtures/proc-kubevirt", 3104, &vm), 0);
	assert_string_equal(vm.pod, "");
	/* cut short, or no UUID: none */
	nvx_vmname__pod("0::/kubepods/pod7f3c9a52-1f0e-4a7b-9a55-0c2d3e4f5a6", 51, &vm);
	assert_string_equal(vm.pod, "");
	nvx_vmname__pod("podpodpod", 9, &vm);
	assert_string_equal(vm.pod, "");
	nvx_vmname__pod("/pod/pod7F3C9A52-1f0e-4a7b-9a55-0c2d3e4f5a6b", 44, &vm);
	assert_string_equal(vm.pod, uid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fixtures),	cmocka_unit_test(odd_lines),
		cmocka_unit_test(by_comm),	cmocka_unit_test(long_names),
		cmocka_unit_test(random_bytes), cmocka_unit_test(from_proc),
		cmocka_unit_test(pods),
	};

	return cmocka_run_group_tests_name("vmname", tests, NULL, NULL);
}
