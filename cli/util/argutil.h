/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Values of command line options.  Every parser takes the whole string or nothing: trailing
 * text, an empty string, a sign or an overflow is -EINVAL or -ERANGE, and the result stays
 * untouched.
 */
#ifndef NVX_UTIL_ARGUTIL_H
#define NVX_UTIL_ARGUTIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A duration: "5", "0.5" (seconds) or with a unit ns, us, ms, s, m, h: "500ms", "1.5s", "2m".
 * Zero is -EINVAL: no option of nvx has a use for it.  At most 10 years.
 */
int nvx_arg__duration(const char *text, uint64_t *ns);

/* An unsigned number, decimal, or hexadecimal behind 0x, not above max. */
int nvx_arg__u64(const char *text, uint64_t max, uint64_t *value);

/* A list of unsigned numbers and ranges: "3", "0,2,5", "0-3,7". */
struct nvx_u32_list {
	uint32_t *v; /* ascending, without duplicates */
	size_t nr;
};

/* Parse a list; its expansion has at most 65,536 elements, none above max. Free it afterwards. */
int nvx_arg__u32_list(const char *text, uint32_t max, struct nvx_u32_list *list);

/* Is value in the list? */
bool nvx_u32_list__has(const struct nvx_u32_list *list, uint32_t value);

/* Frees the elements and empties the list. */
void nvx_u32_list__free(struct nvx_u32_list *list);

#endif
