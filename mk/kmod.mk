# SPDX-License-Identifier: GPL-2.0-only
# The feature module: kvm.ko and kvm-intel.ko, built out of tree.
#
#   KVER   6.1, 6.12 or a full release; without it both series are built
#   KSRC   tree of KVM's source; without it the distribution's linux-source

KMOD_SERIES := 6.1 6.12
KMOD_KVER := $(or $(KVER),$(KMOD_SERIES))
KMOD_SRC := $(wildcard kmod/* kmod/*/*) include/nvx_tp.h
KMOD_OUT := $(KMOD_KVER:%=$(B)/kmod/%/kvm.ko)

$(B)/kmod/%/kvm.ko: $(KMOD_SRC) | $(DEPS)
	@kmod/build.sh $* $(KSRC)

kmod: $(KMOD_OUT) ## build the KVM modules (KVER=, KSRC=)

.PHONY: kmod
