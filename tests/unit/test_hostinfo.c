// SPDX-License-Identifier: GPL-2.0-only
/* What a session keeps of host and VMs, and the switches of nvx tune, on made-up /proc and /sys. */
#include "unit.h"

#include "source/hostinfo.h"
#include "source/kvmswitch.h"

static int setup(void **state)
{
	char *dir = make_dir();

	put(dir, "proc/sys/kernel/osrelease", "6.1.0-test\n");
	put(dir, "proc/cpuinfo", "processor\t: 0\nmodel name\t: A CPU\nflags\t\t: fpu svm\n\n"
				 "processor\t: 1\nmodel name\t: B CPU\nflags\t\t: fpu\n");
	put(dir, "sys/module/kvm/parameters/halt_poll_ns", "200000\n");
	put(dir, "sys/module/kvm_amd/parameters/nested", "1\n");
	put(dir, "sys/devices/system/cpu/vulnerabilities/spectre_v2", "Mitigation: x\n");
	*state = dir;
	return 0;
}

static int teardown(void **state)
{
	rm_dir(*state);
	return 0;
}

static void host(void **state)
{
	struct nvx_config c = { 0 };

	assert_int_equal(nvx_hostinfo__host(*state, NULL, &c), 0);
	assert_string_equal(nvx_config__get(&c, "kernel.release"), "6.1.0-test");
	assert_string_equal(nvx_config__get(&c, "cpu.model"), "A CPU");
	assert_string_equal(nvx_config__get(&c, "cpu.flags"), "fpu svm");
	assert_string_equal(nvx_config__get(&c, "cpu.count"), "2");
	assert_string_equal(nvx_config__get(&c, "param.kvm.halt_poll_ns"), "200000");
	assert_string_equal(nvx_config__get(&c, "param.kvm_amd.nested"), "1");
	assert_string_equal(nvx_config__get(&c, "mitigation.spectre_v2"), "Mitigation: x");
	assert_null(nvx_config__get(&c, "kernel.ksm"));
	nvx_config__free(&c);
}

static void command_line(void **state)
{
	static const char args[] = "qemu\0-m\0" "2G\0-device\0a\0-device\0b\0-nodefaults\0-object\0"
				   "secret,id=s,data=hunter2\0--flag\0last";
	struct nvx_config c = { 0 };

	(void)state;
	/* without the last NUL, as a process may leave it */
	assert_int_equal(nvx_hostinfo__cmdline("qemu", args, sizeof(args) - 1, &c), 0);
	assert_string_equal(nvx_config__get(&c, "qemu.binary"), "qemu");
	assert_string_equal(nvx_config__get(&c, "qemu.-m"), "2G");
	assert_string_equal(nvx_config__get(&c, "qemu.-device"), "a");
	assert_string_equal(nvx_config__get(&c, "qemu.-device.2"), "b");
	assert_string_equal(nvx_config__get(&c, "qemu.-nodefaults"), "");
	assert_string_equal(nvx_config__get(&c, "qemu.-flag"), "last");
	assert_string_equal(nvx_config__get(&c, "qemu.-object"), "(not recorded)");
	for (size_t i = 0; i < c.nr; i++)
		assert_null(strstr(c.item[i].value, "hunter2"));
	nvx_config__free(&c);
}

static void switches(void **state)
{
	char err[NVX_SWITCH_ERR], path[300];
	struct nvx_switch s;

	assert_int_equal(nvx_switch__find(*state, "nonsense", &s, err), -ENOENT);
	/* without the feature module its switches are none of those that there are */
	assert_int_equal(nvx_switch__find_feature("/nonexistent", "nested-vpid.slots", "web1", 0,
						  &s, err), -ENODEV);
	assert_non_null(strstr(err, "halt_poll_ns"));
	assert_int_equal(nvx_switch__find(*state, "kvm_amd.halt_poll_ns", &s, err), -ENOENT);
	assert_int_equal(nvx_switch__find(*state, "../halt_poll_ns", &s, err), -ENOENT);
	assert_int_equal(nvx_switch__find(*state, "halt_poll_ns", &s, err), 0);
	assert_string_equal(s.name, "kvm.halt_poll_ns");
	assert_string_equal(s.original, "200000");
	snprintf(path, sizeof(path), "%s/sys/module/kvm/parameters/halt_poll_ns", (char *)*state);
	assert_int_equal(truncate(path, 0), 0);
	assert_int_equal(nvx_switch__set(&s, "7", err), 0);
	assert_int_equal(truncate(path, 0), 0);
	assert_int_equal(nvx_switch__restore(&s, err), 0);
	assert_int_equal(nvx_switch__find(*state, "kvm.halt_poll_ns", &s, err), 0);
	assert_string_equal(s.original, "200000");
	/* a file keeps what stood behind a shorter text, a parameter does not: it did not take */
	assert_int_equal(nvx_switch__set(&s, "5", err), -EINVAL);
	assert_non_null(strstr(err, "reads 500000"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(host, setup, teardown),
		cmocka_unit_test_setup_teardown(command_line, setup, teardown),
		cmocka_unit_test_setup_teardown(switches, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
