// SPDX-License-Identifier: GPL-2.0-only
/* nvx top: views whose rows are VMs, vCPUs, findings of probe, switches. */
#include <stdio.h>
#include <string.h>

#include "view/top_priv.h"

const struct top_part top_parts[TOP_PARTS] = {
	{ "L2", '2' },	  { "L1", '1' },     { "L0:L1", 'a' }, { "L0:L2", 'b' },
	{ "user", 'u' },  { "halted", '.' }, { "wait", 'w' },  { "?", '?' },
};

uint64_t top_part(const struct nvx_top_sum *s, unsigned int part)
{
	const uint64_t *t = s->time;

	switch (part) {
	case 0: return t[NVX_T_L2];
	case 1: return t[NVX_T_L1];
	case 2: return t[NVX_T_L0_L1];
	case 3: return t[NVX_T_L0_L2];
	case 4: return t[NVX_T_USER];
	case 5: return t[NVX_T_HALTED] + t[NVX_T_POLL];
	case 6: return t[NVX_T_WAIT];
	default: return t[NVX_T_GUEST] + t[NVX_T_L0];
	}
}

uint64_t top_time(const struct nvx_top_sum *s)
{
	uint64_t sum = 0;

	for (unsigned int p = NVX_T_NONE + 1; p < NVX_PHASES; p++)
		sum += s->time[p];
	return sum;
}

/* What stands in a line of a VM or a vCPU behind its name. */
static void sum_cells(struct top_draw *d, struct nvx_grid_row *r, unsigned int *c,
		      const struct nvx_top_sum *s)
{
	bool tlb = d->info->section[NVX_SECTION_TLB].have != NVX_HAVE_NO;
	bool ipis = d->info->section[NVX_SECTION_IPIS].have != NVX_HAVE_NO;
	bool time = d->info->section[NVX_SECTION_TIME].have != NVX_HAVE_NO;

	nvx_grid__rate(r, c, s->l1_exits, d->ns);
	nvx_grid__rate(r, c, s->l2_exits, d->ns);
	nvx_grid__rate(r, c, s->entries + s->leaves, d->ns);
	if (!tlb)
		nvx_grid__na(r, c);
	else if (s->flush_switches)
		nvx_grid__ratio(r, c, s->flushes, s->flush_switches);
	else
		nvx_grid__text(r, c, "-");
	if (ipis)
		nvx_grid__rate(r, c, s->ipi_exits, d->ns);
	else
		nvx_grid__na(r, c);
	for (unsigned int p = 0; p < TOP_PARTS - 1; p++) {
		if (time)
			nvx_grid__share(r, c, top_part(s, p), top_time(s));
		else
			nvx_grid__na(r, c);
	}
}

void top_build_vms(struct top_draw *d, struct nvx_grid *g)
{
	for (size_t i = 0; i < d->info->nr_vms; i++) {
		const struct nvx_vm *vm = d->info->vms[i];
		struct nvx_labels l = { .set = NVX_SET_VMS, .vm = i };
		struct nvx_grid_row *r;
		unsigned int c = 0;

		/* as long as it lives; what it did stays in the sums */
		if (!nvx_top__vcpus(d->t, i) ||
		    (d->ui->scope.vm != NVX_VM_ALL && d->ui->scope.vm != i))
			continue;
		for (l.isa = NVX_ISA_VMX; l.isa < NVX_ISA_SVM; l.isa++)
			if (nvx_rows__index(nvx_top__all(d->t), &l) >= 0)
				break;
		r = nvx_grid__row(g, top_id(&(struct nvx_labels){ .set = NVX_SET_VMS, .vm = i }));
		r->l = l;
		nvx_grid__text(r, &c, vm->id.name);
		nvx_grid__count(r, &c, vm->pid);
		snprintf(r->cell[c - 1].text, sizeof(r->cell[0].text), "%u", vm->pid);
		nvx_grid__count(r, &c, nvx_top__vcpus(d->t, i));
		sum_cells(d, r, &c, nvx_top__vm(d->t, d->ui->window, i));
		top_trend(d, r, &c, &l, NVX_TOP_SECOND);
	}
}

void top_build_vcpus(struct top_draw *d, struct nvx_grid *g)
{
	const struct nvx_sample *s = nvx_top__latest(d->t);

	for (size_t i = 0; s && i < s->nr; i++) {
		const struct nvx_snap *snap = s->snap[i];
		struct nvx_top_scope one = { snap->vm->index, snap->slot };
		const struct nvx_rows *rows;
		struct nvx_top_sum sum;
		struct nvx_rows *owner;
		struct nvx_grid_row *r;
		unsigned int c = 0;

		if (d->ui->scope.vm != NVX_VM_ALL && d->ui->scope.vm != snap->vm->index)
			continue;
		rows = nvx_top__rows(d->t, d->ui->window, one, &owner);
		if (!rows)
			continue;
		nvx_top__sum(rows, NVX_VM_ALL, &sum);
		nvx_rows__free(owner);
		r = nvx_grid__row(g, (uint64_t)snap->slot << 32 | snap->v.tid);
		r->slot = snap->slot;
		r->l.vm = snap->vm->index;
		nvx_grid__text(r, &c, snap->vm->id.name);
		nvx_grid__count(r, &c, snap->v.vcpu_id);
		nvx_grid__count(r, &c, snap->v.tid);
		snprintf(r->cell[c - 1].text, sizeof(r->cell[0].text), "%u", snap->v.tid);
		sum_cells(d, r, &c, &sum);
	}
}

