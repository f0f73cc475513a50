// SPDX-License-Identifier: GPL-2.0-only
/*
 * Names of VMs in the exposition: whatever bytes a command line has, a strict reader gets each
 * label back as the model holds it, and every line is one that it knows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exposition.h"
#include "view/prometheus.h"

static void need(bool x, const char *what)
{
	if (x)
		return;
	fprintf(stderr, "does not hold: %s\n", what);
	abort();
}

static void one_row(struct nvx_rows *rows, enum nvx_set set, uint64_t key, uint64_t count)
{
	struct nvx_labels l = { .set = set, .isa = NVX_ISA_SVM, .level = NVX_LEVEL_2, .key = key };
	struct nvx_row *row = nvx_rows__at(rows, &l);

	need(row, "memory");
	row->v[NVX_V_COUNT] = row->v[NVX_V_TIME] = count;
	row->hist[3] = count;
}

static void check(const struct nvx_text *text, const struct nvx_vm *vm)
{
	const char *s = text->s, *end = s + text->len;
	struct expo_sample e;
	size_t samples = 0;

	while (s < end) {
		const char *line = memchr(s, '\n', end - s);

		need(line, "lines end");
		if (*s != '#') {
			const char *name, *ns;

			need(expo_parse(s, line - s, &e), "a line is a comment or a sample");
			name = expo_label(&e, "vm");
			ns = expo_label(&e, "namespace");
			need(!name || !strcmp(name, vm->id.name), "the name comes back");
			need(!ns || !strcmp(ns, vm->id.ns), "the namespace comes back");
			need(!name || ns || !*vm->id.ns, "who has a namespace shows it");
			samples += name != NULL;
		}
		s = line + 1;
	}
	need(samples > 40, "the VM's samples are there");
	need(text->len > 6 && !memcmp(end - 6, "# EOF\n", 6), "the end");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static struct nvx_probe_section section[NVX_SECTION_COUNT];
	static struct nvx_vm vm;
	const struct nvx_vm *const vms[] = { &vm };
	struct nvx_report rep = { .section = section, .vms = vms, .nr_vms = 1, .source = "fuzz" };
	struct nvx_prometheus p = { .openmetrics = true, .created = true, .top = 3, .version = "0" };
	struct nvx_text text = { 0 };
	struct nvx_rows *rows;

	if (!len)
		return 0;
	rows = nvx_rows__new();
	need(rows, "memory");
	memset(&vm, 0, sizeof(vm));
	if (*data & 1) {
		nvx_vmname__parse((const char *)data + 1, len - 1, "vmm", 4711, &vm.id);
	} else {
		/* the view relies on no model that cleans */
		memcpy(vm.id.name, data + 1, len - 1 < 127 ? len - 1 : 127);
		memcpy(vm.id.ns, data + len / 2, len / 2 < 63 ? len / 2 : 63);
	}
	for (int s = 0; s < NVX_SECTION_COUNT; s++)
		section[s].have = NVX_HAVE_YES;
	one_row(rows, NVX_SET_VMS, 0, 7);
	for (uint64_t k = 0; k < 5; k++) {
		one_row(rows, NVX_SET_EXITS, 0x60 + k + *data, 7);
		one_row(rows, NVX_SET_MSRS, *data << k, 7);
	}
	rep.rows = rows;
	need(!nvx_view__prometheus(&rep, &p, &text), "it is written");
	check(&text, &vm);
	free(text.s);
	nvx_rows__free(rows);
	return 0;
}
