// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "kvm.h"

struct world world;
uint64_t entries, touches, hits;

uint32_t any(uint32_t below)
{
	world.random ^= world.random << 13;
	world.random ^= world.random >> 7;
	world.random ^= world.random << 17;
	return (uint32_t)(world.random >> 32) % below;
}

int get_vpid(void)
{
	uint32_t from = any(VPIDS);

	for (uint32_t i = 0; i < VPIDS; i++) {
		uint32_t vpid = (from + i) % VPIDS;

		if (!vpid || world.vpid_used[vpid])
			continue;
		world.vpid_used[vpid] = true;
		return (int)vpid;
	}
	return 0;
}

void put_vpid(int vpid)
{
	if (!vpid)
		return;
	CHECK(world.vpid_used[vpid], "VPID %d freed twice", vpid);
	world.vpid_used[vpid] = false;
}

static uint16_t effective(const struct vcpu *v)
{
	return v->pair.vpid02 ? v->pair.vpid02 : v->vpid01;
}

static uint16_t current_vpid(const struct vcpu *v)
{
	return v->in_l2 && v->vpid12 ? effective(v) : v->vpid01;
}

void load_vmcs(struct vcpu *v, int *where)
{
	if (*where != v->cpu)
		v->all = true;
	*where = v->cpu;
}

/* Roots: pages of the shadow MMU, shared by vCPUs, freed only without a reference. */

static void put_root(struct nvx_root *root)
{
	if (root->hpa != NVX_NO_ROOT)
		CHECK(--world.page[root->hpa].refs >= 0, "root freed twice");
	root->hpa = NVX_NO_ROOT;
}

static uint64_t get_root(uint64_t eptp)
{
	int page = -1;

	for (int i = 1; i < ROOT_PAGES; i++) {
		if (world.page[i].eptp == eptp && !world.page[i].obsolete)
			page = i;
		else if (page < 0 && !world.page[i].refs)
			page = i;
		if (page >= 0 && world.page[page].eptp == eptp && !world.page[page].obsolete)
			break;
	}
	CHECK(page > 0, "more roots than all vCPUs may keep");
	world.page[page].eptp = eptp;
	world.page[page].obsolete = false;
	world.page[page].refs++;
	world.page[page].synced = world.ept[TABLE(eptp)];
	return page;
}

static void free_roots(struct vcpu *v)
{
	struct nvx_root taken;

	for (int i = 0; i <= PREVIOUS; i++)
		put_root(&v->root[i]);
	while (taken = nvx_roots_take_any(&v->kept), taken.hpa != NVX_NO_ROOT)
		put_root(&taken);
}

static void free_obsolete(struct vcpu *v)
{
	for (int i = 0; i <= PREVIOUS; i++)
		if (v->root[i].hpa != NVX_NO_ROOT && world.page[v->root[i].hpa].obsolete)
			put_root(&v->root[i]);
	for (int i = 0; i < v->kept.nr; i++)
		if (world.page[v->kept.root[i].hpa].obsolete)
			put_root(&v->kept.root[i]);
	nvx_roots_pack(&v->kept);
}

static void swap_roots(struct nvx_root *a, struct nvx_root *b)
{
	struct nvx_root t = *a;

	*a = *b;
	*b = t;
}

/* What kvm_mmu_new_pgd() makes of its cache. */
static void new_pgd(struct vcpu *v, uint64_t eptp)
{
	bool have = v->root[0].hpa != NVX_NO_ROOT;

	for (int i = 0; i <= PREVIOUS; i++) {
		if (i && have)
			swap_roots(&v->root[0], &v->root[i]);
		if (have && v->root[0].hpa != NVX_NO_ROOT && v->root[0].pgd == eptp)
			return;
		if (!have && i && v->root[i].hpa != NVX_NO_ROOT && v->root[i].pgd == eptp) {
			swap_roots(&v->root[0], &v->root[i]);
			for (; i < PREVIOUS; i++)
				swap_roots(&v->root[i], &v->root[i + 1]);
			return;
		}
	}
	put_root(&v->root[0]);
}

static void new_eptp(struct vcpu *v, uint64_t eptp)
{
	struct nvx_root fallen;
	bool cached = false;

	for (int i = 0; i <= PREVIOUS; i++)
		cached |= v->root[i].hpa != NVX_NO_ROOT && v->root[i].pgd == eptp;
	if (world.keep && !cached) {
		fallen = nvx_roots_exchange(&v->kept, eptp, &v->root[PREVIOUS]);
		put_root(&fallen);
	}
	new_pgd(v, eptp);
}

/* What KVM does with requests: here at the end of L2, there also before the guest runs. */

static void service_local(struct vcpu *v)
{
	if (v->guest)
		tlb_invvpid(v->cpu, current_vpid(v));
	v->guest = false;
}

