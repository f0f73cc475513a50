// SPDX-License-Identifier: GPL-2.0-only
#include <fcntl.h>
#include <jansson.h>

#include "golden.h"
#include "probe_fixture.h"

#include "source/probe.h"
#include "view/probe.h"

/* Probe a fixture host from inside its directory, so that the paths it reports are fixed. */
static void probe_in(const char *dir, struct nvx_probe *p)
{
	const struct nvx_probe_roots roots = {.proc = "proc", .sys = "sys", .dev = "dev"};
	int here = open(".", O_RDONLY | O_DIRECTORY);

	assert_true(here >= 0);
	assert_int_equal(chdir(dir), 0);
	assert_int_equal(nvx_probe__run(&roots, p), 0);
	assert_int_equal(fchdir(here), 0);
	close(here);
	/* a full table drops rows silently */
	assert_true(p->nr_rows < NVX_PROBE_ROWS_MAX);
}

static void probe_host(const struct host *host, struct nvx_probe *p)
{
	char *dir = make_host(host);

	probe_in(dir, p);
	rm_dir(dir);
}

static const struct nvx_probe_row *row(const struct nvx_probe *p, const char *id)
{
	for (size_t i = 0; i < p->nr_rows; i++)
		if (!strcmp(p->row[i].id, id))
			return &p->row[i];
	fail_msg("no row %s", id);
	return NULL;
}

struct expect {
	const char *what;
	struct host host;
	enum nvx_tier tier, tier_root;
	/* a letter a section: y available, p in part, n not */
	const char *sections;
	/* part of the reason */
	const char *reason;
};

static const struct expect hosts[] = {
	{"SVM, all there", {0}, NVX_TIER_BTF, NVX_TIER_BTF, "yyyyyyy", "not loaded"},
	{"VMX", {.intel = true}, NVX_TIER_BTF, NVX_TIER_BTF, "yyyyyyy", "not loaded"},
	{"VMX with vt", {.intel = true, .vt = true}, NVX_TIER_BTF, NVX_TIER_BTF, "yyyyyyy", ""},
	{"built in", {.builtin = true}, NVX_TIER_BTF, NVX_TIER_BTF, "yyyyyyy", ""},
	{"SVM 5.10", {.old = true, .no_stat = true}, NVX_TIER_BTF, NVX_TIER_BTF, "yyyyyyy", ""},
	/* kvm_nested_vmrun is SVM's: no event for a nested entry on VMX */
	{"VMX 5.10", {.intel = true, .old = true}, NVX_TIER_BTF, NVX_TIER_BTF, "yyynyyy", ""},
	{"no regs", {.no_regs = true}, NVX_TIER_BTF, NVX_TIER_BTF, "ynyynyy", ""},
	{"no module BTF",
	 {.no_module_btf = true},
	 NVX_TIER_CLASSIC,
	 NVX_TIER_CLASSIC,
	 "pnyynnp",
	 "module kvm has no BTF"},
	{"no BTF",
	 {.no_btf = true},
	 NVX_TIER_CLASSIC,
	 NVX_TIER_CLASSIC,
	 "pnyynnp",
	 "the kernel has no BTF"},
	{"no tracefs", {.no_tracefs = true}, NVX_TIER_BTF, NVX_TIER_BTF, "yyyyyyy", ""},
	{"no BTF, no tracefs",
	 {.no_btf = true, .no_tracefs = true},
	 NVX_TIER_NONE,
	 NVX_TIER_NONE,
	 "nnnnnnn",
	 "the kernel has no BTF (CONFIG_DEBUG_INFO_BTF), and tracefs is not"},
	{"no KVM", {.no_kvm = true}, NVX_TIER_NONE, NVX_TIER_NONE, "nnnnnnn", "KVM is not loaded"},
	{"no vendor",
	 {.no_vendor = true},
	 NVX_TIER_NONE,
	 NVX_TIER_NONE,
	 "nnnnnnn",
	 "neither kvm_intel nor kvm_amd"},
	{"another vendor",
	 {.no_vendor = true, .other_module = "kvm_pvm"},
	 NVX_TIER_NONE,
	 NVX_TIER_NONE,
	 "nnnnnnn",
	 "KVM runs here on kvm_pvm"},
	{"a rival module",
	 {.other_module = "kvm_extra"},
	 NVX_TIER_BTF,
	 NVX_TIER_BTF,
	 "yyyyyyy",
	 ""},
	{"nvx module",
	 {.intel = true, .module = true, .no_module_btf = true},
	 NVX_TIER_MODULE,
	 NVX_TIER_MODULE,
	 "yyyypyp",
	 ""},
	{"nested off", {.no_nested = true}, NVX_TIER_BTF, NVX_TIER_BTF, "yyynyyy", ""},
	{"user", {.user = true}, NVX_TIER_NONE, NVX_TIER_BTF, "yyyyyyy", "run nvx as root"},
	{"user without BTF",
	 {.user = true, .no_btf = true},
	 NVX_TIER_NONE,
	 NVX_TIER_CLASSIC,
	 "pnyynnp",
	 "run nvx as root"},
	{"container", {.userns = true}, NVX_TIER_NONE, NVX_TIER_BTF, "yyyyyyy", "user namespace"},
	{"lockdown",
	 {.lockdown = "none integrity [confidentiality]\n"},
	 NVX_TIER_NONE,
	 NVX_TIER_NONE,
	 "nnnnnnn",
	 "lockdown"},
	{"integrity",
	 {.lockdown = "none [integrity] confidentiality\n"},
	 NVX_TIER_BTF,
	 NVX_TIER_BTF,
	 "yyyyyyy",
	 ""},
};

