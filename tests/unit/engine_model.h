/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A second opinion on the engine: the same events counted the naive way, in lists
 * that grow, without hints and packed keys, and the two compared figure by
 * figure.  Property test and fuzz target share it; both make events from bytes.
 */
#ifndef NVX_TESTS_ENGINE_MODEL_H
#define NVX_TESTS_ENGINE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/engine.h"

#define MODEL_ROWS NVX_CELL_SLOTS /* the longest table */

/* Who ran: level 0, 1, or 2 with an address; 0 and 1 are no addresses of ours. */
struct model_who {
	unsigned int level;
	uint64_t addr;
};

#define MODEL_L2_UNKNOWN 0
#define MODEL_L2_OTHER 1

struct model_exit {
	struct model_who who;
	uint32_t reason;
	uint64_t count, reflected, synthesised, time, hist[NVX_HIST_SLOTS];
};

struct model_chain {
	uint32_t reason;
	uint64_t count, reflected, noexit, time, len[NVX_LEN_SLOTS];
};

struct model_cell {
	uint32_t chain, reason;
	uint64_t count, time;
};

struct model {
	struct model_who who;
	bool entering, seen_l2[NVX_L2_SLOTS];
	/* indexes into the lists, -1: none */
	int exit, cell, chain;
	bool exit_told; /* the open exit has its outcome */
	uint64_t t_exit, t_chain, chain_len;

	uint64_t l2[MODEL_ROWS], l2_entries[MODEL_ROWS];
	struct model_exit exits[MODEL_ROWS];
	struct model_chain chains[MODEL_ROWS];
	struct model_cell cells[MODEL_ROWS];
	int nr_l2, nr_exit, nr_chain, nr_cell;

	uint64_t entries, failed, leaves, noexit, resyncs, drill_events, flushes;
	uint64_t entered[2]; /* guest entries after a switch in either direction */
	bool leaving, timed;
	uint64_t t_first;
	uint64_t l2_drops, exit_drops, chain_drops, cell_drops;
};

enum model_op {
	OP_EXIT,
	OP_ENTRY,
	OP_ENTER,
	OP_LEAVE,
	OP_FAILED,
	OP_LEVEL,
	OP_MMIO,
	OP_FLUSH,
	OP_PV_IPI,
	OP_APIC,
	OP_USERSPACE,
	OP_RUN,
	OP_WAKEUP,
	OP_RUN_DELAY,
	OP_COUNT
};

struct model_event {
	enum model_op op;
	uint64_t now;
	uint32_t isa, reason, info, level;
	uint64_t addr, drill;
};

/* First come, first served: beyond the room of the engine's table a row has no home. */
static inline bool model_same(struct model_who a, struct model_who b)
{
	return a.level == b.level && (a.level != 2 || a.addr == b.addr);
}

static inline struct model_who model_l2(struct model *m, uint64_t addr, int *at)
{
	int i = 0;

	while (i < m->nr_l2 && m->l2[i] != addr)
		i++;
	if (i == m->nr_l2 && i < NVX_L2_SLOTS)
		m->l2[m->nr_l2++] = addr;
	*at = i < NVX_L2_SLOTS ? i : -1;
	if (*at < 0)
		m->l2_drops++;
	return (struct model_who){ 2, *at < 0 ? MODEL_L2_OTHER : addr };
}

static inline int model_exit_row(struct model *m, uint32_t reason)
{
	int i = 0;

	while (i < m->nr_exit &&
	       !(model_same(m->exits[i].who, m->who) && m->exits[i].reason == reason))
		i++;
	if (i >= NVX_EXIT_SLOTS)
		return -1;
	if (i == m->nr_exit)
		m->exits[m->nr_exit++] = (struct model_exit){ .who = m->who, .reason = reason };
	return i;
}

static inline int model_cell_row(struct model *m, uint32_t reason)
{
	uint32_t chain = m->chains[m->chain].reason;
	int i = 0;

	while (i < m->nr_cell && !(m->cells[i].chain == chain && m->cells[i].reason == reason))
		i++;
	if (i >= NVX_CELL_SLOTS)
		return -1;
	if (i == m->nr_cell)
		m->cells[m->nr_cell++] = (struct model_cell){ .chain = chain, .reason = reason };
	return i;
}

