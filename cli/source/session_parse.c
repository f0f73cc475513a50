// SPDX-License-Identifier: GPL-2.0-only
/* The lines of a session file, read.  They may come from anywhere: every number is checked. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/metric.h"
#include "source/session_priv.h"

/* More than any counter reaches, and far from where sums of them wrap. */
#define COUNTER_MAX (1LL << 56)

static int get_u64(const json_t *v, uint64_t max, uint64_t *out)
{
	json_int_t n = json_integer_value(v);

	if (!json_is_integer(v) || n < 0 || (uint64_t)n > max)
		return -EINVAL;
	*out = n;
	return 0;
}

/* A member that may be missing: then *out stays. */
static int get_member(const json_t *o, const char *key, uint64_t max, uint64_t *out)
{
	const json_t *v = json_object_get(o, key);

	return v ? get_u64(v, max, out) : 0;
}

static int get_text(const json_t *o, const char *key, char *buf, size_t size)
{
	const char *text = json_string_value(json_object_get(o, key));

	if (!text)
		return json_object_get(o, key) ? -EINVAL : 0;
	if (strlen(text) >= size)
		return -EINVAL;
	strcpy(buf, text);
	return 0;
}

static int get_config(const json_t *o, struct nvx_config *c)
{
	const json_t *a = json_object_get(o, "config"), *pair;
	size_t i;

	json_array_foreach(a, i, pair) {
		const char *key = json_string_value(json_array_get(pair, 0));
		const char *value = json_string_value(json_array_get(pair, 1));

		if (!key || !value)
			return -EINVAL;
		if (nvx_config__set(c, key, value))
			return -ENOMEM;
	}
	return 0;
}

static int get_sections(const json_t *o, struct nvx_session_head *head)
{
	const json_t *all = json_object_get(o, "sections");

	for (unsigned int i = 0; i < NVX_SECTION_COUNT; i++) {
		const json_t *section = json_object_get(all, nvx_section__name(i));
		struct nvx_probe_section *s = &head->section[i];
		const char *have = json_string_value(json_object_get(section, "have"));

		if (!section) {
			s->have = NVX_HAVE_NO;
			strcpy(s->reason, "the session does not have it");
			continue;
		}
		s->have = !have ? NVX_HAVE_UNKNOWN :
			  !strcmp(have, "yes") ? NVX_HAVE_YES :
			  !strcmp(have, "no") ? NVX_HAVE_NO : NVX_HAVE_UNKNOWN;
		s->partial = json_is_true(json_object_get(section, "partial"));
		if (get_text(section, "reason", s->reason, sizeof(s->reason)))
			return -EINVAL;
	}
	return 0;
}

static int get_lacks(const json_t *o, struct nvx_session_head *head)
{
	const json_t *all = json_object_get(o, "lacks");

	for (unsigned int i = 0; i < NVX_LACK_COUNT; i++)
		if (get_text(all, nvx_lack__name(i), head->lacks[i], NVX_LACK_MAX))
			return -EINVAL;
	return 0;
}

static int get_columns(const json_t *o, struct session_state *s)
{
	const json_t *all = json_object_get(o, "columns");

	for (unsigned int set = 0; set < NVX_SET_COUNT; set++) {
		const json_t *a = json_object_get(all, nvx_set__info(set)->name), *name;
		size_t i;

		if (json_array_size(a) > sizeof(s->column[set]))
			return -EINVAL;
		json_array_foreach(a, i, name) {
			if (!json_is_string(name))
				return -EINVAL;
			s->column[set][i] = nvx_value__find(json_string_value(name));
		}
		s->nr_columns[set] = json_array_size(a);
	}
	return 0;
}

static enum nvx_tier tier_of(const json_t *v)
{
	unsigned int t = NVX_TIER_CLASSIC;

	while (t && (!json_is_string(v) || strcmp(json_string_value(v), nvx_tier__id(t))))
		t--;
	return t;
}

