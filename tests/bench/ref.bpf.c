// SPDX-License-Identifier: GPL-2.0-only
/*
 * What any profiler of exits must do, as a yardstick: an empty pair of programs,
 * and a pair that reads the clock, finds a slot, counts, and fills one bucket.
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

static struct slot *mine(void)
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

SEC("raw_tp/kvm_exit")
int ref_exit(void *ctx)
{
	struct slot *s = mine();

	if (!s)
		return 0;
	s->t_exit = bpf_ktime_get_ns();
	s->count++;
	return 0;
}

SEC("raw_tp/kvm_entry")
int ref_entry(void *ctx)
{
	struct slot *s = mine();
	__u64 i;

	if (!s)
		return 0;
	i = nvx_hist_slot(bpf_ktime_get_ns() - s->t_exit);
	asm volatile("" : "+r"(i));
	if (i < NVX_HIST_SLOTS)
		s->hist[i]++;
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