static char section_letter(const struct nvx_probe_section *s)
{
	if (s->have != NVX_HAVE_YES)
		return 'n';
	return s->partial ? 'p' : 'y';
}

static void conclusions(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(hosts); i++) {
		const struct expect *e = &hosts[i];
		char sections[NVX_SECTION_COUNT + 1] = "";
		struct nvx_probe p;

		probe_host(&e->host, &p);
		for (int k = 0; k < NVX_SECTION_COUNT; k++)
			sections[k] = section_letter(&p.section[k]);
		if (p.tier != e->tier || p.tier_root != e->tier_root ||
		    strcmp(sections, e->sections) || !strstr(p.tier_reason, e->reason))
			fail_msg("%s: tier %s, as root %s, sections %s, reason: %s", e->what,
				 nvx_tier__id(p.tier), nvx_tier__id(p.tier_root), sections,
				 p.tier_reason);
		/* whatever is not there in full says why */
		for (int k = 0; k < NVX_SECTION_COUNT; k++)
			assert_int_equal(sections[k] == 'y', p.section[k].reason[0] == '\0');
	}
}

static void facts_svm(void **state)
{
	const struct host host = {0};
	struct nvx_probe p;

	(void)state;
	probe_host(&host, &p);
	assert_string_equal(p.release, "6.12.0-fixture");
	assert_int_equal(p.cpu, NVX_CPU_AMD);
	assert_true(p.cpu_virt);
	assert_string_equal(p.vendor_module, "kvm_amd");
	assert_int_equal(p.exit_args, NVX_EXIT_ARGS_VCPU_FIRST);
	assert_int_equal(p.field[NVX_FIELD_GUEST_MODE], NVX_HAVE_YES);
	assert_int_equal(p.field[NVX_FIELD_REGS], NVX_HAVE_YES);
	assert_int_equal(p.field[NVX_FIELD_SVM_VMCB12], NVX_HAVE_YES);
	assert_int_equal(p.tp[NVX_PROBE_TP_NESTED_VMENTER], NVX_HAVE_YES);
	assert_int_equal(p.tp[NVX_PROBE_TP_NESTED_VMRUN], NVX_HAVE_NO);
	assert_int_equal(p.nested, NVX_HAVE_YES);
	assert_int_equal(p.dev_kvm, NVX_HAVE_NO);
	assert_true(p.may_load && p.may_module_btf && p.init_userns);
	assert_false(p.kvm_builtin);
	assert_int_equal(row(&p, "avic")->have, NVX_HAVE_NO);
	assert_true(row(&p, "avic")->consequence[0]);
	assert_int_equal(row(&p, "npt")->have, NVX_HAVE_YES);
	assert_string_equal(row(&p, "npt")->consequence, "");
	assert_int_equal(row(&p, "vgif")->have, NVX_HAVE_UNKNOWN);
}

