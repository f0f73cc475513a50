// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two samples to rows.  Slots are taken on first use and never moved, so a vCPU's
 * delta is slot by slot; a vCPU that the older sample does not have counts from 0.
 */
#include <errno.h>
#include <string.h>

#include "model/rows.h"

/* Read where the older sample has no such vCPU: all zeroes. */
static const struct nvx_vcpu zero_vcpu;

struct rollup {
	struct nvx_rows *rows;
	const struct nvx_vcpu *a, *b; /* older, newer */
	uint64_t t_a, t_b; /* when the samples were taken */
	uint32_t vm, vcpu;
	const struct nvx_filter *filter;
	int failed;
};

static void who_labels(const struct rollup *r, uint32_t who, struct nvx_labels *l)
{
	l->isa = r->b->isa;
	l->vm = r->vm;
	if (who == NVX_WHO_L1) {
		l->level = NVX_LEVEL_1;
	} else if (who == NVX_WHO_UNKNOWN) {
		l->level = NVX_LEVEL_UNKNOWN;
	} else {
		l->level = NVX_LEVEL_2;
		if (r->filter->sum_l2s)
			l->l2 = NVX_L2_NONE;
		else if (who <= NVX_L2_SLOTS)
			l->l2 = r->b->l2[who - 1].addr;
		else
			l->l2 = who == NVX_WHO_L2_OTHER ? NVX_L2_OTHER : NVX_L2_UNKNOWN;
	}
}

static struct nvx_row *row_at(struct rollup *r, struct nvx_labels *l)
{
	int level = r->filter->level;
	struct nvx_row *row;

	if (level >= 0 && l->level != level && l->set != NVX_SET_VMS && l->set != NVX_SET_CHAINS &&
	    l->set != NVX_SET_CELLS && l->set != NVX_SET_TIME)
		return NULL;
	l->vcpu = r->vcpu;
	row = nvx_rows__at(r->rows, l);
	if (!row)
		r->failed = -ENOMEM;
	return row;
}

/* u32 slots wrap; the difference of two readings does not mind. */
static uint64_t add_hist(struct nvx_row *row, const __u32 *a, const __u32 *b, int nr)
{
	uint64_t sum = 0;

	for (int i = 0; i < nr; i++) {
		row->hist[i] += (uint32_t)(b[i] - a[i]);
		sum += (uint32_t)(b[i] - a[i]);
	}
	return sum;
}

static void roll_exits(struct rollup *r)
{
	for (unsigned int i = 0; i < r->b->n_exit && i < NVX_EXIT_SLOTS; i++) {
		const struct nvx_exit_slot *a = &r->a->exits[i], *b = &r->b->exits[i];
		struct nvx_labels l = { .set = NVX_SET_EXITS, .key = NVX_KEY_REASON(b->key) };
		struct nvx_row *row;

		if (a->count == b->count && a->time_ns == b->time_ns &&
		    a->synthesised == b->synthesised && a->reflected == b->reflected)
			continue;
		who_labels(r, NVX_KEY_WHO(b->key), &l);
		row = row_at(r, &l);
		if (!row)
			continue;
		row->v[NVX_V_COUNT] += b->count - a->count;
		row->v[NVX_V_REFLECTED] += b->reflected - a->reflected;
		row->v[NVX_V_SYNTHESISED] += b->synthesised - a->synthesised;
		row->v[NVX_V_TIME] += b->time_ns - a->time_ns;
		row->v[NVX_V_DONE] += add_hist(row, a->hist, b->hist, NVX_HIST_SLOTS);
	}
}

static enum nvx_set drill_set(uint32_t kind)
{
	switch (kind) {
	case NVX_DRILL_RDMSR:
	case NVX_DRILL_WRMSR:
		return NVX_SET_MSRS;
	case NVX_DRILL_HYPERCALL:
		return NVX_SET_HYPERCALLS;
	case NVX_DRILL_PIO_IN:
	case NVX_DRILL_PIO_OUT:
		return NVX_SET_PIO;
	default:
		return NVX_SET_MMIO;
	}
}

static struct nvx_row *drill_row(struct rollup *r, uint64_t key)
{
	struct nvx_labels l = { .kind = NVX_KEY_KIND(key), .key = NVX_KEY_NUMBER(key) };

