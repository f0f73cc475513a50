// SPDX-License-Identifier: GPL-2.0-only
/* The table of enlightened VMCS fields against the TLFS; its copies against copying everything. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "nvx_evmcs.h"

#define ROUNDS 20000

static const char *const names[] = {
#define FIELD(group, in, out, evmcs, vmcs12, width, name) #name,
#include "nvx_evmcs_fields.h"
#undef FIELD
};

static unsigned int seed = 1;

static void randomize(void *at, size_t size)
{
	unsigned char *p = at;

	while (size--)
		*p++ = rand_r(&seed) >> 8;
}

/* offset, width, name and clean bit of each field, as published */
static void fields_are_those_of_the_tlfs(void **state)
{
	FILE *f = fopen(TLFS_LAYOUT, "r");
	char line[160], name[64], bit[8];
	unsigned int offset, width, seen = 0;
	size_t i;

	(void)state;
	assert_non_null(f);
	while (fgets(line, sizeof(line), f)) {
		if (*line == '#')
			continue;
		assert_int_equal(sscanf(line, "%u %u %63s %7s", &offset, &width, name, bit), 4);
		for (i = 0; i < NVX_EVMCS_FIELDS && strcmp(names[i], name); i++)
			;
		if (i == NVX_EVMCS_FIELDS)
			continue;	/* vmcs12 has no such field */
		seen++;
		assert_int_equal(nvx_evmcs_fields[i].evmcs, offset);
		assert_int_equal(nvx_evmcs_fields[i].width, width);
		assert_int_equal(nvx_evmcs_fields[i].group,
				 *bit == '-' ? NVX_EVMCS_ALWAYS : atoi(bit));
	}
	fclose(f);
	assert_int_equal(seen, NVX_EVMCS_FIELDS);
}

/* Each byte of either struct belongs to one field at most, and each field lies on its width. */
static void fields_do_not_overlap(void **state)
{
	unsigned char page[1024] = { 0 }, vmcs12[1024] = { 0 };
	const struct nvx_evmcs_field *f;
	u32 i;

	(void)state;
	for (f = nvx_evmcs_fields; f < nvx_evmcs_fields + NVX_EVMCS_FIELDS; f++) {
		assert_true(f->width == 2 || f->width == 4 || f->width == 8);
		assert_int_equal(f->evmcs % f->width, 0);
		assert_int_equal(f->vmcs12 % f->width, 0);
		assert_true(f->evmcs + f->width <= 1024 && f->vmcs12 + f->width <= 1024);
		for (i = 0; i < f->width; i++) {
			assert_int_equal(page[f->evmcs + i]++, 0);
			assert_int_equal(vmcs12[f->vmcs12 + i]++, 0);
		}
	}
}

/* Copying, one field after the other, as the table says it. */
static void copy_in(unsigned char *vmcs12, const unsigned char *page, u32 clean)
{
	const struct nvx_evmcs_field *f;

	for (f = nvx_evmcs_fields; f < nvx_evmcs_fields + NVX_EVMCS_FIELDS; f++)
		if (f->in && !(clean & 1u << f->group))
			memcpy(vmcs12 + f->vmcs12, page + f->evmcs, f->width);
}

static void copy_out(unsigned char *page, const unsigned char *vmcs12)
{
	const struct nvx_evmcs_field *f;

	for (f = nvx_evmcs_fields; f < nvx_evmcs_fields + NVX_EVMCS_FIELDS; f++)
		if (f->out)
			memcpy(page + f->evmcs, vmcs12 + f->vmcs12, f->width);
}

static u32 fields_in(void)
{
	u32 i, n = 0;

	for (i = 0; i < NVX_EVMCS_FIELDS; i++)
		n += nvx_evmcs_fields[i].in;
	return n;
}

struct buffers {
	u64 page[512], vmcs12[512], page_want[512], vmcs12_want[512];
};

