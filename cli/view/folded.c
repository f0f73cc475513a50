// SPDX-License-Identifier: GPL-2.0-only
#include "view/folded.h"

#include <errno.h>
#include <inttypes.h>

#include "model/reason.h"

int nvx_view__folded(const struct nvx_rows *rows, FILE *out)
{
	static const char *const level[] = { "?", "L1", "L2" };
	struct nvx_folded f;
	char buf[64];
	int ret = nvx_folded__make(rows, &f);

	for (size_t i = 0; i < f.nr; i++) {
		const struct nvx_stack *s = &f.stack[i];

		fprintf(out, "%s:%s", level[s->level % 3],
			nvx_reason__name(s->isa, s->reason, buf, sizeof(buf)));
		if (s->chain)
			fprintf(out, ";L1:%s",
				nvx_reason__name(s->isa, s->l1_reason, buf, sizeof(buf)));
		fprintf(out, " %" PRIu64 "\n", s->count);
	}
	nvx_folded__free(&f);
	return ret ? ret : fflush(out) || ferror(out) ? -EIO : 0;
}
