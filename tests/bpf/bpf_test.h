/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests of the BPF programs share: fake vCPUs in kernel memory, and events on demand. */
#ifndef NVX_TESTS_BPF_H
#define NVX_TESTS_BPF_H

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <sys/mman.h>

#include "unit.h"

#include "source/live_priv.h"
#include "util/log.h"

#ifndef BPF_TEST_DIR
#error "the build passes BPF_TEST_DIR"
#endif

/* Ends the program as skipped where BPF cannot be had at all; a failure later is a failure. */
static inline void need_bpf(void)
{
	if (geteuid()) {
		puts("1..0 # SKIP loading BPF programs needs root");
		exit(0);
	}
	if (access("/sys/kernel/btf/vmlinux", R_OK)) {
		puts("1..0 # SKIP this kernel has no BTF (/sys/kernel/btf/vmlinux)");
		exit(0);
	}
}

/* Memory that BPF programs reach at `kernel` and the test at `user`. */
struct fake_memory {
	struct bpf_object *obj;
	size_t size;
	uint8_t *user;
	uint64_t kernel;
};

static inline int run_program(const struct bpf_program *p, void *ctx, size_t size)
{
	LIBBPF_OPTS(bpf_test_run_opts, o, .ctx_in = ctx, .ctx_size_in = size);

	return bpf_prog_test_run_opts(bpf_program__fd(p), &o);
}

static inline void fake_memory__open(struct fake_memory *m, size_t size)
{
	struct bpf_map *map, *bss;
	uint32_t zero = 0;

	m->size = size;
	m->obj = bpf_object__open_file(BPF_TEST_DIR "/addr.bpf.o", NULL);
	assert_non_null(m->obj);
	map = bpf_object__find_map_by_name(m->obj, "memory");
	bss = bpf_object__find_map_by_name(m->obj, ".bss");
	assert_non_null(bss);
	assert_int_equal(bpf_map__set_value_size(map, size), 0);
	assert_int_equal(bpf_object__load(m->obj), 0);
	assert_int_equal(run_program(bpf_object__find_program_by_name(m->obj, "tell"), NULL, 0), 0);
	assert_int_equal(bpf_map_lookup_elem(bpf_map__fd(bss), &zero, &m->kernel), 0);
	m->user = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
	assert_ptr_not_equal(m->user, MAP_FAILED);
	assert_true(m->kernel >> 63);
}

static inline void fake_memory__close(struct fake_memory *m)
{
	munmap(m->user, m->size);
	bpf_object__close(m->obj);
}

/* Adds `struct task_struct` with this kernel's own offsets, since the current task is real. */
static inline void add_task_struct(struct btf *btf)
{
	static const char *const want[] = { "start_time", "group_leader", "comm", "pid" };
	struct btf *host = btf__load_vmlinux_btf();
	int id = btf__find_by_name_kind(host, "task_struct", BTF_KIND_STRUCT);
	const struct btf_type *t = btf__type_by_id(host, id);
	const struct btf_member *member = btf_members(t);
	int s32 = btf__add_int(btf, "task_int", 4, BTF_INT_SIGNED);
	int u64 = btf__add_int(btf, "task_u64", 8, 0), chr = btf__add_int(btf, "task_char", 1, 0);
	int comm = btf__add_array(btf, u64, chr, 16), leader = btf__add_ptr(btf, chr + 3);
	unsigned int found = 0;

	assert_int_equal(leader, chr + 2);
	assert_int_equal(btf__add_struct(btf, "task_struct", t->size), chr + 3);
	for (int i = 0; i < btf_vlen(t); i++)
		for (size_t w = 0; w < ARRAY_SIZE(want); w++)
			if (!strcmp(btf__name_by_offset(host, member[i].name_off), want[w])) {
				const int type[] = { u64, leader, comm, s32 };

				assert_int_equal(btf__add_field(btf, want[w], type[w],
								btf_member_bit_offset(t, i), 0),
						 0);
				found++;
			}
	assert_int_equal(found, ARRAY_SIZE(want));
	btf__free(host);
}

/* Writes BTF of a layout to a file; path must hold 64 bytes. */
static inline void write_btf(const char *object, char *path)
{
	struct btf *btf = btf__parse(object, NULL);
	const void *data;
	uint32_t size;
	int fd;

	assert_non_null(btf);
	add_task_struct(btf);
	data = btf__raw_data(btf, &size);
	assert_non_null(data);
	strcpy(path, "/tmp/nvx-btf-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, size), size);
	close(fd);
	btf__free(btf);
}

/* Load the BTF tier's programs against a layout. */
static inline struct nvx_live *open_live(const char *layout, enum nvx_exit_args order,
					 uint32_t max)
{
	struct nvx_live_opts o = { .tier = NVX_TIER_BTF, .max_vcpus = max };
	struct nvx_probe probe = { .exit_args = order, .may_load = true };
	char err[NVX_LIVE_ERR] = "", path[64];
	struct nvx_live *live = NULL;
	int ret;

	if (getenv("NVX_DEBUG"))
		nvx_log_level = NVX_LOG_DEBUG;
	write_btf(layout, path);
	o.btf = path;
	ret = nvx_live__open(&o, &probe, &live, err);
	unlink(path);
	if (ret)
		fail_msg("nvx_live__open: %d %s", ret, err);
	return live;
}

/* Run the program of a tracepoint with these arguments, in this thread. */
static inline int fire(const struct nvx_live *live, const char *program, const uint64_t *args,
		       size_t nr)
{
	const struct bpf_program *p = bpf_object__find_program_by_name(live->obj, program);

	return p ? run_program(p, (void *)args, nr * sizeof(*args)) : -ENOENT;
}

#define FIRE(live, program, ...)                                                  \
	assert_int_equal(fire(live, program, (uint64_t[12]){ __VA_ARGS__ }, 12), 0)

#endif
