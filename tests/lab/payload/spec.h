/* SPDX-License-Identifier: GPL-2.0-only */
/* The little languages of the command line. All return 0, or -EINVAL with a message on stderr. */
#ifndef LAB_SPEC_H
#define LAB_SPEC_H

#include "abi.h"

/* "cpuid=10007,rdmsr:0x1b=100" */
int spec__parse_ops(const char *text, struct lab_prog *prog);

/* "cpuid,out" or "all": sets (or clears) the bits of lab_prog.reflect */
int spec__parse_reflect(const char *text, int set, unsigned int *mask);

/* "vmsave,vmload:host,rdmsr:0x1d9,vmread:0x681e*3" */
int spec__parse_steps(const char *text, struct lab_cpu *cpu);

const char *spec__op_name(unsigned int code);
const char *spec__class_name(unsigned int class);

/* The class that the exits of an op belong to, or LAB_NR_CLASSES if it makes none. */
unsigned int spec__op_class(unsigned int code);

#endif
