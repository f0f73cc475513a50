/* SPDX-License-Identifier: GPL-2.0-only */
/* Text from strangers (VM names, command lines), made safe for a terminal and for JSON. */
#ifndef NVX_UTIL_UTF8_H
#define NVX_UTIL_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Decode the character at s, of at most len bytes (len > 0).  Returns its length in bytes and
 * stores the code point; 0 for what is no valid UTF-8: overlong forms, surrogates, cut sequences.
 */
size_t nvx_utf8__decode(const char *s, size_t len, uint32_t *cp);

/*
 * May a code point be sent to a terminal?  Not so control characters (C0, DEL, C1), line and
 * paragraph separators, and the marks that reorder the text around them.
 */
bool nvx_utf8__printable(uint32_t cp);

/*
 * Copy len bytes of src into dst of the given size (> 0) as valid, printable UTF-8: every other
 * byte or character becomes `?`.  Cut at a character's border where dst is too small; always ends
 * in NUL.  Returns the length of the result.
 */
size_t nvx_utf8__sanitize(char *dst, size_t size, const char *src, size_t len);

#endif
