/* SPDX-License-Identifier: GPL-2.0-only WITH Linux-syscall-note */
/*
 * The one header that BPF programs, the engine and userspace share: the
 * per-vCPU counters as they lie in the mapped array, the slot rule of every
 * histogram, and the configuration that userspace freezes into a program.
 *
 * A vCPU is one thread and almost all its events fire in that thread, so each
 * struct nvx_vcpu has one writer and plain increments do.  Readers map the
 * array and never stop or reset anything.
 */
#ifndef NVX_ABI_H
#define NVX_ABI_H

#include <linux/types.h>

#include <nvx_tp.h> /* enum nvx_isa */

/*
 * Slot i counts durations in (2^(NVX_HIST_SHIFT+i-1), 2^(NVX_HIST_SHIFT+i)] ns:
 * an exact power of two lands in the bucket that it closes, as Prometheus's
 * `le` demands.  Slot 0 also takes everything shorter; the last slot has no
 * upper bound.  256 ns is below every exit but the fastest on current
 * processors; 2^30 ns is 1.07 s.
 */
#define NVX_HIST_SHIFT	8
#define NVX_HIST_SLOTS	24

/* Chain lengths: slot n-1 for n = 1..16 exactly, then powers of two, the last open. */
#define NVX_LEN_EXACT	16
#define NVX_LEN_SLOTS	24

/*
 * nvx_log2_up - exponent of the smallest power of two that is not below v
 * @v: any value
 *
 * Returns 0 for 0 and 1, else ceil(log2(v)), 1..64.  Branches, not clz: BPF has
 * no such instruction, and all in 64 bits, because the verifier of 6.1 loses
 * bounds that are compared in 32.
 */
static inline __attribute__((always_inline)) __u64 nvx_log2_up(__u64 v)
{
	__u64 r = 0;

	if (v < 2)
		return 0;
	v--;
	if (v >> 32) {
		v >>= 32;
		r += 32;
	}
	if (v >> 16) {
		v >>= 16;
		r += 16;
	}
	if (v >> 8) {
		v >>= 8;
		r += 8;
	}
	if (v >> 4) {
		v >>= 4;
		r += 4;
	}
	if (v >> 2) {
		v >>= 2;
		r += 2;
	}
	return r + (v >> 1) + 1;
}

/* How many bits a byte has up to its highest set one. */
static const __u8 nvx_bits[256] = {
	[1] = 1,	 [2 ... 3] = 2,	   [4 ... 7] = 3,    [8 ... 15] = 4,
	[16 ... 31] = 5, [32 ... 63] = 6, [64 ... 127] = 7, [128 ... 255] = 8,
};

/*
 * nvx_hist_slot - the slot of a duration
 * @ns: nanoseconds
 *
 * Returns 0..NVX_HIST_SLOTS-1.  By table: most exits take less than 2^16 ns, and this
 * is done at each.
 */
static inline __attribute__((always_inline)) __u64 nvx_hist_slot(__u64 ns)
{
	__u64 above = (ns - 1) >> NVX_HIST_SHIFT;

	if (above < 1 << 8)
		return nvx_bits[above];
	if (!ns)
		return 0;
	if (above < 1 << 16)
		return 8 + nvx_bits[above >> 8];
	if (above < 1 << (NVX_HIST_SLOTS - 1))
		return 16 + nvx_bits[above >> 16 & 0xff];
	return NVX_HIST_SLOTS - 1;
}

/*
 * nvx_len_slot - the slot of a chain length
 * @len: exits of the chain, the L2 exit included
 *
 * Returns 0..NVX_LEN_SLOTS-1.
 */
static inline __attribute__((always_inline)) __u64 nvx_len_slot(__u64 len)
{
	__u64 r;

	if (len <= NVX_LEN_EXACT)
		return len ? len - 1 : 0;
	r = nvx_log2_up(len) + NVX_LEN_EXACT - 5;
	return r < NVX_LEN_SLOTS ? r : NVX_LEN_SLOTS - 1;
}

