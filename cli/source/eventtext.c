// SPDX-License-Identifier: GPL-2.0-only
/* Lines: which begin an event, and the thread, time and name in front of its fields. */
#include "source/eventtext.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "source/kvmevents.h"

/* An event longer than this is no event. */
#define EVENT_MAX 4096
/* So many lines before the first event: the file is something else. */
#define PATIENCE 10000

struct nvx_eventtext {
	FILE *in;
	char *name;
	char event[EVENT_MAX]; /* the event in the making, its lines joined */
	char line[EVENT_MAX]; /* the line that ended it, which begins the next */
	bool have_line, ended;
	uint64_t nr_line, at; /* lines read; that of the event */
	uint64_t ts;	      /* of the last event */
	uint32_t vcpu;	      /* of the last event that told it, where there are no threads */
	uint8_t isa;	      /* as the spelling last told */
	struct nvx_events_info info;
};

/* What stands in front of an event's fields. */
struct prefix {
	const char *name, *fields;
	size_t name_len;
	const char *time; /* NULL: none */
};

/* `name:` of an event, as kvm_exit, kvm:kvm_exit or sched_switch; its length without the colon. */
static size_t event_name(const char *at)
{
	size_t n = 0;

	while (isalnum((unsigned char)at[n]) || at[n] == '_' || at[n] == '-')
		n++;
	return n && at[n] == ':' && (isspace((unsigned char)at[n + 1]) || !at[n + 1]) ? n : 0;
}

/* The name at `at`, with or without its system. */
static bool take_name(const char *at, struct prefix *p)
{
	const char *colon = strchr(at, ':');
	size_t n;

	if (colon && colon > at && (isalpha((unsigned char)colon[1]) || colon[1] == '_') &&
	    strspn(at, "abcdefghijklmnopqrstuvwxyz_") == (size_t)(colon - at))
		at = colon + 1;
	n = event_name(at);
	if (!n)
		return false;
	p->name = at;
	p->name_len = n;
	p->fields = at + n + 1;
	p->fields += strspn(p->fields, " \t");
	return true;
}

/* "123.456789:" */
static const char *behind_time(const char *at)
{
	size_t n = strspn(at, "0123456789"), f;

	if (!n || at[n] != '.')
		return NULL;
	f = strspn(at + n + 1, "0123456789");
	return f && at[n + 1 + f] == ':' ? at + n + 1 + f + 1 : NULL;
}

/* Does this line begin an event, and where are its parts? */
static bool begins(const char *line, struct prefix *p)
{
	const char *at = line + strspn(line, " \t"), *behind;

	*p = (struct prefix){ 0 };
	/* no thread and no time: only names of KVM's are told from a wrapped field */
	if (take_name(at, p) && !strncmp(p->name, "kvm_", 4))
		return true;
	for (; *at; at++) {
		if (!isdigit((unsigned char)*at) || (at > line && !isspace((unsigned char)at[-1])))
			continue;
		behind = behind_time(at);
		if (!behind)
			continue;
		p->time = at;
		return take_name(behind + strspn(behind, " \t"), p);
	}
	return false;
}

/* Nanoseconds of "123.456789", with as many digits as there are. */
static uint64_t parse_time(const char *at)
{
	uint64_t s = strtoull(at, NULL, 10), ns = 0, unit = 100000000;

	for (at = strchr(at, '.') + 1; isdigit((unsigned char)*at) && unit; at++, unit /= 10)
		ns += (*at - '0') * unit;
	return s < 18000000000ULL ? s * 1000000000ULL + ns : 0;
}

/*
 * "qemu-system-x86-9928  [022] d..1." of trace-cmd and tracefs, "fc_vcpu 1 599500 [039]" of perf
 * script: the thread's number is the last before the CPU, behind a dash or a blank.
 */
static void parse_thread(const char *line, const struct prefix *p, struct nvx_event *e)
{
	const char *end = p->time ? memchr(line, '[', p->time - line) : NULL, *digits, *from;
	size_t n;

	if (!end)
		return;
	while (end > line && (isspace((unsigned char)end[-1]) || end[-1] == ')' || end[-1] == '-' ||
			      end[-1] == '('))
		end--;
	for (digits = end; digits > line && isdigit((unsigned char)digits[-1]); digits--)
		;
	/* tracefs with its option record-tgid: "comm-tid (tgid) [cpu]" */
	if (digits > line && digits[-1] == '(') {
		e->pid = strtoul(digits, NULL, 10);
		for (end = digits - 1; end > line && isspace((unsigned char)end[-1]); end--)
			;
		for (digits = end; digits > line && isdigit((unsigned char)digits[-1]); digits--)
			;
	}
	if (digits == end || digits == line)
		return;
	e->tid = strtoul(digits, NULL, 10);
	/* perf script -F pid,tid: "comm 599490/599499" */
	if (digits[-1] == '/') {
		for (end = --digits; digits > line && isdigit((unsigned char)digits[-1]); digits--)
			;
		e->pid = strtoul(digits, NULL, 10);
	}
	for (end = digits; end > line && (isspace((unsigned char)end[-1]) || end[-1] == '-'); end--)
		;
	from = line + strspn(line, " \t");
	n = end > from ? end - from : 0;
	if (n && strncmp(from, "<...>", 5))
		snprintf(e->comm, sizeof(e->comm), "%.*s", (int)n, from);
}

