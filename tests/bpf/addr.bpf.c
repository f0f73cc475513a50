// SPDX-License-Identifier: GPL-2.0-only
/* Tells the kernel address of this object's own memory, where a test lays out fake vCPUs. */
#include <linux/types.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1);
	__uint(key_size, 4);
	__uint(value_size, 8); /* the test sets it */
} memory SEC(".maps");

__u64 address;

SEC("raw_tp")
int tell(void *ctx)
{
	__u32 zero = 0;

	address = (__u64)bpf_map_lookup_elem(&memory, &zero);
	return 0;
}

char LICENSE[] SEC("license") = "GPL";
