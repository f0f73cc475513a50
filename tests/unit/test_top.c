// SPDX-License-Identifier: GPL-2.0-only
/*
 * nvx top without a terminal: what its model keeps of a series of samples, and what its keys do
 * to the screen.
 */
#include <locale.h>

#include "unit.h"

#include "engine/engine.h"
#include "golden.h"
#include "model/top.h"
#include "view/top.h"

#define VCPUS 3
#define SECOND 1000000000ULL

static const struct nvx_vm vms[] = {
	{ .index = 0, .pid = 100, .id = { .name = "web1" } },
	{ .index = 1, .pid = 200, .id = { .name = "büro" } },
};
static const struct nvx_vm *const list[] = { &vms[0], &vms[1] };
static const unsigned int vm_of[VCPUS] = { 0, 0, 1 };

static struct nvx_vcpu *vcpu[VCPUS];
static struct nvx_top *top;
static struct nvx_topui *ui;
static uint64_t clock_ns;
static unsigned int living;

/* A sample of the vCPUs in `living` (bits). */
static struct nvx_sample *take(void)
{
	struct nvx_sample *s = nvx_sample__new(VCPUS);

	s->t_ns = clock_ns;
	for (unsigned int i = 0; i < VCPUS; i++) {
		struct nvx_snap *snap;

		if (!(living & 1u << i))
			continue;
		snap = nvx_snap__new();
		snap->vm = &vms[vm_of[i]];
		snap->slot = i;
		snap->v = *vcpu[i];
		s->snap[s->nr++] = snap;
	}
	return s;
}

