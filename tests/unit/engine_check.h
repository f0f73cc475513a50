/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Engine and naive model compared figure by figure, and both fed with events made
 * from bytes: what the property test and the fuzz target share.
 */
#ifndef NVX_TESTS_ENGINE_CHECK_H
#define NVX_TESTS_ENGINE_CHECK_H

#include "engine_model.h"

/* What the engine's one-byte `who` stands for. */
static inline struct model_who model_who_of(const struct nvx_vcpu *v, uint32_t who)
{
	if (who == NVX_WHO_L1)
		return (struct model_who){ 1, 0 };
	if (who == NVX_WHO_UNKNOWN)
		return (struct model_who){ 0, 0 };
	if (who == NVX_WHO_L2_OTHER)
		return (struct model_who){ 2, MODEL_L2_OTHER };
	if (who == NVX_WHO_L2_UNKNOWN)
		return (struct model_who){ 2, MODEL_L2_UNKNOWN };
	return (struct model_who){ 2, v->l2[who - 1].addr };
}

#define MODEL_CHECK(x)          \
	do {                    \
		if (!(x))       \
			return #x; \
	} while (0)

static inline const char *model_check_exits(const struct model *m, const struct nvx_vcpu *v)
{
	uint64_t told = 0;

	MODEL_CHECK(v->n_exit == m->nr_exit);
	for (int i = 0; i < m->nr_exit; i++) {
		const struct nvx_exit_slot *s = &v->exits[i];
		const struct model_exit *x = &m->exits[i];
		uint64_t again = 0;

		MODEL_CHECK(model_same(model_who_of(v, NVX_KEY_WHO(s->key)), x->who));
		MODEL_CHECK(NVX_KEY_REASON(s->key) == x->reason);
		MODEL_CHECK(s->count == x->count);
		MODEL_CHECK(s->reflected == x->reflected);
		MODEL_CHECK(s->synthesised == x->synthesised);
		MODEL_CHECK(s->reflected + s->synthesised <= s->count);
		MODEL_CHECK(x->who.level == 2 || s->reflected + s->synthesised == 0);
		MODEL_CHECK(s->time_ns == x->time);
		for (int h = 0; h < NVX_HIST_SLOTS; h++) {
			MODEL_CHECK(s->hist[h] == (uint32_t)x->hist[h]);
			again += x->hist[h];
		}
		MODEL_CHECK(again <= s->count);
		told += s->reflected + s->synthesised;
	}
	MODEL_CHECK(told + v->leaves_noexit == v->leaves);
	return NULL;
}

static inline const char *model_check_chains(const struct model *m, const struct nvx_vcpu *v)
{
	uint64_t count = 0;

	MODEL_CHECK(v->n_chain == m->nr_chain);
	for (int i = 0; i < m->nr_chain; i++) {
		const struct nvx_chain_slot *s = &v->chains[i];
		const struct model_chain *c = &m->chains[i];

		MODEL_CHECK(NVX_KEY_REASON(s->key) == c->reason);
		MODEL_CHECK(s->count == c->count);
		MODEL_CHECK(s->reflected == c->reflected);
		MODEL_CHECK(s->noexit == c->noexit);
		MODEL_CHECK(s->reflected + s->noexit <= s->count);
		MODEL_CHECK(s->time_ns == c->time);
		for (int h = 0; h < NVX_LEN_SLOTS; h++)
			MODEL_CHECK(s->len[h] == (uint32_t)c->len[h]);
		count += s->count;
	}
	MODEL_CHECK(count + v->drops[NVX_DROP_CHAIN_SLOTS] == v->leaves);
	MODEL_CHECK(v->n_cell == m->nr_cell);
	for (int i = 0; i < m->nr_cell; i++) {
		const struct nvx_cell_slot *s = &v->cells[i];

		MODEL_CHECK(NVX_KEY_CHAIN(s->key) < v->n_chain);
		MODEL_CHECK(NVX_KEY_REASON(v->chains[NVX_KEY_CHAIN(s->key)].key) ==
			    m->cells[i].chain);
		MODEL_CHECK(NVX_KEY_REASON(s->key) == m->cells[i].reason);
		MODEL_CHECK(s->count == m->cells[i].count);
		MODEL_CHECK(s->time_ns == m->cells[i].time);
	}
	return NULL;
}

