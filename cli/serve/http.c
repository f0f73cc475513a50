// SPDX-License-Identifier: GPL-2.0-only
#include "serve/http.h"

#include <errno.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "serve/clients.h"
#include "serve/listen.h"

/* Seconds after which a silent client is cut off even where nobody else comes. */
#define PATIENCE 10
/* Those cut off count until the server has noticed. */
#define CONNECTIONS (4 * NVX_CLIENTS)
#define REQUEST_BYTES 16384

/* A page is served for so many times as long as it took to make. */
#define KEEP 4

struct kept {
	struct MHD_Response *response; /* NULL: none was made */
	size_t size;
	uint64_t until;
};

struct nvx_http {
	struct MHD_Daemon *daemon;
	struct nvx_http_opts o;
	struct kept kept[NVX_HTTP_PAGES]; /* the server's thread alone */
	struct nvx_listen listen;
	struct nvx_clients clients; /* the server's thread alone */
};

static struct nvx_client *client_of(struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *i =
		MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return i ? i->socket_context : NULL;
}

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

static bool has_body(struct MHD_Connection *c)
{
	const char *length = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Content-Length");

	return (length && strcmp(length, "0")) ||
	       MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Transfer-Encoding");
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

/* Those who are being sent the old page keep it: responses are counted. */
static int renew(struct nvx_http *h, int number)
{
	struct nvx_http_page page = { 0 };
	struct kept *k = &h->kept[number];
	uint64_t begin = now_ns(), end;
	struct MHD_Response *r;

	if (h->o.page(h->o.arg, number, &page) || !page.text) {
		free(page.text);
		return -EIO;
	}
	r = MHD_create_response_from_buffer(page.size, page.text, MHD_RESPMEM_MUST_FREE);
	if (!r) {
		free(page.text);
		return -ENOMEM;
	}
	MHD_add_response_header(r, "Content-Type", page.type);
	MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
	if (k->response)
		MHD_destroy_response(k->response);
	end = now_ns();
	*k = (struct kept){ r, page.size, end + KEEP * (end - begin) };
	return 0;
}

static enum MHD_Result on_request(void *arg, struct MHD_Connection *c, const char *url,
				  const char *method, const char *version, const char *data,
				  size_t *size, void **state)
{
	const char *accept = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Accept");
	struct nvx_client *client = client_of(c);
	struct nvx_http *h = arg;
	struct kept *k;
	int number;

	(void)version;
	(void)data;
	(void)state;
	if (strcmp(method, "GET") && strcmp(method, "HEAD"))
		return refuse(c, MHD_HTTP_METHOD_NOT_ALLOWED, "only GET\n");
	if (*size || has_body(c))
		return refuse(c, MHD_HTTP_CONTENT_TOO_LARGE, "no body\n");
	number = h->o.which(url, accept ? accept : "");
	if (number < 0)
		return refuse(c, MHD_HTTP_NOT_FOUND, "no such page: see /\n");
	k = &h->kept[number];
	if ((!k->response || now_ns() > k->until) && renew(h, number))
		return refuse(c, MHD_HTTP_INTERNAL_SERVER_ERROR, "the page could not be made\n");
	if (client)
		nvx_clients__send(&h->clients, client, k->size);
	return MHD_queue_response(c, MHD_HTTP_OK, k->response);
}

/* Called as a connection begins and ends; its structure hangs on the connection. */
static void on_connection(void *arg, struct MHD_Connection *c, void **client,
			  enum MHD_ConnectionNotificationCode code)
{
	const union MHD_ConnectionInfo *i =
		MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct nvx_http *h = arg;

	if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
		nvx_clients__leave(&h->clients, *client);
		*client = NULL;
	} else if (i) {
		*client = nvx_clients__come(&h->clients, i->connect_fd);
	}
}

static void on_sent(void *arg, struct MHD_Connection *c, void **state,
		    enum MHD_RequestTerminationCode code)
{
	struct nvx_client *client = client_of(c);
	struct nvx_http *h = arg;

	(void)state;
	(void)code;
	if (client)
		nvx_clients__sent(&h->clients, client);
}

int nvx_http__listen(const struct nvx_http_opts *o, struct nvx_http **out, char *err)
{
	struct nvx_http *h = calloc(1, sizeof(*h));
	int ret;

	if (!h)
		return -ENOMEM;
	h->o = *o;
	ret = nvx_listen(o->listen, &h->listen, err);
	if (ret)
		free(h);
	else
		*out = h;
	return ret;
}

int nvx_http__serve(struct nvx_http *h, char *err)
{
	h->daemon = MHD_start_daemon(MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_EPOLL, 0, NULL, NULL,
				     on_request, h, MHD_OPTION_LISTEN_SOCKET, h->listen.fd,
				     MHD_OPTION_CONNECTION_TIMEOUT, PATIENCE,
				     MHD_OPTION_CONNECTION_LIMIT, CONNECTIONS,
				     MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)REQUEST_BYTES,
				     MHD_OPTION_NOTIFY_CONNECTION, on_connection, h,
				     MHD_OPTION_NOTIFY_COMPLETED, on_sent, h, MHD_OPTION_END);
	if (h->daemon)
		return 0;
	snprintf(err, NVX_HTTP_ERR, "the HTTP server does not start");
	return -EIO;
}

const char *nvx_http__where(const struct nvx_http *h)
{
	return h->listen.where;
}

void nvx_http__stop(struct nvx_http *h)
{
	if (!h)
		return;
	if (h->daemon)
		MHD_stop_daemon(h->daemon);
	else
		close(h->listen.fd);
	for (int i = 0; i < NVX_HTTP_PAGES; i++)
		if (h->kept[i].response)
			MHD_destroy_response(h->kept[i].response);
	if (*h->listen.unix_path)
		unlink(h->listen.unix_path);
	free(h);
}