static void copies_are_those_of_the_table(void **state)
{
	static struct buffers b;
	struct nvx_evmcs_copied n;
	u32 round, clean;

	(void)state;
	for (round = 0; round < ROUNDS; round++) {
		randomize(b.page, 1024);
		randomize(b.vmcs12, 1024);
		memcpy(&b.page_want, &b.page, 2 * sizeof(b.page));
		clean = rand_r(&seed) ^ (u32)rand_r(&seed) << 16;
		copy_in((void *)b.vmcs12_want, (void *)b.page, clean & NVX_EVMCS_CLEAN_ALL);
		nvx_evmcs_in(b.vmcs12, b.page, clean);
		n = nvx_evmcs_in_count(clean);
		assert_memory_equal(b.vmcs12, b.vmcs12_want, sizeof(b.vmcs12));
		assert_memory_equal(b.page, b.page_want, sizeof(b.page));
		assert_int_equal(n.fields + n.skipped, fields_in());
		assert_int_equal(n.groups & clean & NVX_EVMCS_CLEAN_ALL, 0);

		/* some fields change, as an L2 that ran changes them */
		for (clean = rand_r(&seed) % 64; clean; clean--)
			randomize((char *)b.vmcs12 + rand_r(&seed) % 1020, 4);
		copy_out((void *)b.page_want, (void *)b.vmcs12);
		n = nvx_evmcs_out(b.page, b.vmcs12, round & 1);
		assert_memory_equal(b.page, b.page_want, sizeof(b.page));
		assert_int_equal(n.fields + n.skipped, nvx_evmcs_out_count().fields);
		if (round & 1)
			assert_int_equal(n.groups, nvx_evmcs_out_count().groups);
		n = nvx_evmcs_out(b.page, b.vmcs12, false);
		assert_int_equal(n.fields, 0);
		assert_int_equal(n.groups, 0);
	}
}

static int allocated;

static void *get_buffer(void)
{
	allocated++;
	return calloc(1, 4096);
}

static void *get_none(void)
{
	return NULL;
}

static void put_buffer(const void *buffer)
{
	allocated--;
	free((void *)buffer);
}

/*
 * An L1 with several pages that keeps its clean bits as the TLFS asks; after each entry vmcs12
 * must be what a copy of everything makes of the page.
 */
#define PAGES 6

struct l1 {
	u64 page[PAGES][512];
	u32 clean[PAGES];
	u64 active;
	void *vmcs12;
	struct nvx_evmcs_cache cache;
	u32 warm;
};

static void touch(struct l1 *l1, u32 p)
{
	const struct nvx_evmcs_field *f = &nvx_evmcs_fields[rand_r(&seed) % NVX_EVMCS_FIELDS];

	randomize((char *)l1->page[p] + f->evmcs, f->width);
	l1->clean[p] &= ~(1u << f->group);
}

static void check_in(const struct l1 *l1, u32 p)
{
	const struct nvx_evmcs_field *f;

	for (f = nvx_evmcs_fields; f < nvx_evmcs_fields + NVX_EVMCS_FIELDS; f++)
		if (f->in)
			assert_memory_equal((char *)l1->vmcs12 + f->vmcs12,
					    (char *)l1->page[p] + f->evmcs, f->width);
}

static void enter(struct l1 *l1, u32 p, u32 limit, bool launch)
{
	u32 clean = l1->clean[p];

	if (l1->active != p) {
		l1->vmcs12 = nvx_evmcs_select(&l1->cache, l1->vmcs12, l1->active, p, limit,
					      rand_r(&seed) % 8 ? get_buffer : get_none,
					      put_buffer);
		l1->active = p;
		if (launch)
			nvx_evmcs_set_warm(&l1->cache, false);
		if (!nvx_evmcs_warm(&l1->cache))
			clean = 0;
		else
			l1->warm++;
	} else if (launch) {
		clean = 0;
	}
	nvx_evmcs_in(l1->vmcs12, l1->page[p], clean);
	nvx_evmcs_set_warm(&l1->cache, true);
	check_in(l1, p);
	/* L2 runs; KVM marks all as clean. */
	randomize((char *)l1->vmcs12 + rand_r(&seed) % 900, 100);
	l1->clean[p] = NVX_EVMCS_CLEAN_ALL;
}