/* Rows of their own and the shared rows hold every number that was told. */
static inline const char *model_check_drills(const struct model *m, const struct nvx_vcpu *v)
{
	uint32_t used[NVX_DRILL_KINDS] = { 0 };
	uint64_t own = 0, other = 0;

	MODEL_CHECK(v->n_drill <= NVX_DRILL_SLOTS);
	for (int i = 0; i < v->n_drill; i++) {
		const struct nvx_drill_slot *s = &v->drills[i];

		MODEL_CHECK(NVX_KEY_KIND(s->key) > 0 && NVX_KEY_KIND(s->key) < NVX_DRILL_KINDS);
		MODEL_CHECK(s->count > 0);
		MODEL_CHECK(s->reflected <= s->count);
		if (NVX_KEY_NUMBER(s->key) == NVX_DRILL_OTHER) {
			other += s->count;
		} else {
			own += s->count;
			used[NVX_KEY_KIND(s->key)]++;
		}
	}
	MODEL_CHECK(own + v->drops[NVX_DROP_DRILL_SLOTS] == m->drill_events);
	MODEL_CHECK(other <= v->drops[NVX_DROP_DRILL_SLOTS]);
	for (int k = 0; k < NVX_DRILL_KINDS; k++) {
		MODEL_CHECK(used[k] == v->kind_used[k]);
		MODEL_CHECK(used[k] <= nvx_drill_quota(k));
	}
	return NULL;
}

/* The ledgers hold every event or its drop; the parts of time are all of it. */
static inline const char *model_check_ledgers(const struct model *m, const struct nvx_vcpu *v)
{
	uint64_t flushes = 0, time = 0, entered;

	for (int i = 0; i < v->n_tlb; i++)
		flushes += v->tlb[i].count;
	MODEL_CHECK(flushes + v->drops[NVX_DROP_TLB_SLOTS] == m->flushes);
	for (int i = 0; i < v->n_ipi; i++) {
		MODEL_CHECK(v->ipis[i].ipis <= v->ipis[i].exits);
		MODEL_CHECK(v->ipis[i].unknown <= v->ipis[i].ipis);
		MODEL_CHECK(v->ipis[i].dests >= v->ipis[i].ipis - v->ipis[i].unknown);
	}
	for (int d = 0; d < 2; d++) {
		entered = 0;
		for (int i = 0; i < NVX_FLUSH_SLOTS; i++)
			entered += v->switch_flushes[d][i];
		MODEL_CHECK(entered == m->entered[d]);
	}
	for (int p = NVX_T_NONE + 1; p < NVX_TIMES; p++)
		time += v->time[p];
	MODEL_CHECK((v->phase != NVX_T_NONE) == m->timed);
	MODEL_CHECK(!m->timed || time == v->t_phase - m->t_first);
	return NULL;
}

/* No key twice, nothing beyond the slots in use, no open thing that is not there. */
static inline const char *model_check_tables(const struct nvx_vcpu *v)
{
	static const struct nvx_vcpu none;

	MODEL_CHECK(v->n_exit <= NVX_EXIT_SLOTS && v->n_chain <= NVX_CHAIN_SLOTS);
	MODEL_CHECK(v->n_cell <= NVX_CELL_SLOTS && v->n_l2 <= NVX_L2_SLOTS);
	MODEL_CHECK(v->exit <= v->n_exit && v->drill <= v->n_drill);
	MODEL_CHECK(v->cell <= v->n_cell && v->chain <= v->n_chain);
	MODEL_CHECK(!memcmp(v->exits + v->n_exit, none.exits,
			    (NVX_EXIT_SLOTS - v->n_exit) * sizeof(*v->exits)));
	MODEL_CHECK(!memcmp(v->drills + v->n_drill, none.drills,
			    (NVX_DRILL_SLOTS - v->n_drill) * sizeof(*v->drills)));
	MODEL_CHECK(!memcmp(v->chains + v->n_chain, none.chains,
			    (NVX_CHAIN_SLOTS - v->n_chain) * sizeof(*v->chains)));
	MODEL_CHECK(!memcmp(v->cells + v->n_cell, none.cells,
			    (NVX_CELL_SLOTS - v->n_cell) * sizeof(*v->cells)));
	for (int i = 0; i < v->n_exit; i++)
		for (int k = 0; k < i; k++)
			MODEL_CHECK(v->exits[i].key != v->exits[k].key);
	for (int i = 0; i < v->n_drill; i++)
		for (int k = 0; k < i; k++)
			MODEL_CHECK(v->drills[i].key != v->drills[k].key);
	for (int i = 0; i < NVX_HINTS; i++) {
		MODEL_CHECK(v->exit_hint[i] <= v->n_exit);
		MODEL_CHECK(v->drill_hint[i] <= v->n_drill);
		MODEL_CHECK(v->cell_hint[i] <= v->n_cell);
	}
	return NULL;
}

