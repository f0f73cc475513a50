// SPDX-License-Identifier: GPL-2.0-only
/*
 * 1,024 vCPUs at once, a thread each: memory as documented, every event counted,
 * the one too many told, and the slots of ended threads used again without loss.
 */
#include "bpf_test.h"

#include <asm/svm.h>
#include <pthread.h>

#include "layout_direct.h"
#include "model/rows.h"

#define VCPUS 1024
#define EVENTS 7 /* exits of each thread, and an entry after each but the last */


static struct fake_memory memory;
static struct nvx_live *live;
static pthread_barrier_t counted, may_end;
static int failures;

static void *vcpu_thread(void *arg)
{
	uintptr_t i = (uintptr_t)arg;
	uint64_t at = memory.kernel + i * sizeof(struct vcpu_svm);

	for (int k = 0; k < EVENTS; k++) {
		uint64_t exit[] = { at, NVX_ISA_SVM, 0 }, entry[] = { at, 0 };

		if (fire(live, "nvx_exit", exit, 3) ||
		    (k < EVENTS - 1 && fire(live, "nvx_entry", entry, 2)))
			__atomic_fetch_add(&failures, 1, __ATOMIC_RELAXED);
	}
	pthread_barrier_wait(&counted);
	pthread_barrier_wait(&may_end);
	return NULL;
}

static void lay_out(int nr)
{
	uint64_t vmcb = nr * sizeof(struct vcpu_svm);

	((struct vmcb *)(memory.user + vmcb))->control.exit_code = SVM_EXIT_HLT;
	for (int i = 0; i < nr; i++) {
		struct vcpu_svm *v = (struct vcpu_svm *)memory.user + i;

		v->vcpu.vcpu_id = i;
		v->vcpu.kvm = (void *)memory.kernel;
		v->vmcb = (void *)(memory.kernel + vmcb);
	}
}

/* Runs vCPUs first..first+nr-1, leaves their threads alive; end_threads ends them. */
static void start_threads(pthread_t *t, int first, int nr)
{
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 256 << 10);
	pthread_barrier_init(&counted, NULL, nr + 1);
	pthread_barrier_init(&may_end, NULL, nr + 1);
	for (int i = 0; i < nr; i++)
		assert_int_equal(pthread_create(&t[i], &attr, vcpu_thread,
						(void *)(uintptr_t)(first + i)), 0);
	pthread_barrier_wait(&counted);
	assert_int_equal(failures, 0);
}

static void end_threads(pthread_t *t, int nr)
{
	pthread_barrier_wait(&may_end);
	for (int i = 0; i < nr; i++)
		assert_int_equal(pthread_join(t[i], NULL), 0);
	pthread_barrier_destroy(&counted);
	pthread_barrier_destroy(&may_end);
}

/* A thread is joined a moment before the kernel calls it ended. */
static void wait_dead(int nr)
{
	for (int tries = 0; tries < 500; tries++) {
		int dead = 0;

		for (uint32_t i = 1; i <= live->max; i++)
			dead += __atomic_load_n(&live->cells[i].v.state, __ATOMIC_ACQUIRE) ==
				NVX_DEAD;
		if (dead == nr)
			return;
		usleep(10000);
	}
	fail_msg("slots of ended threads are not marked");
}

static uint64_t memlock_of(int fd)
{
	char path[64], line[256];
	unsigned long long bytes = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "memlock: %llu", &bytes) == 1)
			break;
	fclose(f);
	return bytes;
}

static void totals(const struct nvx_sample *from, const struct nvx_sample *to, uint64_t *exits,
		   uint64_t *vcpus)
{
	struct nvx_rows *rows = nvx_rows__new();
	uint64_t done;

	assert_int_equal(nvx_rollup(rows, from, to, NULL), 0);
	*exits = nvx_rows__sum(rows, NVX_SET_EXITS, NVX_V_COUNT, -1, NVX_VM_ALL);
	*vcpus = nvx_rows__sum(rows, NVX_SET_VMS, NVX_V_VCPUS, -1, NVX_VM_ALL);
	done = nvx_rows__sum(rows, NVX_SET_EXITS, NVX_V_DONE, -1, NVX_VM_ALL);
	assert_int_equal(done, *exits / EVENTS * (EVENTS - 1));
	nvx_rows__free(rows);
}

