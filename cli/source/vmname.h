/* SPDX-License-Identifier: GPL-2.0-only */
/* VM names from /proc: reads what cli/model/vmname.h understands. */
#ifndef NVX_SOURCE_VMNAME_H
#define NVX_SOURCE_VMNAME_H

#include "model/vmname.h"

/*
 * Identify the VM that process pid runs; proc is "/proc" or a fixture directory.  pid is the
 * process (tgid), not a vCPU thread; a thread's id works as well, since /proc/TID exists.
 * out is always filled.  0; -ESRCH when the process is gone: the name is then `pid-PID`.
 */
int nvx_vmname__read(const char *proc, uint32_t pid, struct nvx_vmname *out);

#endif
