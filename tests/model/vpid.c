// SPDX-License-Identifier: GPL-2.0-only
/*
 * kmod/core/nvx_vpid.c and nvx_roots.c against a model of TLBs, with KVM's rules around them
 * and L1, the host and whoever flips switches as adversaries.  Any translation that L2 finds must
 * be its own and no older than what was invalidated.
 *
 *	vpid STEPS [SEED]
 */
#include <string.h>

#include "kvm.h"

enum { WORLD = 1 << 18 };

static uint64_t flushes;

/* Another VM takes VPIDs or gives them back, and leaves its translations behind. */
static void other_vm(void)
{
	bool take = any(2);

	for (int n = any(2 * VPIDS), vpid; n > 0; n--) {
		if (take) {
			vpid = get_vpid();
			world.vpid_lent[vpid] = vpid;
		} else {
			vpid = any(VPIDS);
		}
		if (!world.vpid_lent[vpid])
			continue;
		tlb_fill(any(CPUS), vpid, any(ROOT_PAGES), any(ADDRESSES),
			 &(struct made_of){.vcpu = VCPUS});
		if (take)
			continue;
		world.vpid_lent[vpid] = false;
		put_vpid(vpid);
	}
}

/*
 * A Hyper-V L2 flushes by hypercall without an exit to L1: KVM leaves vCPUs alone that ran
 * another L2 last, for that is flushed when they switch.
 */
static void direct_flush(struct vcpu *v)
{
	uint32_t vpid12 = 1 + any(any(2) ? 2 : VPID12S - 1);

	if (world.eligible || vpid12 == v->pair.last)
		return;
	memcpy(v->linear_min[vpid12], v->linear[vpid12], sizeof(v->linear[vpid12]));
}

static void flip(void)
{
	if (world.steady || any(world.calm))
		return;
	switch (any(4)) {
	case 0:
		world.slots = 1 + any(NVX_VPID_SLOTS);
		break;
	case 1:
		world.keep = any(2);
		break;
	case 2:
		world.force = !any(4);
		break;
	default:
		world.eligible = any(4);
	}
}

static void rare(struct vcpu *v)
{
	switch (any(10)) {
	case 0:
		zap(any(2));
		break;
	case 1 ... 2:
		v->cpu = any(CPUS);
		load_vmcs(v, v->in_l2 ? &v->cpu02 : &v->cpu01);
		break;
	case 3:
		if (v->in_l2 || any(16))
			break;
		nested_off(v);
		if (!any(4))
			other_vm();
		nested_on(v);
		break;
	case 4 ... 5:
		invept(v);
		break;
	case 6:
		direct_flush(v);
		break;
	case 7:
		if (!any(16))
			other_vm();
		break;
	default:
		flip();
	}
}

static void step(void)
{
	struct vcpu *v = &world.vcpu[any(VCPUS)];

	switch (any(16)) {
	case 0 ... 3:
		enter(v);
		break;
	case 4 ... 5:
		if (v->in_l2)
			leave(v);
		break;
	case 6 ... 10:
		run(v);
		break;
	case 11:
		v->linear[any(VPID12S)][any(ADDRESSES)]++;
		break;
	case 12:
		world.ept[1 + any(TABLES - 1)]++;
		break;
	case 13:
		if (any(4) == 0)
			invvpid(v);
		break;
	default:
		if (any(8) == 0)
			rare(v);
	}
}

static void begin(uint64_t seed)
{
	memset(&world, 0, sizeof(world));
	world.seed = seed;
	world.random = (seed + 1) * 0x9e3779b97f4a7c15ULL;
	world.steady = seed & 1;
	world.defers = seed & 2;
	world.keep = seed & 4;
	world.eligible = true;
	world.calm = seed & 32 ? 2 : 16;
	world.slots = seed & 24 ? NVX_VPID_SLOTS : 2 + any(3);
	for (int i = 0; i < CPUS; i++)
		tlb_invept_all(i);
	for (int i = 0; i < VCPUS; i++) {
		struct vcpu *v = &world.vcpu[i];

		v->id = i;
		v->cpu01 = -1;
		v->vpid01 = get_vpid();
		for (int j = 0; j <= PREVIOUS; j++)
			v->root[j].hpa = NVX_NO_ROOT;
		nested_on(v);
		load_vmcs(v, &v->cpu01);
	}
}

static void end(void)
{
	for (int i = 0; i < VCPUS; i++) {
		struct vcpu *v = &world.vcpu[i];

		flushes += v->flushes;
		if (v->in_l2)
			leave(v);
		nested_off(v);
		put_vpid(v->vpid01);
	}
	for (int i = 0; i < VPIDS; i++)
		if (world.vpid_lent[i])
			put_vpid(i);
	for (int i = 0; i < VPIDS; i++)
		CHECK(!world.vpid_used[i], "VPID %d leaked", i);
	for (int i = 0; i < ROOT_PAGES; i++)
		CHECK(!world.page[i].refs, "root %d leaked", i);
}

int main(int argc, char **argv)
{
	uint64_t steps = argc > 1 ? strtoull(argv[1], NULL, 10) : WORLD;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;

	for (uint64_t done = 0; done < steps; seed++) {
		begin(seed);
		for (int i = 0; i < WORLD && done < steps; i++, done++)
			step();
		end();
	}
	printf("ok %lu steps, %lu entries, %lu flushes, %lu touches, %lu hits\n",
	       (unsigned long)steps, (unsigned long)entries, (unsigned long)flushes,
	       (unsigned long)touches, (unsigned long)hits);
	return 0;
}
