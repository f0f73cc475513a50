// SPDX-License-Identifier: GPL-2.0-only
#include "source/exittable.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "model/reason.h"

#define LINE 1024
#define WORD 64
/* name, samples, their share, the time's, and up to three times */
#define WORDS 8
#define MAX_TABLES 1000
#define NO_CODE UINT32_MAX

struct reader {
	struct nvx_exittables *out;
	struct nvx_exittable *t; /* the one being read; NULL: none yet */
	const char *name;
	char *err;
	char title[100];
	uint64_t nr_line, row_line;
	char word[WORDS][WORD]; /* of the row in the making: mails wrap rows */
	unsigned int nr, want, sum; /* words, of a whole row; the one with all time, 0: none */
	double unit;   /* ns of a time without a unit */
	uint32_t code; /* told before its row: "unknown kvm exit code:131072 on VMX" */
};

enum nvx_exittable_kind nvx_exittable__kind(const char *text)
{
	const char *perf = strstr(text, "VM-EXIT");

	if (perf && strstr(perf, "Samples"))
		return NVX_TABLE_PERF_KVM;
	perf = strstr(text, "Event name");
	if (perf && strstr(perf, "Time (ns)"))
		return NVX_TABLE_PERF_KVM;
	if (strstr(text, "CurAvg/s") || (strstr(text, "%Total") && strstr(text, "kvm_exit")))
		return NVX_TABLE_KVM_STAT;
	return NVX_TABLE_NONE;
}

static int fail(const struct reader *r, uint64_t line, const char *what)
{
	snprintf(r->err, NVX_EXITTABLE_ERR, "%.200s, line %llu: %s", r->name,
		 (unsigned long long)line, what);
	return -EINVAL;
}

/* A row that waits for its rest when something else begins was cut. */
static int row_ends(struct reader *r)
{
	unsigned int nr = r->nr;

	r->nr = 0;
	return nr > 1 ? fail(r, r->row_line, "the row is cut") : 0;
}

static int new_table(struct reader *r, enum nvx_exittable_kind kind)
{
	struct nvx_exittable *more;
	int ret = row_ends(r);

	if (ret)
		return ret;
	if (r->out->nr == MAX_TABLES)
		return fail(r, r->nr_line, "more tables than anybody reads");
	more = realloc(r->out->table, (r->out->nr + 1) * sizeof(*more));
	if (!more)
		return -ENOMEM;
	r->out->table = more;
	r->t = &more[r->out->nr];
	*r->t = (struct nvx_exittable){ .kind = kind, .line = r->nr_line, .claimed = -1,
					.rows = nvx_rows__new() };
	if (!r->t->rows)
		return -ENOMEM;
	r->out->nr++;
	snprintf(r->t->title, sizeof(r->t->title), "%s", r->title);
	r->title[0] = 0;
	r->code = NO_CODE;
	return 0;
}

static int add(struct reader *r, const struct nvx_labels *l, uint64_t count, double ns)
{
	struct nvx_row *row = nvx_rows__at(r->t->rows, l);

	if (!row)
		return -ENOMEM;
	if (l->set == NVX_SET_VMS) {
		row->v[NVX_V_UNKNOWN] += count;
		return 0;
	}
	row->v[NVX_V_COUNT] += count;
	row->v[NVX_V_DONE] += count;
	row->v[NVX_V_TIME] += ns < 9e18 ? llround(ns) : INT64_MAX;
	return 0;
}

/* VMX is spelled in capitals, SVM in small letters: but for "UD excp". */
static int name_labels(struct reader *r, const char *name, struct nvx_labels *l)
{
	uint32_t code;

	*l = (struct nvx_labels){ .set = NVX_SET_EXITS };
	if (!strcmp(name, "UNKNOWN")) {
		/* a number of no architecture: as VMX's it would read as a reason with flags */
		l->isa = 0;
		l->key = r->code;
		r->code = NO_CODE;
		return 0;
	}
	l->isa = islower((unsigned char)*name) || strstr(name, " excp") ? NVX_ISA_SVM : NVX_ISA_VMX;
	if (nvx_reason__code(l->isa, name, &code))
		return fail(r, r->row_line, "an exit reason that is not known");
	l->key = code;
	return 0;
}