/* L2 changes what L1 reads; the rest of vmcs12 KVM leaves as it was. */
static void leave(struct l1 *l1, u32 p)
{
	copy_in(l1->vmcs12, (void *)l1->page[p], 0);
	for (u32 n = rand_r(&seed) % 20; n; n--) {
		const struct nvx_evmcs_field *f =
			&nvx_evmcs_fields[rand_r(&seed) % NVX_EVMCS_FIELDS];

		if (f->out)
			randomize((char *)l1->vmcs12 + f->vmcs12, f->width);
	}
	nvx_evmcs_out(l1->page[p], l1->vmcs12, rand_r(&seed) % 4 == 0);
}

static void clean_bits_survive_other_pages(void **state)
{
	struct l1 *l1 = calloc(1, sizeof(*l1));
	u32 round, p, limit = 1;

	(void)state;
	l1->active = NVX_EVMCS_NOWHERE;
	l1->vmcs12 = get_buffer();
	randomize(l1->page, sizeof(l1->page));
	for (round = 0; round < ROUNDS; round++) {
		p = rand_r(&seed) % PAGES;
		switch (rand_r(&seed) % 16) {
		case 0:
			limit = 1 + rand_r(&seed) % NVX_EVMCS_SLOTS;
			break;
		case 1:
			/* VMCLEAR: L1 may do with the page what it likes, then launches it */
			nvx_evmcs_forget(&l1->cache, p);
			if (l1->active == p)
				l1->active = NVX_EVMCS_NOWHERE;
			randomize(l1->page[p], 1024);
			break;
		case 2:
			/* an ordinary VMCS in between, in the same buffer */
			l1->active = NVX_EVMCS_NOWHERE;
			randomize(l1->vmcs12, 1024);
			break;
		case 3:
			nvx_evmcs_drop(&l1->cache, put_buffer);
			assert_int_equal(allocated, 1);
			l1->active = NVX_EVMCS_NOWHERE;
			randomize(l1->vmcs12, 1024);
			break;
		default:
			touch(l1, p);
			enter(l1, p, limit, rand_r(&seed) % 32 == 0);
			leave(l1, p);
		}
		assert_true(l1->cache.nr <= NVX_EVMCS_SLOTS);
	}
	assert_true(l1->warm > ROUNDS / 20);
	nvx_evmcs_drop(&l1->cache, put_buffer);
	put_buffer(l1->vmcs12);
	assert_int_equal(allocated, 0);
	free(l1);
}

/* Two pages in turn: with one vmcs12 never warm, with two always but at first. */
static void two_pages_in_turn(void **state)
{
	u32 limit, i, warm;

	(void)state;
	for (limit = 1; limit <= 2; limit++) {
		struct nvx_evmcs_cache cache = { 0 };
		void *own = get_buffer(), *vmcs12 = own;
		u64 active = NVX_EVMCS_NOWHERE;

		for (i = warm = 0; i < 60; i++) {
			vmcs12 = nvx_evmcs_select(&cache, vmcs12, active, i % 2, limit,
						  get_buffer, put_buffer);
			active = i % 2;
			warm += nvx_evmcs_warm(&cache);
			nvx_evmcs_set_warm(&cache, true);
		}
		assert_int_equal(warm, limit == 1 ? 0 : 58);
		assert_int_equal(cache.nr, limit);
		nvx_evmcs_drop(&cache, put_buffer);
		put_buffer(vmcs12);
		assert_int_equal(allocated, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_those_of_the_tlfs),
		cmocka_unit_test(fields_do_not_overlap),
		cmocka_unit_test(copies_are_those_of_the_table),
		cmocka_unit_test(clean_bits_survive_other_pages),
		cmocka_unit_test(two_pages_in_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
