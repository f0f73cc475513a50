# SPDX-License-Identifier: GPL-2.0-only
# All tests.  A stage is a make target that runs TAP programs through prove;
# tests/run runs stages one after the other, `a+b` side by side, counts the
# results and ends with one line of totals.
#   make test        everything
#   make test-fast   everything but the labs

# Targets of other files that some trees do not have yet count as stages once they are there.
have = $(filter $(shell grep -hoE '^[a-z-]+:' mk/*.mk | tr -d :),$(1))

TEST_FAST := $(call have,test-unit test-bpf test-fuzz test-e2e lint test-kmod)
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
