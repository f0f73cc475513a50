/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Finding the slot of a key in one of a vCPU's tables.  Slots are taken on
 * first use and never moved, so a reader may subtract two samples slot by slot.
 * The fast path is one hint and one compare; everything else is out of line.
 *
 * In BPF the slow paths are global functions: the verifier checks them once and
 * treats their result as an unknown number, instead of following 96 outcomes.
 */
#ifndef NVX_ENGINE_SLOTS_H
#define NVX_ENGINE_SLOTS_H

#include "isa.h"

#define nvx_inline static inline __attribute__((always_inline))

#ifdef __bpf__
#define nvx_slow __attribute__((noinline, weak))
#else
#define nvx_slow static __attribute__((noinline, unused))
#endif

/* Keeps clang from folding a bounds check away that the verifier still needs. */
#define nvx_opaque(x) asm volatile("" : "+r"(x))

/* 2^64 / golden ratio: of a product with it the top bits are the mixed ones. */
#define NVX_GOLDEN 0x9e3779b97f4a7c15ULL

nvx_inline __u64 nvx_hint(__u64 key)
{
	return key * NVX_GOLDEN >> 57;
}

_Static_assert(NVX_HINTS == 1 << 7, "nvx_hint() yields 7 bits");

/*
 * One table's pair of functions.
 *
 * nvx_<name>_slow - find @key among the slots in use, or take the next one
 * Returns slot + 1, or 0 where the table is full.
 *
 * nvx_<name>_find - the same, by the hint first
 * nvx_<name>_at - the slot of such a number; NULL for 0
 */
#define NVX_TABLE(name, slots, used, hints, max, begin)                                          \
	nvx_slow int nvx_##name##_slow(struct nvx_vcpu *v, __u64 key)                     \
	{                                                                                 \
		__u64 n, i;                                                               \
                                                                                          \
		if (!v)                                                                   \
			return 0;                                                         \
		n = v->used;                                                              \
		for (i = 0; i < (max); i++) {                                             \
			if (i >= n)                                                       \
				break;                                                    \
			if (v->slots[i].key == key)                                       \
				break;                                                    \
		}                                                                         \
		if (i >= (max))                                                           \
			return 0;                                                         \
		if (i >= n) {                                                             \
			v->slots[i].key = key;                                            \
			v->used = i + 1;                                                  \
			begin;                                                            \
		}                                                                         \
		v->hints[nvx_hint(key) & (NVX_HINTS - 1)] = i + 1;                        \
		return i + 1;                                                             \
	}                                                                                 \
                                                                                          \
	nvx_inline struct nvx_##name##_slot *nvx_##name##_at(struct nvx_vcpu *v, __u64 i) \
	{                                                                                 \
		i--;                                                                      \
		nvx_opaque(i);                                                            \
		if (i >= (max))                                                           \
			return 0;                                                         \
		/* the address is to be made of what the check left */                    \
		nvx_opaque(i);                                                            \
		return &v->slots[i];                                                      \
	}                                                                                 \
                                                                                          \
	nvx_inline __u64 nvx_##name##_find(struct nvx_vcpu *v, __u64 key)                 \
	{                                                                                 \
		__u64 i = v->hints[nvx_hint(key) & (NVX_HINTS - 1)];                      \
		const struct nvx_##name##_slot *s = nvx_##name##_at(v, i);                \
                                                                                          \
		return s && s->key == key ? i : (__u32)nvx_##name##_slow(v, key);         \
	}

NVX_TABLE(exit, exits, n_exit, exit_hint, NVX_EXIT_SLOTS,
	  v->exits[i].class = nvx_class_of(v->isa, (__u32)key))
NVX_TABLE(cell, cells, n_cell, cell_hint, NVX_CELL_SLOTS, )

/*
 * nvx_set_level - who runs from now on
 * @level: 0 unknown, 1, 2
 * @who: enum nvx_who of it
 */
nvx_inline void nvx_set_level(struct nvx_vcpu *v, __u32 level, __u64 who)
{
	v->level = level;
	v->who = who;
	v->key = who << 56 | NVX_KEY_USED;
	v->ran = NVX_T_GUEST + level;
	v->l0 = NVX_T_L0 + level;
}

nvx_inline __u64 nvx_drill_quota(__u64 kind)
{
	switch (kind) {
	case NVX_DRILL_RDMSR:
	case NVX_DRILL_WRMSR:
		return NVX_QUOTA_MSR;
	case NVX_DRILL_HYPERCALL:
		return NVX_QUOTA_HYPERCALL;
	case NVX_DRILL_MMIO:
		return NVX_QUOTA_MMIO;
	default:
		return NVX_QUOTA_PIO;
	}
}

