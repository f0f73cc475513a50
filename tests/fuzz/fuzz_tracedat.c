// SPDX-License-Identifier: GPL-2.0-only
/* Bytes as a trace.dat: the walk through its sections, which libtracecmd has no part in. */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "source/tracedat_priv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	int fd = memfd_create("trace.dat", MFD_CLOEXEC);
	struct tracedat_file f;

	if (fd < 0 || write(fd, data, len) != (ssize_t)len)
		abort();
	if (!tracedat_sections(fd, &f)) {
		/* what the callers rely on */
		if (f.version != 6 && f.version != 7)
			abort();
		if (f.cut && !f.cut_what)
			abort();
		if (f.size != len)
			abort();
	}
	close(fd);
	return 0;
}
