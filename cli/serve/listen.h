/* SPDX-License-Identifier: GPL-2.0-only */
/* The socket that a server listens on. */
#ifndef NVX_SERVE_LISTEN_H
#define NVX_SERVE_LISTEN_H

#define NVX_LISTEN_ERR 300

struct nvx_listen {
	int fd;
	char where[200];     /* for people: "http://127.0.0.1:9742/" */
	char unix_path[108]; /* to be unlinked at the end; "" */
};

/*
 * Listen on "ADDRESS:PORT", "[v6]:PORT" or "unix:PATH"; where systemd passed a socket
 * (LISTEN_FDS), that is taken instead.  A unix socket that nobody listens on any more is replaced;
 * whoever may enter its directory may connect.
 * 0, or -errno with one line in err (NVX_LISTEN_ERR).
 */
int nvx_listen(const char *where, struct nvx_listen *l, char *err);

#endif