int session_read_head(struct session_state *s, const json_t *o)
{
	struct nvx_session_head *h = &s->head;
	int ret;

	if (get_member(o, "created_ns", INT64_MAX, &h->created_ns) ||
	    get_member(o, "interval_ns", INT64_MAX, &h->interval_ns) ||
	    get_text(o, "by", h->by, sizeof(h->by)) ||
	    get_text(o, "program", h->program, sizeof(h->program)) ||
	    get_text(o, "host", h->host, sizeof(h->host)) ||
	    get_text(o, "kernel", h->release, sizeof(h->release)) ||
	    get_text(o, "source", h->source, sizeof(h->source)) ||
	    get_text(o, "source_reason", h->source_reason, sizeof(h->source_reason)) ||
	    get_text(o, "filter", h->filter, sizeof(h->filter)) ||
	    get_text(o, "note", h->note, sizeof(h->note)) || get_sections(o, h) ||
	    get_lacks(o, h) || get_columns(o, s))
		return -EINVAL;
	h->tier = tier_of(json_object_get(o, "tier"));
	ret = get_config(o, &h->config);
	return ret;
}

static enum nvx_vmm vmm_of(const char *name)
{
	unsigned int v = NVX_VMM_CROSVM;

	while (v && strcmp(name, nvx_vmm__name(v)))
		v--;
	return v;
}

static int fill_vm(struct session_state *s, const json_t *o, struct nvx_session_vm *vm)
{
	uint64_t index = s->nr_vms, pid = 0;
	char vmm[32] = "";

	if (get_u64(json_object_get(o, "vm"), SESSION_VMS_MAX, &index) || index != s->nr_vms ||
	    get_member(o, "pid", UINT32_MAX, &pid) ||
	    get_text(o, "name", vm->vm.id.name, sizeof(vm->vm.id.name)) ||
	    get_text(o, "uuid", vm->vm.id.uuid, sizeof(vm->vm.id.uuid)) ||
	    get_text(o, "namespace", vm->vm.id.ns, sizeof(vm->vm.id.ns)) ||
	    get_text(o, "vmm", vmm, sizeof(vmm)) || !*vm->vm.id.name)
		return -EINVAL;
	vm->vm.index = index;
	vm->vm.pid = pid;
	vm->vm.id.vmm = vmm_of(vmm);
	return get_config(o, &vm->config);
}

/* Room for one more VM in both arrays. */
static int more_vms(struct session_state *s)
{
	void *vm = realloc(s->vm, (s->nr_vms + 1) * sizeof(*s->vm)), *vms;

	if (!vm)
		return -ENOMEM;
	s->vm = vm;
	vms = realloc(s->vms, (s->nr_vms + 1) * sizeof(*s->vms));
	if (!vms)
		return -ENOMEM;
	s->vms = vms;
	return 0;
}

int session_read_vm(struct session_state *s, const json_t *o)
{
	struct nvx_session_vm *vm = calloc(1, sizeof(*vm));
	int ret = vm ? more_vms(s) : -ENOMEM;

	if (!ret)
		ret = fill_vm(s, o, vm);
	if (ret) {
		if (vm)
			nvx_config__free(&vm->config);
		free(vm);
		return ret;
	}
	s->vm[s->nr_vms] = vm;
	s->vms[s->nr_vms++] = &vm->vm;
	return 0;
}

static int set_of(const json_t *v)
{
	for (int set = 0; json_is_string(v) && set < NVX_SET_COUNT; set++)
		if (!strcmp(json_string_value(v), nvx_set__info(set)->name))
			return set;
	return -1;
}

static int isa_of(const json_t *v)
{
	const char *name = json_string_value(v);

	return !name ? 0 : !strcmp(name, "vmx") ? NVX_ISA_VMX : !strcmp(name, "svm") ? NVX_ISA_SVM : 0;
}

static int get_labels(const struct session_state *s, const json_t *o, struct nvx_labels *l)
{
	uint64_t vm = 0, level = 0, kind = 0;
	char l2[32] = "";
	char *end = l2;

	if (get_u64(json_object_get(o, "vm"), UINT32_MAX, &vm) ||
	    get_member(o, "level", NVX_LEVEL_2, &level) || get_member(o, "kind", 255, &kind) ||
	    get_member(o, "key", INT64_MAX, &l->key) || get_member(o, "key2", INT64_MAX, &l->key2) ||
	    get_text(o, "l2", l2, sizeof(l2)))
		return -EINVAL;
	/* every row is of a VM that was told */
	if (vm >= s->nr_vms)
		return -EINVAL;
	if (*l2)
		l->l2 = strtoull(l2, &end, 16);
	if (*end)
		return -EINVAL;
	l->isa = isa_of(json_object_get(o, "isa"));
	l->vm = vm;
	l->level = level;
	l->kind = kind;
	return 0;
}

