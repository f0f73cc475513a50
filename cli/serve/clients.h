/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who is connected, and who has to go when others come.
 *
 * No client keeps a place: who waits longest without having asked for a page makes room for a new
 * one, and who takes longest to read its page makes room for another page.  So who sends half a
 * request, or reads a byte a second, or comes ten thousand times, costs others nothing but a queue.
 */
#ifndef NVX_SERVE_CLIENTS_H
#define NVX_SERVE_CLIENTS_H

#include <stddef.h>
#include <stdint.h>

/* So many may be connected, and pages of so many bytes under way beside the newest. */
#define NVX_CLIENTS 128
#define NVX_CLIENT_BYTES (256u << 20)

struct nvx_client {
	struct nvx_client *prev, *next;
	int fd;
	size_t bytes; /* of the page that it is being sent */
	int list;     /* where it stands: private */
};

struct nvx_client_list {
	struct nvx_client *oldest, *newest;
};

/* All zeroes is nobody. */
struct nvx_clients {
	struct nvx_client_list list[2];
	size_t nr, bytes;
	uint64_t cut; /* clients cut off so far */
};

/* A client came with a socket; if there are too many, another goes.  NULL without memory. */
struct nvx_client *nvx_clients__come(struct nvx_clients *c, int fd);

/* It is being sent a page; if too much is under way, others that are slow to read go. */
void nvx_clients__send(struct nvx_clients *c, struct nvx_client *client, size_t bytes);

/* It has its page, and may ask for another. */
void nvx_clients__sent(struct nvx_clients *c, struct nvx_client *client);

/* It is gone, and so is the structure.  NULL is fine. */
void nvx_clients__leave(struct nvx_clients *c, struct nvx_client *client);

#endif
