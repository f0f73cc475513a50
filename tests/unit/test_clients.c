// SPDX-License-Identifier: GPL-2.0-only
/* Who is cut off when too many are connected, or too much is under way. */
#include "unit.h"

#include <sys/socket.h>

#include "serve/clients.h"

/* A client and the other end of its socket. */
struct pair {
	struct nvx_client *client;
	int end[2];
};

static struct pair come(struct nvx_clients *c)
{
	struct pair p;

	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, p.end), 0);
	p.client = nvx_clients__come(c, p.end[0]);
	assert_non_null(p.client);
	return p;
}

static void leave(struct nvx_clients *c, struct pair *p)
{
	nvx_clients__leave(c, p->client);
	close(p->end[0]);
	close(p->end[1]);
}

/* The server's end is shut: the peer reads an end of file instead of "nothing yet". */
static bool is_cut(const struct pair *p)
{
	char byte;

	return recv(p->end[1], &byte, 1, 0) == 0;
}

static void oldest_waiting_goes(void **state)
{
	static struct pair p[NVX_CLIENTS + 3];
	struct nvx_clients c = { 0 };

	(void)state;
	for (int i = 0; i < NVX_CLIENTS; i++)
		p[i] = come(&c);
	nvx_clients__send(&c, p[0].client, 1000);
	assert_int_equal(c.cut, 0);
	for (int i = NVX_CLIENTS; i < NVX_CLIENTS + 3; i++)
		p[i] = come(&c);
	assert_false(is_cut(&p[0])); /* it is reading its page */
	for (int i = 1; i < NVX_CLIENTS + 3; i++)
		assert_int_equal(is_cut(&p[i]), i < 4);
	assert_int_equal(c.nr, NVX_CLIENTS);
	/* with its page read it waits as the others do, and is the newest */
	nvx_clients__sent(&c, p[0].client);
	assert_int_equal(c.bytes, 0);
	leave(&c, &p[0]);
	p[0] = come(&c);
	assert_false(is_cut(&p[4]));
	for (int i = 0; i < NVX_CLIENTS + 3; i++)
		leave(&c, &p[i]);
	assert_int_equal(c.nr, 0);
	assert_null(c.list[0].oldest);
	assert_null(c.list[0].newest);
	nvx_clients__leave(&c, NULL);
}

static void slow_readers_go(void **state)
{
	struct nvx_clients c = { 0 };
	struct pair p[5];

	(void)state;
	for (int i = 0; i < 5; i++) {
		p[i] = come(&c);
		nvx_clients__send(&c, p[i].client, NVX_CLIENT_BYTES / 2 - 1);
	}
	/* two fit, and the one that is made now */
	for (int i = 0; i < 5; i++)
		assert_int_equal(is_cut(&p[i]), i < 2);
	assert_true(c.bytes <= NVX_CLIENT_BYTES / 2 * 3);
	/* what is cut off and not gone yet counts for nothing, and may still be told of */
	nvx_clients__sent(&c, p[0].client);
	nvx_clients__send(&c, p[1].client, 100);
	assert_int_equal(c.nr, 3);
	for (int i = 0; i < 5; i++)
		leave(&c, &p[i]);
	assert_int_equal(c.bytes, 0);
}

/* All of them read: the one that began first goes. */
static void all_reading(void **state)
{
	static struct pair p[NVX_CLIENTS + 1];
	struct nvx_clients c = { 0 };

	(void)state;
	for (int i = 0; i < NVX_CLIENTS; i++) {
		p[i] = come(&c);
		nvx_clients__send(&c, p[i].client, 1);
	}
	p[NVX_CLIENTS] = come(&c);
	for (int i = 0; i <= NVX_CLIENTS; i++)
		assert_int_equal(is_cut(&p[i]), i == 0);
	for (int i = 0; i <= NVX_CLIENTS; i++)
		leave(&c, &p[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(oldest_waiting_goes),
		cmocka_unit_test(slow_readers_go),
		cmocka_unit_test(all_reading),
	};

	return cmocka_run_group_tests_name("clients", tests, NULL, NULL);
}
