/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers as people read them.  Every function writes into the caller's buffer, always ends it
 * with NUL, and returns the buffer, so that calls can stand inside an argument list.
 * NVX_FMT_MAX holds every result of this file.
 */
#ifndef NVX_UTIL_FMT_H
#define NVX_UTIL_FMT_H

#include <stddef.h>
#include <stdint.h>

#define NVX_FMT_MAX 32

/* 1234567 -> "1,234,567" */
char *nvx_fmt__count(char *buf, size_t size, uint64_t n);

/*
 * A time with two decimals in the unit that keeps the number under 1,000:
 * 0 -> "0ns", 740 -> "740ns", 1230 -> "1.23us", 45678901 -> "45.68ms", "12.00s", then "1,234.00s".
 */
char *nvx_fmt__ns(char *buf, size_t size, uint64_t ns);

/* Always in microseconds, as perf kvm prints: 1230 -> "1.23us", 4687890000 -> "4687890.00us" */
char *nvx_fmt__us(char *buf, size_t size, uint64_t ns);

/* part of whole with two decimals, as perf kvm prints: "59.89%"; "n/a" where whole is 0 */
char *nvx_fmt__percent(char *buf, size_t size, uint64_t part, uint64_t whole);

/* n events over ns nanoseconds as events a second: "1,234/s", "0.25/s"; "n/a" where ns is 0 */
char *nvx_fmt__rate(char *buf, size_t size, uint64_t n, uint64_t ns);

/* "512 B", "16.0 KiB", "1.5 GiB" */
char *nvx_fmt__bytes(char *buf, size_t size, uint64_t bytes);

/* n / d with `decimals` decimals (at most 6): 6.30; "n/a" where d is 0 */
char *nvx_fmt__ratio(char *buf, size_t size, uint64_t n, uint64_t d, unsigned int decimals);

#endif
