// SPDX-License-Identifier: GPL-2.0-only
/* Our side of the reader: start it, take its messages, and notice how it ended. */
#include "source/tracedat.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "source/tracedat_priv.h"

/* A damaged file must not take the machine's memory with it. */
#define MEMORY (8ULL << 30)

struct nvx_tracedat {
	char *path;
	FILE *in;
	pid_t child;
	struct nvx_events_info info;
	bool ended;
};

size_t tracedat_body(uint32_t type)
{
	if (type == TRACEDAT_EVENT)
		return sizeof(struct nvx_event);
	return type == TRACEDAT_END ? sizeof(struct nvx_events_info) : NVX_EVENTS_ERR;
}

static void __attribute__((noreturn)) be_reader(const char *path, int file, int out)
{
	struct rlimit limit = { MEMORY, MEMORY }, none = { 0, 0 };

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setrlimit(RLIMIT_AS, &limit);
	setrlimit(RLIMIT_CORE, &none);
	/* the library prints its complaints; ours are messages */
	if (!freopen("/dev/null", "w", stderr) || !freopen("/dev/null", "w", stdout))
		_exit(1);
	_exit(nvx_tracedat_parse(file, path, out) ? 1 : 0);
}

int nvx_tracedat__open(const char *path, struct nvx_tracedat **out, char *err)
{
	struct nvx_tracedat *t = calloc(1, sizeof(*t));
	int file = open(path, O_RDONLY | O_CLOEXEC), pipes[2], ret = 0;

	if (file < 0) {
		ret = -errno;
		snprintf(err, NVX_EVENTS_ERR, "%s: %s", path, strerror(errno));
	}
	if (!ret && (!t || !(t->path = strdup(path)) || pipe2(pipes, O_CLOEXEC))) {
		ret = t && t->path ? -errno : -ENOMEM;
		snprintf(err, NVX_EVENTS_ERR, "%s: %s", path, strerror(-ret));
	}
	if (ret) {
		nvx_tracedat__close(t);
		if (file >= 0)
			close(file);
		return ret;
	}
	fflush(NULL);
	t->child = fork();
	if (!t->child)
		be_reader(path, file, pipes[1]);
	close(file);
	close(pipes[1]);
	t->in = fdopen(pipes[0], "r");
	t->info.expected = -1;
	if (t->child < 0 || !t->in) {
		snprintf(err, NVX_EVENTS_ERR, "%s: %s", path, strerror(errno));
		nvx_tracedat__close(t);
		return -EAGAIN;
	}
	*out = t;
	return 0;
}

/* The reader is gone without a last word. */
static int reader_died(struct nvx_tracedat *t, char *err)
{
	int status = 0;

	waitpid(t->child, &status, 0);
	t->child = 0;
	t->ended = true;
	snprintf(err, NVX_EVENTS_ERR,
		 "%s: the file is damaged: reading it %s after %llu usable events", t->path,
		 WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "ended",
		 (unsigned long long)t->info.events);
	return -EBADMSG;
}

static int take(struct nvx_tracedat *t, void *buf, size_t size, char *err)
{
	size_t got = 0;

	while (got < size) {
		size_t n = fread((char *)buf + got, 1, size - got, t->in);

		if (!n)
			return reader_died(t, err);
		got += n;
	}
	return 0;
}

int nvx_tracedat__next(struct nvx_tracedat *t, struct nvx_event *e, char *err)
{
	struct tracedat_msg m;
	int ret;

	if (t->ended)
		return 0;
	ret = take(t, &m, TRACEDAT_HEAD, err);
	if (!ret)
		ret = take(t, &m.event, tracedat_body(m.type), err);
	if (ret)
		return ret;
	if (m.type == TRACEDAT_EVENT) {
		t->info.events++;
		t->info.present |= 1u << m.event.type;
		*e = m.event;
		return 1;
	}
	t->ended = true;
	if (m.type == TRACEDAT_ERROR) {
		snprintf(err, NVX_EVENTS_ERR, "%.150s: %.200s", t->path, m.text);
		return m.error;
	}
	t->info = m.info;
	return 0;
}

const struct nvx_events_info *nvx_tracedat__info(const struct nvx_tracedat *t)
{
	return &t->info;
}

void nvx_tracedat__close(struct nvx_tracedat *t)
{
	if (!t)
		return;
	if (t->child > 0) {
		kill(t->child, SIGKILL);
		waitpid(t->child, NULL, 0);
	}
	if (t->in)
		fclose(t->in);
	free(t->path);
	free(t);
}