static inline int model_chain_row(struct model *m, uint32_t reason)
{
	int i = 0;

	while (i < m->nr_chain && m->chains[i].reason != reason)
		i++;
	if (i >= NVX_CHAIN_SLOTS)
		return -1;
	if (i == m->nr_chain)
		m->chains[m->nr_chain++] = (struct model_chain){ .reason = reason };
	return i;
}

/* The slot whose bounds hold the value, by trying each. */
static inline unsigned int model_time_slot(uint64_t ns)
{
	unsigned int i = 0;

	while (i < NVX_HIST_SLOTS - 1 && ns > 1ULL << (NVX_HIST_SHIFT + i))
		i++;
	return i;
}

static inline unsigned int model_len_slot(uint64_t len)
{
	unsigned int i = 0;

	while (i < NVX_LEN_SLOTS - 1 && len > (i < 16 ? i + 1 : 32ULL << (i - 16)))
		i++;
	return i;
}

static inline void model_chain_end(struct model *m, uint64_t now)
{
	if (m->chain < 0)
		return;
	m->chains[m->chain].time += now - m->t_chain;
	m->chains[m->chain].len[model_len_slot(m->chain_len)]++;
	m->chain = -1;
	m->cell = -1;
}

static inline void model_on_exit(struct model *m, const struct model_event *e, uint32_t reason)
{
	m->t_exit = e->now;
	m->exit_told = false;
	m->cell = -1;
	m->exit = model_exit_row(m, reason);
	if (m->exit >= 0)
		m->exits[m->exit].count++;
	else
		m->exit_drops++;
	m->entering = m->leaving = false;
	if (m->who.level == 2)
		m->chain = -1;
	if (m->chain >= 0) {
		m->chain_len++;
		m->cell = model_cell_row(m, reason);
		if (m->cell >= 0)
			m->cells[m->cell].count++;
		else
			m->cell_drops++;
	}
	m->drill_events += e->drill != 0;
}

/* 0: no L2 exit is open, 1: another cause, 2: this exit */
static inline int model_outcome(struct model *m, const struct model_event *e, uint32_t reason)
{
	struct model_exit *x = m->exit < 0 ? NULL : &m->exits[m->exit];

	if (!x || x->who.level != 2 || m->exit_told)
		return 0;
	m->exit_told = true;
	if (x->reason == reason && nvx_may_reflect(e->isa, reason, e->info)) {
		x->reflected++;
		return 2;
	}
	x->synthesised++;
	return 1;
}

static inline void model_on_leave(struct model *m, const struct model_event *e, uint32_t reason)
{
	int how = model_outcome(m, e, reason);
	uint64_t now = how ? m->t_exit : e->now;

	m->leaves++;
	m->noexit += !how;
	model_chain_end(m, now);
	m->who = (struct model_who){ 1, 0 };
	m->entering = false;
	m->leaving = true;
	m->chain = model_chain_row(m, reason);
	if (m->chain < 0) {
		m->chain_drops++;
		return;
	}
	m->chains[m->chain].count++;
	m->chains[m->chain].reflected += how == 2;
	m->chains[m->chain].noexit += how == 0;
	m->t_chain = now;
	m->chain_len = 1;
}

static inline void model_on_entry(struct model *m, const struct model_event *e)
{
	uint64_t dt = e->now - m->t_exit;

	if (m->exit >= 0) {
		m->exits[m->exit].time += dt;
		m->exits[m->exit].hist[model_time_slot(dt)]++;
		if (m->cell >= 0)
			m->cells[m->cell].time += dt;
	}
	m->exit = m->cell = -1;
	if (m->entering)
		model_chain_end(m, e->now);
	m->entered[0] += m->entering;
	m->entered[1] += m->leaving;
	m->entering = m->leaving = false;
}

