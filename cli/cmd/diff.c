// SPDX-License-Identifier: GPL-2.0-only
/* nvx diff: two sides of sessions -> figures -> which differ by more than noise. */
#include "cmd/diff.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/session_sum.h"
#include "cmd/view_opts.h"
#include "util/log.h"

#define FILES_MAX 1000

/* What both sides look like, and what stands in the page about it. */
struct sides {
	const struct diff_want *want;
	struct session_sum *sum; /* A's, then B's */
	size_t nr;
	struct nvx_rows *rows[NVX_SIDES];
	struct nvx_config config[NVX_SIDES];
	uint64_t deltas[NVX_SIDES];
	struct nvx_diff_config *differs;
	size_t nr_differs;
	char lacks[NVX_LACK_COUNT][NVX_LACK_MAX];
};

static enum nvx_side side_of(const struct diff_want *want, size_t i)
{
	return i < want->nr[0] ? NVX_SIDE_A : NVX_SIDE_B;
}

static const char *path_of(const struct diff_want *want, size_t i)
{
	return i < want->nr[0] ? want->file[0][i] : want->file[1][i - want->nr[0]];
}

/* Is value one of those that stand in a list "A | B"? */
static bool listed(const char *list, const char *value)
{
	size_t len = strlen(value);

	for (const char *p = list; p; p = strstr(p, " | ")) {
		p += p == list ? 0 : 3;
		if (!strncmp(p, value, len) && (!p[len] || !strncmp(p + len, " | ", 3)))
			return true;
	}
	return false;
}

/* Several files of a side have one configuration; where they differ, it lists their values. */
static int put(struct nvx_config *c, const char *key, const char *value)
{
	const char *have = nvx_config__get(c, key);
	char *both;
	int ret;

	if (!have || listed(have, value))
		return have ? 0 : nvx_config__set(c, key, value);
	if (asprintf(&both, "%s | %s", have, value) < 0)
		return -ENOMEM;
	ret = nvx_config__set(c, key, both);
	free(both);
	return ret;
}

static int put_all(struct nvx_config *c, const char *prefix, const struct nvx_config *from)
{
	int ret = 0;

	for (size_t i = 0; i < from->nr && !ret; i++) {
		char key[400];

		snprintf(key, sizeof(key), "%s%s", prefix, from->item[i].key);
		ret = put(c, key, from->item[i].value);
	}
	return ret;
}

static int take_config(struct nvx_config *c, const struct session_sum *sum)
{
	const struct nvx_session_head *h = nvx_session_reader__head(sum->reader);
	const struct nvx_vm *const *vms;
	size_t nr;
	int ret = put(c, "nvx.program", h->program);

	if (!ret)
		ret = put(c, "nvx.source", h->source);
	if (!ret)
		ret = put(c, "nvx.filter", h->filter);
	if (!ret)
		ret = put(c, "host", h->host);
	if (!ret)
		ret = put_all(c, "", &h->config);
	vms = nvx_session_reader__vms(sum->reader, &nr);
	for (size_t i = 0; i < nr && !ret; i++) {
		char prefix[160];

		snprintf(prefix, sizeof(prefix), "VM %s: ", vms[i]->id.name);
		ret = put_all(c, prefix, nvx_session_reader__vm_config(sum->reader, i));
	}
	return ret;
}