static void service(struct vcpu *v)
{
	if (v->obsolete)
		free_obsolete(v);
	if (v->all)
		tlb_invept_all(v->cpu);
	v->obsolete = v->all = false;
	service_local(v);
	if (!v->in_l2 || !v->eptp12 || v->root[0].hpa != NVX_NO_ROOT)
		return;
	v->root[0] = (struct nvx_root){.hpa = get_root(v->eptp12), .pgd = v->eptp12};
	tlb_invept(v->cpu, (int)v->root[0].hpa);
}

/* Mainline's rule, and what it would have come to with mainline's one pair. */
static void transition(struct vcpu *v, bool enter)
{
	struct nvx_transition t = {
		.enter = enter, .vpid = v->vpid12, .tag = true, .vpid12 = v->vpid12,
		.last_vpid = v->pair.last,
	};
	bool flush = !v->vpid12 || (enter && v->vpid12 != v->pair.last);
	enum nvx_cause cause;

	t.pending = enter && v->vpid12 ? nvx_vpid_take_cause(&v->pool) : NVX_CAUSE_NONE;
	CHECK(!enter || !v->vpid12 || v->pair.last || t.pending, "a flush without a cause");
	cause = nvx_switch_cause(&t);
	CHECK(flush == (cause != NVX_CAUSE_NONE), "cause %d for flush %d", cause, flush);
	if (flush) {
		v->guest = true;
		v->flushes++;
		if (v->vpid12)
			v->pair.last = v->vpid12;
	}
	if (!v->vpid12 || (enter && v->vpid12 != v->stock_last)) {
		v->stock_flushes++;
		if (v->vpid12)
			v->stock_last = v->vpid12;
	}
	CHECK(!world.steady || v->flushes <= v->stock_flushes, "%lu flushes, one slot has %lu",
	      (unsigned long)v->flushes, (unsigned long)v->stock_flushes);
}

/* No VPID has two owners, no slot holds translations of another vpid12 than its own. */
static void check_pool(const struct vcpu *v, uint32_t limit)
{
	CHECK(v->pool.nr <= limit && v->pool.cur < v->pool.nr, "slot %u of %u, limit %u",
	      v->pool.cur, v->pool.nr, limit);
	CHECK(limit == 1 || world.eligible, "a pool where it is not right");
	for (int i = 0; i < v->pool.nr; i++) {
		const struct nvx_vpid_slot *slot = &v->pool.slot[i];

		CHECK(!slot->pair.last || slot->pair.last == slot->vpid12,
		      "slot of vpid12 %u holds %u", slot->vpid12, slot->pair.last);
		CHECK(v->pool.nr == 1 || world.vpid_used[slot->pair.vpid02],
		      "slot with VPID %u, which is not allocated", slot->pair.vpid02);
		for (int j = 0; j < i; j++)
			CHECK(slot->pair.vpid02 != v->pool.slot[j].pair.vpid02 &&
			      (!slot->vpid12 || slot->vpid12 != v->pool.slot[j].vpid12),
			      "slots %d and %d are one", i, j);
	}
}

void leave(struct vcpu *v)
{
	service_local(v);
	v->in_l2 = false;
	load_vmcs(v, &v->cpu01);
	transition(v, false);
	/* without VPID a switch invalidates all of VPID 0 */
	if (!v->vpid12)
		memcpy(v->linear_min[0], v->linear[0], sizeof(v->linear[0]));
}

/* L1 picks one of its L2s: VMPTRLD. */
static void choose_l2(struct vcpu *v)
{
	/* few at a time, so that there are hits, and all of them in the long run */
	uint32_t group = any(16) ? 3 : VPID12S;

	v->vpid12 = any(group);
	v->eptp12 = any(4) ? EPTP(1 + (v->vpid12 + any(2)) % (TABLES - 1), !any(8)) : 0;
	v->dirty = true;
	if (!world.keep)
		free_roots(v);
}

void enter(struct vcpu *v)
{
	uint32_t limit = nvx_vpid_limit(&v->pool, world.slots, world.eligible);

	if (v->in_l2)
		return;
	entries++;
	service_local(v);
	if (any(4))
		choose_l2(v);
	load_vmcs(v, &v->cpu02);
	v->pair = nvx_vpid_enter(&v->pool, v->pair, v->vpid12, limit, world.force, get_vpid,
				 put_vpid);
	check_pool(v, limit);
	if (v->vpid12)
		v->vmcs02_vpid = effective(v);
	else if (v->dirty)
		v->vmcs02_vpid = v->vpid01;
	v->dirty = false;
	v->in_l2 = true;
	if (v->eptp12)
		new_eptp(v, v->eptp12);
	transition(v, true);
	if (!v->vpid12)
		memcpy(v->linear_min[0], v->linear[0], sizeof(v->linear[0]));
	if (!any(8))
		leave(v); /* an entry that fails, or an exit before L2 ran */
}

