# SPDX-License-Identifier: GPL-2.0-only
# What a vCPU's counters take, by the debug information of the object that counts.

size: $(B)/bpf/btf.bpf.o ## show what the counters of a vCPU take of its 16 KiB
	@pahole -C nvx_vcpu $< | awk -f mk/size.awk

# The same table in docs/design.md.
size-doc: $(B)/bpf/btf.bpf.o
	@$(MAKE) -s size | sed 's/^/    /' >$(B)/size
	@sed -i -e '/^<!-- size -->/r $(B)/size' -e '/^<!-- size -->/,/^<!-- end of size -->/{/^    /d}' \
		docs/design.md

.PHONY: size size-doc
