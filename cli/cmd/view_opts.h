/* SPDX-License-Identifier: GPL-2.0-only */
/* Options that every command with the sections of `nvx stat` has: what to take, what to show. */
#ifndef NVX_CMD_VIEW_OPTS_H
#define NVX_CMD_VIEW_OPTS_H

#include <argp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "model/report.h"

enum view_format { VIEW_TEXT, VIEW_JSON, VIEW_CSV };

struct view_opts {
	struct nvx_filter filter;
	unsigned int sections;
	enum nvx_sort sort;
	size_t top;
	bool by_l2, by_host;
	enum view_format format;
	const char *output; /* NULL: standard output */
};

/* A child parser: its input is a struct nvx_filter, which it fills with the defaults first. */
extern const struct argp filter_argp;

/* A child parser: its input is a struct view_opts, which it fills with the defaults first. */
extern const struct argp view_argp;

/* Values of options, for all commands: they end the program with a usage error. */
uint64_t view_opts__number(struct argp_state *state, const char *option, const char *arg,
			   uint64_t max);
uint64_t view_opts__duration(struct argp_state *state, const char *option, const char *arg);
uint64_t view_opts__interval(struct argp_state *state, const char *arg);
unsigned int view_opts__word(struct argp_state *state, const char *option, const char *arg,
			     const char *const *words, unsigned int nr);

/* The file to write to.  NULL after a message. */
FILE *view_opts__open(const struct view_opts *o);

/* Close it.  0, or 1 after a message. */
int view_opts__close(const struct view_opts *o, FILE *out);

/*
 * Print a report as asked; rep's view members are filled in here.  `printed` counts the reports
 * of this file.  0 or -errno.
 */
int view_opts__print(const struct view_opts *o, struct nvx_report *rep, FILE *out,
		     unsigned int *printed);

#endif