static void facts_layouts(void **state)
{
	const struct host flat = {.intel = true}, vt = {.intel = true, .vt = true};
	const struct host old = {.old = true, .no_stat = true};
	struct nvx_probe p;

	(void)state;
	probe_host(&flat, &p);
	assert_int_equal(p.vmx_layout, NVX_VMX_EXIT_REASON);
	assert_int_equal(p.cpu, NVX_CPU_INTEL);
	probe_host(&vt, &p);
	assert_int_equal(p.vmx_layout, NVX_VMX_VT_EXIT_REASON);
	assert_int_equal(p.field[NVX_FIELD_VMX_EXIT_QUAL], NVX_HAVE_YES);
	assert_string_equal(row(&p, "vcpu_vmx.exit_reason")->detail, "vcpu_vmx.vt.exit_reason");
	probe_host(&old, &p);
	assert_int_equal(p.exit_args, NVX_EXIT_ARGS_REASON_FIRST);
	assert_int_equal(p.field[NVX_FIELD_GUEST_MODE], NVX_HAVE_NO);
	assert_int_equal(p.field[NVX_FIELD_HFLAGS], NVX_HAVE_YES);
	assert_int_equal(p.tp[NVX_PROBE_TP_NESTED_VMRUN], NVX_HAVE_YES);
}

/* --source: a tier that is there is taken, another says why not. */
static void chosen_tier(void **state)
{
	const struct host all = {0}, no_btf = {.no_module_btf = true}, user = {.user = true};
	struct nvx_probe p;

	(void)state;
	probe_host(&all, &p);
	assert_null(nvx_probe__use(&p, NVX_TIER_CLASSIC));
	assert_int_equal(p.tier, NVX_TIER_CLASSIC);
	assert_int_equal(p.section[NVX_SECTION_MSRS].have, NVX_HAVE_NO);
	assert_null(nvx_probe__use(&p, NVX_TIER_BTF));
	assert_int_equal(p.section[NVX_SECTION_MSRS].have, NVX_HAVE_YES);
	assert_non_null(strstr(nvx_probe__use(&p, NVX_TIER_MODULE), "not loaded"));
	assert_int_equal(p.tier, NVX_TIER_BTF);
	probe_host(&no_btf, &p);
	assert_non_null(strstr(nvx_probe__use(&p, NVX_TIER_BTF), "no BTF"));
	probe_host(&user, &p);
	assert_non_null(strstr(nvx_probe__use(&p, NVX_TIER_BTF), "run nvx as root"));
	assert_int_equal(p.tier, NVX_TIER_NONE);
}

/* tracefs is closed to users: BTF tells them which tracepoints there are. */
static void unreadable_tracefs(void **state)
{
	const struct host with = {.user = true}, without = {.user = true, .no_btf = true};
	struct nvx_probe p;
	char path[256];

	(void)state;
	if (geteuid())
		skip(); /* nothing is unreadable to its owner, and only root can become another */
	for (int i = 0; i < 2; i++) {
		char *dir = make_host(i ? &without : &with);

		snprintf(path, sizeof(path), "%s/sys/kernel/tracing", dir);
		assert_int_equal(chmod(dir, 0755), 0);
		assert_int_equal(chmod(path, 0700), 0);
		assert_int_equal(seteuid(65534), 0);
		probe_in(dir, &p);
		assert_int_equal(seteuid(0), 0);
		rm_dir(dir);
		assert_int_equal(p.tracefs, NVX_HAVE_UNKNOWN);
		assert_int_equal(p.nvx_tp, NVX_HAVE_UNKNOWN);
		assert_int_equal(p.tp[NVX_PROBE_TP_KVM_EXIT], i ? NVX_HAVE_UNKNOWN : NVX_HAVE_YES);
		assert_int_equal(p.tp[NVX_PROBE_TP_NESTED_VMRUN],
				 i ? NVX_HAVE_UNKNOWN : NVX_HAVE_NO);
		assert_int_equal(p.tier, NVX_TIER_NONE);
		assert_int_equal(p.tier_root, i ? NVX_TIER_CLASSIC : NVX_TIER_BTF);
	}
}

