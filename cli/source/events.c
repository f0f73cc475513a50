// SPDX-License-Identifier: GPL-2.0-only
#include "source/events.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "source/eventtext.h"
#include "source/perfdata.h"
#include "source/tracedat.h"

struct nvx_events {
	enum nvx_events_format format;
	union {
		struct nvx_tracedat *dat;
		struct nvx_perfdata *perf;
		struct nvx_eventtext *text;
	};
	pid_t script; /* `perf script`, whose output is the text; 0: none */
};

static int by_content(const char *path, enum nvx_events_format *format, char *err)
{
	char head[10] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, head, sizeof(head));

	if (n < 0) {
		int ret = -errno;

		snprintf(err, NVX_EVENTS_ERR, "%.200s: %s", path, strerror(-ret));
		if (fd >= 0)
			close(fd);
		return ret;
	}
	close(fd);
	if (n >= 10 && !memcmp(head, "\x17\x08\x44tracing", 10))
		*format = NVX_EVENTS_TRACE_DAT;
	else if (n >= 8 && (!memcmp(head, "PERFILE2", 8) || !memcmp(head, "2ELIFREP", 8)))
		*format = NVX_EVENTS_PERF_DATA;
	else
		*format = NVX_EVENTS_TEXT;
	return 0;
}

static void __attribute__((noreturn)) be_script(const char *path, int out)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	dup2(out, 1);
	execlp("perf", "perf", "script", "-i", path, "--show-lost-events", "--ns", "-F",
	       "comm,tid,cpu,time,event,trace", (char *)NULL);
	_exit(127);
}

/* What nvx does not read itself, perf does. */
static int open_script(struct nvx_events *r, const char *path, const char *why, char *err)
{
	int pipes[2], ret = pipe2(pipes, O_CLOEXEC) ? -errno : 0;
	FILE *in = NULL;

	if (!ret) {
		fflush(NULL);
		r->script = fork();
		if (!r->script)
			be_script(path, pipes[1]);
		ret = r->script < 0 ? -errno : 0;
		close(pipes[1]);
		in = fdopen(pipes[0], "r");
	}
	if (!ret && in)
		ret = nvx_eventtext__from(in, path, &r->text, err);
	else
		snprintf(err, NVX_EVENTS_ERR, "%.100s: %.150s, and perf script does not start",
			 path, why);
	r->format = NVX_EVENTS_TEXT;
	return ret;
}

int nvx_events__open(const char *path, enum nvx_events_format format, struct nvx_events **out,
		     char *err)
{
	struct nvx_events *r = calloc(1, sizeof(*r));
	char why[NVX_EVENTS_ERR];
	int ret = r ? 0 : -ENOMEM;

	snprintf(err, NVX_EVENTS_ERR, "out of memory");
	if (!ret && format == NVX_EVENTS_AUTO)
		ret = strcmp(path, "-") ? by_content(path, &format, err) : 0;
	if (ret) {
		free(r);
		return ret;
	}
	r->format = format == NVX_EVENTS_AUTO ? NVX_EVENTS_TEXT : format;
	if (r->format == NVX_EVENTS_TRACE_DAT) {
		ret = nvx_tracedat__open(path, &r->dat, err);
	} else if (r->format == NVX_EVENTS_PERF_DATA) {
		ret = nvx_perfdata__open(path, &r->perf, err);
		if (ret == -EOPNOTSUPP) {
			strcpy(why, err);
			ret = open_script(r, path, why, err);
		}
	} else {
		ret = nvx_eventtext__open(path, &r->text, err);
	}
	if (ret) {
		nvx_events__close(r);
		return ret;
	}
	*out = r;
	return 0;
}

/* Its text has ended: did perf script itself end well? */
static int script_end(struct nvx_events *r, char *err)
{
	int status = 0;

	waitpid(r->script, &status, 0);
	r->script = 0;
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return 0;
	snprintf(err, NVX_EVENTS_ERR, "%s",
		 WIFEXITED(status) && WEXITSTATUS(status) == 127 ?
			 "reading this perf.data takes perf (apt-get install linux-perf)" :
			 "perf script failed on this file");
	return -EBADMSG;
}

int nvx_events__next(struct nvx_events *r, struct nvx_event *e, char *err)
{
	int ret;

	if (r->format == NVX_EVENTS_TRACE_DAT)
		return nvx_tracedat__next(r->dat, e, err);
	if (r->format == NVX_EVENTS_PERF_DATA)
		return nvx_perfdata__next(r->perf, e, err);
	ret = nvx_eventtext__next(r->text, e, err);
	return ret <= 0 && r->script > 0 ? script_end(r, err) ?: ret : ret;
}

const struct nvx_events_info *nvx_events__info(const struct nvx_events *r)
{
	if (r->format == NVX_EVENTS_TRACE_DAT)
		return nvx_tracedat__info(r->dat);
	if (r->format == NVX_EVENTS_PERF_DATA)
		return nvx_perfdata__info(r->perf);
	return nvx_eventtext__info(r->text);
}

const char *nvx_events__format(const struct nvx_events *r)
{
	static const char *const name[] = { "", "trace.dat", "perf.data", "text" };

	return name[r->format];
}

void nvx_events__close(struct nvx_events *r)
{
	if (!r)
		return;
	if (r->format == NVX_EVENTS_TRACE_DAT)
		nvx_tracedat__close(r->dat);
	else if (r->format == NVX_EVENTS_PERF_DATA)
		nvx_perfdata__close(r->perf);
	else
		nvx_eventtext__close(r->text);
	if (r->script > 0) {
		kill(r->script, SIGKILL);
		waitpid(r->script, NULL, 0);
	}
	free(r);
}
