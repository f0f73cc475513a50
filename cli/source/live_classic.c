// SPDX-License-Identifier: GPL-2.0-only
#include "source/live_classic.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/live.h"
#include "source/tpformat.h"

int nvx_classic__offsets(int *offset, char *err)
{
	static const struct {
		const char *name;
		bool optional;
	} want[NVX_EXIT_FIELDS] = {
		[NVX_FIELD_REASON] = { "exit_reason", false },
		[NVX_FIELD_ISA] = { "isa", false },
		[NVX_FIELD_VCPU] = { "vcpu_id", true },
		[NVX_FIELD_INFO1] = { "info1", true },
		[NVX_FIELD_INFO2] = { "info2", true },
	};
	const char *tracefs = nvx_tracefs();

	if (!tracefs) {
		snprintf(err, NVX_LIVE_ERR, "tracefs is not mounted or not readable: "
			 "mount -t tracefs none /sys/kernel/tracing (as root)");
		return -ENOENT;
	}
	for (int i = 0; i < NVX_EXIT_FIELDS; i++) {
		offset[i] = nvx_tpformat__offset(tracefs, "kvm", "kvm_exit", want[i].name);
		if (offset[i] < 0 && !want[i].optional) {
			snprintf(err, NVX_LIVE_ERR, "tracepoint kvm:kvm_exit has no field %s: %s",
				 want[i].name, strerror(-offset[i]));
			return offset[i];
		}
	}
	return 0;
}

/* A marked load gets its true offset, or becomes a zero where the record has no such field. */
static void put_offset(struct bpf_insn *insn, const int *offset)
{
	int field = (insn->off - NVX_FIELD_MARK) / 8;

	if (BPF_CLASS(insn->code) != BPF_LDX || BPF_MODE(insn->code) != BPF_MEM ||
	    insn->off < NVX_FIELD_MARK || field >= NVX_EXIT_FIELDS)
		return;
	if (offset[field] >= 0) {
		insn->off = offset[field];
		return;
	}
	insn->code = BPF_ALU64 | BPF_MOV | BPF_K;
	insn->src_reg = 0;
	insn->off = 0;
	insn->imm = 0;
}

int nvx_classic__place(struct bpf_object *obj, const int *offset, struct nvx_cfg *cfg)
{
	struct bpf_program *p = bpf_object__find_program_by_name(obj, "nvx_exit");
	size_t nr = p ? bpf_program__insn_cnt(p) : 0;
	struct bpf_insn *insns = malloc(nr * sizeof(*insns));
	int ret;

	if (!nr || !insns) {
		free(insns);
		return nr ? -ENOMEM : -EINVAL;
	}
	cfg->no_info = offset[NVX_FIELD_INFO1] < 0 || offset[NVX_FIELD_INFO2] < 0;
	memcpy(insns, bpf_program__insns(p), nr * sizeof(*insns));
	for (size_t i = 0; i < nr; i++)
		put_offset(&insns[i], offset);
	ret = bpf_program__set_insns(p, insns, nr);
	free(insns);
	return ret;
}
