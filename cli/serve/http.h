/* SPDX-License-Identifier: GPL-2.0-only */
/* A small HTTP server: GET of a few pages, made when they are asked for. */
#ifndef NVX_SERVE_HTTP_H
#define NVX_SERVE_HTTP_H

#include <stdbool.h>
#include <stddef.h>

#define NVX_HTTP_ERR 300

struct nvx_http;

struct nvx_http_page {
	const char *type; /* Content-Type */
	char *text;	  /* malloc()ed; the server frees it */
	size_t size;
};

#define NVX_HTTP_PAGES 4

struct nvx_http_opts {
	const char *listen; /* "ADDRESS:PORT", "[v6]:PORT", "unix:PATH" */
	/*
	 * The number of the page that a path names, below NVX_HTTP_PAGES, or -1: there is none.
	 * `accept` is the client's Accept header or "".
	 */
	int (*which)(const char *path, const char *accept);
	/*
	 * Make a page: 0, or -errno, then page->text may be NULL.  One call at a time.  What took a
	 * time to make is served for four times as long: however many ask, making a page takes no
	 * more than a fifth of a CPU.
	 */
	int (*page)(void *arg, int number, struct nvx_http_page *page);
	void *arg;
};

/*
 * Listen, so that an address that cannot be had is known before anything else is done; a socket
 * that systemd passed (LISTEN_FDS) is taken instead of the address.  Clients wait until it serves.
 * 0, or -errno with one line in err (NVX_HTTP_ERR).
 */
int nvx_http__listen(const struct nvx_http_opts *o, struct nvx_http **out, char *err);

/* Serve, in a thread of its own, which has the rights that the caller has now.  As above. */
int nvx_http__serve(struct nvx_http *h, char *err);

/* Where it listens, for people: "http://127.0.0.1:9777/". */
const char *nvx_http__where(const struct nvx_http *h);

/* Stop serving and listening, and free it.  NULL is fine. */
void nvx_http__stop(struct nvx_http *h);

#endif