int session_read_row(struct session_state *s, const json_t *o)
{
	int set = set_of(json_object_get(o, "set"));
	struct nvx_labels l = { .set = set < 0 ? NVX_SET_COUNT : set };
	uint64_t id;

	if (get_u64(json_object_get(o, "row"), SESSION_ROWS_MAX, &id) || id != s->nr_rows ||
	    get_labels(s, o, &l))
		return -EINVAL;
	if (s->nr_rows == s->room_rows) {
		size_t room = s->room_rows ? 2 * s->room_rows : 256;
		struct nvx_labels *row = realloc(s->row, room * sizeof(*row));

		if (!row)
			return -ENOMEM;
		s->row = row;
		s->room_rows = room;
	}
	s->row[s->nr_rows++] = l;
	return 0;
}

/* Values: signed in the file, since a number that gave way may take back what it had. */
static int get_values(const struct session_state *s, const json_t *a, struct nvx_row *row)
{
	unsigned int set = row->l.set;
	const json_t *v;
	size_t i;

	if (!json_is_array(a) || json_array_size(a) > s->nr_columns[set])
		return -EINVAL;
	json_array_foreach(a, i, v) {
		json_int_t n = json_integer_value(v);
		bool may = s->column[set][i] == NVX_V_DONE ||
			   (set >= NVX_SET_MSRS && set <= NVX_SET_MMIO);

		if (!json_is_integer(v) || n > COUNTER_MAX || n < (may ? -COUNTER_MAX : 0))
			return -EINVAL;
		if (s->column[set][i] < NVX_V_NR)
			row->v[s->column[set][i]] = n;
	}
	row->v[NVX_V_DONE] = row->v[NVX_V_COUNT] - row->v[NVX_V_DONE];
	return 0;
}

static int get_hist(const json_t *a, struct nvx_row *row)
{
	uint64_t first;
	size_t i;

	if (!a)
		return 0;
	if (!json_is_array(a) || get_u64(json_array_get(a, 0), NVX_HIST_SLOTS, &first) ||
	    first + json_array_size(a) - 1 > nvx_set__hist(row->l.set))
		return -EINVAL;
	for (i = 1; i < json_array_size(a); i++)
		if (get_u64(json_array_get(a, i), COUNTER_MAX, &row->hist[first + i - 1]))
			return -EINVAL;
	return 0;
}

static bool has_done(enum nvx_set set)
{
	return set == NVX_SET_EXITS || set == NVX_SET_CHAINS;
}

static int get_row(const struct session_state *s, const json_t *a, struct nvx_rows *rows)
{
	struct nvx_row one = { 0 }, *row;
	uint64_t id;
	int ret;

	if (!s->nr_rows || get_u64(json_array_get(a, 0), s->nr_rows - 1, &id))
		return -EINVAL;
	one.l = s->row[id];
	if (one.l.set == NVX_SET_COUNT) /* a set that this version does not know */
		return 0;
	ret = get_values(s, json_array_get(a, 1), &one);
	if (!ret)
		ret = get_hist(json_array_get(a, 2), &one);
	if (ret)
		return ret;
	if (!has_done(one.l.set))
		one.v[NVX_V_DONE] = 0;
	/* a label stands once in a line */
	if (nvx_rows__find(rows, &one.l))
		return -EINVAL;
	row = nvx_rows__at(rows, &one.l);
	if (!row)
		return -ENOMEM;
	*row = one;
	return 0;
}

static int get_rows(const struct session_state *s, const json_t *a, struct nvx_rows **out)
{
	const json_t *row;
	size_t i;
	int ret = 0;

	if (!json_is_array(a))
		return -EINVAL;
	*out = nvx_rows__new();
	if (!*out)
		return -ENOMEM;
	json_array_foreach(a, i, row) {
		ret = get_row(s, row, *out);
		if (ret)
			break;
	}
	return ret;
}