/* nvx_drill_slow - slot + 1 of a number, taken if its kind may have one more; 0: it may not */
nvx_slow int nvx_drill_slow(struct nvx_vcpu *v, __u64 key)
{
	__u64 n, i, kind = NVX_KEY_KIND(key);

	if (!v || kind >= NVX_DRILL_KINDS)
		return 0;
	n = v->n_drill;
	for (i = 0; i < NVX_DRILL_SLOTS; i++) {
		if (i >= n)
			break;
		if (v->drills[i].key == key)
			break;
	}
	if (i >= NVX_DRILL_SLOTS)
		return 0;
	if (i >= n) {
		if (NVX_KEY_NUMBER(key) != NVX_DRILL_OTHER) {
			if (v->kind_used[kind] >= nvx_drill_quota(kind))
				return 0;
			v->kind_used[kind]++;
		}
		v->drills[i].key = key;
		v->n_drill = i + 1;
	}
	v->drill_hint[nvx_hint(key) & (NVX_HINTS - 1)] = i + 1;
	return i + 1;
}

/*
 * nvx_drill_evict - slot + 1 for a number whose kind has used its quota
 *
 * The least used number of the kind makes room.  A reader sees the slot's key
 * changed and knows that what it had counted there is in the "other" row now.
 */
nvx_slow int nvx_drill_evict(struct nvx_vcpu *v, __u64 key)
{
	__u64 i, least = ~0ULL, at, other, k;
	volatile __u8 *winner;

	if (!v)
		return 0;
	/*
	 * A winner in a register is a known number to the verifier, which then goes on from
	 * each of 80: half a million steps.  What comes out of memory is unknown: ten thousand.
	 */
	winner = &v->least;
	*winner = NVX_DRILL_SLOTS;
	for (i = 0; i < NVX_DRILL_SLOTS; i++) {
		k = v->drills[i].key;
		if (NVX_KEY_KIND(k) == NVX_KEY_KIND(key) && NVX_KEY_NUMBER(k) != NVX_DRILL_OTHER &&
		    v->drills[i].count < least) {
			least = v->drills[i].count;
			*winner = i;
		}
	}
	at = *winner;
	nvx_opaque(at);
	if (at >= NVX_DRILL_SLOTS)
		return 0;
	other = (__u32)nvx_drill_slow(v, v->drills[at].key | NVX_DRILL_OTHER);
	nvx_opaque(other);
	if (other - 1 >= NVX_DRILL_SLOTS)
		return 0;
	v->drills[other - 1].count += v->drills[at].count;
	v->drills[other - 1].reflected += v->drills[at].reflected;
	v->drills[other - 1].time_ns += v->drills[at].time_ns;
	v->drops[NVX_DROP_DRILL_SLOTS] += v->drills[at].count;
	v->drills[at].key = key;
	v->drills[at].count = 0;
	v->drills[at].reflected = 0;
	v->drills[at].time_ns = 0;
	v->drill_hint[nvx_hint(key) & (NVX_HINTS - 1)] = at + 1;
	return at + 1;
}

/* nvx_drill_find - slot + 1 of a drill-down key; 0: none to be had */
nvx_inline __u64 nvx_drill_find(struct nvx_vcpu *v, __u64 key)
{
	__u64 i = v->drill_hint[nvx_hint(key) & (NVX_HINTS - 1)];

	nvx_opaque(i);
	if (i - 1 < NVX_DRILL_SLOTS && v->drills[i - 1].key == key)
		return i;
	i = (__u32)nvx_drill_slow(v, key);
	return i ? i : (__u32)nvx_drill_evict(v, key);
}

/* nvx_chain_slow - slot + 1 of the chains that L1 entered for @reason; 0: full */
nvx_slow int nvx_chain_slow(struct nvx_vcpu *v, __u32 reason)
{
	__u64 n, i, key = NVX_KEY_USED | reason;

	if (!v)
		return 0;
	n = v->n_chain;
	for (i = 0; i < NVX_CHAIN_SLOTS; i++) {
		if (i >= n)
			break;
		if (v->chains[i].key == key)
			break;
	}
	if (i >= NVX_CHAIN_SLOTS)
		return 0;
	if (i >= n) {
		v->chains[i].key = key;
		v->n_chain = i + 1;
	}
	return i + 1;
}

/* nvx_l2_slow - enum nvx_who of the L2 whose vmcs12 or VMCB12 lies at @addr */
nvx_slow int nvx_l2_slow(struct nvx_vcpu *v, __u64 addr)
{
	__u64 n, i;

	if (!v)
		return NVX_WHO_L2_OTHER;
	n = v->n_l2;
	for (i = 0; i < NVX_L2_SLOTS; i++) {
		if (i >= n)
			break;
		if (v->l2[i].addr == addr)
			break;
	}
	if (i >= NVX_L2_SLOTS) {
		v->drops[NVX_DROP_L2_SLOTS]++;
		return NVX_WHO_L2_OTHER;
	}
	if (i >= n) {
		v->l2[i].addr = addr;
		v->n_l2 = i + 1;
	}
	return i + 1;
}

#endif
