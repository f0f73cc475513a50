// SPDX-License-Identifier: GPL-2.0-only
/* ref PREFIX COMMAND...: run a command with the yardstick's programs of a prefix attached. */
#include <bpf/libbpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ref.skel.h"

int main(int argc, char **argv)
{
	struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	struct bpf_program *p;
	struct ref_bpf *skel;
	int status = 1;
	pid_t child;

	if (argc < 3) {
		fprintf(stderr, "usage: ref PREFIX COMMAND...\n");
		return 2;
	}
	setrlimit(RLIMIT_MEMLOCK, &all);
	skel = ref_bpf__open();
	if (!skel)
		return 1;
	bpf_object__for_each_program(p, skel->obj)
		bpf_program__set_autoload(p, !strncmp(bpf_program__name(p), argv[1],
						      strlen(argv[1])) &&
					      bpf_program__name(p)[strlen(argv[1])] == '_');
	if (ref_bpf__load(skel) || ref_bpf__attach(skel)) {
		fprintf(stderr, "ref: cannot load or attach\n");
		return 1;
	}
	child = fork();
	if (!child) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (child > 0)
		waitpid(child, &status, 0);
	ref_bpf__destroy(skel);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
