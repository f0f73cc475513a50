// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>

#include "util/utf8.h"

size_t nvx_utf8__decode(const char *s, size_t len, uint32_t *cp)
{
	/* The smallest code point that needs n bytes; below it the form is overlong (RFC 3629). */
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	unsigned char first = (unsigned char)s[0];
	uint32_t value;
	size_t n;

	if (first < 0x80) {
		*cp = first;
		return 1;
	}
	if (first >= 0xc2 && first <= 0xdf)
		n = 2, value = first & 0x1f;
	else if (first >= 0xe0 && first <= 0xef)
		n = 3, value = first & 0x0f;
	else if (first >= 0xf0 && first <= 0xf4)
		n = 4, value = first & 0x07;
	else
		return 0;
	if (n > len)
		return 0;
	for (size_t i = 1; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		if ((c & 0xc0) != 0x80)
			return 0;
		value = value << 6 | (c & 0x3f);
	}
	if (value < least[n] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff))
		return 0;
	*cp = value;
	return n;
}

bool nvx_utf8__printable(uint32_t cp)
{
	if (cp < 0x20 || (cp >= 0x7f && cp < 0xa0))
		return false;
	/* Marks and overrides of the bidirectional algorithm (UAX 9), U+2028 and U+2029, the BOM.
	 */
	if ((cp >= 0x200e && cp <= 0x200f) || (cp >= 0x2028 && cp <= 0x202e) ||
	    (cp >= 0x2066 && cp <= 0x2069) || cp == 0xfeff)
		return false;
	return true;
}

size_t nvx_utf8__sanitize(char *dst, size_t size, const char *src, size_t len)
{
	size_t out = 0;

	while (len > 0) {
		uint32_t cp;
		size_t n = nvx_utf8__decode(src, len, &cp);
		bool keep = n > 0 && nvx_utf8__printable(cp);

		if (n == 0)
			n = 1;
		if (out + (keep ? n : 1) >= size)
			break;
		if (keep) {
			memcpy(dst + out, src, n);
			out += n;
		} else {
			dst[out++] = '?';
		}
		src += n;
		len -= n;
	}
	dst[out] = '\0';
	return out;
}