/* Who was running, as a one-byte part of the keys below. */
enum nvx_who {
	NVX_WHO_L1 = 0,
	/* 1..NVX_L2_SLOTS: the L2 of l2[who - 1] */
	NVX_L2_SLOTS = 12,
	NVX_WHO_L2_OTHER = 0xfd,   /* L2 whose identity found no slot */
	NVX_WHO_L2_UNKNOWN = 0xfe, /* L2 before its first entry was seen */
	NVX_WHO_UNKNOWN = 0xff,	   /* level not known yet: shown as `?` */
};

/* What a drill-down number is. */
enum nvx_drill {
	NVX_DRILL_NONE,
	NVX_DRILL_RDMSR,
	NVX_DRILL_WRMSR,
	NVX_DRILL_HYPERCALL,
	NVX_DRILL_PIO_IN,
	NVX_DRILL_PIO_OUT,
	NVX_DRILL_MMIO, /* number is the guest page frame */
	NVX_DRILL_KINDS,
};

/* A number of all ones: rows that found no slot of their own. */
#define NVX_DRILL_OTHER 0xffffffffffffULL

/*
 * Keys are 64 bits and never 0, so that a zeroed slot is an empty one:
 * exits   who << 56 | 1 << 32 | reason
 * drill   who << 56 | kind << 48 | number (48 bits)
 * chains  1 << 32 | the reason that L1 saw
 * cells   (chain slot + 1) << 56 | 1 << 32 | L1's exit reason
 */
#define NVX_KEY_USED		(1ULL << 32)
#define NVX_KEY_REASON(key)	((__u32)(key))
#define NVX_KEY_WHO(key)	((__u32)((key) >> 56))
#define NVX_KEY_KIND(key)	((__u32)((key) >> 48) & 0xff)
#define NVX_KEY_NUMBER(key)	((key) & 0xffffffffffffULL)
#define NVX_KEY_CHAIN(key)	((__u32)((key) >> 56) - 1)

#define NVX_EXIT_SLOTS	48
#define NVX_DRILL_SLOTS	80
#define NVX_CHAIN_SLOTS	20
#define NVX_CELL_SLOTS	96
#define NVX_HINTS	128

/*
 * Slots that a kind of number may take, so that none starves the others: a booting
 * firmware touches dozens of ports once.  Beyond it the least used number of the kind
 * gives way: its counts go to the row NVX_DRILL_OTHER, so totals still add up.  What
 * the quotas leave of the table is kept for those rows.
 */
#define NVX_QUOTA_MSR		16 /* reads, and as many writes */
#define NVX_QUOTA_HYPERCALL	8
#define NVX_QUOTA_PIO		8 /* in, and as many out */
#define NVX_QUOTA_MMIO		12

#define NVX_IPI_SLOTS	12
#define NVX_TLB_SLOTS	20
#define NVX_FLUSH_SLOTS	6 /* flushes of one switch: 0..4 exactly, then more */

/* Exits of one (who, reason).  Never re-entered = count - sum of hist. */
struct nvx_exit_slot {
	__u64 key;
	__u64 count;
	__u64 reflected;   /* handed to L1 as they were */
	__u64 synthesised; /* handled by L0, then L2 left for another cause */
	__u64 time_ns;	   /* kvm_exit to the next kvm_entry */
	__u32 hist[NVX_HIST_SLOTS];
	__u32 class;	   /* enum nvx_class, of the reason */
	__u32 pad;
};

/* Exits of one MSR, hypercall, port or page. */
struct nvx_drill_slot {
	__u64 key;
	__u64 count;
	__u64 reflected;
	__u64 time_ns;
};

/* Switches to L1 for one reason that L1 saw.  Still open = count - sum of len. */
struct nvx_chain_slot {
	__u64 key;
	__u64 count;
	__u64 reflected; /* the others are synthesised ... */
	__u64 noexit;	 /* ... and these had no L2 exit at all */
	__u64 time_ns;	 /* the L2 exit (or the switch) until L2 runs again */
	__u32 len[NVX_LEN_SLOTS];
};

