# SPDX-License-Identifier: GPL-2.0-only
# The nvx command: BPF objects and their skeletons, libnvx.a (everything but
# the verbs' dispatcher, so that tests link what the command links), nvx.

# make V=1 shows the commands
Q := $(if $(V),,@)

VERSION := $(shell cat VERSION)

CLANG ?= clang
BPFTOOL ?= bpftool
CC := gcc

# not asked before it is used: on a bare machine gcc is installed in between
ARCH_INC = /usr/include/$(shell $(CC) -print-multiarch 2>/dev/null)
BPF_CFLAGS = -g -O2 -target bpf -mcpu=v3 -Wall -Wextra -Werror -Wno-unused-parameter \
	-Iinclude -Ibpf -idirafter $(ARCH_INC)
CFLAGS := -O2 -g
NVX_CFLAGS := $(CFLAGS) -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Werror -Iinclude -Icli -I. -I$(B)/bpf -isystem /usr/include/traceevent -isystem /usr/include/tracefs \
	-DNVX_VERSION='"$(VERSION)"'
NVX_LIBS := -lbpf -lelf -lz -ljansson -lzstd -ltracecmd -ltraceevent -lm -lmicrohttpd -lncursesw -ltinfo -lpthread

BPF_SRC := $(wildcard bpf/*.bpf.c)
BPF_SKEL := $(patsubst bpf/%.bpf.c,$(B)/bpf/%.skel.h,$(BPF_SRC))
LIB_SRC := $(filter-out cli/cmd/main.c,$(wildcard cli/*/*.c))
LIB_OBJ := $(patsubst %.c,$(B)/obj/%.o,$(LIB_SRC))

$(B)/bpf/%.bpf.o: bpf/%.bpf.c $(wildcard bpf/*.h bpf/engine/*.h include/*.h) | $(DEPS)
	@mkdir -p $(@D)
	@echo '  BPF     $<'
	$(Q)$(CLANG) $(BPF_CFLAGS) -c $< -o $@

$(B)/bpf/%.skel.h: $(B)/bpf/%.bpf.o
	$(Q)$(BPFTOOL) gen skeleton $< name $*_bpf > $@

$(B)/obj/%.o: %.c $(BPF_SKEL) VERSION | $(DEPS)
	@mkdir -p $(@D)
	@echo '  CC      $<'
	$(Q)$(CC) $(NVX_CFLAGS) -MMD -c $< -o $@

$(B)/libnvx.a: $(LIB_OBJ)
	$(Q)rm -f $@ && ar rcs $@ $^

$(B)/nvx: $(B)/obj/cli/cmd/main.o $(B)/libnvx.a
	@echo '  LD      $@'
	$(Q)$(CC) $(CFLAGS) -o $@ $^ $(NVX_LIBS)

# make would take the objects for intermediate files; bpftool and tests want them
.SECONDARY: $(BPF_SRC:bpf/%.bpf.c=$(B)/bpf/%.bpf.o)

-include $(LIB_OBJ:.o=.d) $(B)/obj/cli/cmd/main.d
