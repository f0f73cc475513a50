/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of what the ledgers tell apart.  A value without a name reads "?". */
#ifndef NVX_MODEL_LEDGER_H
#define NVX_MODEL_LEDGER_H

/* enum nvx_ipi_path: "x2apic_icr", "pv", ... */
const char *nvx_ipi_path__name(unsigned int path);

/* enum nvx_ipi_kind: "one", "subset", "self", "all", "others", "?" */
const char *nvx_ipi_kind__name(unsigned int kind);

/* enum nvx_flush_kind: "all", "current", "guest", "gva" */
const char *nvx_flush_kind__name(unsigned int kind);

/* enum nvx_cause: "switch", "invvpid", ... */
const char *nvx_cause__name(unsigned int cause);

/* enum nvx_phase: "l1", "l2", "l0_for_l1", ... */
const char *nvx_phase__name(unsigned int phase);

#endif
