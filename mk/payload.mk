# SPDX-License-Identifier: GPL-2.0-only
# What runs inside the labs: our own L1 hypervisors, freestanding, and the VMM that loads them.

PAYLOAD := $(B)/lab/payload
PAYLOAD_SRC := tests/lab/payload
PAYLOAD_CC ?= gcc-12

# No SSE, no red zone: interrupts arrive on the same stack and save no vector register.
PAYLOAD_GUEST_CFLAGS := -std=gnu11 -O2 -Wall -Wextra -Werror -ffreestanding -fno-pic \
	-fno-stack-protector -fno-asynchronous-unwind-tables -fcf-protection=none \
	-mno-red-zone -mgeneral-regs-only -m64
PAYLOAD_CFLAGS := -std=gnu11 -O2 -g -Wall -Wextra -Werror

PAYLOAD_L1_OBJS := start.o guest.o ops.o l1.o map.o
PAYLOAD_VMM_OBJS := labvmm.o usage.o spec.o vm.o run.o report.o images.o

payload: $(PAYLOAD)/labvmm $(PAYLOAD)/munmap ## build the labs' VMM and L1 hypervisors

$(PAYLOAD)/guest/%.o: $(PAYLOAD_SRC)/%.c | $(DEPS)
	@mkdir -p $(@D)
	$(PAYLOAD_CC) $(PAYLOAD_GUEST_CFLAGS) -MMD -c -o $@ $<

$(PAYLOAD)/guest/%.o: $(PAYLOAD_SRC)/%.S | $(DEPS)
	@mkdir -p $(@D)
	$(PAYLOAD_CC) -MMD -c -o $@ $<

$(PAYLOAD)/guest/l1-%.elf: $(addprefix $(PAYLOAD)/guest/,$(PAYLOAD_L1_OBJS)) \
		$(PAYLOAD)/guest/%.o $(PAYLOAD)/guest/%-enter.o $(PAYLOAD_SRC)/guest.ld
	ld -nostdlib -static -z max-page-size=4096 --no-warn-rwx-segments -T $(PAYLOAD_SRC)/guest.ld \
		-o $@ $(filter %.o,$^)

$(PAYLOAD)/guest/l1-vmx.elf: $(PAYLOAD)/guest/evmcs.o

$(PAYLOAD)/l1-%.bin: $(PAYLOAD)/guest/l1-%.elf
	objcopy -O binary $< $@

$(PAYLOAD)/vmm/%.o: $(PAYLOAD_SRC)/%.c | $(DEPS)
	@mkdir -p $(@D)
	$(PAYLOAD_CC) $(PAYLOAD_CFLAGS) -MMD -c -o $@ $<

$(PAYLOAD)/vmm/images.o: $(PAYLOAD_SRC)/images.S $(PAYLOAD)/l1-svm.bin $(PAYLOAD)/l1-vmx.bin
	@mkdir -p $(@D)
	$(PAYLOAD_CC) -Wa,-I$(PAYLOAD) -c -o $@ $<

$(PAYLOAD)/labvmm: $(addprefix $(PAYLOAD)/vmm/,$(PAYLOAD_VMM_OBJS))
	$(PAYLOAD_CC) -static -pthread -o $@ $^

# For a Linux L1.
$(PAYLOAD)/munmap: $(PAYLOAD_SRC)/munmap.c | $(DEPS)
	@mkdir -p $(@D)
	$(PAYLOAD_CC) $(PAYLOAD_CFLAGS) -static -pthread -o $@ $<

LAB_NEEDS += $(PAYLOAD)/labvmm $(PAYLOAD)/munmap

.PRECIOUS: $(PAYLOAD)/guest/l1-%.elf $(PAYLOAD)/guest/%.o
.PHONY: payload

-include $(wildcard $(PAYLOAD)/guest/*.d $(PAYLOAD)/vmm/*.d)