static inline void model_on_level(struct model *m, const struct model_event *e)
{
	int at;

	m->resyncs += m->who.level != 0;
	m->entering = false;
	if (e->level == 1) {
		m->who = (struct model_who){ 1, 0 };
		return;
	}
	m->chain = -1;
	m->who = e->addr ? model_l2(m, e->addr, &at) : (struct model_who){ 2, MODEL_L2_UNKNOWN };
}

static inline void model_apply(struct model *m, const struct nvx_vcpu *v,
			       const struct model_event *e)
{
	uint32_t reason = nvx_reason(e->isa, e->reason);
	int at;

	switch (e->op) {
	case OP_EXIT:
		model_on_exit(m, e, reason);
		break;
	case OP_ENTRY:
		model_on_entry(m, e);
		break;
	case OP_ENTER:
		m->who = model_l2(m, e->addr, &at);
		if (at >= 0)
			m->l2_entries[at]++;
		m->entries++;
		m->entering = true;
		m->leaving = false;
		break;
	case OP_LEAVE:
		model_on_leave(m, e, reason);
		break;
	case OP_FAILED:
		m->failed += m->entering;
		if (m->entering)
			m->who = (struct model_who){ 1, 0 };
		m->entering = false;
		break;
	case OP_LEVEL:
		model_on_level(m, e);
		break;
	case OP_MMIO:
		/* one exit, one number: which of several events told it is the engine's affair */
		m->drill_events += v->exit && !v->drill;
		break;
	case OP_FLUSH:
		m->flushes++;
		break;
	default:
		break;
	}
	/* these open a phase of time, if none is open yet */
	if (!m->timed && (e->op <= OP_LEAVE || e->op == OP_USERSPACE || e->op == OP_WAKEUP)) {
		m->timed = true;
		m->t_first = e->now;
	}
}

static inline void engine_apply(struct nvx_vcpu *v, const struct model_event *e)
{
	switch (e->op) {
	case OP_EXIT:
		nvx_on_exit(v, e->now, e->isa, e->reason, e->drill);
		break;
	case OP_ENTRY:
		nvx_on_entry(v, e->now);
		break;
	case OP_ENTER:
		nvx_on_nested_enter(v, e->now, e->addr);
		break;
	case OP_LEAVE:
		nvx_on_nested_exit(v, e->now, e->isa, e->reason, e->info);
		break;
	case OP_FAILED:
		nvx_on_nested_failed(v);
		break;
	case OP_LEVEL:
		nvx_on_level(v, e->level, e->addr);
		break;
	case OP_MMIO:
		nvx_on_mmio(v, e->addr);
		break;
	case OP_FLUSH:
		nvx_on_flush(v, 1 + e->level % 4, e->info & 3, e->reason & 1);
		break;
	case OP_PV_IPI:
		nvx_on_pv_ipi(v, e->addr, e->reason);
		break;
	case OP_APIC:
		nvx_on_apic_write(v, e->level == 1 ? NVX_APIC_ICR : NVX_APIC_ICR2, e->addr);
		break;
	case OP_USERSPACE:
		nvx_on_userspace(v, e->now);
		break;
	case OP_RUN:
		nvx_on_run(v, e->now);
		break;
	case OP_WAKEUP:
		nvx_on_wakeup(v, e->now, e->addr & 0xffff, e->level & 1);
		break;
	case OP_RUN_DELAY:
		nvx_on_run_delay(v, e->now, e->addr);
		break;
	default:
		break;
	}
}

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
	for (int p = 0; p < NVX_PHASES; p++)
		time += v->time[p];
	MODEL_CHECK(v->time[NVX_T_NONE] == 0);
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
	v->who = NVX_WHO_UNKNOWN;
	m->exit = m->cell = m->chain = -1;
	while (len && !broken) {
		struct model_event e = model_event(&data, &len, isa, &now);
		uint64_t events = v->events;

		model_apply(m, v, &e);
		engine_apply(v, &e);
		if (check_each || !len)
			broken = model_check(m, v);
		/* readers skip vCPUs whose generation stands still */
		if (!broken && v->events == events && model_counts(e.op))
			broken = "every event bumps the generation";
	}
	free(v);
	free(m);
	return broken;
}

#endif
