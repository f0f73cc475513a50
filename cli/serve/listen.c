// SPDX-License-Identifier: GPL-2.0-only
#include "serve/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* The first descriptor that systemd passes (sd_listen_fds(3)). */
#define LISTEN_FD 3

/* A socket that systemd passed, or -1. */
static int passed_socket(void)
{
	const char *pid = getenv("LISTEN_PID"), *fds = getenv("LISTEN_FDS");

	if (!pid || !fds || strtol(pid, NULL, 10) != getpid() || strtol(fds, NULL, 10) < 1)
		return -1;
	unsetenv("LISTEN_PID");
	unsetenv("LISTEN_FDS");
	return LISTEN_FD;
}

/* What a server that was killed left behind: a socket that refuses.  So does any other file. */
static void remove_dead(const struct sockaddr_un *a)
{
	struct stat st;
	int fd;

	if (lstat(a->sun_path, &st) || !S_ISSOCK(st.st_mode))
		return;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return;
	if (connect(fd, (const struct sockaddr *)a, sizeof(*a)) && errno == ECONNREFUSED)
		unlink(a->sun_path);
	close(fd);
}

static int listen_unix(struct nvx_listen *l, const char *path, char *err)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = -1, ret = -ENAMETOOLONG;

	if (strlen(path) < sizeof(a.sun_path)) {
		strcpy(a.sun_path, path);
		remove_dead(&a);
		fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		/* who may enter its directory may ask: a server of pages has no secrets */
		ret = fd < 0 || bind(fd, (struct sockaddr *)&a, sizeof(a)) ||
		      chmod(path, 0666) || listen(fd, SOMAXCONN) ? -errno : 0;
	}
	if (ret) {
		snprintf(err, NVX_LISTEN_ERR, "cannot listen on %.150s: %s", path, strerror(-ret));
		if (fd >= 0)
			close(fd);
		return ret;
	}
	strcpy(l->unix_path, a.sun_path);
	snprintf(l->where, sizeof(l->where), "unix:%.150s", path);
	return fd;
}

static int listen_tcp(struct nvx_listen *l, const char *where, char *err)
{
	struct addrinfo hints = { .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM,
				  .ai_flags = AI_PASSIVE | AI_NUMERICSERV }, *a = NULL;
	char host[128];
	const char *colon = strrchr(where, ':');
	struct sockaddr_storage s;
	socklen_t size = sizeof(s);
	char name[64] = "?", port[16] = "?";
	int fd = -1, one = 1, ret;

	if (!colon || colon - where >= (long)sizeof(host)) {
		snprintf(err, NVX_LISTEN_ERR, "%.100s: give it as ADDRESS:PORT or unix:PATH", where);
		return -EINVAL;
	}
	snprintf(host, sizeof(host), "%.*s", (int)(colon - where), where);
	if (*host == '[' && host[strlen(host) - 1] == ']') {
		host[strlen(host) - 1] = 0;
		memmove(host, host + 1, strlen(host));
	}
	ret = getaddrinfo(*host ? host : NULL, colon + 1, &hints, &a);
	if (ret) {
		snprintf(err, NVX_LISTEN_ERR, "%.100s: %s", where, gai_strerror(ret));
		return -EINVAL;
	}
	fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	ret = fd < 0 || bind(fd, a->ai_addr, a->ai_addrlen) || listen(fd, SOMAXCONN) ? -errno : 0;
	freeaddrinfo(a);
	if (ret) {
		snprintf(err, NVX_LISTEN_ERR, "cannot listen on %.100s: %s", where, strerror(-ret));
		if (fd >= 0)
			close(fd);
		return ret;
	}
	/* port 0 is any: say which */
	if (!getsockname(fd, (struct sockaddr *)&s, &size))
		getnameinfo((struct sockaddr *)&s, size, name, sizeof(name), port, sizeof(port),
			    NI_NUMERICHOST | NI_NUMERICSERV);
	snprintf(l->where, sizeof(l->where), strchr(name, ':') ? "http://[%s]:%s/" : "http://%s:%s/",
		 name, port);
	return fd;
}

int nvx_listen(const char *where, struct nvx_listen *l, char *err)
{
	*l = (struct nvx_listen){ .fd = passed_socket() };
	if (l->fd >= 0)
		snprintf(l->where, sizeof(l->where), "the socket that was passed");
	else if (!strncmp(where, "unix:", 5))
		l->fd = listen_unix(l, where + 5, err);
	else
		l->fd = listen_tcp(l, where, err);
	return l->fd < 0 ? l->fd : 0;
}
