/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef LAB_REPORT_H
#define LAB_REPORT_H

#include <stdio.h>
#include "vm.h"

/* Every result as one JSON object; returns the number of things that are not as they must be. */
int report__print(FILE *f, struct vm *vm, const char *kind, double seconds);

#endif
