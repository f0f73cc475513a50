// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "util/table.h"
#include "view/features.h"

#define NUMBER_MAX 16

static const char *number(char buf[NUMBER_MAX], uint32_t value)
{
	if (value == NVX_SWITCH_UNKNOWN)
		return "n/a";
	snprintf(buf, NUMBER_MAX, "%u", value);
	return buf;
}

static int print_switches(const struct nvx_features *f, FILE *out)
{
	struct nvx_table *t = nvx_table__new(6, (const enum nvx_align[]){
		NVX_LEFT, NVX_LEFT, NVX_RIGHT, NVX_RIGHT, NVX_LEFT, NVX_LEFT});
	int err;

	if (!t)
		return -ENOMEM;
	nvx_table__row(t, (const char *const[]){"SWITCH", "RANGE", "STOCK", "NEW VMS", "LIVE",
						"TAKES EFFECT"});
	for (unsigned int i = 0; i < f->nr; i++) {
		const struct nvx_switch_info *info = &f->info[i];
		char range[2 * NUMBER_MAX], stock[NUMBER_MAX], value[NUMBER_MAX];

		snprintf(range, sizeof(range), "%u..%u", info->min, info->max);
		nvx_table__row(t, (const char *const[]){
			info->name, range, number(stock, info->stock),
			number(value, f->defaults.state[i].value),
			info->flags & NVX_SWITCH_LIVE ? "yes" : "no", info->effect});
	}
	err = nvx_table__print(t, out, 2);
	nvx_table__free(t);
	return err;
}

static void add_vm(struct nvx_table *t, const struct nvx_features *f,
		   const struct nvx_feature_vm *vm)
{
	char pid[NUMBER_MAX], value[NUMBER_MAX], negotiated[NUMBER_MAX], in_use[NUMBER_MAX];

	for (unsigned int i = 0; i < f->nr; i++) {
		const struct nvx_switch_state *state = &vm->state[i];
		const char *offered = state->offered == NVX_SWITCH_UNKNOWN ? "n/a" :
				      state->offered ? "yes" : "no";

		nvx_table__row(t, (const char *const[]){
			i ? "" : vm->name, i ? "" : number(pid, vm->pid), f->info[i].name,
			number(value, state->value), offered, number(negotiated, state->negotiated),
			number(in_use, state->in_use)});
	}
}

static int print_vms(const struct nvx_features *f, FILE *out)
{
	struct nvx_table *t = nvx_table__new(7, (const enum nvx_align[]){
		NVX_LEFT, NVX_RIGHT, NVX_LEFT, NVX_RIGHT, NVX_LEFT, NVX_RIGHT, NVX_RIGHT});
	int err;

	if (!t)
		return -ENOMEM;
	nvx_table__row(t, (const char *const[]){"NAME", "PID", "SWITCH", "VALUE", "OFFERED",
						"VCPUS", "IN USE"});
	for (size_t i = 0; i < f->nr_vms; i++)
		add_vm(t, f, &f->vm[i]);
	err = nvx_table__print(t, out, 2);
	nvx_table__free(t);
	return err;
}

int nvx_view_features__text(const struct nvx_features *f, FILE *out)
{
	int err;

	if (!f->module) {
		fprintf(out, "No switches: %s\n", f->reason);
		return ferror(out) ? -EIO : 0;
	}
	fprintf(out, "Switches\n");
	err = print_switches(f, out);
	if (err)
		return err;
	if (!f->nr_vms)
		fprintf(out, "\nNo VM runs.\n");
	else
		fprintf(out, "\nVMs\n");
	return f->nr_vms ? print_vms(f, out) : ferror(out) ? -EIO : 0;
}

/* A name comes from a stranger's command line; a number that is unknown is null. */
static json_t *text(const char *s)
{
	json_t *value = json_string(s);

	return value ? value : json_null();
}

static json_t *count(uint32_t n)
{
	return n == NVX_SWITCH_UNKNOWN ? json_null() : json_integer(n);
}

static json_t *json_switch(const struct nvx_switch_info *info, const struct nvx_switch_state *now)
{
	return json_pack("{s:o, s:I, s:I, s:I, s:I, s:b, s:o}", "name", text(info->name), "min",
			 (json_int_t)info->min, "max", (json_int_t)info->max, "stock",
			 (json_int_t)info->stock, "default", (json_int_t)now->value, "live",
			 info->flags & NVX_SWITCH_LIVE, "effect", text(info->effect));
}

static json_t *json_vm(const struct nvx_features *f, const struct nvx_feature_vm *vm)
{
	json_t *states = json_object();

	for (unsigned int i = 0; i < f->nr; i++) {
		const struct nvx_switch_state *s = &vm->state[i];
		json_t *offered = s->offered == NVX_SWITCH_UNKNOWN ? json_null() :
				  json_boolean(s->offered);

		json_object_set_new(states, f->info[i].name,
				    json_pack("{s:I, s:o, s:o, s:o}", "value", (json_int_t)s->value,
					      "offered", offered, "negotiated", count(s->negotiated),
					      "in_use", count(s->in_use)));
	}
	return json_pack("{s:o, s:I, s:I, s:I, s:o}", "name", text(vm->name), "pid",
			 (json_int_t)vm->pid, "id", (json_int_t)vm->vm, "vcpus",
			 (json_int_t)vm->vcpus, "switches", states);
}

int nvx_view_features__json(const struct nvx_features *f, FILE *out)
{
	json_t *switches = json_array(), *vms = json_array(), *root;
	int err = 0;

	for (unsigned int i = 0; i < f->nr; i++)
		err |= json_array_append_new(switches,
					     json_switch(&f->info[i], &f->defaults.state[i]));
	for (size_t i = 0; i < f->nr_vms; i++)
		err |= json_array_append_new(vms, json_vm(f, &f->vm[i]));
	/* json_pack takes both over, also when it fails. */
	root = json_pack("{s:s, s:b, s:o, s:o, s:o}", "schema", "nvx-features-1", "module",
			 f->module, "reason", f->module ? json_null() : text(f->reason),
			 "switches", switches, "vms", vms);
	if (!root || err) {
		json_decref(root);
		return -ENOMEM;
	}
	err = json_dumpf(root, out, JSON_INDENT(2));
	json_decref(root);
	return err || fputc('\n', out) == EOF ? -EIO : 0;
}
