// SPDX-License-Identifier: GPL-2.0-only
/*
 * What strangers write: command lines of VMMs, names typed by users, numbers and
 * durations.  The first byte says which parser gets the rest.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/reason.h"
#include "model/vmname.h"
#include "util/argutil.h"
#include "util/utf8.h"

static void need(bool x, const char *what)
{
	if (x)
		return;
	fprintf(stderr, "does not hold: %s\n", what);
	abort();
}

static void vmname(const uint8_t *data, size_t len)
{
	struct nvx_vmname id;
	char again[sizeof(id.name)];

	nvx_vmname__parse((const char *)data, len, "vmm", 4711, &id);
	need(*id.name, "a name is never empty");
	need(memchr(id.name, 0, sizeof(id.name)) && memchr(id.ns, 0, sizeof(id.ns)) &&
		     memchr(id.uuid, 0, sizeof(id.uuid)),
	     "texts end");
	/* a clean name stays as it is when it is cleaned */
	nvx_utf8__sanitize(again, sizeof(again), id.name, strlen(id.name));
	need(!strcmp(again, id.name), "a name is clean");
	nvx_vmname__pod((const char *)data, len, &id);
	need(!*id.pod || strlen(id.pod) == 36, "a pod has a UUID");
	need(!id.fallback || !strcmp(id.name, "vmm-4711"), "the fallback name");
}

static void reason(const char *text, unsigned int isa)
{
	char buf[NVX_NAME_MAX], buf2[NVX_NAME_MAX];
	uint32_t code, again;
	const char *name;

	if (nvx_reason__code(isa, text, &code))
		return;
	name = nvx_reason__name(isa, code, buf, sizeof(buf));
	/* flag bits are printed, not typed */
	if (isa == 1 && code >> 16)
		return;
	need(!nvx_reason__code(isa, name, &again) && again == code, "printed names are accepted");
	need(!strcmp(name, nvx_reason__name(isa, again, buf2, sizeof(buf2))), "one name a code");
}

static void msr(const char *text)
{
	char buf[NVX_NAME_MAX];
	uint32_t code, again;

	if (nvx_msr__code(text, &code))
		return;
	need(!nvx_msr__code(nvx_msr__name(code, buf, sizeof(buf)), &again) && again == code,
	     "printed MSRs are accepted");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	uint64_t n;
	char *text;

	if (!len)
		return 0;
	text = strndup((const char *)data + 1, len - 1);
	switch (*data % 5) {
	case 0:
		vmname(data + 1, len - 1);
		break;
	case 1:
		reason(text, 1);
		break;
	case 2:
		reason(text, 2);
		break;
	case 3:
		msr(text);
		break;
	default:
		if (!nvx_arg__u64(text, 100, &n))
			need(n <= 100, "numbers keep to their limit");
		break;
	}
	free(text);
	return 0;
}
