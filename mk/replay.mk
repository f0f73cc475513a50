# SPDX-License-Identifier: GPL-2.0-only
# Tests of nvx replay: a recording of the lab in tests/fixtures, whole, cut and damaged.
#   make test-replay                 FLIPS=60 damaged copies
#   make soak-replay                 SOAK_FLIPS=5000 of them

FLIPS := 60
SOAK_FLIPS := 5000

test-replay: $(B)/nvx ## test nvx replay on whole, cut and damaged recordings
	@FLIPS=$(FLIPS) prove --exec python3 $(filter-out %/replay.py,$(wildcard tests/replay/*.py))

soak-replay: $(B)/nvx ## the same with thousands of damaged copies (SOAK_FLIPS=5000)
	@FLIPS=$(SOAK_FLIPS) prove --exec python3 tests/replay/damaged.py

# Fuzz targets that need more than the pure code; mk/test.mk runs them with the others.
FUZZ_REPLAY_FLAGS = $(FUZZ_CFLAGS) -I.

$(B)/fuzz/fuzz_feed: tests/fuzz/fuzz_feed.c tests/fuzz/seeds.py $(wildcard cli/model/*.[ch] cli/util/*.[ch] cli/view/*.[ch] \
		bpf/engine/*.h include/*.h) | $(DEPS)
	@mkdir -p $(@D)
	@echo '  FUZZ    $@'
	@python3 tests/fuzz/seeds.py $(@F) $(@D)/corpus-$(@F)
	$(Q)$(CLANG) $(FUZZ_REPLAY_FLAGS) -o $@ $(filter %.c,$^) -ljansson -lncursesw -ltinfo -lm

$(B)/fuzz/fuzz_tracedat: tests/fuzz/fuzz_tracedat.c tests/fuzz/seeds.py cli/source/tracedat_file.c \
		cli/source/tracedat_v6.c \
		$(wildcard cli/source/tracedat*.h cli/model/*.h include/*.h) | $(DEPS)
	@mkdir -p $(@D)
	@echo '  FUZZ    $@'
	@python3 tests/fuzz/seeds.py $(@F) $(@D)/corpus-$(@F)
	$(Q)$(CLANG) $(FUZZ_REPLAY_FLAGS) -o $@ $(filter %.c,$^)

FUZZ_IMPORT_SRC := $(addprefix cli/source/,eventtext.c eventtext_fields.c exittable.c kvmevents.c \
	perfdata.c perfdata_head.c perfdata_order.c)

$(B)/fuzz/fuzz_import: tests/fuzz/fuzz_import.c tests/fuzz/seeds.py $(FUZZ_IMPORT_SRC) \
		$(wildcard cli/source/*.h cli/model/*.[ch] cli/util/*.[ch] include/*.h) | $(DEPS)
	@mkdir -p $(@D)
	@echo '  FUZZ    $@'
	@python3 tests/fuzz/seeds.py $(@F) $(@D)/corpus-$(@F)
	$(Q)$(CLANG) $(FUZZ_REPLAY_FLAGS) -o $@ $(filter %.c,$^) -lm

.PHONY: test-replay soak-replay