/* NULL, or the text of what does not hold. */
static inline const char *model_check(const struct model *m, const struct nvx_vcpu *v)
{
	const char *broken = model_check_tables(v);
	uint64_t entries = 0;

	if (!broken)
		broken = model_check_exits(m, v);
	if (!broken)
		broken = model_check_chains(m, v);
	if (!broken)
		broken = model_check_drills(m, v);
	if (!broken)
		broken = model_check_ledgers(m, v);
	if (broken)
		return broken;
	MODEL_CHECK(model_same(model_who_of(v, v->who), m->who));
	MODEL_CHECK(v->level == m->who.level);
	MODEL_CHECK(v->entries == m->entries && v->entry_failed == m->failed);
	MODEL_CHECK(v->leaves == m->leaves && v->leaves_noexit == m->noexit);
	MODEL_CHECK(v->resyncs == m->resyncs);
	MODEL_CHECK(v->drops[NVX_DROP_L2_SLOTS] == m->l2_drops);
	MODEL_CHECK(v->drops[NVX_DROP_EXIT_SLOTS] == m->exit_drops);
	MODEL_CHECK(v->drops[NVX_DROP_CHAIN_SLOTS] == m->chain_drops);
	MODEL_CHECK(v->drops[NVX_DROP_CELL_SLOTS] == m->cell_drops);
	MODEL_CHECK(v->n_l2 == m->nr_l2);
	for (int i = 0; i < m->nr_l2; i++) {
		MODEL_CHECK(v->l2[i].addr == m->l2[i]);
		MODEL_CHECK(v->l2[i].entries == m->l2_entries[i]);
		entries += v->l2[i].entries;
	}
	MODEL_CHECK(entries <= v->entries);
	return NULL;
}

static inline uint8_t model_byte(const uint8_t **data, size_t *len)
{
	if (!*len)
		return 0;
	(*len)--;
	return *(*data)++;
}

/*
 * The next event from bytes.  Small alphabets, so that keys meet again; the few
 * wide ones fill the tables.  VMX and SVM never mix within a vCPU.
 */
static inline struct model_event model_event(const uint8_t **data, size_t *len, uint32_t isa,
					     uint64_t *now)
{
	/* exits and entries are most of what happens */
	static const uint8_t ops[32] = {
		OP_EXIT,  OP_EXIT,   OP_EXIT,	   OP_EXIT,   OP_EXIT,	OP_EXIT,   OP_EXIT,
		OP_EXIT,  OP_ENTRY,  OP_ENTRY,	   OP_ENTRY,  OP_ENTRY, OP_ENTRY,  OP_ENTRY,
		OP_ENTRY, OP_ENTER,  OP_ENTER,	   OP_ENTER,  OP_LEAVE, OP_LEAVE,  OP_LEAVE,
		OP_LEAVE, OP_FAILED, OP_LEVEL,	   OP_MMIO,   OP_FLUSH, OP_PV_IPI, OP_APIC,
		OP_RUN,	  OP_WAKEUP, OP_USERSPACE, OP_RUN_DELAY
	};
	struct model_event e = { .isa = isa };
	uint8_t head = model_byte(data, len), a = model_byte(data, len), b = model_byte(data, len);

	e.op = ops[head & 31];
	*now += (uint64_t)(b & 15) << (a & 31);
	e.now = *now;
	e.reason = isa == NVX_ISA_SVM ? 0x40 + (a & 0x7f) : a & 0x3f;
	if (isa == NVX_ISA_VMX && head & 0x80)
		e.reason |= VMX_EXIT_REASONS_FAILED_VMENTRY | 1 << 27;
	e.info = head & 0x40 ? 2 << 8 : 3 << 8;
	e.level = 1 + (a & 1);
	/* 2 and more: 0 and 1 mean something else to the model */
	e.addr = e.op == OP_LEVEL && !(b & 15) ? 0 : (2 + (uint64_t)(b & 15)) << 12;
	if (e.op == OP_EXIT && head & 0x20)
		e.drill = (uint64_t)(1 + (b & 7) % (NVX_DRILL_KINDS - 1)) << 48 | (a & 0x3f);
	if (e.op == OP_MMIO)
		e.addr |= (uint64_t)a << 20;
	return e;
}

/* Events that always change a counter; the others may tell nothing new. */
static inline bool model_counts(enum model_op op)
{
	return op <= OP_LEAVE || op == OP_MMIO || op == OP_FLUSH || op == OP_USERSPACE ||
	       op == OP_RUN || op == OP_WAKEUP;
}

/* Run all events of the bytes through both; NULL or what does not hold. */
static inline const char *model_run(const uint8_t *data, size_t len, bool check_each)
{
	struct nvx_vcpu *v = aligned_alloc(64, sizeof(*v));
	struct model *m = calloc(1, sizeof(*m));
	uint32_t isa = model_byte(&data, &len) & 1 ? NVX_ISA_VMX : NVX_ISA_SVM;
	const char *broken = NULL;
	uint64_t now = 1000;

	if (!v || !m)
		abort();
	memset(v, 0, sizeof(*v));
	nvx_set_level(v, 0, NVX_WHO_UNKNOWN);
	m->exit = m->cell = m->chain = -1;
	while (len && !broken) {
		struct model_event e = model_event(&data, &len, isa, &now);
		struct nvx_vcpu before = *v;

		model_apply(m, v, &e);
		engine_apply(v, &e);
		if (check_each || !len)
			broken = model_check(m, v);
		/* readers skip vCPUs whose generation stands still */
		if (!broken && nvx_same_state(v, &before) && model_counts(e.op) &&
		    memcmp(v, &before, sizeof(*v)))
			broken = "what an event changes is seen";
	}
	free(v);
	free(m);
	return broken;
}

#endif