/* L1 exits of one reason within the chains of one slot. */
struct nvx_cell_slot {
	__u64 key;
	__u64 count;
	__u64 time_ns;
};

/* An L2, by the address of its vmcs12 or VMCB12. */
struct nvx_l2_slot {
	__u64 addr;
	__u64 entries; /* switches from L1 into it */
};

/* Whom an IPI is for. */
enum nvx_ipi_kind {
	NVX_IPI_KIND_UNICAST,
	NVX_IPI_KIND_SUBSET,
	NVX_IPI_KIND_SELF,
	NVX_IPI_KIND_ALL,
	NVX_IPI_KIND_OTHERS, /* all but self */
	NVX_IPI_KIND_UNKNOWN, /* the value written is out of reach */
	NVX_IPI_KINDS
};

/* IPIs of one (who, path, kind): key = who << 56 | 1 << 32 | path << 8 | kind. */
struct nvx_ipi_slot {
	__u64 key;
	__u64 ipis;
	__u64 dests;   /* destinations of those whose number is known */
	__u64 exits;   /* an xAPIC IPI takes two: ICR2 and ICR */
	__u64 unknown; /* IPIs whose destinations could not be counted */
};

/* Flushes of one (who, kind, cause): key = who << 56 | 1 << 32 | kind << 8 | cause. */
struct nvx_tlb_slot {
	__u64 key;
	__u64 count;
};

/* Keys of both ledgers. */
#define NVX_KEY_HIGH(key) ((__u32)((key) >> 8) & 0xff) /* path, flush kind */
#define NVX_KEY_LOW(key)  ((__u32)(key) & 0xff)	       /* IPI kind, cause */

/*
 * Where a vCPU's time goes.  L0's time from an exit to a switch is for the level that
 * exited, from the switch to the entry for the level entered.
 */
enum nvx_phase {
	NVX_T_NONE, /* before the first event, after the thread's end */
	NVX_T_GUEST, /* + level: 0 where it is not known yet */
	NVX_T_L1,
	NVX_T_L2,
	NVX_T_L0, /* + level, likewise */
	NVX_T_L0_L1,
	NVX_T_L0_L2,
	NVX_T_USER,
	NVX_T_HALTED, /* blocked */
	NVX_T_POLL,   /* halt-polling that ended in a wake-up */
	NVX_T_WAIT,   /* runnable, waiting for a CPU */
	NVX_PHASES,
	NVX_TIMES = 16, /* room up to a power of two, so that a mask bounds them */
};

enum nvx_state {
	NVX_FREE,
	NVX_LIVE, /* set by BPF */
	NVX_DEAD, /* set by BPF when the thread ends; the reader frees it after its last look */
};

/*
 * What could not be counted, per vCPU.  The first group loses nothing but detail (the
 * event is in its totals), the rest are events without a home.
 */
enum nvx_drop {
	NVX_DROP_L2_SLOTS,	/* L2 counted as "other" */
	NVX_DROP_DRILL_SLOTS,	/* exit whose number is now counted as "other" */
	NVX_DROP_EXIT_SLOTS,	/* exit without a slot */
	NVX_DROP_CHAIN_SLOTS,	/* chain without a slot */
	NVX_DROP_CELL_SLOTS,	/* L1 exit of a chain without a slot */
	NVX_DROP_IPI_SLOTS,	/* IPI without a slot */
	NVX_DROP_TLB_SLOTS,	/* flush without a slot */
	NVX_DROP_READ,		/* a kernel read failed: reason or level unknown */
	NVX_DROP_VCPU,
};

/* Events that belong to no vCPU slot; one counter a CPU each. */
enum nvx_gdrop {
	NVX_GDROP_VCPUS_FULL,	/* no free vCPU slot */
	NVX_GDROP_KINDS,
};

