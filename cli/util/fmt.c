// SPDX-License-Identifier: GPL-2.0-only
#include <inttypes.h>
#include <stdio.h>

#include "util/fmt.h"

/* round(n * mul / div) without overflow; saturates, since no figure of ours gets that large */
static uint64_t scale(uint64_t n, uint64_t mul, uint64_t div)
{
	__extension__ unsigned __int128 wide = (unsigned __int128)n * mul + div / 2;

	wide /= div;
	return wide > UINT64_MAX ? UINT64_MAX : (uint64_t)wide;
}

char *nvx_fmt__count(char *buf, size_t size, uint64_t n)
{
	char digits[NVX_FMT_MAX];
	size_t len = (size_t)snprintf(digits, sizeof(digits), "%" PRIu64, n);
	size_t out = 0;

	if (size == 0)
		return buf;
	for (size_t i = 0; i < len && out + 1 < size; i++) {
		if (i > 0 && (len - i) % 3 == 0) {
			buf[out++] = ',';
			if (out + 1 >= size)
				break;
		}
		buf[out++] = digits[i];
	}
	buf[out] = '\0';
	return buf;
}

/* hundredths -> "1,234.05" and a suffix */
static char *two_decimals(char *buf, size_t size, uint64_t hundredths, const char *suffix)
{
	char whole[NVX_FMT_MAX];

	snprintf(buf, size, "%s.%02" PRIu64 "%s",
		 nvx_fmt__count(whole, sizeof(whole), hundredths / 100), hundredths % 100, suffix);
	return buf;
}

char *nvx_fmt__ns(char *buf, size_t size, uint64_t ns)
{
	static const struct {
		uint64_t ns;
		const char *suffix;
	} unit[] = {{1000, "us"}, {1000000, "ms"}, {1000000000, "s"}};
	uint64_t hundredths;
	size_t i = 0;

	if (ns < 1000) {
		snprintf(buf, size, "%" PRIu64 "ns", ns);
		return buf;
	}
	/* Decide after rounding, so that 999.999us reads 1.00ms and not 1000.00us. */
	hundredths = scale(ns, 100, unit[0].ns);
	while (i < 2 && hundredths >= 100000) {
		i++;
		hundredths = scale(ns, 100, unit[i].ns);
	}
	return two_decimals(buf, size, hundredths, unit[i].suffix);
}

char *nvx_fmt__us(char *buf, size_t size, uint64_t ns)
{
	uint64_t hundredths = scale(ns, 1, 10);

	snprintf(buf, size, "%" PRIu64 ".%02" PRIu64 "us", hundredths / 100, hundredths % 100);
	return buf;
}

char *nvx_fmt__percent(char *buf, size_t size, uint64_t part, uint64_t whole)
{
	if (whole == 0)
		snprintf(buf, size, "n/a");
	else
		two_decimals(buf, size, scale(part, 10000, whole), "%");
	return buf;
}

char *nvx_fmt__rate(char *buf, size_t size, uint64_t n, uint64_t ns)
{
	char whole[NVX_FMT_MAX];
	uint64_t hundredths;

	if (ns == 0) {
		snprintf(buf, size, "n/a");
		return buf;
	}
	hundredths = scale(n, 100000000000ULL, ns);
	if (hundredths < 10000)
		return two_decimals(buf, size, hundredths, "/s");
	snprintf(buf, size, "%s/s", nvx_fmt__count(whole, sizeof(whole), scale(n, 1000000000, ns)));
	return buf;
}

char *nvx_fmt__bytes(char *buf, size_t size, uint64_t bytes)
{
	static const char *const suffix[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	uint64_t tenths;
	size_t i = 1;

	if (bytes < 1024) {
		snprintf(buf, size, "%" PRIu64 " B", bytes);
		return buf;
	}
	tenths = scale(bytes, 10, 1ULL << 10);
	while (i < 6 && tenths >= 10240) {
		i++;
		tenths = scale(bytes, 10, 1ULL << (10 * i));
	}
	snprintf(buf, size, "%" PRIu64 ".%" PRIu64 " %s", tenths / 10, tenths % 10, suffix[i]);
	return buf;
}

char *nvx_fmt__ratio(char *buf, size_t size, uint64_t n, uint64_t d, unsigned int decimals)
{
	uint64_t mul = 1, value;

	if (d == 0) {
		snprintf(buf, size, "n/a");
		return buf;
	}
	if (decimals > 6)
		decimals = 6;
	for (unsigned int i = 0; i < decimals; i++)
		mul *= 10;
	value = scale(n, mul, d);
	if (decimals == 0)
		snprintf(buf, size, "%" PRIu64, value);
	else
		snprintf(buf, size, "%" PRIu64 ".%0*" PRIu64, value / mul, (int)decimals,
			 value % mul);
	return buf;
}
