// SPDX-License-Identifier: GPL-2.0-only
#include "serve/clients.h"

#include <stdlib.h>
#include <sys/socket.h>

/* Being cut off is a state of its own: the server has yet to notice that the socket is shut. */
enum { WAITING, READING, CUT };

static void take_out(struct nvx_clients *c, struct nvx_client *k)
{
	struct nvx_client_list *l = &c->list[k->list];

	*(k->prev ? &k->prev->next : &l->oldest) = k->next;
	*(k->next ? &k->next->prev : &l->newest) = k->prev;
	c->nr--;
	c->bytes -= k->bytes;
	k->bytes = 0;
	k->list = CUT;
}

static void put_in(struct nvx_clients *c, struct nvx_client *k, int list)
{
	struct nvx_client_list *l = &c->list[list];

	k->list = list;
	k->next = NULL;
	k->prev = l->newest;
	*(l->newest ? &l->newest->next : &l->oldest) = k;
	l->newest = k;
	c->nr++;
}

/* The server's next read or write of a socket that is shut ends its connection. */
static void cut_off(struct nvx_clients *c, struct nvx_client *k)
{
	take_out(c, k);
	shutdown(k->fd, SHUT_RDWR);
	c->cut++;
}

struct nvx_client *nvx_clients__come(struct nvx_clients *c, int fd)
{
	struct nvx_client *k = calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	k->fd = fd;
	if (c->nr >= NVX_CLIENTS)
		cut_off(c, c->list[WAITING].oldest ?: c->list[READING].oldest);
	put_in(c, k, WAITING);
	return k;
}

void nvx_clients__send(struct nvx_clients *c, struct nvx_client *client, size_t bytes)
{
	if (client->list == CUT)
		return;
	take_out(c, client);
	while (c->list[READING].oldest && c->bytes > NVX_CLIENT_BYTES)
		cut_off(c, c->list[READING].oldest);
	put_in(c, client, READING);
	client->bytes = bytes;
	c->bytes += bytes;
}

void nvx_clients__sent(struct nvx_clients *c, struct nvx_client *client)
{
	if (client->list != READING)
		return;
	take_out(c, client);
	put_in(c, client, WAITING);
}

void nvx_clients__leave(struct nvx_clients *c, struct nvx_client *client)
{
	if (client && client->list != CUT)
		take_out(c, client);
	free(client);
}
