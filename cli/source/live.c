// SPDX-License-Identifier: GPL-2.0-only
#include "source/live.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "source/live_classic.h"
#include "source/live_fentry.h"
#include "source/live_priv.h"
#include "source/tpformat.h"
#include "util/log.h"

/* Made by bpftool from the objects under bpf/. */
#include "btf.skel.h"
#include "classic.skel.h"
#include "module.skel.h"

static int print_libbpf(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	/* the user gets one line of ours; libbpf's own are for who debugs */
	nvx_vlog(level == LIBBPF_DEBUG ? NVX_LOG_DEBUG : NVX_LOG_INFO, fmt, ap);
	return 0;
}

/* Tracepoints that a program attaches to but that this host may lack, with what is lost. */
static bool optional_tp_missing(const char *section)
{
	const char *tracefs = nvx_tracefs(), *event = strrchr(section, '/');
	const char *system = "kvm";

	/* raw_tp needs no tracefs; where it is not mounted the common events are assumed */
	if (!event)
		return false;
	if (!tracefs)
		return !strcmp(event, "/kvm_nested_vmrun");
	if (!strncmp(event, "/sched_", 7))
		system = "sched";
	else if (!strncmp(event, "/nvx_", 5))
		system = "nvx";
	return nvx_tpformat__exists(tracefs, system, event + 1) == 0;
}

/* kvm_exit has two programs where its vCPU can be read by plain loads: one of them. */
static bool wrong_exit(const struct nvx_live *live, const char *name)
{
	if (!strcmp(name, "nvx_exit_direct"))
		return !live->direct;
	return live->direct && !strcmp(name, "nvx_exit");
}

static void choose_programs(struct nvx_live *live)
{
	struct nvx_fentry *fentry = NULL;
	struct bpf_program *p;

	bpf_object__for_each_program(p, live->obj) {
		const char *section = bpf_program__section_name(p);
		const char *function = strncmp(section, "fentry/", 7) ? NULL : section + 7;
		bool have;

		if (wrong_exit(live, bpf_program__name(p))) {
			bpf_program__set_autoload(p, false);
			continue;
		}
		/* reading all types takes a moment: only for a source that has such programs */
		if (function && !fentry)
			fentry = nvx_fentry__new();
		have = function ? nvx_fentry__takes(fentry, function) :
				  !optional_tp_missing(section);

		if (have && (strstr(section, "_flush_tlb_") || strstr(section, "nvx_tlb_flush")))
			live->flushes = true;
		if (have)
			continue;
		nvx_info("%s: not on this kernel", section);
		bpf_program__set_autoload(p, false);
	}
	nvx_fentry__free(fentry);
}

static int configure(struct nvx_live *live, const struct nvx_live_opts *opts,
		     const struct nvx_probe *probe, char *err)
{
	struct bpf_map *rodata = bpf_object__find_map_by_name(live->obj, ".rodata.cfg");
	struct nvx_cfg cfg = { .tgid = opts->pid,
			       .old_order = probe->exit_args == NVX_EXIT_ARGS_REASON_FIRST };
	int offset[NVX_EXIT_FIELDS], ret = 0;

	if (opts->tier == NVX_TIER_CLASSIC)
		ret = nvx_classic__offsets(offset, err);
	if (!ret && opts->tier == NVX_TIER_CLASSIC)
		ret = nvx_classic__place(live->obj, offset, &cfg);
	if (ret)
		return ret;
	live->vcpus = bpf_object__find_map_by_name(live->obj, "vcpus");
	live->free_slots = bpf_object__find_map_by_name(live->obj, "free_slots");
	live->gdrops = bpf_object__find_map_by_name(live->obj, "gdrops");
	if (!rodata || bpf_map__set_initial_value(rodata, &cfg, sizeof(cfg)) ||
	    bpf_map__set_max_entries(live->vcpus, live->max + 1) ||
	    bpf_map__set_max_entries(live->free_slots, live->max) ||
	    bpf_map__set_max_entries(bpf_object__find_map_by_name(live->obj, "slots"), live->max)) {
		snprintf(err, NVX_LIVE_ERR, "the BPF object does not have the maps of this nvx");
		return -EINVAL;
	}
	/* tp_btf goes by the kernel's own types and order of arguments */
	live->direct = opts->tier == NVX_TIER_BTF && !opts->btf &&
		       probe->exit_args == NVX_EXIT_ARGS_VCPU_FIRST;
	choose_programs(live);
	return 0;
}

