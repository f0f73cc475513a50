// SPDX-License-Identifier: GPL-2.0-only
/*
 * A hostile L1: its page changes between two states of the fuzzer's choice while it is copied.
 * Each field of vmcs12 is then one state's or the other's, clean groups and all else are as they
 * were, and what is written to the page is what L1 may read, and nothing else.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "nvx_evmcs.h"

#define SIZE 1024
#define COPIES 30

static uint64_t page[SIZE / 8], states[2][SIZE / 8], vmcs12[SIZE / 8], before[SIZE / 8];
static const struct nvx_evmcs_field *restless;
static bool stop;

static void need(bool x, const char *what)
{
	if (x)
		return;
	fprintf(stderr, "does not hold: %s\n", what);
	abort();
}

static void put(const struct nvx_evmcs_field *f, const void *state)
{
	const char *from = (const char *)state + f->evmcs;
	char *to = (char *)page + f->evmcs;

	switch (f->width) {
	case 2:
		*(volatile uint16_t *)to = *(const uint16_t *)from;
		break;
	case 4:
		*(volatile uint32_t *)to = *(const uint32_t *)from;
		break;
	default:
		*(volatile uint64_t *)to = *(const uint64_t *)from;
	}
}

static void *scribble(void *unused)
{
	(void)unused;
	for (unsigned int n = 0; !__atomic_load_n(&stop, __ATOMIC_RELAXED); n++)
		put(restless, states[n & 1]);
	return NULL;
}

static bool field_is(const struct nvx_evmcs_field *f, const void *state)
{
	return !memcmp((char *)vmcs12 + f->vmcs12, (const char *)state + f->evmcs, f->width);
}

/* Every byte of @now but those of fields that may differ is as it was. */
static void check_rest(const void *now, const void *was, bool in, uint32_t clean)
{
	bool may[SIZE] = { false };

	for (unsigned int i = 0; i < NVX_EVMCS_FIELDS; i++) {
		const struct nvx_evmcs_field *f = &nvx_evmcs_fields[i];

		if (in ? f->in && !(clean & 1u << f->group) : f->out)
			memset(may + (in ? f->vmcs12 : f->evmcs), true, f->width);
	}
	for (unsigned int i = 0; i < SIZE; i++)
		need(may[i] || ((const char *)now)[i] == ((const char *)was)[i],
		     "the rest stays");
}

static void copy_in_once(uint32_t clean)
{
	memcpy(before, vmcs12, SIZE);
	nvx_evmcs_in(vmcs12, page, clean);
	for (unsigned int i = 0; i < NVX_EVMCS_FIELDS; i++) {
		const struct nvx_evmcs_field *f = &nvx_evmcs_fields[i];

		if (f->in && !(clean & 1u << f->group))
			need(field_is(f, states[0]) || (f == restless && field_is(f, states[1])),
			     "one or the other");
	}
	check_rest(vmcs12, before, true, clean);
}

/* One field changes as fast as it can. */
static void copy_in(uint32_t clean, unsigned int field)
{
	pthread_t thread;

	stop = false;
	restless = &nvx_evmcs_fields[field % NVX_EVMCS_FIELDS];
	need(!pthread_create(&thread, NULL, scribble, NULL), "a thread");
	for (unsigned int i = 0; i < COPIES; i++)
		copy_in_once(clean);
	__atomic_store_n(&stop, true, __ATOMIC_RELAXED);
	pthread_join(thread, NULL);
}

static void copy_out(bool all)
{
	memcpy(before, page, SIZE);
	nvx_evmcs_out(page, vmcs12, all);
	check_rest(page, before, false, 0);
	for (unsigned int i = 0; i < NVX_EVMCS_FIELDS; i++)
		need(!nvx_evmcs_fields[i].out || field_is(&nvx_evmcs_fields[i], page),
		     "L1 reads what vmcs12 has");
}

/* Bytes that differ from each other, whatever the input is: FNV-1a. */
static void fill(void *to, const uint8_t *data, size_t size, uint64_t hash)
{
	for (size_t i = 0; i < SIZE; i++) {
		hash = (hash ^ data[i % size]) * 0x100000001b3ULL;
		((uint8_t *)to)[i] = hash >> 32;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint32_t clean;

	if (size < sizeof(clean))
		return 0;
	memcpy(&clean, data, sizeof(clean));
	clean &= NVX_EVMCS_CLEAN_ALL;
	fill(states[0], data, size, 1);
	fill(states[1], data, size, 2);
	fill(vmcs12, data, size, 3);
	memcpy(page, states[0], SIZE);
	copy_in(clean, data[size - 1]);
	copy_out(clean & 1);
	return 0;
}