	l.set = drill_set(l.kind);
	who_labels(r, NVX_KEY_WHO(key), &l);
	return row_at(r, &l);
}

/*
 * A number that gave way to another: what it had counted when the older sample was
 * taken stands in the newer one's "other" row, and was reported already.
 */
static void evicted(struct rollup *r, const struct nvx_drill_slot *a)
{
	struct nvx_row *row = drill_row(r, a->key | NVX_DRILL_OTHER);

	if (!row)
		return;
	row->v[NVX_V_COUNT] -= a->count;
	row->v[NVX_V_REFLECTED] -= a->reflected;
	row->v[NVX_V_TIME] -= a->time_ns;
}

static void roll_drills(struct rollup *r)
{
	static const struct nvx_drill_slot none;

	for (unsigned int i = 0; i < r->b->n_drill && i < NVX_DRILL_SLOTS; i++) {
		const struct nvx_drill_slot *a = &r->a->drills[i], *b = &r->b->drills[i];
		struct nvx_row *row;

		/* fewer than before: it gave way and came back */
		if (a->key && (a->key != b->key || b->count < a->count)) {
			evicted(r, a);
			a = &none;
		}
		if (a->count == b->count && a->time_ns == b->time_ns &&
		    a->reflected == b->reflected)
			continue;
		row = drill_row(r, b->key);
		if (!row)
			continue;
		row->v[NVX_V_COUNT] += b->count - a->count;
		row->v[NVX_V_REFLECTED] += b->reflected - a->reflected;
		row->v[NVX_V_TIME] += b->time_ns - a->time_ns;
	}
}

static void roll_chains(struct rollup *r)
{
	for (unsigned int i = 0; i < r->b->n_chain && i < NVX_CHAIN_SLOTS; i++) {
		const struct nvx_chain_slot *a = &r->a->chains[i], *b = &r->b->chains[i];
		struct nvx_labels l = { .set = NVX_SET_CHAINS, .isa = r->b->isa, .vm = r->vm,
					.level = NVX_LEVEL_2, .key = NVX_KEY_REASON(b->key) };
		struct nvx_row *row;

		if (!memcmp(a, b, sizeof(*a)))
			continue;
		row = row_at(r, &l);
		if (!row)
			continue;
		row->v[NVX_V_COUNT] += b->count - a->count;
		row->v[NVX_V_REFLECTED] += b->reflected - a->reflected;
		row->v[NVX_V_NOEXIT] += b->noexit - a->noexit;
		row->v[NVX_V_SYNTHESISED] += (b->count - b->reflected) - (a->count - a->reflected);
		row->v[NVX_V_TIME] += b->time_ns - a->time_ns;
		row->v[NVX_V_DONE] += add_hist(row, a->len, b->len, NVX_LEN_SLOTS);
	}
}

static void roll_cells(struct rollup *r)
{
	for (unsigned int i = 0; i < r->b->n_cell && i < NVX_CELL_SLOTS; i++) {
		const struct nvx_cell_slot *a = &r->a->cells[i], *b = &r->b->cells[i];
		uint32_t chain = NVX_KEY_CHAIN(b->key);
		struct nvx_labels l = { .set = NVX_SET_CELLS, .isa = r->b->isa, .vm = r->vm,
					.level = NVX_LEVEL_1, .key2 = NVX_KEY_REASON(b->key) };
		struct nvx_row *row;

		if (chain >= NVX_CHAIN_SLOTS || (a->count == b->count && a->time_ns == b->time_ns))
			continue;
		l.key = NVX_KEY_REASON(r->b->chains[chain].key);
		row = row_at(r, &l);
		if (!row)
			continue;
		row->v[NVX_V_COUNT] += b->count - a->count;
		row->v[NVX_V_TIME] += b->time_ns - a->time_ns;
	}
}

static void roll_l2s(struct rollup *r)
{
	for (unsigned int i = 0; i < r->b->n_l2 && i < NVX_L2_SLOTS; i++) {
		struct nvx_labels l = { .set = NVX_SET_L2S };
		struct nvx_row *row;

		who_labels(r, i + 1, &l);
		row = row_at(r, &l);
		if (row)
			row->v[NVX_V_ENTRIES] += r->b->l2[i].entries - r->a->l2[i].entries;
	}
}

