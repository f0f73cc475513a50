// SPDX-License-Identifier: GPL-2.0-only
#include "source/live_fentry.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const modules[] = { "kvm", "kvm_amd", "kvm_intel" };

#define MODULES (sizeof(modules) / sizeof(*modules))

struct nvx_fentry {
	struct btf *vmlinux;
	struct btf *module[MODULES]; /* NULL: not loaded, or without types */
	int fd[MODULES];
};

/* The kernel's own BTF of a module: libbpf takes the types from sysfs and has no descriptor. */
static int module_btf_fd(const char *module)
{
	__u32 id = 0;

	while (!bpf_btf_get_next_id(id, &id)) {
		char name[64] = "";
		struct bpf_btf_info info = { .name = (uintptr_t)name, .name_len = sizeof(name) };
		__u32 len = sizeof(info);
		int fd = bpf_btf_get_fd_by_id(id);

		if (fd < 0)
			continue;
		if (!bpf_obj_get_info_by_fd(fd, &info, &len) && !strcmp(name, module))
			return fd;
		close(fd);
	}
	return -1;
}

struct nvx_fentry *nvx_fentry__new(void)
{
	struct nvx_fentry *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->vmlinux = btf__load_vmlinux_btf();
	for (size_t i = 0; i < MODULES; i++) {
		f->fd[i] = f->vmlinux ? module_btf_fd(modules[i]) : -1;
		if (f->fd[i] >= 0)
			f->module[i] = btf__load_module_btf(modules[i], f->vmlinux);
	}
	return f;
}

/* Only trying tells: some kernels are built, or told, not to let functions be traced. */
static bool try_one(int btf_fd, int id)
{
	static const struct bpf_insn insn[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K }, /* r0 = 0 */
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, o, .expected_attach_type = BPF_TRACE_FENTRY,
		    .attach_btf_id = id, .attach_btf_obj_fd = btf_fd);
	int fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "nvx_try", "GPL", insn, 2, &o);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

bool nvx_fentry__takes(const struct nvx_fentry *f, const char *function)
{
	int id;

	if (!f || !f->vmlinux)
		return false;
	for (size_t i = 0; i < MODULES; i++) {
		if (!f->module[i])
			continue;
		id = btf__find_by_name_kind(f->module[i], function, BTF_KIND_FUNC);
		/* a module's BTF goes on where the kernel's ends, and a search is over both */
		if (id >= (int)btf__type_cnt(f->vmlinux))
			return try_one(f->fd[i], id);
	}
	id = btf__find_by_name_kind(f->vmlinux, function, BTF_KIND_FUNC);
	return id > 0 && try_one(0, id);
}

void nvx_fentry__free(struct nvx_fentry *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < MODULES; i++) {
		btf__free(f->module[i]);
		if (f->fd[i] >= 0)
			close(f->fd[i]);
	}
	btf__free(f->vmlinux);
	free(f);
}
