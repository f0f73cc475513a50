// SPDX-License-Identifier: GPL-2.0-only
/*
 * What any profiler of exits must do, as a yardstick: an empty pair of programs,
 * and a pair that reads the clock, finds a slot, counts, and fills one bucket.  Time
 * until the guest runs again takes both events, so both have a program, as nvx has.
 * It finds its slot without asking whose it is, and its bucket by halving; "table"
 * finds it by nvx's table.  The others do one thing alone: what that costs.
 */
#include <linux/types.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <nvx_abi.h>

struct slot {
	__u64 count, t_exit;
	__u32 hist[NVX_HIST_SLOTS];
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1024);
	__type(key, __u32);
	__type(value, struct slot);
} ref_slots SEC(".maps");

static __always_inline struct slot *mine(void)
{
	__u32 at = (__u32)bpf_get_current_pid_tgid() & 1023;

	return bpf_map_lookup_elem(&ref_slots, &at);
}

SEC("raw_tp/kvm_exit")
int empty_exit(void *ctx)
{
	return 0;
}

SEC("raw_tp/kvm_entry")
int empty_entry(void *ctx)
{
	return 0;
}

static __always_inline int count(void)
{
	struct slot *s = mine();

	if (!s)
		return 0;
	s->t_exit = bpf_ktime_get_ns();
	s->count++;
	return 0;
}

SEC("raw_tp/kvm_exit")
int ref_exit(void *ctx)
{
	return count();
}

static __always_inline int bucket(struct slot *s, __u64 i)
{
	asm volatile("" : "+r"(i));
	if (i < NVX_HIST_SLOTS)
		s->hist[i]++;
	return 0;
}

SEC("raw_tp/kvm_entry")
int ref_entry(void *ctx)
{
	struct slot *s = mine();
	__u64 r;

	if (!s)
		return 0;
	r = nvx_log2_up(bpf_ktime_get_ns() - s->t_exit);
	if (r <= NVX_HIST_SHIFT)
		return bucket(s, 0);
	r -= NVX_HIST_SHIFT;
	return bucket(s, r < NVX_HIST_SLOTS ? r : NVX_HIST_SLOTS - 1);
}

SEC("raw_tp/kvm_exit")
int table_exit(void *ctx)
{
	return count();
}

SEC("raw_tp/kvm_entry")
int table_entry(void *ctx)
{
	struct slot *s = mine();

	return s ? bucket(s, nvx_hist_slot(bpf_ktime_get_ns() - s->t_exit)) : 0;
}

SEC("raw_tp/kvm_exit")
int clock_exit(void *ctx)
{
	bpf_ktime_get_ns();
	return 0;
}

SEC("raw_tp/kvm_entry")
int clock_entry(void *ctx)
{
	bpf_ktime_get_ns();
	return 0;
}

/* As much as nvx reads of a VMCB. */
SEC("raw_tp/kvm_exit")
int read_exit(struct bpf_raw_tracepoint_args *ctx)
{
	__u64 three[3];

	bpf_probe_read_kernel(three, sizeof(three), (void *)ctx->args[0]);
	return 0;
}

SEC("raw_tp/kvm_entry")
int read_entry(void *ctx)
{
	return 0;
}

/* The module's own event in place of kvm_exit. */
SEC("raw_tp/nvx_exit")
int module_exit(void *ctx)
{
	return 0;
}

SEC("raw_tp/kvm_entry")
int module_entry(void *ctx)
{
	return 0;
}

/* An event with a record in place of one with arguments alone. */
SEC("tp/kvm/kvm_exit")
int record_exit(void *ctx)
{
	return 0;
}

SEC("raw_tp/kvm_entry")
int record_entry(void *ctx)
{
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