static int setup(void **state)
{
	(void)state;
	setlocale(LC_CTYPE, "C.UTF-8");
	clock_ns = 10 * SECOND;
	living = (1u << VCPUS) - 1;
	for (int i = 0; i < VCPUS; i++) {
		vcpu[i] = aligned_alloc(64, sizeof(struct nvx_vcpu));
		memset(vcpu[i], 0, sizeof(struct nvx_vcpu));
		nvx_set_level(vcpu[i], 0, NVX_WHO_UNKNOWN);
		vcpu[i]->tid = 1000 + i;
		vcpu[i]->tgid = vms[vm_of[i]].pid;
		vcpu[i]->vcpu_id = i % 2;
		vcpu[i]->t_first = 500 + i;
		vcpu[i]->state = NVX_LIVE;
		nvx_on_level(vcpu[i], 1, 0);
	}
	top = nvx_top__new(NULL);
	ui = nvx_topui__new();
	assert_int_equal(nvx_top__start(top, take()), 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	nvx_top__free(top);
	nvx_topui__free(ui);
	for (int i = 0; i < VCPUS; i++)
		free(vcpu[i]);
	return 0;
}

/* L2 runs CPUID, its L1 answers: one chain with one more L1 exit. */
static void round_trip(struct nvx_vcpu *v, uint64_t *now)
{
	nvx_on_exit(v, *now += 1000, NVX_ISA_SVM, SVM_EXIT_VMRUN, 0);
	nvx_on_nested_enter(v, *now += 100, 0x1000);
	nvx_on_flush(v, NVX_FLUSH_CURRENT, 0, 0);
	nvx_on_entry(v, *now += 400);
	nvx_on_exit(v, *now += 2000, NVX_ISA_SVM, SVM_EXIT_CPUID, 0);
	nvx_on_nested_exit(v, *now += 100, NVX_ISA_SVM, SVM_EXIT_CPUID, 0);
	nvx_on_entry(v, *now += 400);
	nvx_on_exit(v, *now += 1000, NVX_ISA_SVM, SVM_EXIT_MSR,
		    (uint64_t)NVX_DRILL_WRMSR << 48 | 0x80b);
	nvx_on_entry(v, *now += 500);
}

/* An interval of one second with n round trips of a vCPU. */
static void interval(unsigned int who, unsigned int n)
{
	uint64_t now = clock_ns;

	for (unsigned int i = 0; i < n; i++)
		round_trip(vcpu[who], &now);
	clock_ns += SECOND;
	assert_int_equal(nvx_top__sample(top, take()), 0);
}

static uint64_t l2_exits(enum nvx_top_window w)
{
	return nvx_top__host(top, w)->l2_exits;
}

static uint64_t l2_of(const struct nvx_rows *rows)
{
	return nvx_rows__sum(rows, NVX_SET_EXITS, NVX_V_COUNT, NVX_LEVEL_2, NVX_VM_ALL);
}

static void last_and_since(void **state)
{
	struct nvx_top_scope all = { NVX_VM_ALL, NVX_TOP_NO_SLOT }, one = { 1, NVX_TOP_NO_SLOT };
	const struct nvx_rows *rows;
	struct nvx_rows *owner;

	(void)state;
	interval(0, 7);
	interval(2, 5);
	assert_int_equal(l2_exits(NVX_TOP_LAST), 5);
	assert_int_equal(l2_exits(NVX_TOP_SINCE), 12);
	assert_int_equal(nvx_top__vm(top, NVX_TOP_SINCE, 0)->l2_exits, 7);
	assert_int_equal(nvx_top__vm(top, NVX_TOP_LAST, 0)->l2_exits, 0);
	assert_int_equal(nvx_top__ns(top, NVX_TOP_LAST), SECOND);
	assert_int_equal(nvx_top__ns(top, NVX_TOP_SINCE), 2 * SECOND);
	rows = nvx_top__rows(top, NVX_TOP_SINCE, all, &owner);
	assert_null(owner);
	assert_int_equal(l2_of(rows), 12);
	rows = nvx_top__rows(top, NVX_TOP_SINCE, one, &owner);
	assert_int_equal(l2_of(rows), 5);
	nvx_rows__free(owner);
	/* every vCPU's time is all accounted for */
	assert_int_equal(nvx_top__host(top, NVX_TOP_LAST)->flushes, 5);
	assert_int_equal(nvx_top__vcpus(top, 0), 2);
}

static void one_vcpu(void **state)
{
	struct nvx_top_scope scope = { 0, 1 };
	struct nvx_top_sum sum;
	struct nvx_rows *owner;

	(void)state;
	interval(0, 3);
	interval(1, 4);
	nvx_top__sum(nvx_top__rows(top, NVX_TOP_LAST, scope, &owner), NVX_VM_ALL, &sum);
	assert_int_equal(sum.l2_exits, 4);
	nvx_rows__free(owner);
	interval(1, 9);
	nvx_top__sum(nvx_top__rows(top, NVX_TOP_SINCE, scope, &owner), NVX_VM_ALL, &sum);
	assert_int_equal(sum.l2_exits, 13);
	nvx_rows__free(owner);
}

/* What happens while the screen is held is one long interval, and nothing of it is lost. */
static void held(void **state)
{
	(void)state;
	interval(0, 2);
	assert_int_equal(nvx_top__hold(top, true), 0);
	interval(0, 10);
	interval(0, 20);
	assert_int_equal(l2_exits(NVX_TOP_LAST), 2);
	assert_int_equal(nvx_top__hold(top, false), 0);
	assert_int_equal(l2_exits(NVX_TOP_LAST), 30);
	assert_int_equal(nvx_top__ns(top, NVX_TOP_LAST), 2 * SECOND);
	assert_int_equal(l2_exits(NVX_TOP_SINCE), 32);
	assert_int_equal(nvx_top__hold(top, false), 0);
	assert_int_equal(l2_exits(NVX_TOP_LAST), 30);
}

static void reset(void **state)
{
	(void)state;
	interval(0, 6);
	assert_int_equal(nvx_top__reset(top), 0);
	assert_int_equal(l2_exits(NVX_TOP_SINCE), 0);
	interval(0, 4);
	assert_int_equal(l2_exits(NVX_TOP_SINCE), 4);
	assert_int_equal(nvx_top__ns(top, NVX_TOP_SINCE), SECOND);
}

/* A VM that ends keeps what it did in the sums; its rows do not stay for ever. */
static void gone(void **state)
{
	(void)state;
	interval(2, 8);
	living = 3;
	interval(0, 1);
	assert_int_equal(nvx_top__vcpus(top, 1), 0);
	assert_int_equal(l2_exits(NVX_TOP_SINCE), 9);
}

static const struct nvx_labels cpuid = { .set = NVX_SET_EXITS, .isa = NVX_ISA_SVM, .level = 2,
					 .vm = NVX_VM_ALL, .key = SVM_EXIT_CPUID };

static void past(void **state)
{
	float v[NVX_TOP_PAST];

	(void)state;
	assert_int_equal(nvx_top__past(top, &cpuid, NVX_TOP_COUNT, v), 0);
	for (unsigned int i = 0; i < 60; i++)
		interval(0, i % 3 ? i : 0);
	assert_int_equal(nvx_top__past(top, &cpuid, NVX_TOP_COUNT, v), NVX_TOP_PAST);
	for (unsigned int i = 0; i < NVX_TOP_PAST; i++) {
		unsigned int n = 60 - NVX_TOP_PAST + i;

		assert_int_equal((int)v[i], n % 3 ? (int)n : 0);
	}
	for (unsigned int i = 0; i < 100; i++)
		interval(2, 0);
	nvx_top__past(top, &cpuid, NVX_TOP_COUNT, v);
	for (unsigned int i = 0; i < NVX_TOP_PAST; i++)
		assert_true(v[i] == 0);
}

static uint64_t seed = 88172645463325252ULL;

static unsigned int noise(unsigned int n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (seed >> 20) % n;
}

static void marked(void **state)
{
	struct nvx_comparison c;
	size_t before, after;

	(void)state;
	seed = 4101842887655102017ULL;
	nvx_top__mark(top, true);
	assert_false(nvx_top__marked(top, &before, &after));
	for (int i = 0; i < 20; i++)
		interval(0, 50 + noise(20));
	nvx_top__mark(top, true);
	assert_true(nvx_top__marked(top, &before, &after));
	assert_int_equal(before, 20);
	assert_int_equal(after, 0);
	assert_false(nvx_top__change(top, &cpuid, NVX_TOP_COUNT, &c));
	for (int i = 0; i < 20; i++)
		interval(0, 50 + noise(20));
	assert_true(nvx_top__change(top, &cpuid, NVX_TOP_COUNT, &c));
	assert_int_equal(c.verdict, NVX_CMP_NOT_PROVEN);
	nvx_top__mark(top, true);
	for (int i = 0; i < 20; i++)
		interval(0, 20 + noise(20));
	assert_true(nvx_top__change(top, &cpuid, NVX_TOP_COUNT, &c));
	assert_int_equal(c.verdict, NVX_CMP_DIFFERS);
	assert_true(c.change < -0.4 && c.change > -0.6);
	nvx_top__mark(top, false);
	assert_false(nvx_top__change(top, &cpuid, NVX_TOP_COUNT, &c));
}

static struct nvx_probe_section section[NVX_SECTION_COUNT];

static struct nvx_top_info info(void)
{
	for (int i = 0; i < NVX_SECTION_COUNT; i++)
		section[i].have = NVX_HAVE_YES;
	return (struct nvx_top_info){ .host = "host", .release = "6.1.0", .source = "a test",
				      .section = section, .vms = list, .nr_vms = 2,
				      .interval_ns = SECOND, .own_cpu = -1, .at = "12:00:00" };
}

static char *screen(unsigned int rows, unsigned int cols, bool ascii)
{
	struct nvx_screen *s = nvx_screen__new(rows, cols, ascii);
	struct nvx_top_info i = info();
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(nvx_topui__draw(ui, top, &i, s), 0);
	assert_int_equal(nvx_screen__print(s, out), 0);
	fclose(out);
	nvx_screen__free(s);
	return text;
}

static void key(uint32_t k)
{
	free(screen(24, 80, false));
	assert_int_equal(nvx_topui__key(ui, top, k), NVX_TOP_NOTHING);
}

static void look(const char *name, unsigned int rows, unsigned int cols, bool ascii)
{
	char *text = screen(rows, cols, ascii);

	golden(name, text);
	free(text);
}

static void some_load(void)
{
	for (unsigned int i = 0; i < 15; i++) {
		interval(0, 100 + i);
		interval(2, 40);
	}
}

static void screens(void **state)
{
	(void)state;
	some_load();
	look("top-vms-80x24.txt", 24, 80, false);
	look("top-vms-ascii.txt", 24, 80, true);
	key('2');
	look("top-exits-120x40.txt", 40, 120, false);
	key('w');
	key(NVX_KEY_ENTER);
	look("top-hist-300x100.txt", 100, 300, false);
	key(NVX_KEY_BACK);
	key('3');
	key('+');
	look("top-chains-100x20.txt", 20, 100, false);
	key('6');
	look("top-tlb-80x24.txt", 24, 80, false);
	key('r');
	seed = 4101842887655102017ULL;
	for (int i = 0; i < 25; i++)
		interval(0, 100 + noise(30));
	key('m');
	for (int i = 0; i < 25; i++)
		interval(0, 200 + noise(30));
	key('2');
	look("top-marked-140x24.txt", 24, 140, false);
	look("top-10x5.txt", 5, 10, false);
	look("top-1x1.txt", 1, 1, false);
}

/* From VM to vCPU to reason to histogram, and back. */
static void drill_down(void **state)
{
	char *text;

	(void)state;
	some_load();
	key('1');
	key(NVX_KEY_DOWN);
	key(NVX_KEY_ENTER);
	text = screen(24, 80, false);
	assert_non_null(strstr(text, "[9 vCPUs]"));
	assert_non_null(strstr(text, "VM web1"));
	free(text);
	key(NVX_KEY_ENTER);
	text = screen(24, 80, false);
	assert_non_null(strstr(text, "VM web1, vCPU 0"));
	assert_non_null(strstr(text, "[2 Exits]"));
	free(text);
	key('w');
	key(NVX_KEY_ENTER);
	text = screen(24, 80, false);
	assert_non_null(strstr(text, "time until the vCPU runs again"));
	free(text);
	for (int i = 0; i < 3; i++)
		key(NVX_KEY_BACK);
	text = screen(24, 80, false);
	assert_non_null(strstr(text, "[1 VMs]"));
	assert_non_null(strstr(text, "all VMs"));
	free(text);
	/* the VM that is looked at ends: the screen goes back to all */
	key(NVX_KEY_ENTER);
	living = nvx_top__vcpus(top, 1) ? 3 : 4;
	interval(0, 1);
	free(screen(24, 80, false));
}

static void type(const char *text)
{
	for (; *text; text++)
		key((unsigned char)*text);
}

static void typed(void **state)
{
	char *text;

	(void)state;
	some_load();
	key('2');
	key('w');
	key('/');
	type("CPUx");
	key(NVX_KEY_ERASE);
	key(NVX_KEY_ENTER);
	text = screen(24, 80, false);
	assert_non_null(strstr(text, "cpuid"));
	assert_null(strstr(text, "\nvmrun"));
	assert_non_null(strstr(text, "only `CPU`"));
	free(text);
	key('/');
	type("ZZZ");
	key(NVX_KEY_BACK);
	text = screen(24, 80, false);
	assert_non_null(strstr(text, "only `CPU`"));
	free(text);
	key('d');
	type("1ns");
	key(NVX_KEY_ENTER);
	text = screen(24, 80, false);
	assert_non_null(strstr(text, "100ms to 1h"));
	free(text);
	key('d');
	type("250ms");
	free(screen(24, 80, false));
	assert_int_equal(nvx_topui__key(ui, top, NVX_KEY_ENTER), NVX_TOP_INTERVAL);
	assert_int_equal(nvx_topui__interval(ui), 250000000);
	assert_int_equal(nvx_topui__key(ui, top, 's'), NVX_TOP_NOTHING);
	assert_int_equal(nvx_topui__key(ui, top, NVX_KEY_ENTER), NVX_TOP_SAVE);
	assert_string_equal(nvx_topui__input(ui), "nvx-top.txt");
	assert_int_equal(nvx_topui__key(ui, top, 'q'), NVX_TOP_QUIT);
}

/* Any keys at any size: nothing crashes, nothing is drawn beside the screen. */
static void any_keys(void **state)
{
	static const uint32_t keys[] = {
		NVX_KEY_UP, NVX_KEY_DOWN, NVX_KEY_PAGE_UP, NVX_KEY_PAGE_DOWN, NVX_KEY_HOME,
		NVX_KEY_END, NVX_KEY_ENTER, NVX_KEY_BACK, NVX_KEY_ERASE, NVX_KEY_NEXT,
		NVX_KEY_PREVIOUS, NVX_KEY_HELP, '1', '2', '3', '4', '5', '6', '7', '8', '9', '0',
		'+', '<', '>', 'R', 'a', 'w', 'r', 'm', 'M', 'p', '/', 'd', 's', 'S', 'n', 0x20ac,
		0x10ffff,
	};

	(void)state;
	for (int i = 0; i < 4000; i++) {
		if (!noise(8))
			living = noise(8);
		if (!noise(4))
			interval(noise(VCPUS), noise(30));
		if (noise(2))
			free(screen(1 + noise(40), 1 + noise(150), noise(2)));
		assert_int_not_equal(nvx_topui__key(ui, top, keys[noise(ARRAY_SIZE(keys))]),
				     NVX_TOP_FAILED);
	}
}

static void as_text(void **state)
{
	struct nvx_top_info i = info();
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	some_load();
	assert_int_equal(nvx_topui__show(ui, "exits"), 0);
	assert_int_equal(nvx_topui__show(ui, "nothing"), -ENOENT);
	nvx_topui__window(ui, NVX_TOP_SINCE);
	assert_int_equal(nvx_topui__print(ui, top, &i, 0, true, out), 0);
	fclose(out);
	golden("top-plain.txt", text);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(last_and_since, setup, teardown),
		cmocka_unit_test_setup_teardown(one_vcpu, setup, teardown),
		cmocka_unit_test_setup_teardown(held, setup, teardown),
		cmocka_unit_test_setup_teardown(reset, setup, teardown),
		cmocka_unit_test_setup_teardown(gone, setup, teardown),
		cmocka_unit_test_setup_teardown(past, setup, teardown),
		cmocka_unit_test_setup_teardown(marked, setup, teardown),
		cmocka_unit_test_setup_teardown(screens, setup, teardown),
		cmocka_unit_test_setup_teardown(drill_down, setup, teardown),
		cmocka_unit_test_setup_teardown(typed, setup, teardown),
		cmocka_unit_test_setup_teardown(any_keys, setup, teardown),
		cmocka_unit_test_setup_teardown(as_text, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