enum nvx_flag {
	NVX_F_ENTERING = 1, /* nested entry seen, L2 not yet entered */
	NVX_F_LEAVING = 2,  /* switch to L1 seen, L1 not yet entered */
	NVX_F_LATE_PIO = 4, /* open exit is an I/O instruction whose port is not known yet */
	NVX_F_TOLD = 8,	    /* open exit's outcome is counted: it has one */
	NVX_F_GPA = 16,	    /* open exit is a nested page fault, gpa its address */
	NVX_F_HALT = 32,    /* open exit is HLT: the phase may be NVX_T_HALTED */
};

/* What outlives an exit. */
enum nvx_mark {
	NVX_M_ICR2 = 1,	    /* xAPIC: ICR2 written, ICR not yet */
	NVX_M_OPAQUE = 2,   /* encrypted guest: its registers mean nothing (SEV-ES, TDX) */
};

/* What exits of a reason carry: decided once for a slot, not at every exit. */
enum nvx_class {
	NVX_C_PLAIN = 0, /* nothing, as most */
	NVX_C_MSR = 1,
	NVX_C_HYPERCALL = 2,
	NVX_C_PIO = 4,
	NVX_C_NPF = 8,
	NVX_C_AVIC = 16, /* SVM: AVIC could not deliver an IPI */
	NVX_C_HLT = 32,
};

#define NVX_COMM 16

struct nvx_vcpu {
	/* hot: of a plain exit, two cache lines and its slot */
	__u64 task;	/* kernel address of the thread; 0: nobody's, or to be counted no more */
	__u64 vcpu;	/* kernel address (its number where addresses are not read) */
	__u64 events;	/* bumped by events but kvm_entry: see nvx_same_state() */
	__u64 t_exit;	/* when the open exit happened */
	__u64 t_phase;	/* when the phase began, CLOCK_MONOTONIC */
	__u64 key;	/* who << 56 | NVX_KEY_USED: of an exit's key what is known before it */
	union {
		__u64 open; /* as one: nothing is open */
		struct {
			union {
				__u16 numbers; /* neither of the two */
				struct {
					__u8 drill; /* open exit: its drill-down slot + 1 */
					__u8 cell;  /* ... its cell + 1 */
				};
			};
			__u8 exit;    /* ... its slot + 1 */
			__u8 flags;   /* enum nvx_flag */
			__u8 flushes; /* since the switch that is not entered yet */
		};
	};
	__u8 exit_who;	/* enum nvx_who of the open exit */
	__u8 who;	/* enum nvx_who of the level */
	__u8 level;	/* 0 unknown, 1, 2 */
	__u8 phase;	/* enum nvx_phase */
	__u8 ran;	/* that of a guest of the level ... */
	__u8 l0;	/* ... and of L0 for it */
	__u8 chain;	/* open chain: its slot + 1 */
	__u8 state;	/* enum nvx_state */
	__u64 vmcb;	/* SVM: of the level, 0 until read */
	__u64 time[NVX_TIMES]; /* ns, without the open phase; [NVX_T_NONE] means nothing */
	/* cold */
	__u64 vmcb01;	/* SVM: of L1, which stays the same */
	__u64 t_chain;	/* when the open chain began */
	__u64 gpa;	/* guest-physical address of a nested page fault: NVX_F_GPA */
	__u64 run_delay; /* of the thread, when last read */
	__u32 tid;
	__u32 chain_len;
	__u8 isa;	/* enum nvx_isa */
	__u8 marks;	/* enum nvx_mark */
	__u8 n_exit, n_drill, n_chain, n_cell, n_l2;
	__u8 n_ipi, n_tlb;
	__u8 least;	   /* of nvx_drill_evict(), which the verifier may not know */
	__u8 flush_kind;   /* the flush in the making, by its outermost function */
	__u8 flush_cause;  /* ... and its cause where an event told it before */
	__u16 cpu;	   /* + 1: where the vCPU last flushed everything */
	__u32 icr2;	   /* last write to the xAPIC's ICR2 */
	__u32 nr_vcpus;	   /* of the VM, when last read; 0 where it is not */
	__u64 kvm;	   /* kernel address of struct kvm, 0 where not read */
	__u64 t_first;	   /* boot clock, ns, when the slot was taken */
	__u64 t_thread;	   /* start time of the thread, ns, 0 where not read */
	__u32 tgid;
	__s32 vcpu_id;
	__u32 next;	   /* next slot of the same thread + 1 */
	__u32 drops[NVX_DROP_VCPU];
	char comm[NVX_COMM]; /* of the process, for names after its end */
	__u32 kind_used[NVX_DRILL_KINDS + 1];
	__u64 entries;	   /* switches L1 to L2 */
	__u64 entry_failed; /* nested entries that did not reach L2 */
	__u64 leaves;	   /* switches L2 to L1 */
	__u64 leaves_noexit; /* ... without an L2 exit before them */
	__u64 resyncs;	   /* level found changed without a switch event */