/* Files that are not what their name says are findings, never crashes. */
static void broken_files(void **state)
{
	static const char garbage[] = "\x9f\xeb\x01\x00 this is no BTF";
	const struct host host = {0};
	struct nvx_probe p;
	char *dir = make_host(&host);

	(void)state;
	put_bytes(dir, "sys/kernel/btf/kvm_amd", garbage, sizeof(garbage));
	put(dir, "dev/kvm", "a plain file");
	put(dir, "sys/module/kvm_amd/parameters/nested", "");
	put(dir, "proc/cpuinfo", "flags");
	put(dir, "proc/self/status", "Uid:\nCapEff:\tzz\n");
	put(dir, "sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c", "x");
	probe_in(dir, &p);
	assert_int_equal(p.vendor_btf, NVX_HAVE_NO);
	assert_int_equal(p.dev_kvm, NVX_HAVE_NO);
	assert_non_null(strstr(row(&p, "dev_kvm")->detail, "KVM_GET_API_VERSION"));
	assert_int_equal(p.nested, NVX_HAVE_UNKNOWN);
	assert_int_equal(p.cpu, NVX_CPU_OTHER);
	assert_false(p.may_load);
	assert_int_equal(row(&p, "secure_boot")->have, NVX_HAVE_UNKNOWN);
	assert_int_equal(p.tier_root, NVX_TIER_CLASSIC);

	put_bytes(dir, "sys/kernel/btf/vmlinux", "", 0);
	probe_in(dir, &p);
	assert_int_equal(p.vmlinux_btf, NVX_HAVE_NO);
	assert_int_equal(p.kvm_btf, NVX_HAVE_NO);

	put_bytes(dir, "sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c",
		  "\x06\0\0\0\x01", 5);
	probe_in(dir, &p);
	assert_int_equal(row(&p, "secure_boot")->have, NVX_HAVE_YES);
	assert_true(row(&p, "secure_boot")->consequence[0]);
	rm_dir(dir);
}

/* No file at all: a probe still comes to an end and says why nothing works. */
static void empty_host(void **state)
{
	struct nvx_probe p;
	char *dir = make_dir();

	(void)state;
	probe_in(dir, &p);
	rm_dir(dir);
	assert_int_equal(p.tier_root, NVX_TIER_NONE);
	assert_non_null(strstr(p.tier_reason, "KVM is not loaded"));
	assert_false(p.may_load);
}

static char *show(int (*view)(const struct nvx_probe *, FILE *), const struct nvx_probe *p)
{
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	assert_non_null(f);
	assert_int_equal(view(p, f), 0);
	assert_int_equal(fclose(f), 0);
	return text;
}

static void text_golden(void **state)
{
	const struct host host = {.user = true};
	struct nvx_probe p;
	char *text;

	(void)state;
	probe_host(&host, &p);
	text = show(nvx_view_probe__text, &p);
	golden("probe-svm-user.txt", text);
	free(text);
}

static void json_view(void **state)
{
	const struct host host = {.no_regs = true};
	json_t *root, *rows, *msrs;
	struct nvx_probe p;
	char *text;

	(void)state;
	probe_host(&host, &p);
	/* a release that is no UTF-8 costs that field, not the document */
	strcpy(p.release, "\xff");
	text = show(nvx_view_probe__json, &p);
	root = json_loads(text, 0, NULL);
	free(text);
	assert_non_null(root);
	assert_true(json_is_null(json_object_get(root, "kernel")));
	assert_string_equal(json_string_value(json_object_get(root, "tier")), "btf");
	rows = json_object_get(root, "rows");
	assert_int_equal(json_array_size(rows), p.nr_rows);
	msrs = json_object_get(json_object_get(root, "sections"), "msrs");
	assert_true(json_is_false(json_object_get(msrs, "available")));
	assert_true(json_string_length(json_object_get(msrs, "reason")) > 0);
	json_decref(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conclusions),	      cmocka_unit_test(facts_svm),
		cmocka_unit_test(facts_layouts),      cmocka_unit_test(chosen_tier),
		cmocka_unit_test(unreadable_tracefs), cmocka_unit_test(broken_files),
		cmocka_unit_test(empty_host),	      cmocka_unit_test(text_golden),
		cmocka_unit_test(json_view),
	};

	return cmocka_run_group_tests_name("probe", tests, NULL, NULL);
}
