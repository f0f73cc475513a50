# SPDX-License-Identifier: GPL-2.0-only
# The feature module: kvm.ko and kvm-intel.ko, built out of tree.
#
#   KVER   6.1, 6.12 or a full release; without it both series are built
#   KSRC   tree of KVM's source; without it the distribution's linux-source

KMOD_SERIES := 6.1 6.12
KMOD_KVER := $(or $(KVER),$(KMOD_SERIES))
KMOD_SRC := $(wildcard kmod/* kmod/*/*) include/nvx_tp.h include/nvx_switch.h
KMOD_OUT := $(KMOD_KVER:%=$(B)/kmod/%/kvm.ko)

$(B)/kmod/%/kvm.ko: $(KMOD_SRC) | $(DEPS)
	@kmod/build.sh $* $(KSRC)

kmod: $(KMOD_OUT) ## build the KVM modules (KVER=, KSRC=)

# The kernel to install for: the running one, unless KVER says another.
KMOD_TARGET := $(or $(KVER),$(shell uname -r))

kmod-install: $(B)/kmod/$(KMOD_TARGET)/kvm.ko ## install the KVM modules beside the stock ones (KVER=)
	@kmod/install.sh install $(KMOD_TARGET)

kmod-uninstall: ## remove them; the stock modules take over (KVER=)
	@kmod/install.sh uninstall $(KMOD_TARGET)

# What kmod/dkms.conf needs, and nothing else.
KMOD_DKMS = $(DESTDIR)/usr/src/nvx-kvm-$(shell cat VERSION)

kmod-dkms: ## put the source for DKMS to /usr/src
	@rm -rf $(KMOD_DKMS)
	@mkdir -p $(KMOD_DKMS)/tests/lab
	@cp -r kmod include $(KMOD_DKMS)/
	@cp tests/lab/extract-vmlinux.py $(KMOD_DKMS)/tests/lab/
	@sed 's/@VERSION@/$(shell cat VERSION)/' kmod/dkms.conf >$(KMOD_DKMS)/dkms.conf
	@echo "now: dkms add nvx-kvm/$(shell cat VERSION); dkms install nvx-kvm/$(shell cat VERSION)"

KMOD_CORE := $(wildcard kmod/core/*.c)

$(B)/kmod/test/test_core: tests/kmod/test_core.c $(KMOD_CORE) $(wildcard kmod/core/*.h) include/nvx_tp.h \
		include/nvx_switch.h
	@mkdir -p $(@D)
	@$(CC) -std=gnu11 -Wall -Wextra -Werror -g -fsanitize=address,undefined \
		-fno-sanitize-recover=all -Ikmod/core -Iinclude -o $@ $< $(KMOD_CORE) -lcmocka

$(B)/kmod/test/test_evmcs: tests/kmod/test_evmcs.c tests/kmod/tlfs-evmcs.txt kmod/core/nvx_evmcs.c \
		$(wildcard kmod/core/*.h) include/nvx_tp.h
	@mkdir -p $(@D)
	@$(CC) -std=gnu11 -Wall -Wextra -Werror -g -O1 -fno-strict-aliasing -fsanitize=address,undefined \
		-fno-sanitize-recover=all -Ikmod/core -Iinclude \
		-DTLFS_LAYOUT='"tests/kmod/tlfs-evmcs.txt"' -o $@ $< kmod/core/nvx_evmcs.c -lcmocka

$(B)/fuzz/fuzz_evmcs: tests/fuzz/fuzz_evmcs.c kmod/core/nvx_evmcs.c $(wildcard kmod/core/*.h) include/nvx_tp.h | $(DEPS)
	@mkdir -p $(@D)
	@clang -g -O1 -std=gnu11 -Wall -Wextra -Werror -fno-strict-aliasing -pthread \
		-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -Ikmod/core -Iinclude -o $@ $< \
		kmod/core/nvx_evmcs.c

# The core of nested VPID against a model of TLBs: MODEL_STEPS steps, half of them on each CPU.
MODEL_STEPS := 100000000
MODEL_SOAK_STEPS := 5000000000

$(B)/kmod/test/vpid: $(wildcard tests/model/*.[ch] kmod/core/*.[ch]) include/nvx_tp.h | $(DEPS)
	@mkdir -p $(@D)
	@$(CC) -std=gnu11 -Wall -Wextra -Werror -g -O2 -fsanitize=address,undefined \
		-fno-sanitize-recover=all -Ikmod/core -Iinclude -Itests/model -o $@ \
		$(wildcard tests/model/*.c) kmod/core/nvx_vpid.c kmod/core/nvx_roots.c kmod/core/nvx_flush.c

test-model: $(B)/kmod/test/vpid ## nested VPID against a model of TLBs, and mutants of it
	prove --exec '' tests/model/model.t :: $(B)/kmod/test/vpid $(MODEL_STEPS)
	prove --exec '' tests/model/mutants.t :: $(B)/kmod/test

soak-model: $(B)/kmod/test/vpid ## the same with MODEL_SOAK_STEPS steps
	prove --exec '' tests/model/model.t :: $(B)/kmod/test/vpid $(MODEL_SOAK_STEPS)

# The core first: it needs no kernel and says most.  A kernel update must not stop unrelated
# work: its drift is one skipped test.
test-kmod: export NVX_DRIFT ?= skip
test-kmod: $(B)/kmod/test/test_core $(B)/kmod/test/test_evmcs $(KMOD_OUT) ## test the KVM modules as built
	CMOCKA_MESSAGE_OUTPUT=TAP prove --exec '' $(B)/kmod/test/test_core $(B)/kmod/test/test_evmcs
	prove tests/kmod/tracepoints.t tests/kmod/kernels.t
	prove tests/kmod/drift.t tests/kmod/modules.t tests/kmod/install.t tests/kmod/lint.t \
		tests/kmod/seams.t :: $(KMOD_KVER)

lint-kmod: $(KMOD_OUT) ## checkpatch, sparse and coccicheck on our files of the module
	@kmod/lint.sh $(KMOD_KVER)

.PHONY: test-model soak-model kmod test-kmod lint-kmod kmod-install kmod-uninstall kmod-dkms
