/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef LAB_USAGE_H
#define LAB_USAGE_H

extern const char usage_text[];

#endif
