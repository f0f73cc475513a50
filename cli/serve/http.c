// SPDX-License-Identifier: GPL-2.0-only
#include "serve/http.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
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
/* Who sends nothing is cut off; who comes in thousands waits. */
#define PATIENCE 10
#define CONNECTIONS 256
#define REQUEST_BYTES 16384

struct nvx_http {
	struct MHD_Daemon *daemon;
	nvx_http_fn page;
	void *arg;
	char where[200];
	char unix_path[108];
};

static enum MHD_Result refuse(struct MHD_Connection *c, unsigned int status, const char *text)
{
	struct MHD_Response *r = MHD_create_response_from_buffer(strlen(text), (void *)text,
								 MHD_RESPMEM_PERSISTENT);
	enum MHD_Result ret;

	if (!r)
		return MHD_NO;
	MHD_add_response_header(r, "Content-Type", "text/plain; charset=utf-8");
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(r, "Allow", "GET, HEAD");
	ret = MHD_queue_response(c, status, r);
	MHD_destroy_response(r);
	return ret;
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *c, const char *url,
				  const char *method, const char *version, const char *data,
				  size_t *size, void **state)
{
	const char *accept = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Accept");
	struct nvx_http_page page = { 0 };
	struct nvx_http *h = arg;
	struct MHD_Response *r;
	enum MHD_Result ret;
	int status;

	(void)version;
	(void)data;
	(void)state;
	if (strcmp(method, "GET") && strcmp(method, "HEAD"))
		return refuse(c, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET\n");
	if (*size)
		return refuse(c, MHD_HTTP_CONTENT_TOO_LARGE, "no body\n");
	status = h->page(h->arg, url, accept ? accept : "", &page);
	if (status != MHD_HTTP_OK || !page.text) {
		free(page.text);
		return refuse(c, status == MHD_HTTP_OK ? MHD_HTTP_INTERNAL_SERVER_ERROR : status,
			      status == MHD_HTTP_NOT_FOUND ? "no such page: see /\n" :
							     "the page could not be made\n");
	}
	r = MHD_create_response_from_buffer(page.size, page.text, MHD_RESPMEM_MUST_FREE);
	if (!r) {
		free(page.text);
		return MHD_NO;
	}
	MHD_add_response_header(r, "Content-Type", page.type);
	MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
	ret = MHD_queue_response(c, MHD_HTTP_OK, r);
	MHD_destroy_response(r);
	return ret;
}

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

static int listen_unix(struct nvx_http *h, const char *path, char *err)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
	if (fd < 0 || strlen(path) >= sizeof(a.sun_path) ||
	    bind(fd, (struct sockaddr *)&a, sizeof(a)) || listen(fd, SOMAXCONN)) {
		int ret = strlen(path) >= sizeof(a.sun_path) ? -ENAMETOOLONG : -errno;

		snprintf(err, NVX_HTTP_ERR, "cannot listen on %.150s: %s", path, strerror(-ret));
		if (fd >= 0)
			close(fd);
		return ret;
	}
	strcpy(h->unix_path, a.sun_path);
	snprintf(h->where, sizeof(h->where), "unix:%.150s", path);
	return fd;
}

static int listen_tcp(struct nvx_http *h, const char *where, char *err)
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
		snprintf(err, NVX_HTTP_ERR, "%.100s: give it as ADDRESS:PORT or unix:PATH", where);
		return -EINVAL;
	}
	snprintf(host, sizeof(host), "%.*s", (int)(colon - where), where);
	if (*host == '[' && host[strlen(host) - 1] == ']') {
		host[strlen(host) - 1] = 0;
		memmove(host, host + 1, strlen(host));
	}
	ret = getaddrinfo(*host ? host : NULL, colon + 1, &hints, &a);
	if (ret) {
		snprintf(err, NVX_HTTP_ERR, "%.100s: %s", where, gai_strerror(ret));
		return -EINVAL;
	}
	fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	ret = fd < 0 || bind(fd, a->ai_addr, a->ai_addrlen) || listen(fd, SOMAXCONN) ? -errno : 0;
	freeaddrinfo(a);
	if (ret) {
		snprintf(err, NVX_HTTP_ERR, "cannot listen on %.100s: %s", where, strerror(-ret));
		if (fd >= 0)
			close(fd);
		return ret;
	}
	/* port 0 is any: say which */
	if (!getsockname(fd, (struct sockaddr *)&s, &size))
		getnameinfo((struct sockaddr *)&s, size, name, sizeof(name), port, sizeof(port),
			    NI_NUMERICHOST | NI_NUMERICSERV);
	snprintf(h->where, sizeof(h->where), strchr(name, ':') ? "http://[%s]:%s/" : "http://%s:%s/",
		 name, port);
	return fd;
}

int nvx_http__start(const struct nvx_http_opts *o, struct nvx_http **out, char *err)
{
	struct nvx_http *h = calloc(1, sizeof(*h));
	int fd;

	if (!h)
		return -ENOMEM;
	h->page = o->page;
	h->arg = o->arg;
	fd = passed_socket();
	if (fd >= 0)
		snprintf(h->where, sizeof(h->where), "the socket that was passed");
	else if (!strncmp(o->listen, "unix:", 5))
		fd = listen_unix(h, o->listen + 5, err);
	else
		fd = listen_tcp(h, o->listen, err);
	if (fd < 0) {
		free(h);
		return fd;
	}
	h->daemon = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_EPOLL, 0, NULL, NULL,
				     on_request, h, MHD_OPTION_LISTEN_SOCKET, fd,
				     MHD_OPTION_CONNECTION_TIMEOUT, PATIENCE,
				     MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS,
				     MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_BYTES,
				     MHD_OPTION_END);
	if (!h->daemon) {
		snprintf(err, NVX_HTTP_ERR, "the HTTP server does not start");
		close(fd);
		nvx_http__stop(h);
		return -EIO;
	}
	*out = h;
	return 0;
}

const char *nvx_http__where(const struct nvx_http *h)
{
	return h->where;
}

void nvx_http__stop(struct nvx_http *h)
{
	if (!h)
		return;
	if (h->daemon)
		MHD_stop_daemon(h->daemon);
	if (*h->unix_path)
		unlink(h->unix_path);
	free(h);
}
