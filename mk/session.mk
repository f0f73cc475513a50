# SPDX-License-Identifier: GPL-2.0-only
# Sessions: what their tests need beside the general rules.

SESSION_SRC := $(wildcard cli/source/session_*.c)

$(B)/fuzz/fuzz_session: tests/fuzz/fuzz_session.c tests/fuzz/seeds.py $(SESSION_SRC) \
		$(wildcard cli/source/session*.h cli/model/*.[ch] cli/util/*.[ch]) | $(DEPS)
	@mkdir -p $(@D)
	@echo '  FUZZ    $@'
	$(Q)$(CLANG) $(FUZZ_CFLAGS) -o $@ $< $(SESSION_SRC) $(FUZZ_SRC) -ljansson -lzstd -lz -lm
	@python3 tests/fuzz/seeds.py $(@F) $(@D)/corpus-$(@F)

# A real series of deltas, for comparisons of what is the same; made anew only by hand.
SERIES_JOB := tests/lab/jobs/58-series.sh

series-fixture: lab-images $$(LAB_NEEDS) ## record tests/fixtures/series.nvx in the SVM lab
	cp tests/lab/series.sh $(SERIES_JOB)
	tests/lab/run svm-linux 6.1 58; rc=$$?; rm -f $(SERIES_JOB); exit $$rc
	cp $(B)/lab/out/svm-linux-6.1/58-series/series.nvx tests/fixtures/series.nvx

.PHONY: series-fixture

test-web: $(B)/nvx $(B)/bench/export ## what browsers show, in Chromium
	@prove tests/web/*.t

.PHONY: test-web
