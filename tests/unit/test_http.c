// SPDX-License-Identifier: GPL-2.0-only
/* The server in this process: pages, refusals, and that many who ask make no many pages. */
#include "unit.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

#include "serve/http.h"

#define SLOW_US 20000

static int made, fails;

static int which(const char *path, const char *accept)
{
	if (!strcmp(path, "/slow"))
		return strstr(accept, "other") ? 1 : 0;
	return strcmp(path, "/bad") ? -1 : 2;
}

static int page(void *arg, int number, struct nvx_http_page *p)
{
	(void)arg;
	made++;
	if (number == 2 && fails)
		return -ENOMEM;
	usleep(SLOW_US);
	p->type = "text/plain";
	p->text = strdup(number ? "the other" : "the page");
	p->size = strlen(p->text);
	return 0;
}

static struct nvx_http *start(const char *listen, bool serve)
{
	struct nvx_http_opts o = { .listen = listen, .which = which, .page = page };
	char err[NVX_HTTP_ERR];
	struct nvx_http *h;

	assert_int_equal(nvx_http__listen(&o, &h, err), 0);
	if (serve)
		assert_int_equal(nvx_http__serve(h, err), 0);
	return h;
}

/* The answer to a request's first lines; the connection ends. */
static char *ask(const struct nvx_http *h, const char *line, const char *header)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	static char buf[8192];
	size_t len = 0;
	ssize_t n;

	a.sin_port = htons(atoi(strrchr(nvx_http__where(h), ':') + 1));
	assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	n = snprintf(buf, sizeof(buf), "%s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n%s\r\n", line,
		     header);
	assert_int_equal(write(fd, buf, n), n);
	while ((n = read(fd, buf + len, sizeof(buf) - len - 1)) > 0)
		len += n;
	close(fd);
	buf[len] = 0;
	return buf;
}

static void pages(void **state)
{
	struct nvx_http *h = start("127.0.0.1:0", true);

	(void)state;
	assert_non_null(strstr(ask(h, "GET /slow", ""), "the page"));
	assert_non_null(strstr(ask(h, "GET /slow", "Accept: other\r\n"), "the other"));
	assert_null(strstr(ask(h, "HEAD /slow", ""), "the page"));
	assert_non_null(strstr(ask(h, "GET /none", ""), " 404 "));
	assert_non_null(strstr(ask(h, "PUT /slow", ""), " 405 "));
	assert_non_null(strstr(ask(h, "GET /slow", "Content-Length: 5\r\n"), " 413 "));
	assert_non_null(strstr(ask(h, "GET /slow", "Transfer-Encoding: chunked\r\n"), " 413 "));
	fails = 1;
	assert_non_null(strstr(ask(h, "GET /bad", ""), " 500 "));
	fails = 0;
	assert_non_null(strstr(ask(h, "GET /bad", ""), " 200 "));
	nvx_http__stop(h);
}

static void many_ask(void **state)
{
	struct nvx_http *h = start("127.0.0.1:0", true);
	struct timespec a, b;
	double took;

	(void)state;
	made = 0;
	clock_gettime(CLOCK_MONOTONIC, &a);
	for (int i = 0; i < 300; i++)
		assert_non_null(strstr(ask(h, "GET /slow", ""), "the page"));
	clock_gettime(CLOCK_MONOTONIC, &b);
	took = (b.tv_sec - a.tv_sec) * 1e6 + (b.tv_nsec - a.tv_nsec) / 1e3;
	/* each that was made took so long, and was good for four times as long */
	assert_true(made <= took / (5 * SLOW_US) + 1);
	nvx_http__stop(h);
}

static void leave_socket(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	assert_true(strlen(path) < sizeof(a.sun_path));
	strcpy(a.sun_path, path);
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	close(fd);
}

static void addresses(void **state)
{
	struct nvx_http_opts o = { .which = which, .page = page };
	char *dir = make_dir(), path[200], err[NVX_HTTP_ERR];
	struct nvx_http *h, *again;

	(void)state;
	o.listen = "nowhere";
	assert_int_equal(nvx_http__listen(&o, &again, err), -EINVAL);
	assert_non_null(strstr(err, "nowhere: give it as ADDRESS:PORT"));
	o.listen = "127.0.0.1:http-but-not-quite";
	assert_int_equal(nvx_http__listen(&o, &again, err), -EINVAL);
	o.listen = "unix:/nonexistent/socket";
	assert_int_equal(nvx_http__listen(&o, &again, err), -ENOENT);
	snprintf(path, sizeof(path), "unix:%s/s", dir);
	h = start(path, false);
	o.listen = path;
	assert_int_equal(nvx_http__listen(&o, &again, err), -EADDRINUSE);
	assert_non_null(strstr(err, "cannot listen"));
	nvx_http__stop(h);
	assert_int_equal(access(path + 5, F_OK), -1);
	/* what a killed server leaves is no obstacle */
	put_bytes(dir, "file", "x", 1);
	leave_socket(path + 5);
	h = start(path, true);
	nvx_http__stop(h);
	/* but a file that is no socket is */
	snprintf(path, sizeof(path), "unix:%s/file", dir);
	assert_int_equal(nvx_http__listen(&o, &again, err), -EADDRINUSE);
	rm_dir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages),
		cmocka_unit_test(many_ask),
		cmocka_unit_test(addresses),
	};

	return cmocka_run_group_tests_name("http", tests, NULL, NULL);
}
