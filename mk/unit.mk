# SPDX-License-Identifier: GPL-2.0-only
# Unit tests: each tests/unit/test_*.c is one program over the code of cli/, built
# a second time with AddressSanitizer and UBSan, whose findings abort the test.

UNIT_SAN := -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
UNIT_CFLAGS := -std=gnu11 -D_GNU_SOURCE -g -O1 -Wall -Wextra -Werror $(UNIT_SAN) \
	       -Icli -Iinclude -I. -Ibpf -Itests/unit \
	       -isystem /usr/include/traceevent -isystem /usr/include/tracefs
# Live sources need the BPF skeletons and a kernel; tests/bpf and the labs cover them.
UNIT_SRCS := $(filter-out cli/source/live%,$(wildcard cli/util/*.c cli/model/*.c cli/source/*.c \
	     cli/view/*.c cli/serve/*.c))
UNIT_OBJS := $(UNIT_SRCS:%.c=$(B)/unit/%.o)
UNIT_TESTS := $(patsubst tests/unit/%.c,$(B)/unit/%,$(wildcard tests/unit/test_*.c))

test-unit: $(UNIT_TESTS) ## run the unit tests
	ASAN_OPTIONS=detect_leaks=1 CMOCKA_MESSAGE_OUTPUT=TAP prove --exec '' $(UNIT_TESTS)

$(UNIT_TESTS): $(B)/unit/%: $(B)/unit/%.o $(B)/unit/libunit.a
	@echo '  LD      $@'
	$(Q)$(CC) $(UNIT_SAN) -o $@ $^ -lcmocka $(NVX_LIBS)

$(B)/unit/libunit.a: $(UNIT_OBJS)
	@rm -f $@.new && ar rcs $@.new $^ && mv $@.new $@

$(B)/unit/%.o: tests/unit/%.c | $(DEPS)
	@mkdir -p $(@D)
	@echo '  CC      $@'
	$(Q)$(CC) $(UNIT_CFLAGS) -MMD -MP -c -o $@ $<

$(B)/unit/cli/%.o: cli/%.c | $(DEPS)
	@mkdir -p $(@D)
	@echo '  CC      $@'
	$(Q)$(CC) $(UNIT_CFLAGS) -MMD -MP -c -o $@ $<

-include $(UNIT_OBJS:.o=.d) $(UNIT_TESTS:=.d)

.PHONY: test-unit
.SECONDARY: $(UNIT_OBJS) $(UNIT_TESTS:=.o)
