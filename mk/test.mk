# SPDX-License-Identifier: GPL-2.0-only
# All tests.  A stage is a make target that runs TAP programs through prove;
# tests/run runs stages one after the other, `a+b` side by side, counts the
# results and ends with one line of totals.
#   make test        everything
#   make test-fast   everything but the labs

# Targets of other files that some trees do not have yet count as stages once they are there.
have = $(filter $(shell grep -hoE '^[a-z0-9-]+:' mk/*.mk | tr -d :),$(1))

TEST_FAST := $(call have,test-unit test-bpf test-e2e test-web test-replay test-fuzz lint test-kmod test-model)
TEST_LABS := $(call have,lab-test lab-vmx-test)
empty :=

test: $(DEPS) ## run every test
	@MAKE="$(MAKE)" tests/run $(B)/test $(TEST_FAST) test-prepare \
		$(subst $(empty) ,+,$(strip $(TEST_LABS)))

test-fast: $(DEPS) ## run every test but those of the labs
	@MAKE="$(MAKE)" tests/run $(B)/test $(TEST_FAST)

# What both labs need, built before they run side by side: two makes must not build one file.
test-prepare: $(B)/nvx $(call have,lab-images lab-vmx-images) $$(LAB_NEEDS)

.PHONY: test test-fast test-prepare

# Tests of the BPF programs, on this machine's kernel; root only.
BPF_TEST := $(B)/bpf-test
BPF_LAYOUTS := direct vt old
BPF_TESTS := $(patsubst %,$(BPF_TEST)/test_core_%,$(BPF_LAYOUTS)) \
	$(patsubst tests/bpf/%.c,$(BPF_TEST)/%,$(filter-out %/test_core.c,$(wildcard tests/bpf/test_*.c)))
BPF_TEST_CFLAGS = $(NVX_CFLAGS) -Ibpf -Itests/unit -Itests/bpf -DBPF_DIR='"$(B)/bpf"' \
	-DBPF_TEST_DIR='"$(BPF_TEST)"'
BPF_TEST_HEADERS := $(wildcard tests/bpf/*.h)

test-bpf: $(BPF_TESTS) $(BPF_SRC:bpf/%.bpf.c=$(B)/bpf/%.bpf.o) ## load and run the BPF programs on this kernel (as root)
	@CMOCKA_MESSAGE_OUTPUT=TAP prove --exec '' $(BPF_TESTS)

$(BPF_TEST)/%.bpf.o: tests/bpf/%.bpf.c | $(DEPS)
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(BPF_CFLAGS) -c $< -o $@

$(BPF_TEST)/layout_%.o: tests/bpf/layout.c tests/bpf/layout_%.h | $(DEPS)
	@mkdir -p $(@D)
	$(Q)$(CLANG) -g -O2 -target bpf -DLAYOUT_H='"layout_$*.h"' -c $< -o $@

$(BPF_TEST)/test_core_%: tests/bpf/test_core.c $(BPF_TEST)/layout_%.o $(BPF_TEST)/addr.bpf.o \
		$(BPF_TEST_HEADERS) $(B)/libnvx.a
	@echo '  LD      $@'
	$(Q)$(CC) $(BPF_TEST_CFLAGS) -DLAYOUT_H='"layout_$*.h"' \
		-DLAYOUT_O='"$(BPF_TEST)/layout_$*.o"' -o $@ $< $(B)/libnvx.a -lcmocka $(NVX_LIBS)

$(BPF_TEST)/%: tests/bpf/%.c $(BPF_TEST)/addr.bpf.o $(BPF_TEST)/layout_direct.o \
		$(BPF_TEST_HEADERS) $(B)/libnvx.a
	@echo '  LD      $@'
	$(Q)$(CC) $(BPF_TEST_CFLAGS) -DLAYOUT_O='"$(BPF_TEST)/layout_direct.o"' -o $@ $< \
		$(B)/libnvx.a -lcmocka $(NVX_LIBS) -lpthread

.PHONY: test-bpf
.SECONDARY: $(BPF_TEST)/addr.bpf.o $(BPF_LAYOUTS:%=$(BPF_TEST)/layout_%.o)

# Fuzz targets: libFuzzer with ASan and UBSan.
FUZZ := $(B)/fuzz
FUZZ_TARGETS := $(patsubst tests/fuzz/%.c,$(FUZZ)/%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_CFLAGS := -std=gnu11 -D_GNU_SOURCE -g -O1 -Wall -Wextra -Werror -fno-omit-frame-pointer \
	-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all -Icli -Iinclude -I. -Ibpf -Itests/unit
# Pure code only: model, utilities, and the exposition.
FUZZ_SRC := $(wildcard cli/model/*.c cli/util/*.c) cli/view/prometheus.c cli/view/prometheus_own.c
FUZZ_SECONDS := 10
SOAK_SECONDS := 600

test-fuzz: $(FUZZ_TARGETS) ## fuzz for a short while (FUZZ_SECONDS=10 a target)
	@prove --exec 'tests/fuzz/run $(FUZZ_SECONDS)' $(FUZZ_TARGETS)

soak: $(FUZZ_TARGETS) soak-model ## fuzz for long (SOAK_SECONDS=600 a target), two at a time; models
	@prove -j 2 --exec 'tests/fuzz/run $(SOAK_SECONDS)' $(FUZZ_TARGETS)

$(FUZZ)/%: tests/fuzz/%.c $(FUZZ_SRC) $(wildcard cli/model/*.h cli/util/*.h bpf/engine/*.h \
		include/*.h) $(addprefix tests/unit/,engine_model.h \
		engine_check.h exposition.h) | $(DEPS)
	@mkdir -p $(@D)
	@echo '  FUZZ    $@'
	$(Q)$(CLANG) $(FUZZ_CFLAGS) -o $@ $< $(FUZZ_SRC) -lm

.PHONY: test-fuzz soak

# The golden files of the views, written anew; read the diff before it is committed.
golden: $(B)/unit/test_diff_view $(B)/unit/test_stat_view $(B)/unit/test_json_view $(B)/unit/test_probe \
		$(B)/unit/test_features $(B)/unit/test_top ## write the golden files of the views
	@for t in $^; do NVX_GOLDEN_WRITE=1 $$t >/dev/null || exit 1; done
	@git --no-pager diff --stat -- tests/golden

.PHONY: golden

test-e2e: $(B)/nvx ## run the command line's tests
	@prove tests/e2e/*.t

.PHONY: test-e2e