/* A line without its end; false at the end of the file.  What is too long is cut. */
static bool read_line(struct nvx_eventtext *t)
{
	size_t n;

	if (!fgets(t->line, sizeof(t->line), t->in))
		return false;
	t->nr_line++;
	n = strlen(t->line);
	if (n + 1 == sizeof(t->line) && t->line[n - 1] != '\n') {
		int c;

		while ((c = getc(t->in)) != EOF && c != '\n')
			;
	}
	while (n && (t->line[n - 1] == '\n' || t->line[n - 1] == '\r'))
		t->line[--n] = 0;
	return true;
}

/* The next event's lines into t->event.  False: there is none. */
static bool join(struct nvx_eventtext *t)
{
	struct prefix p;
	size_t n;

	while (!t->have_line) {
		if (!read_line(t))
			return false;
		t->have_line = begins(t->line, &p);
		if (!t->have_line && t->line[strspn(t->line, " \t")] && t->line[0] != '#')
			t->info.foreign++;
		if (!t->info.events && t->nr_line >= PATIENCE && !t->have_line)
			return false;
	}
	strcpy(t->event, t->line);
	t->at = t->nr_line;
	t->have_line = false;
	while (read_line(t)) {
		if (begins(t->line, &p)) {
			t->have_line = true;
			break;
		}
		/* a wrapped event goes on with blanks in front; a blank line ends it */
		if (!isspace((unsigned char)t->line[0]) || !t->line[strspn(t->line, " \t")])
			break;
		n = strlen(t->event);
		snprintf(t->event + n, sizeof(t->event) - n, " %s",
			 t->line + strspn(t->line, " \t"));
	}
	return true;
}

/* What the fields alone do not tell: the vendor, a thread, a time. */
static void complete(struct nvx_eventtext *t, const struct prefix *p, struct nvx_event *e)
{
	bool numbered = e->type == NVX_EV_EXIT || e->type == NVX_EV_ENTRY;

	if (e->isa)
		t->isa = e->isa;
	else if (e->type == NVX_EV_EXIT || e->type == NVX_EV_INJECT)
		e->isa = t->isa;
	if (numbered)
		t->vcpu = e->vcpu;
	if (!e->tid && e->type != NVX_EV_THREAD_END)
		e->tid = t->vcpu + 1;
	if (p->time)
		e->ts = parse_time(p->time);
	else
		t->info.timeless = true;
	/* text is rounded, and may be of several CPUs: time does not go back */
	if (e->ts < t->ts)
		e->ts = p->time ? t->ts : t->ts + 1;
	t->ts = e->ts;
}

static int fail(const struct nvx_eventtext *t, const char *what, char *err)
{
	snprintf(err, NVX_EVENTS_ERR, "%.200s, line %llu: %s; %llu usable events were readable",
		 t->name, (unsigned long long)t->at, what, (unsigned long long)t->info.events);
	return -EINVAL;
}

static int nothing(const struct nvx_eventtext *t, char *err)
{
	snprintf(err, NVX_EVENTS_ERR, "%.200s: %s (nvx import --help lists what can be)", t->name,
		 t->nr_line ? "no line of it is an event of KVM" : "it is empty");
	return -EINVAL;
}

/* What can stand in the place of fields where the reporting tool lacked them. */
static const char *behind_complaint(const char *fields)
{
	const char *last = strrchr(fields, '>');

	return strstr(fields, "FIND FIELD") && last ? last + 1 : fields;
}

int nvx_eventtext__next(struct nvx_eventtext *t, struct nvx_event *e, char *err)
{
	struct prefix p;
	char name[64];
	int ret;

	while (join(t)) {
		memset(e, 0, sizeof(*e));
		begins(t->event, &p);
		snprintf(name, sizeof(name), "%.*s", (int)p.name_len, p.name);
		t->info.records++;
		parse_thread(t->event, &p, e);
		ret = nvx_eventtext_fields(name, behind_complaint(p.fields), e,
					   &t->info.numberless);
		if (ret == -EINVAL)
			return fail(t, "cut or of a form that is not known", err);
		if (ret || !nvx_known_event__finish(e))
			continue;
		complete(t, &p, e);
		if ((e->type == NVX_EV_EXIT || e->type == NVX_EV_INJECT) && !e->isa)
			return fail(t, "an exit whose name does not tell VMX from SVM", err);
		t->info.events++;
		t->info.present |= 1u << e->type;
		return 1;
	}
	if (ferror(t->in)) {
		snprintf(err, NVX_EVENTS_ERR, "%.200s: %s", t->name, strerror(errno));
		return -EIO;
	}
	return t->info.events ? 0 : nothing(t, err);
}

int nvx_eventtext__from(FILE *in, const char *name, struct nvx_eventtext **out, char *err)
{
	struct nvx_eventtext *t = calloc(1, sizeof(*t));

	if (t)
		t->name = strdup(name);
	if (!t || !t->name) {
		snprintf(err, NVX_EVENTS_ERR, "out of memory");
		fclose(in);
		free(t);
		return -ENOMEM;
	}
	t->in = in;
	t->info.expected = -1;
	*out = t;
	return 0;
}

int nvx_eventtext__open(const char *path, struct nvx_eventtext **out, char *err)
{
	FILE *in = strcmp(path, "-") ? fopen(path, "re") : stdin;
	int ret = -errno;

	if (in)
		return nvx_eventtext__from(in, in == stdin ? "standard input" : path, out, err);
	snprintf(err, NVX_EVENTS_ERR, "%.200s: %s", path, strerror(-ret));
	return ret;
}

const struct nvx_events_info *nvx_eventtext__info(const struct nvx_eventtext *t)
{
	return &t->info;
}

void nvx_eventtext__close(struct nvx_eventtext *t)
{
	if (!t)
		return;
	fclose(t->in);
	free(t->name);
	free(t);
}