static void roll_ipis(struct rollup *r)
{
	for (unsigned int i = 0; i < r->b->n_ipi && i < NVX_IPI_SLOTS; i++) {
		const struct nvx_ipi_slot *a = &r->a->ipis[i], *b = &r->b->ipis[i];
		struct nvx_labels l = { .set = NVX_SET_IPIS, .key = NVX_KEY_HIGH(b->key),
					.kind = NVX_KEY_LOW(b->key) };
		struct nvx_row *row;

		if (a->exits == b->exits)
			continue;
		who_labels(r, NVX_KEY_WHO(b->key), &l);
		row = row_at(r, &l);
		if (!row)
			continue;
		row->v[NVX_V_COUNT] += b->ipis - a->ipis;
		row->v[NVX_V_DESTS] += b->dests - a->dests;
		row->v[NVX_V_EXITS] += b->exits - a->exits;
		row->v[NVX_V_NODESTS] += b->unknown - a->unknown;
	}
}

static void roll_tlb(struct rollup *r)
{
	for (unsigned int i = 0; i < r->b->n_tlb && i < NVX_TLB_SLOTS; i++) {
		const struct nvx_tlb_slot *a = &r->a->tlb[i], *b = &r->b->tlb[i];
		struct nvx_labels l = { .set = NVX_SET_TLB, .key = NVX_KEY_HIGH(b->key),
					.key2 = NVX_KEY_LOW(b->key) };
		struct nvx_row *row;

		if (a->count == b->count)
			continue;
		who_labels(r, NVX_KEY_WHO(b->key), &l);
		row = row_at(r, &l);
		if (row)
			row->v[NVX_V_COUNT] += b->count - a->count;
	}
	for (unsigned int d = 0; d < 2; d++) {
		struct nvx_labels l = { .set = NVX_SET_FLUSHES, .isa = r->b->isa, .vm = r->vm,
					.level = d + 1 == NVX_L1_TO_L2 ? NVX_LEVEL_2 : NVX_LEVEL_1,
					.key = d + 1 };
		struct nvx_row *row;

		if (!memcmp(r->a->switch_flushes[d], r->b->switch_flushes[d],
			    sizeof(r->b->switch_flushes[d])))
			continue;
		row = row_at(r, &l);
		if (row)
			row->v[NVX_V_COUNT] += add_hist(row, r->a->switch_flushes[d],
							r->b->switch_flushes[d], NVX_FLUSH_SLOTS);
	}
}

/* Time in a phase at a sample, the open one included. */
static int64_t phase_time(const struct nvx_vcpu *v, uint64_t t, unsigned int phase)
{
	int64_t open = v->phase == phase && t > v->t_phase ? t - v->t_phase : 0;

	return v->time[phase] + open;
}

/*
 * What an open phase was given at the last sample may since have turned out to be something
 * else: of a halt what L0 took to begin and end it, of any phase what was waiting for a CPU.
 * That was given already, so it is taken from where it is counted now: the parts of a delta
 * never add up to more than its time.
 */
static void settle(int64_t *part, unsigned int owes)
{
	static const unsigned char halted[] = { NVX_T_POLL, NVX_T_L0_L1, NVX_T_L0_L2, NVX_T_L0,
						NVX_T_WAIT };
	static const unsigned char any[] = { NVX_T_WAIT, NVX_T_HALTED, NVX_T_POLL, NVX_T_L0_L1,
					     NVX_T_L0_L2, NVX_T_L0, NVX_T_USER, NVX_T_L1, NVX_T_L2,
					     NVX_T_GUEST };
	const unsigned char *from = owes == NVX_T_HALTED ? halted : any;
	size_t nr = owes == NVX_T_HALTED ? sizeof(halted) : sizeof(any);

	for (size_t i = 0; i < nr && part[owes] < 0; i++) {
		int64_t most = part[from[i]], debt = -part[owes];

		if (from[i] == owes || most <= 0)
			continue;
		part[from[i]] -= debt < most ? debt : most;
		part[owes] += debt < most ? debt : most;
	}
}