static int setup(void **state)
{
	char err[NVX_LIVE_ERR] = "";

	(void)state;
	fake_memory__open(&memory, (2 * VCPUS + 1) * sizeof(struct vcpu_svm) + sizeof(struct vmcb));
	lay_out(2 * VCPUS + 1);
	live = open_live(LAYOUT_O, NVX_EXIT_ARGS_VCPU_FIRST, VCPUS);
	/* sched_process_exit is what frees the slots */
	if (nvx_live__attach(live, err))
		fail_msg("attach: %s", err);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	nvx_live__close(live);
	fake_memory__close(&memory);
	return 0;
}

static void memory_is_16_mib(void **state)
{
	uint64_t bytes = memlock_of(bpf_map__fd(live->vcpus));

	(void)state;
	/* slot 0 is never given out; what the kernel adds is less than a page for the map */
	assert_in_range(bytes, (VCPUS + 1) * 16384ULL, (VCPUS + 1) * 16384ULL + 8192);
	assert_int_equal(sizeof(union nvx_vcpu_cell), 16384);
}

static void full_and_recycled(void **state)
{
	static pthread_t t[VCPUS + 1];
	struct nvx_sample *first, *second, *third, *fourth;
	uint64_t exits, vcpus;

	(void)state;
	start_threads(t, 0, VCPUS);
	assert_int_equal(nvx_live__sample(live, &first), 0);
	assert_int_equal(first->nr, VCPUS);
	totals(NULL, first, &exits, &vcpus);
	assert_int_equal(exits, VCPUS * EVENTS);
	assert_int_equal(vcpus, VCPUS);
	assert_int_equal(first->gdrops[NVX_GDROP_VCPUS_FULL], 0);

	/* one too many: each of its exits is told, nobody else's is lost */
	{
		uint64_t at = memory.kernel + VCPUS * sizeof(struct vcpu_svm);
		uint64_t exit[] = { at, NVX_ISA_SVM, 0 };

		for (int k = 0; k < EVENTS; k++)
			assert_int_equal(fire(live, "nvx_exit", exit, 3), 0);
	}
	assert_int_equal(nvx_live__sample(live, &second), 0);
	assert_int_equal(second->gdrops[NVX_GDROP_VCPUS_FULL], EVENTS);
	totals(first, second, &exits, &vcpus);
	assert_int_equal(exits, 0);

	/* ended threads keep their counts until the reader has taken them */
	end_threads(t, VCPUS);
	wait_dead(VCPUS);
	assert_int_equal(nvx_live__sample(live, &third), 0);
	assert_int_equal(third->nr, VCPUS);
	totals(NULL, third, &exits, &vcpus);
	assert_int_equal(exits, VCPUS * EVENTS);
	totals(second, third, &exits, &vcpus);
	assert_int_equal(exits, 0);

	/* then the slots serve others, from zero */
	start_threads(t, VCPUS, VCPUS);
	assert_int_equal(nvx_live__sample(live, &fourth), 0);
	assert_int_equal(fourth->nr, VCPUS);
	assert_int_equal(fourth->gdrops[NVX_GDROP_VCPUS_FULL], EVENTS);
	totals(third, fourth, &exits, &vcpus);
	assert_int_equal(exits, VCPUS * EVENTS);
	assert_int_equal(vcpus, VCPUS);
	end_threads(t, VCPUS);
	nvx_sample__free(first);
	nvx_sample__free(second);
	nvx_sample__free(third);
	nvx_sample__free(fourth);
}

/* A VM without a vCPU may be forgotten, and its index is the next one's. */
static void forgotten(void **state)
{
	static pthread_t t[4];
	struct nvx_sample *s;
	size_t nr;

	(void)state;
	/* those of the last test have ended, and are to be read yet */
	nvx_live__forget(live, 0);
	assert_non_null(nvx_live__vms(live, &nr)[0]);
	assert_int_equal(nr, 1);
	wait_dead(VCPUS);
	assert_int_equal(nvx_live__sample(live, &s), 0);
	nvx_sample__free(s);
	nvx_live__forget(live, 0);
	nvx_live__forget(live, 0);
	nvx_live__forget(live, 77);
	assert_null(nvx_live__vms(live, &nr)[0]);
	start_threads(t, 0, 4);
	assert_int_equal(nvx_live__sample(live, &s), 0);
	assert_int_equal(s->nr, 4);
	assert_non_null(nvx_live__vms(live, &nr)[0]);
	assert_int_equal(nr, 1);
	assert_int_equal(s->snap[0]->vm->index, 0);
	end_threads(t, 4);
	nvx_sample__free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(memory_is_16_mib),
		cmocka_unit_test(full_and_recycled),
		cmocka_unit_test(forgotten),
	};

	need_bpf();
	return cmocka_run_group_tests_name("many", tests, setup, teardown);
}
