/* SPDX-License-Identifier: GPL-2.0-only */
/* Enlightened VMCS of version 1: an L1's VMCS is a page of memory (TLFS). One CPU. */
#ifndef LAB_EVMCS_H
#define LAB_EVMCS_H

#include "guest.h"

/* Give the hypervisor @assist, the page that says which VMCS is current. */
void evmcs_init(void *assist);
/* A new one, all zero, nothing clean. */
void evmcs_new(void *page);
void evmcs_select(void *page);
/* Of the current one; @field as in VMREAD. A write marks the field's group as not clean. */
u64 evmcs_read(u64 field);
void evmcs_write(u64 field, u64 value);

#endif