static void roll_time(struct rollup *r)
{
	int64_t part[NVX_PHASES];

	for (unsigned int p = NVX_T_NONE + 1; p < NVX_PHASES; p++)
		part[p] = phase_time(r->b, r->t_b, p) - phase_time(r->a, r->t_a, p);
	for (unsigned int p = NVX_T_NONE + 1; p < NVX_PHASES; p++)
		settle(part, p);
	for (unsigned int p = NVX_T_NONE + 1; p < NVX_PHASES; p++) {
		struct nvx_labels l = { .set = NVX_SET_TIME, .vm = r->vm, .key = p };
		struct nvx_row *row;

		if (part[p] <= 0)
			continue;
		row = row_at(r, &l);
		if (row)
			row->v[NVX_V_TIME] += part[p];
	}
}

static uint64_t exits_of(const struct nvx_vcpu *v, int level)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < v->n_exit && i < NVX_EXIT_SLOTS; i++) {
		uint32_t who = NVX_KEY_WHO(v->exits[i].key);
		int l = who == NVX_WHO_L1 ? 1 : who == NVX_WHO_UNKNOWN ? 0 : 2;

		if (l == level)
			sum += v->exits[i].count;
	}
	return sum;
}

static void roll_vm(struct rollup *r)
{
	const struct nvx_vcpu *a = r->a, *b = r->b;
	struct nvx_labels l = { .set = NVX_SET_VMS, .isa = b->isa, .vm = r->vm };
	struct nvx_row *row = row_at(r, &l);

	if (!row)
		return;
	row->v[NVX_V_COUNT] += exits_of(b, 1) - exits_of(a, 1);
	row->v[NVX_V_L2_EXITS] += exits_of(b, 2) - exits_of(a, 2);
	row->v[NVX_V_UNKNOWN] += exits_of(b, 0) - exits_of(a, 0);
	row->v[NVX_V_ENTRIES] += b->entries - a->entries;
	row->v[NVX_V_LEAVES] += b->leaves - a->leaves;
	row->v[NVX_V_NOEXIT] += b->leaves_noexit - a->leaves_noexit;
	row->v[NVX_V_FAILED] += b->entry_failed - a->entry_failed;
	row->v[NVX_V_RESYNCS] += b->resyncs - a->resyncs;
	/* a vCPU is seen once in a series: where it first appears */
	row->v[NVX_V_VCPUS] += a == &zero_vcpu;
	row->v[NVX_V_OPAQUE] += a == &zero_vcpu && b->marks & NVX_M_OPAQUE;
	for (int d = 0; d < NVX_DROP_VCPU; d++)
		row->v[d <= NVX_DROP_DRILL_SLOTS ? NVX_V_DETAIL : NVX_V_LOST] +=
			(uint32_t)(b->drops[d] - a->drops[d]);
}

static int wanted(const struct nvx_snap *s, const struct nvx_filter *f)
{
	return (!f->pid || f->pid == s->v.tgid) && (f->vcpu < 0 || f->vcpu == s->v.vcpu_id) &&
	       (!f->vm_name || !strcmp(f->vm_name, s->vm->id.name));
}

int nvx_rollup(struct nvx_rows *rows, const struct nvx_sample *from, const struct nvx_sample *to,
	       const struct nvx_filter *filter)
{
	static const struct nvx_filter all = { .vcpu = -1, .level = -1 };
	struct rollup r = { .rows = rows, .filter = filter ?: &all,
			    .t_a = from ? from->t_ns : 0, .t_b = to->t_ns };

	for (size_t i = 0; i < to->nr && !r.failed; i++) {
		const struct nvx_snap *b = to->snap[i], *a = nvx_sample__find(from, b);

		if (!wanted(b, r.filter))
			continue;
		r.a = a ? &a->v : &zero_vcpu;
		r.b = &b->v;
		r.vm = b->vm->index;
		r.vcpu = r.filter->by_vcpu ? b->v.vcpu_id + 1 : 0;
		roll_time(&r);
		if (a == b) /* nothing happened to it but time */
			continue;
		roll_vm(&r);
		roll_l2s(&r);
		roll_exits(&r);
		roll_drills(&r);
		roll_chains(&r);
		roll_cells(&r);
		roll_ipis(&r);
		roll_tlb(&r);
	}
	return r.failed;
}
