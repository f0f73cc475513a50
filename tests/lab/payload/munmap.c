// SPDX-License-Identifier: GPL-2.0-only
/*
 * munmap N: take a page away N times while threads on every other CPU have it mapped, so that
 * the kernel has to flush their TLBs too.  In a guest these may be CPUs that do not run.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile int done;

static void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set)) {
		perror("munmap: sched_setaffinity");
		exit(1);
	}
}

static void *spin(void *cpu)
{
	run_on((long)cpu);
	while (!done)
		;
	return NULL;
}

int main(int argc, char **argv)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	int n = argc > 1 ? atoi(argv[1]) : 1;
	pthread_t thread;

	run_on(0);
	for (long cpu = 1; cpu < cpus; cpu++)
		if (pthread_create(&thread, NULL, spin, (void *)cpu))
			return 1;
	for (int i = 0; i < n; i++) {
		volatile char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (p == MAP_FAILED)
			return 1;
		*p = 1;
		munmap((void *)p, 4096);
		/* the other CPUs get their turn, and are preempted again */
		usleep(1000);
	}
	done = 1;
	return 0;
}