static void check_hit(const struct vcpu *v, const struct made_of *m, int address)
{
	int table = TABLE(v->eptp12);

	CHECK(m->vcpu == v->id && m->vpid12 == v->vpid12,
	      "vCPU %d, vpid12 %d finds a translation of vCPU %d, vpid12 %d", v->id, v->vpid12,
	      m->vcpu, m->vpid12);
	CHECK(m->eptp12 == table, "translation of EPT table %d under %d", m->eptp12, table);
	CHECK(m->linear >= v->linear_min[v->vpid12][address], "older than INVVPID");
	CHECK(m->ept >= v->ept_min[table], "older than INVEPT");
	CHECK(m->host >= world.host_min, "older than what L0 took away");
}

void run(struct vcpu *v)
{
	int address = any(ADDRESSES), root = PLAIN_ROOT;
	const struct made_of *found;

	service(v);
	if (!v->in_l2)
		return;
	if (v->eptp12) {
		root = (int)v->root[0].hpa;
		CHECK(v->root[0].pgd == v->eptp12, "L2 runs on another table's root");
		CHECK(!world.page[root].obsolete, "L2 runs on an obsolete root");
	}
	CHECK(v->vmcs02_vpid == current_vpid(v), "VPID %d in vmcs02, not %d", v->vmcs02_vpid,
	      current_vpid(v));
	touches++;
	found = tlb_find(v->cpu, v->vmcs02_vpid, root, address);
	if (found) {
		hits++;
		check_hit(v, found, address);
		return;
	}
	tlb_fill(v->cpu, v->vmcs02_vpid, root, address, &(struct made_of){
		.vcpu = v->id, .vpid12 = v->vpid12, .eptp12 = TABLE(v->eptp12),
		.linear = v->linear[v->vpid12][address],
		.ept = v->eptp12 ? world.page[root].synced : 0, .host = world.host,
	});
}

/* Mainline's handle_invvpid(), and what it flushes with its one pair. */
static void stock_invvpid(struct vcpu *v, uint32_t type, int address)
{
	if (world.defers && v->cpu != v->cpu02) {
		v->pair.last = 0;
		nvx_vpid_deferred(&v->pool);
		return;
	}
	v->flushes++;
	if (type == 0)
		tlb_invvpid_address(v->cpu, effective(v), address);
	else
		tlb_invvpid(v->cpu, effective(v));
}

void invvpid(struct vcpu *v)
{
	uint32_t type = any(4), vpid12 = 1 + any(VPID12S - 1), address = any(ADDRESSES);
	bool here = v->cpu == v->cpu02;

	if (v->in_l2)
		return;
	v->stock_flushes += here || !world.defers;
	if (!here && world.defers)
		v->stock_last = 0;
	if (v->pool.nr == 1) {
		stock_invvpid(v, type, address);
	} else {
		nvx_vpid_save(&v->pool, v->pair);
		for (uint32_t i = 0; i < v->pool.nr; i++) {
			if (nvx_vpid_invalidate(&v->pool, i, type, vpid12, here) !=
			    NVX_VPID_ADDRESS)
				continue;
			v->flushes++;
			tlb_invvpid_address(v->cpu, v->pool.slot[i].pair.vpid02, address);
		}
		v->pair = nvx_vpid_pair(&v->pool);
	}
	for (uint32_t i = 1; i < VPID12S; i++)
		for (uint32_t a = 0; a < ADDRESSES; a++)
			if (type == 2 || (i == vpid12 && (type != 0 || a == address)))
				v->linear_min[i][a] = v->linear[i][a];
}

void invept(struct vcpu *v)
{
	int table = 1 + any(TABLES - 1);
	struct nvx_root taken;

	if (v->in_l2)
		return;
	if (any(4) == 0) {
		free_roots(v);
		memcpy(v->ept_min, world.ept, sizeof(v->ept_min));
		return;
	}
	for (int i = 0; i <= PREVIOUS; i++)
		if (v->root[i].hpa != NVX_NO_ROOT && TABLE(v->root[i].pgd) == table)
			put_root(&v->root[i]);
	while (taken = nvx_roots_take(&v->kept, EPTP(table, 0)), taken.hpa != NVX_NO_ROOT)
		put_root(&taken);
	v->ept_min[table] = world.ept[table];
}

void zap(bool whole)
{
	world.host_min = ++world.host;
	for (int i = 1; whole && i < ROOT_PAGES; i++)
		world.page[i].obsolete = true;
	for (int i = 0; i < VCPUS; i++) {
		world.vcpu[i].all = true;
		world.vcpu[i].obsolete |= whole;
	}
}

void nested_off(struct vcpu *v)
{
	uint16_t vpid02;

	nvx_vpid_save(&v->pool, v->pair);
	while ((vpid02 = nvx_vpid_shrink(&v->pool, 0)))
		put_vpid(vpid02);
	free_roots(v);
}

void nested_on(struct vcpu *v)
{
	nvx_vpid_init(&v->pool, get_vpid());
	v->pair = nvx_vpid_pair(&v->pool);
	v->stock_last = 0;
	v->cpu02 = -1;
	v->dirty = true;
	memcpy(v->linear_min, v->linear, sizeof(v->linear));
	memcpy(v->ept_min, world.ept, sizeof(v->ept_min));
}