/* Exits that APICv takes away, by what they were for: SDM 30.1 to 30.6, APM 15.29. */
static const struct {
	uint8_t isa;
	uint32_t reason;
	const char *what;
} apic_exits[] = {
	{ NVX_ISA_VMX, 1, "interrupt arrived" },      { NVX_ISA_VMX, 7, "interrupt window" },
	{ NVX_ISA_VMX, 43, "TPR below threshold" },   { NVX_ISA_VMX, 44, "APIC access" },
	{ NVX_ISA_VMX, 45, "EOI of a virtual interrupt" },
	{ NVX_ISA_VMX, 56, "APIC write" },	      { NVX_ISA_SVM, 0x60, "interrupt arrived" },
	{ NVX_ISA_SVM, 0x64, "interrupt window" },    { NVX_ISA_SVM, 0x401, "AVIC: IPI not sent" },
	{ NVX_ISA_SVM, 0x402, "AVIC: no acceleration" },
};

static const char *apic_exit(const struct nvx_labels *l)
{
	for (size_t i = 0; i < sizeof(apic_exits) / sizeof(*apic_exits); i++)
		if (apic_exits[i].isa == l->isa && apic_exits[i].reason == (uint32_t)l->key)
			return apic_exits[i].what;
	return NULL;
}

/* x2APIC registers, by number: SDM 11.12.1. */
static bool apic_msr(uint64_t msr)
{
	return msr >= 0x800 && msr <= 0x8ff;
}

void top_build_apicv(struct top_draw *d, struct nvx_grid *g)
{
	for (size_t i = 0; i < d->rows->nr; i++) {
		const struct nvx_row *row = d->rows->row[i];
		bool msr = row->l.set == NVX_SET_MSRS && apic_msr(row->l.key);
		const char *what = row->l.set == NVX_SET_EXITS ? apic_exit(&row->l) :
				   msr ? "x2APIC register" : NULL;
		struct nvx_grid_row *r;
		unsigned int c = 0;

		if (!what)
			continue;
		r = nvx_grid__row(g, top_id(&row->l));
		r->l = row->l;
		top_label(d, r, &c, row, msr ? NVX_LABEL_MSR : NVX_LABEL_REASON);
		nvx_grid__text(r, &c, what);
		top_level(r, &c, row->l.level);
		nvx_grid__count(r, &c, row->v[NVX_V_COUNT]);
		nvx_grid__rate(r, &c, row->v[NVX_V_COUNT], d->ns);
		nvx_grid__ns(r, &c, row->v[NVX_V_TIME]);
		if (row->l.level == NVX_LEVEL_2)
			nvx_grid__share(r, &c, row->v[NVX_V_REFLECTED], row->v[NVX_V_COUNT]);
		else
			nvx_grid__text(r, &c, "-");
		top_trend(d, r, &c, &row->l, NVX_TOP_COUNT);
	}
}

static void feature(struct nvx_grid *g, const char *what, const char *state, const char *why,
		    enum nvx_look look)
{
	struct nvx_grid_row *r = nvx_grid__row(g, g->nr + 1);
	unsigned int c = 0;

	nvx_grid__text(r, &c, what);
	nvx_grid__text(r, &c, state)->look = look;
	nvx_grid__text(r, &c, why);
}

static void add_switches(struct nvx_grid *g, const struct nvx_features *f,
			 const struct nvx_feature_vm *vm, const char *name)
{
	for (unsigned int i = 0; i < f->nr; i++) {
		const struct nvx_switch_state *s = &vm->state[i];
		char what[NVX_GRID_CELL], state[24], use[64] = "";

		snprintf(what, sizeof(what), "%s: %s", name, f->info[i].name);
		snprintf(state, sizeof(state), "%u", s->value);
		if (s->in_use != NVX_SWITCH_UNKNOWN)
			snprintf(use, sizeof(use), "in use by %u vCPUs", s->in_use);
		feature(g, what, state, use, NVX_LOOK_PLAIN);
	}
}

void top_build_features(struct top_draw *d, struct nvx_grid *g)
{
	const struct nvx_probe *p = d->info->probe;
	const struct nvx_features *f = d->info->features;

	if (!p) {
		d->na = "a recording does not say what its host offered";
		return;
	}
	for (unsigned int s = 0; s < NVX_SECTION_COUNT; s++) {
		const struct nvx_probe_section *have = &d->info->section[s];
		char what[NVX_GRID_CELL];

		snprintf(what, sizeof(what), "section %s", nvx_section__name(s));
		feature(g, what, have->have == NVX_HAVE_NO ? "no" :
				 have->partial ? "in part" : nvx_have__name(have->have),
			have->reason, have->have == NVX_HAVE_NO ? NVX_LOOK_WARN : NVX_LOOK_PLAIN);
	}
	if (f && f->module) {
		add_switches(g, f, &f->defaults, "new VMs");
		for (size_t i = 0; i < f->nr_vms; i++)
			add_switches(g, f, &f->vm[i], f->vm[i].name);
	} else if (f) {
		feature(g, "feature module", "no", f->reason, NVX_LOOK_WARN);
	}
	for (size_t i = 0; i < p->nr_rows; i++)
		feature(g, p->row[i].label, *p->row[i].detail ? p->row[i].detail :
						nvx_have__name(p->row[i].have),
			p->row[i].consequence, p->row[i].have == NVX_HAVE_NO &&
					       *p->row[i].consequence ? NVX_LOOK_WARN :
									NVX_LOOK_PLAIN);
}

void top_build_evmcs(struct top_draw *d, struct nvx_grid *g)
{
	(void)g;
	d->na = "no source of this nvx tells of enlightened VMCSs";
}