static int open_object(struct nvx_live *live, const struct nvx_live_opts *opts)
{
	LIBBPF_OPTS(bpf_object_open_opts, o, .object_name = "nvx", .btf_custom_path = opts->btf);
	const void *elf;
	size_t size;

	switch (opts->tier) {
	case NVX_TIER_MODULE:
		elf = module_bpf__elf_bytes(&size);
		break;
	case NVX_TIER_BTF:
		elf = btf_bpf__elf_bytes(&size);
		break;
	default:
		elf = classic_bpf__elf_bytes(&size);
		break;
	}
	live->obj = bpf_object__open_mem(elf, size, &o);
	return live->obj ? 0 : -errno;
}

static void explain_load(int ret, const struct nvx_probe *probe, char *err)
{
	if (ret == -EPERM || ret == -EACCES)
		snprintf(err, NVX_LIVE_ERR, "%s",
			 probe->may_load ? "the kernel refuses BPF tracing (kernel lockdown?); "
					   "see `nvx probe`" :
					   "reading KVM's tracepoints needs root: try sudo nvx ...");
	else
		snprintf(err, NVX_LIVE_ERR, "cannot load the BPF programs: %s; -v shows the log",
			 strerror(-ret));
}

/* All indexes but 0, which stands for "none". */
static int fill_free_slots(struct nvx_live *live)
{
	int fd = bpf_map__fd(live->free_slots);

	for (uint32_t i = 1; i <= live->max; i++)
		if (bpf_map_update_elem(fd, NULL, &i, 0))
			return -errno;
	return 0;
}

int nvx_live__open(const struct nvx_live_opts *opts, const struct nvx_probe *probe,
		   struct nvx_live **out, char *err)
{
	struct nvx_live *live = calloc(1, sizeof(*live));
	struct rlimit locked = { RLIM_INFINITY, RLIM_INFINITY };
	int ret;

	if (!live)
		return -ENOMEM;
	*err = 0;
	libbpf_set_print(print_libbpf);
	/* before 5.11 map memory is charged to this limit; failing to raise it is no error yet */
	setrlimit(RLIMIT_MEMLOCK, &locked);
	live->max = opts->max_vcpus ? opts->max_vcpus : nvx_live_guess_vcpus();
	ret = open_object(live, opts);
	if (!ret)
		ret = configure(live, opts, probe, err);
	if (!ret) {
		ret = bpf_object__load(live->obj);
		if (ret)
			explain_load(ret, probe, err);
	}
	if (!ret)
		ret = fill_free_slots(live);
	if (!ret)
		ret = nvx_live_map(live);
	if (ret) {
		if (!*err)
			snprintf(err, NVX_LIVE_ERR, "cannot set up the counters: %s",
				 strerror(-ret));
		nvx_live__close(live);
		return ret;
	}
	*out = live;
	return 0;
}

static bool is_exit(const struct bpf_program *p)
{
	return !strncmp(bpf_program__name(p), "nvx_exit", 8);
}

static int attach_one(struct nvx_live *live, struct bpf_program *p, char *err)
{
	struct bpf_link *link = bpf_program__attach(p);

	if (link) {
		live->link[live->nr_links++] = link;
		return 0;
	}
	snprintf(err, NVX_LIVE_ERR, "cannot attach to %s: %s%s", bpf_program__section_name(p),
		 strerror(errno), errno == ENOENT ? " (is kvm loaded?)" : "");
	return -errno;
}

int nvx_live__attach(struct nvx_live *live, char *err)
{
	struct bpf_program *p;
	int ret = 0;

	for (int last = 0; last < 2; last++)
		bpf_object__for_each_program(p, live->obj)
			if (!ret && bpf_program__autoload(p) && is_exit(p) == last)
				ret = attach_one(live, p, err);
	return ret;
}

bool nvx_live__flushes(const struct nvx_live *live)
{
	return live->flushes;
}

uint32_t nvx_live__max_vcpus(const struct nvx_live *live)
{
	return live->max;
}

void nvx_live__stop(struct nvx_live *live)
{
	struct bpf_map *stop = bpf_object__find_map_by_name(live->obj, ".data.stop");
	__u32 zero = 0, one = 1;

	if (!stop || bpf_map_update_elem(bpf_map__fd(stop), &zero, &one, 0))
		nvx_warn("the last reading was taken while events went on");
	/* no program finds these slots any more, and those that look further see the flag */
	for (uint32_t i = 1; i <= live->max; i++)
		if (live->cells[i].v.state == NVX_LIVE)
			__atomic_store_n(&live->cells[i].v.task, 0, __ATOMIC_RELEASE);
}

void nvx_live__close(struct nvx_live *live)
{
	if (!live)
		return;
	while (live->nr_links)
		bpf_link__destroy(live->link[--live->nr_links]);
	nvx_live_unmap(live);
	bpf_object__close(live->obj);
	free(live);
}
