/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A second opinion on the engine: the same events counted the naive way, in lists
 * that are searched from the start, without hints and packed keys.
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

#endif