static int get_drops(const json_t *o, struct nvx_drops *d)
{
	const json_t *drops = json_object_get(o, "drops"), *g, *v;
	size_t i;

	if (!drops)
		return 0;
	g = json_object_get(drops, "no_slot");
	if (get_member(drops, "bpf_missed", COUNTER_MAX, &d->misses) ||
	    get_member(drops, "lost_by_recording", COUNTER_MAX, &d->lost) ||
	    json_array_size(g) > NVX_GDROP_KINDS)
		return -EINVAL;
	json_array_foreach(g, i, v)
		if (get_u64(v, COUNTER_MAX, &d->g[i]))
			return -EINVAL;
	return 0;
}

int session_read_delta(struct session_state *s, const json_t *o, uint64_t number,
		       struct nvx_session_delta *d)
{
	uint64_t period = 0, n;
	int ret;

	if (get_u64(json_object_get(o, "delta"), COUNTER_MAX, &n) || n != number ||
	    get_u64(json_object_get(o, "t_ns"), COUNTER_MAX, &d->t_ns) || d->t_ns < s->t_ns ||
	    get_u64(json_object_get(o, "ns"), COUNTER_MAX, &d->duration_ns) ||
	    get_member(o, "period", UINT32_MAX, &period) || get_drops(o, &d->drops))
		return -EINVAL;
	d->period = period;
	d->hist = json_is_true(json_object_get(o, "hist"));
	ret = get_rows(s, json_object_get(o, "rows"), &d->rows);
	if (!ret)
		s->t_ns = d->t_ns;
	return ret;
}

static int get_vcpu(const struct session_state *s, const json_t *o, struct nvx_session_vcpu *v)
{
	uint64_t vm, vcpu;

	if (!s->nr_vms || get_u64(json_object_get(o, "vm"), s->nr_vms - 1, &vm) ||
	    get_u64(json_object_get(o, "vcpu"), UINT32_MAX, &vcpu))
		return -EINVAL;
	v->vm = vm;
	v->vcpu = vcpu;
	return get_rows(s, json_object_get(o, "rows"), &v->rows);
}

int session_read_end(struct session_state *s, const json_t *o, struct nvx_session_end *e)
{
	const json_t *vcpus = json_object_get(o, "vcpus"), *v;
	const json_t *cost = json_object_get(o, "cost");
	size_t i;
	int ret = 0;

	if (get_u64(json_object_get(o, "end"), COUNTER_MAX, &e->deltas) ||
	    get_u64(json_object_get(o, "ns"), COUNTER_MAX, &e->duration_ns) ||
	    get_drops(o, &e->drops) || json_array_size(vcpus) > SESSION_VCPUS_MAX)
		return -EINVAL;
	if (cost && (get_member(cost, "events", COUNTER_MAX, &e->cost.events) ||
		     get_member(cost, "run_ns", COUNTER_MAX, &e->cost.run_ns) ||
		     get_member(cost, "window_ns", COUNTER_MAX, &e->cost.window_ns)))
		return -EINVAL;
	if (json_object_get(o, "rows"))
		ret = get_rows(s, json_object_get(o, "rows"), &e->rows);
	if (ret || !json_array_size(vcpus))
		return ret;
	e->vcpu = calloc(json_array_size(vcpus), sizeof(*e->vcpu));
	if (!e->vcpu)
		return -ENOMEM;
	e->nr_vcpus = json_array_size(vcpus);
	json_array_foreach(vcpus, i, v) {
		ret = get_vcpu(s, v, &e->vcpu[i]);
		if (ret)
			break;
	}
	return ret;
}

void session_state_free(struct session_state *s)
{
	for (size_t i = 0; i < s->nr_vms; i++) {
		nvx_config__free(&s->vm[i]->config);
		free(s->vm[i]);
	}
	nvx_config__free(&s->head.config);
	free(s->vm);
	free(s->vms);
	free(s->row);
	*s = (struct session_state){ 0 };
}
