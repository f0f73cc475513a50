# SPDX-License-Identifier: GPL-2.0-only
# What a vCPU's counters take, by the debug information of the object that counts.

size: $(B)/bpf/btf.bpf.o ## show what the counters of a vCPU take of its 16 KiB
	@pahole -C nvx_vcpu $< | awk -f mk/size.awk

.PHONY: size