	__u32 switch_flushes[2][NVX_FLUSH_SLOTS]; /* enum nvx_direction - 1 */
	struct nvx_ipi_slot ipis[NVX_IPI_SLOTS];
	struct nvx_tlb_slot tlb[NVX_TLB_SLOTS];

	__u8 exit_hint[NVX_HINTS];
	__u8 drill_hint[NVX_HINTS];
	__u8 cell_hint[NVX_HINTS];
	struct nvx_l2_slot l2[NVX_L2_SLOTS];
	struct nvx_exit_slot exits[NVX_EXIT_SLOTS];
	struct nvx_drill_slot drills[NVX_DRILL_SLOTS];
	struct nvx_chain_slot chains[NVX_CHAIN_SLOTS];
	struct nvx_cell_slot cells[NVX_CELL_SLOTS];
} __attribute__((aligned(64)));

/* The budget is a design decision: 1,024 vCPUs are 16 MiB, mapped, and one page each in four. */
#define NVX_VCPU_SIZE 16384

union nvx_vcpu_cell {
	struct nvx_vcpu v;
	__u8 bytes[NVX_VCPU_SIZE];
};

_Static_assert(sizeof(struct nvx_vcpu) <= NVX_VCPU_SIZE, "a vCPU has 16 KiB");
_Static_assert(__builtin_offsetof(struct nvx_vcpu, vmcb) == 64,
	       "hot state fills one cache line, and its phases the next");

/*
 * nvx_same_state - has nothing happened to a vCPU between two copies of it?
 *
 * An entry bumps no counter of events: it ends what was open, or begins a phase.
 */
static inline __attribute__((always_inline)) int nvx_same_state(const struct nvx_vcpu *a,
								const struct nvx_vcpu *b)
{
	return a->events == b->events && a->open == b->open && a->t_phase == b->t_phase &&
	       a->phase == b->phase;
}

/*
 * hint[tid & 0xffff] = (tid >> 16) << 16 | index, so that the thread id is
 * checked in full (PID_MAX_LIMIT is 2^22).  Index 0 is never given out, so a
 * zeroed entry matches nothing; NVX_HINT_IGNORE is a thread that a filter
 * excludes.
 */
#define NVX_HINTS_TID	65536
#define NVX_GUESSES	65536
#define NVX_HINT_IGNORE	0xffff

struct nvx_slot_key {
	__u64 vcpu;
	__u32 tid;
	__u32 pad;
};

/*
 * Fields of the classic kvm_exit's record.  Where they lie only the host's tracefs says, and
 * a program may read its record at constant offsets alone: so it is compiled with loads at
 * NVX_FIELD_MARK + 8 * field, which userspace replaces before it loads the program.
 */
enum nvx_exit_field {
	NVX_FIELD_REASON,
	NVX_FIELD_ISA,
	NVX_FIELD_VCPU,
	NVX_FIELD_INFO1,
	NVX_FIELD_INFO2,
	NVX_EXIT_FIELDS
};

#define NVX_FIELD_MARK 0x4000

struct nvx_cfg {
	__u32 tgid;	 /* only this process; 0: all */
	__u32 old_order; /* kvm_exit(exit_reason, vcpu, isa), as before 5.16 */
	__u32 no_info;	 /* classic: kvm_exit's record has no info1 and info2 */
};

#endif