/* "0.64us", "12 345"; a negative result: no time */
static double time_of(const struct reader *r, const char *word)
{
	static const struct {
		const char *suffix;
		double ns;
	} units[] = { { "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	char *end;
	double v = strtod(word, &end);

	if (end == word || !(v >= 0) || v > 1e18)
		return -1;
	if (!*end)
		return v * r->unit;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (!strcmp(end, units[i].suffix))
			return v * units[i].ns;
	return -1;
}

static bool whole_number(const char *word, uint64_t *v)
{
	char *end;

	if (!isdigit((unsigned char)*word))
		return false;
	errno = 0;
	*v = strtoull(word, &end, 10);
	return !*end && !errno && *v < UINT64_MAX / 4;
}

/* All words of a row are there. */
static int perf_row(struct reader *r)
{
	struct nvx_labels l, vm = { .set = NVX_SET_VMS };
	/* newer tables tell the sum of times, older ones their average only */
	double ns = time_of(r, r->word[r->sum ? r->sum : r->want - 1]);
	uint64_t count;
	int ret;

	r->nr = 0;
	if (!whole_number(r->word[1], &count))
		return fail(r, r->row_line, "the number of samples is none");
	if (ns < 0)
		return fail(r, r->row_line, r->sum ? "the time is none" :
							     "the average time is none");
	ret = name_labels(r, r->word[0], &l);
	if (ret)
		return ret;
	r->t->samples += count;
	ret = add(r, &l, count, r->sum ? ns : ns * count);
	return ret ? ret : add(r, &vm, count, 0);
}

/* One word more for the row in the making. */
static int perf_word(struct reader *r, const char *word)
{
	uint64_t n;

	/* "( +-   0.11% )" behind a row */
	if (!r->nr && strchr("(+)", *word))
		return 0;
	if (!r->nr && !isalpha((unsigned char)*word) && *word != '_')
		return 0;
	/* the only names of two words: exceptions of SVM */
	if (r->nr == 1 && !strcmp(word, "excp") && strlen(r->word[0]) + 6 <= WORD) {
		strcat(r->word[0], " excp");
		return 0;
	}
	if (r->nr == 1 && !whole_number(word, &n)) {
		/* a line of words: not a row */
		r->nr = 0;
		return 1;
	}
	if (!r->nr)
		r->row_line = r->nr_line;
	snprintf(r->word[r->nr++], WORD, "%s", word);
	return r->nr == r->want ? perf_row(r) : 0;
}

static int perf_words(struct reader *r, char *line)
{
	char *save, *word;
	int ret = 0;

	for (word = strtok_r(line, " \t", &save); word && !ret; word = strtok_r(NULL, " \t", &save))
		ret = perf_word(r, word);
	return ret < 0 ? ret : 0;
}

static int kvm_stat_row(struct reader *r, const char *line)
{
	char name[100], key[120], total[32];
	struct nvx_labels l = { .set = NVX_SET_VMS };
	uint64_t count;
	char *reason;

	if (sscanf(line, " %99s %31s", name, total) != 2 || !whole_number(total, &count))
		return strncmp(line + strspn(line, " \t"), "kvm_", 4) ?
			       0 : fail(r, r->nr_line, "the row is cut");
	if (!strcmp(name, "Total"))
		return 0;
	if (!strcmp(name, "kvm_exit")) {
		r->t->samples += count;
		return add(r, &l, count, 0);
	}
	reason = strncmp(name, "kvm_exit(", 9) ? NULL : name + 9;
	if (!reason || !strchr(reason, ')')) {
		snprintf(key, sizeof(key), "kvm_stat.%s", name);
		return nvx_config__set(&r->t->other, key, total);
	}
	*strchr(reason, ')') = 0;
	r->row_line = r->nr_line;
	return name_labels(r, reason, &l) ?: add(r, &l, count, 0);
}

static void keep_title(struct reader *r, const char *line)
{
	size_t n;

	line += strspn(line, " \t-");
	n = strcspn(line, ":\n");
	if (n && isalpha((unsigned char)*line))
		snprintf(r->title, sizeof(r->title), "%.*s", (int)n, line);
}

/* Lines that are neither header nor row.  1: this was one; 0; -errno */
static int perf_other(struct reader *r, const char *line)
{
	uint64_t code;
	const char *at;

	at = strstr(line, "unknown kvm exit code:");
	if (at && sscanf(at, "unknown kvm exit code:%llu", (unsigned long long *)&code) == 1) {
		r->code = code;
		return 1;
	}
	at = strstr(line, "Total Samples:");
	if (at && r->t) {
		int ret = row_ends(r);

		if (sscanf(at, "Total Samples:%llu", (unsigned long long *)&code) == 1)
			r->t->claimed = code;
		r->t = NULL;
		return ret ? ret : 1;
	}
	if (strstr(line, "Analyze events") || strstr(line, " patch")) {
		int ret = row_ends(r);

		keep_title(r, line);
		r->t = NULL;
		return ret ? ret : 1;
	}
	/* the rest of a wrapped header */
	at = line + strspn(line, " \t");
	return !*at || (r->t && !r->nr && (!strncmp(at, "Time ", 5) || !strncmp(at, "Avg ", 4)));
}

static int take_line(struct reader *r, char *line)
{
	int ret;

	if (strstr(line, "VM-EXIT") && strstr(line, "Samples")) {
		ret = new_table(r, NVX_TABLE_PERF_KVM);
		r->want = strstr(line, "Min") ? 7 : 5;
		r->sum = 0;
		r->unit = strstr(line, "(ns)") ? 1 : 1e3;
		return ret;
	}
	/* since Linux 6.4: name, samples, %, time, %, max, min, mean; all times in ns */
	if (strstr(line, "Event name") && strstr(line, "Samples") && strstr(line, "Time (ns)")) {
		ret = new_table(r, NVX_TABLE_PERF_KVM);
		r->want = 8;
		r->sum = 3;
		r->unit = 1;
		return ret;
	}
	if (strstr(line, "Event") && strstr(line, "Total"))
		return new_table(r, NVX_TABLE_KVM_STAT);
	if (r->t && r->t->kind == NVX_TABLE_KVM_STAT)
		return kvm_stat_row(r, line);
	ret = perf_other(r, line);
	if (ret)
		return ret < 0 ? ret : 0;
	if (r->t)
		return perf_words(r, line);
	keep_title(r, line);
	return 0;
}

int nvx_exittables__read(FILE *in, const char *name, struct nvx_exittables *out, char *err)
{
	struct reader r = { .out = out, .name = name, .err = err, .code = NO_CODE };
	char line[LINE];
	int ret = 0;

	*out = (struct nvx_exittables){ 0 };
	*err = 0;
	while (!ret && fgets(line, sizeof(line), in)) {
		r.nr_line++;
		line[strcspn(line, "\r\n")] = 0;
		ret = take_line(&r, line);
	}
	if (!ret)
		ret = row_ends(&r);
	if (!ret && (!out->nr || !out->table[0].rows->nr))
		ret = fail(&r, r.nr_line, "no row of a table was found");
	if (ret == -ENOMEM)
		snprintf(err, NVX_EXITTABLE_ERR, "out of memory");
	return ret;
}

void nvx_exittables__free(struct nvx_exittables *t)
{
	for (size_t i = 0; i < t->nr; i++) {
		nvx_rows__free(t->table[i].rows);
		nvx_config__free(&t->table[i].other);
	}
	free(t->table);
	*t = (struct nvx_exittables){ 0 };
}