static int add_differing(struct sides *s, const char *key, const char *a, const char *b)
{
	struct nvx_diff_config *more;

	if (a && b && !strcmp(a, b))
		return 0;
	more = realloc(s->differs, (s->nr_differs + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	s->differs = more;
	more[s->nr_differs++] = (struct nvx_diff_config){ .key = key, .value = { a, b } };
	return 0;
}

static int compare_config(struct sides *s)
{
	const struct nvx_config *a = &s->config[NVX_SIDE_A], *b = &s->config[NVX_SIDE_B];
	int ret = 0;

	for (size_t i = 0; i < a->nr && !ret; i++)
		ret = add_differing(s, a->item[i].key, a->item[i].value,
				    nvx_config__get(b, a->item[i].key));
	for (size_t i = 0; i < b->nr && !ret; i++)
		if (!nvx_config__get(a, b->item[i].key))
			ret = add_differing(s, b->item[i].key, NULL, b->item[i].value);
	return ret;
}

/* First pass: what there is, to choose the figures by. */
static int read_sums(struct sides *s)
{
	int ret = 0;

	for (; s->nr < s->want->nr[0] + s->want->nr[1] && !ret; s->nr++) {
		enum nvx_side side = side_of(s->want, s->nr);
		struct session_sum *sum = &s->sum[s->nr];
		const struct nvx_session_head *h;

		/* it has said why */
		if (session_sum__read(path_of(s->want, s->nr), &s->want->filter, NULL, NULL, sum)) {
			s->nr++;
			return 1;
		}
		s->deltas[side] += sum->deltas;
		ret = nvx_rows__add(s->rows[side], sum->rows,
				    NVX_DROP_LABEL_VM | NVX_DROP_LABEL_L2);
		if (!ret)
			ret = take_config(&s->config[side], sum);
		h = nvx_session_reader__head(sum->reader);
		for (int i = 0; i < NVX_LACK_COUNT; i++)
			if (*h->lacks[i])
				memcpy(s->lacks[i], h->lacks[i], sizeof(s->lacks[i]));
	}
	return ret;
}

struct pass {
	struct nvx_diff *diff;
	struct session_sum *sum;
	const struct nvx_filter *filter;
};

static int take_delta(const struct nvx_session_delta *d, void *arg)
{
	struct nvx_session_delta some = *d;
	const struct nvx_vm *const *vms;
	struct pass *p = arg;
	size_t nr;
	int ret;

	vms = nvx_session_reader__vms(p->sum->reader, &nr);
	some.rows = nvx_rows__new();
	ret = some.rows ? nvx_rows__add_some(some.rows, d->rows, vms, p->filter) : -ENOMEM;
	if (!ret)
		ret = nvx_diff__delta(p->diff, &some);
	nvx_rows__free(some.rows);
	return ret;
}

/* Second pass: the figures of each delta. */
static int read_deltas(const struct sides *s, struct nvx_diff *diff)
{
	enum nvx_log_level level = nvx_log_level;
	int ret = 0;

	/* what is to be said about the files was said at the first pass */
	nvx_log_level = NVX_LOG_ERROR;
	for (size_t i = 0; i < s->nr && !ret; i++) {
		struct session_sum sum;
		struct pass p = { diff, &sum, &s->want->filter };

		nvx_diff__file(diff, side_of(s->want, i));
		ret = session_sum__read(path_of(s->want, i), p.filter, take_delta, &p, &sum);
		session_sum__free(&sum);
	}
	nvx_log_level = level;
	return ret;
}

static int make_page(const struct sides *s, const struct nvx_diff *diff, diff_show_fn show,
		     void *arg)
{
	struct nvx_diff_file *file = calloc(s->nr, sizeof(*file));
	struct nvx_diff_page page = { .diff = diff, .nr_files = s->nr, .file = file,
				      .nr_config = s->nr_differs, .config = s->differs,
				      .lacks = s->lacks };
	int ret;

	if (!file)
		return -ENOMEM;
	for (size_t i = 0; i < s->nr; i++) {
		const struct session_sum *sum = &s->sum[i];
		const struct nvx_session_head *h = nvx_session_reader__head(sum->reader);

		file[i] = (struct nvx_diff_file){ side_of(s->want, i), path_of(s->want, i),
						  *h->host ? h->host : "n/a",
						  *h->release ? h->release : "n/a", h->note, h->by,
						  sum->duration_ns, sum->deltas, sum->trouble };
	}
	ret = show(&page, arg);
	free(file);
	return ret;
}

static int compare(struct sides *s, diff_show_fn show, void *arg)
{
	struct nvx_diff *diff = NULL;
	unsigned int lacks = 0;
	int ret = read_sums(s);

	if (ret)
		return ret;
	for (int side = 0; side < NVX_SIDES; side++)
		if (!s->deltas[side]) {
			nvx_error("side %c has no delta to compare", "AB"[side]);
			return 1;
		}
	for (int i = 0; i < NVX_LACK_COUNT; i++)
		lacks |= *s->lacks[i] ? 1u << i : 0;
	ret = compare_config(s);
	if (!ret)
		diff = nvx_diff__new(s->rows[0], s->rows[1], s->want->top, lacks);
	if (!ret && !diff)
		ret = -ENOMEM;
	if (!ret)
		ret = read_deltas(s, diff);
	if (!ret)
		ret = nvx_diff__finish(diff);
	if (!ret)
		ret = make_page(s, diff, show, arg);
	nvx_diff__free(diff);
	return ret;
}

int diff_compare(const struct diff_want *want, diff_show_fn show, void *arg)
{
	struct sides s = { .want = want, .sum = calloc(want->nr[0] + want->nr[1], sizeof(*s.sum)),
			   .rows = { nvx_rows__new(), nvx_rows__new() } };
	int ret = s.sum && s.rows[0] && s.rows[1] ? compare(&s, show, arg) : -ENOMEM;

	if (ret < 0)
		nvx_error("cannot compare: %s", strerror(-ret));
	for (size_t i = 0; i < s.nr; i++)
		session_sum__free(&s.sum[i]);
	for (int side = 0; side < NVX_SIDES; side++) {
		nvx_rows__free(s.rows[side]);
		nvx_config__free(&s.config[side]);
	}
	free(s.sum);
	free(s.differs);
	return ret != 0;
}

struct printer {
	enum diff_format format;
	FILE *out;
};

static int print(const struct nvx_diff_page *page, void *arg)
{
	const struct printer *p = arg;

	switch (p->format) {
	case DIFF_MARKDOWN:
		return nvx_view__diff_markdown(page, p->out);
	case DIFF_JSON:
		return nvx_view__diff_json(page, p->out);
	default:
		return nvx_view__diff_text(page, p->out);
	}
}

int diff_files(const struct diff_want *want, FILE *out)
{
	struct printer p = { want->format, out };

	return diff_compare(want, print, &p);
}

struct diff_opts {
	struct diff_want want;
	const char *output;
	const char *file[2][FILES_MAX];
};

enum { OPT_JSON = 256, OPT_MARKDOWN, OPT_TOP };

static const struct argp_option options[] = {
	{ NULL, 0, NULL, 0, "What to show:", 3 },
	{ "top", OPT_TOP, "N", 0, "Rows of each kind with most events (default: 8; 0: all)", 3 },
	{ "json", 'j', NULL, 0, "Print JSON", 3 },
	{ "markdown", OPT_MARKDOWN, NULL, 0, "Print Markdown", 3 },
	{ "output", 'o', "FILE", 0, "Write to FILE instead of standard output", 3 },
	{ 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct diff_opts *o = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &o->want.filter;
		return 0;
	case OPT_TOP:
		o->want.top = view_opts__number(state, "--top", arg, 100000);
		return 0;
	case 'j':
		o->want.format = DIFF_JSON;
		return 0;
	case OPT_MARKDOWN:
		o->want.format = DIFF_MARKDOWN;
		return 0;
	case 'o':
		o->output = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (o->want.nr[0] == FILES_MAX)
			argp_error(state, "at most %d files a side", FILES_MAX);
		o->file[0][o->want.nr[0]++] = arg;
		return 0;
	case ARGP_KEY_END:
		/* without -- the second file is side B */
		if (!o->want.nr[1] && o->want.nr[0] == 2) {
			o->file[1][o->want.nr[1]++] = o->file[0][1];
			o->want.nr[0] = 1;
		}
		if (!o->want.nr[0] || !o->want.nr[1])
			argp_error(state, "two files, or: nvx diff A... -- B...");
		if (o->want.filter.vcpu >= 0)
			argp_error(state, "--vcpu: deltas do not tell vCPUs apart");
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Side B stands behind --, which argp would pass over. */
static int split(int argc, char **argv, struct diff_opts *o)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--"))
			continue;
		for (int k = i + 1; k < argc && o->want.nr[1] < FILES_MAX; k++)
			o->file[1][o->want.nr[1]++] = argv[k];
		return i;
	}
	return argc;
}

int cmd_diff(int argc, char **argv)
{
	static const struct argp_child children[] = { { &filter_argp, 0, NULL, 0 }, { 0 } };
	static const struct argp argp = {
		.options = options, .parser = parse, .children = children,
		.args_doc = "A B\nA... -- B...",
		.doc = "Compare sessions: which figures differ by more than noise, and by how much.",
	};
	struct diff_opts o = { .want.top = 8 };
	struct view_opts view = { 0 };
	int ret = 1;
	FILE *out;

	argp_err_exit_status = 2;
	argc = split(argc, argv, &o);
	if (argp_parse(&argp, argc, argv, 0, NULL, &o))
		return 2;
	o.want.file[0] = o.file[0];
	o.want.file[1] = o.file[1];
	view.output = o.output;
	out = view_opts__open(&view);
	if (out)
		ret = diff_files(&o.want, out);
	return ret | view_opts__close(&view, out);
}
