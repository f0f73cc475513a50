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

KMOD_CORE := $(wildcard kmod/core/*.c)

$(B)/kmod/test/test_core: tests/kmod/test_core.c $(KMOD_CORE) $(wildcard kmod/core/*.h) include/nvx_tp.h
	@mkdir -p $(@D)
	@$(CC) -std=gnu11 -Wall -Wextra -Werror -g -fsanitize=address,undefined \
		-fno-sanitize-recover=all -Ikmod/core -Iinclude -o $@ $< $(KMOD_CORE) -lcmocka

# The core first: it needs no kernel and says most.
test-kmod: $(B)/kmod/test/test_core $(KMOD_OUT) ## test the KVM modules as built
	CMOCKA_MESSAGE_OUTPUT=TAP prove --exec '' $(B)/kmod/test/test_core
	prove tests/kmod/tracepoints.t tests/kmod/kernels.t
	prove tests/kmod/modules.t tests/kmod/seams.t :: $(KMOD_KVER)

.PHONY: kmod test-kmod
