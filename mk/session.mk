# SPDX-License-Identifier: GPL-2.0-only
# Sessions: what their tests need beside the general rules.

SESSION_SRC := $(wildcard cli/source/session_*.c)

$(B)/fuzz/fuzz_session: tests/fuzz/fuzz_session.c tests/fuzz/seeds.py $(SESSION_SRC) \
		$(wildcard cli/source/session*.h cli/model/*.[ch] cli/util/*.[ch]) | $(DEPS)
	@mkdir -p $(@D)
	@echo '  FUZZ    $@'
	$(Q)$(CLANG) $(FUZZ_CFLAGS) -o $@ $< $(SESSION_SRC) $(FUZZ_SRC) -ljansson -lzstd -lz -lm
	@python3 tests/fuzz/seeds.py $(@F) $(@D)/corpus-$(@F)
