// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every program of every object loads on this kernel, whether or not it has the
 * tracepoint: its verifier and its BTF are what is tested.
 */
#include "bpf_test.h"

#include "source/live_classic.h"

static char log_buf[1 << 20];

/* fentry programs need their function to load at all; the labs have KVM's. */
static bool needs_target(const struct bpf_program *p)
{
	return bpf_program__expected_attach_type(p) == BPF_TRACE_FENTRY ||
	       bpf_program__expected_attach_type(p) == BPF_TRACE_FEXIT;
}

/* What the verifier of this kernel takes for a program; its limit is a million instructions. */
#define BUDGET 200000

/* Where a kernel's record of kvm_exit has its fields, for objects that are made for it. */
struct record {
	int offset[NVX_EXIT_FIELDS];
};

static unsigned long load_one(const char *path, const char *name, const struct record *record)
{
	LIBBPF_OPTS(bpf_object_open_opts, o, .kernel_log_buf = log_buf,
		    .kernel_log_size = sizeof(log_buf), .kernel_log_level = 4);
	struct bpf_object *obj = bpf_object__open_file(path, &o);
	unsigned long processed = 0;
	struct nvx_cfg cfg = { 0 };
	struct bpf_program *p;
	const char *stats;
	int ret;

	assert_non_null(obj);
	if (record)
		assert_int_equal(nvx_classic__place(obj, record->offset, &cfg), 0);
	bpf_object__for_each_program(p, obj)
		bpf_program__set_autoload(p, !strcmp(bpf_program__name(p), name));
	*log_buf = '\0';
	ret = bpf_object__load(obj);
	if (ret)
		fail_msg("%s, %s: %s\n%.4000s", path, name, strerror(-ret), log_buf);
	assert_true(bpf_program__fd(bpf_object__find_program_by_name(obj, name)) >= 0);
	stats = strstr(log_buf, "processed ");
	if (stats)
		processed = strtoul(stats + strlen("processed "), NULL, 10);
	bpf_object__close(obj);
	return processed;
}

static void load(const char *path, const struct record *record)
{
	struct bpf_object *obj = bpf_object__open_file(path, NULL);
	struct bpf_program *p;
	int nr = 0;

	assert_non_null(obj);
	bpf_object__for_each_program(p, obj) {
		unsigned long processed;

		if (needs_target(p))
			continue;
		processed = load_one(path, bpf_program__name(p), record);
		if (!processed || processed > BUDGET)
			fail_msg("%s, %s: the verifier went through %lu instructions", path,
				 bpf_program__name(p), processed);
		nr++;
	}
	assert_true(nr > 5);
	bpf_object__close(obj);
}

static void btf(void **state)
{
	(void)state;
	load(BPF_DIR "/btf.bpf.o", NULL);
}

static void classic(void **state)
{
	/* Debian's 6.1, and a kernel from before the record told more than the reason */
	static const struct record records[] = {
		{ { [NVX_FIELD_REASON] = 8, [NVX_FIELD_ISA] = 24, [NVX_FIELD_VCPU] = 56,
		    [NVX_FIELD_INFO1] = 32, [NVX_FIELD_INFO2] = 40 } },
		{ { [NVX_FIELD_REASON] = 8, [NVX_FIELD_ISA] = 24, [NVX_FIELD_VCPU] = -ENOENT,
		    [NVX_FIELD_INFO1] = -ENOENT, [NVX_FIELD_INFO2] = -ENOENT } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(records); i++)
		load(BPF_DIR "/classic.bpf.o", &records[i]);
}

static void module(void **state)
{
	(void)state;
	load(BPF_DIR "/module.bpf.o", NULL);
}

/* The way `nvx stat` does it, down to the attached tracepoints of this machine's KVM. */
static void attach(void **state)
{
	struct nvx_live_opts o = { .tier = NVX_TIER_BTF, .max_vcpus = 8 };
	struct nvx_probe probe = { .exit_args = NVX_EXIT_ARGS_VCPU_FIRST, .may_load = true };
	char err[NVX_LIVE_ERR] = "";
	struct nvx_live *live = NULL;
	struct nvx_sample *s = NULL;

	(void)state;
	if (nvx_live__open(&o, &probe, &live, err))
		fail_msg("open: %s", err);
	if (nvx_live__attach(live, err))
		fail_msg("attach: %s", err);
	assert_true(live->nr_links > 5);
	assert_int_equal(nvx_live__sample(live, &s), 0);
	assert_int_equal(s->nr, 0);
	nvx_sample__free(s);
	nvx_live__close(live);
}

static int no_messages(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	(void)level;
	(void)fmt;
	(void)ap;
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(btf),
		cmocka_unit_test(classic),
		cmocka_unit_test(module),
		cmocka_unit_test(attach),
	};
	const struct CMUnitTest without_kvm[] = {
		cmocka_unit_test(btf),
		cmocka_unit_test(classic),
		cmocka_unit_test(module),
	};

	need_bpf();
	libbpf_set_print(no_messages);
	if (getenv("NVX_DEBUG"))
		nvx_log_level = NVX_LOG_DEBUG;
	if (access("/sys/module/kvm", F_OK)) {
		puts("# attach: not run, this kernel has no KVM loaded");
		return cmocka_run_group_tests_name("load", without_kvm, NULL, NULL);
	}
	return cmocka_run_group_tests_name("load", tests, NULL, NULL);
}
