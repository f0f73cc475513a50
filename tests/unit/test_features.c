// SPDX-License-Identifier: GPL-2.0-only
#include "unit.h"

#include "golden.h"
#include "model/features.h"
#include "source/switches.h"
#include "view/features.h"

static struct nvx_features *host(void)
{
	static struct nvx_feature_vm vms[3];
	static struct nvx_features f;

	f = (struct nvx_features){
		.module = true,
		.nr = 2,
		.info = {
			{.id = 0, .flags = NVX_SWITCH_LIVE, .min = 1, .max = 8, .stock = 1,
			 .name = "nested-vpid.slots", .effect = "next entry of each vCPU to L2"},
			{.id = 1, .min = 0, .max = 1, .name = "offer.something",
			 .effect = "before the VM starts"},
		},
		.defaults = {.state = {{.value = 4}, {.id = 1}}},
		.vm = vms,
		.nr_vms = 3,
	};
	vms[0] = (struct nvx_feature_vm){.vm = 3, .pid = 4242, .vcpus = 2, .name = "web1",
		.state = {{.value = 8, .offered = 1, .negotiated = 2, .in_use = 3},
			  {.id = 1, .value = 1, .offered = 1}}};
	vms[1] = (struct nvx_feature_vm){.vm = 5, .pid = 4343, .vcpus = 1, .name = "db",
		.state = {{.value = 1},
			  {.id = 1, .offered = NVX_SWITCH_UNKNOWN, .negotiated = NVX_SWITCH_UNKNOWN,
			   .in_use = NVX_SWITCH_UNKNOWN}}};
	vms[2] = (struct nvx_feature_vm){.vm = 6, .pid = 4444, .vcpus = 1, .name = "db"};
	return &f;
}

static void changes(void **state)
{
	static const struct {
		const char *text;
		int err;
		const char *why;
	} cases[] = {
		{"nested-vpid.slots=8", 0, ""},
		{"nested-vpid.slots=0x2", 0, ""},
		{"nested-vpid.slots=0", -ERANGE, "nested-vpid.slots takes 1 to 8, not `0`"},
		{"nested-vpid.slots=9", -ERANGE, "nested-vpid.slots takes 1 to 8, not `9`"},
		{"nested-vpid.slots=-1", -EINVAL, "nested-vpid.slots takes 1 to 8, not `-1`"},
		{"nested-vpid.slots=", -EINVAL, "nested-vpid.slots takes 1 to 8, not ``"},
		{"nested-vpid.slots=4294967297", -ERANGE,
		 "nested-vpid.slots takes 1 to 8, not `4294967297`"},
		{"nested-vpid.slots", -EINVAL, "`nested-vpid.slots` is not NAME=VALUE"},
		{"nested-vpid.slot=1", -ENOENT,
		 "no switch `nested-vpid.slot`; there are: nested-vpid.slots offer.something"},
		{"=1", -ENOENT, "no switch ``; there are: nested-vpid.slots offer.something"},
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct nvx_feature_change change = {0};
		char why[256] = "";
		int err = nvx_features__parse(host(), cases[i].text, &change, why, sizeof(why));

		assert_string_equal(why, cases[i].why);
		assert_int_equal(err, cases[i].err);
		assert_int_equal(!!change.info, !err);
	}
}

/* No room for what there is to say: cut, never written beyond. */
static void short_buffer(void **state)
{
	struct nvx_feature_change change;

	(void)state;
	for (size_t size = 1; size < 80; size++) {
		char *why = malloc(size);

		assert_int_equal(nvx_features__parse(host(), "none=1", &change, why, size), -ENOENT);
		assert_true(strlen(why) < size);
		free(why);
	}
}

static void vms_by_name(void **state)
{
	const struct nvx_feature_vm *vm = NULL;

	(void)state;
	assert_int_equal(nvx_features__find(host(), "web1", &vm), 1);
	assert_int_equal(vm->vm, 3);
	assert_int_equal(nvx_features__find(host(), "4343", &vm), 1);
	assert_int_equal(vm->vm, 5);
	assert_int_equal(nvx_features__find(host(), "db", &vm), 2);
	assert_int_equal(nvx_features__find(host(), "d", &vm), 0);
	assert_int_equal(nvx_features__find(host(), "0", &vm), 0);
	assert_int_equal(nvx_features__find(host(), "", &vm), 0);
}

static void view(const struct nvx_features *f, const char *name,
		 int (*print)(const struct nvx_features *f, FILE *out))
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(out);
	assert_int_equal(print(f, out), 0);
	assert_int_equal(fclose(out), 0);
	golden(name, text);
	free(text);
}

static void views(void **state)
{
	struct nvx_features none = {.reason = "the feature module is not loaded"};

	(void)state;
	view(host(), "features.txt", nvx_view_features__text);
	view(host(), "features.json", nvx_view_features__json);
	view(&none, "features-none.txt", nvx_view_features__text);
	view(&none, "features-none.json", nvx_view_features__json);
}

/* A file that is no device of ours: an error, and no VM is made up. */
static void not_the_device(void **state)
{
	struct nvx_features f;
	uint32_t value = 7;
	int fd;

	(void)state;
	assert_int_equal(nvx_switches__open("/nonexistent/nvx"), -ENOENT);
	fd = nvx_switches__open("/dev/null");
	assert_true(fd >= 0);
	assert_int_equal(nvx_switches__read(fd, &f), -ENOTTY);
	assert_null(f.vm);
	assert_int_equal(nvx_switches__set(fd, 1, 0, 1), -ENOTTY);
	assert_int_equal(nvx_switches__get(fd, 1, 0, &value), -ENOTTY);
	assert_int_equal(value, 7);
	close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changes), cmocka_unit_test(short_buffer),
		cmocka_unit_test(vms_by_name), cmocka_unit_test(views),
		cmocka_unit_test(not_the_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
