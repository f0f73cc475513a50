// SPDX-License-Identifier: GPL-2.0-only
/* Messages on standard error: whole, whatever their length, and one line each. */
#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "util/log.h"

#define LONG 20000

/* What a message of @len characters and @end leaves on standard error. */
static size_t said(char *to, size_t size, size_t len, const char *end)
{
	char *text = malloc(len + 1);
	FILE *file = tmpfile();
	int saved = dup(STDERR_FILENO);
	size_t got;

	assert_non_null(text);
	assert_non_null(file);
	memset(text, '=', len);
	text[len] = '\0';
	fflush(stderr);
	assert_true(dup2(fileno(file), STDERR_FILENO) >= 0);
	nvx_error("%s%s", text, end);
	fflush(stderr);
	dup2(saved, STDERR_FILENO);
	close(saved);
	rewind(file);
	got = fread(to, 1, size - 1, file);
	to[got] = '\0';
	fclose(file);
	free(text);
	return got;
}

static void whole(void **state)
{
	static char out[2 * LONG];

	(void)state;
	assert_int_equal(said(out, sizeof(out), LONG, "end"), 5 + LONG + 4);
	assert_string_equal(out + 5 + LONG, "end\n");
	/* a newline of its own is not doubled */
	assert_int_equal(said(out, sizeof(out), 3, "\n"), 5 + 3 + 1);
	assert_string_equal(out, "nvx: ===\n");
	assert_int_equal(said(out, sizeof(out), 0, ""), 5 + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole),
	};

	return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
