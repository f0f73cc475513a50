# SPDX-License-Identifier: GPL-2.0-only
# The VMX lab: what Bochs boots.  The boot itself is tests/lab/vmx/boot.

LAB_VMX_KERNELS := 6.1 6.12
VMX := $(B)/lab/vmx
VMX_SRC := tests/lab/vmx

# Freestanding 32-bit code that must not lean on what an OS sets up.
VMX_LOADER_CFLAGS := -m32 -std=gnu11 -Os -Wall -Wextra -Werror -ffreestanding -fno-pic \
	-fno-stack-protector -fno-asynchronous-unwind-tables -fcf-protection=none

$(VMX)/boot.bin: $(VMX_SRC)/boot.S $(VMX_SRC)/layout.h | $(DEPS)
	@mkdir -p $(@D)
	gcc -m32 -c $< -o $(VMX)/boot.o
	ld -m elf_i386 -Ttext 0x7c00 -e _start --oformat binary $(VMX)/boot.o -o $@

$(VMX)/loader.bin: $(VMX_SRC)/loader.c $(VMX_SRC)/loader.ld $(VMX_SRC)/layout.h | $(DEPS)
	@mkdir -p $(@D)
	gcc $(VMX_LOADER_CFLAGS) -c $< -o $(VMX)/loader.o
	ld -m elf_i386 -T $(VMX_SRC)/loader.ld --oformat binary $(VMX)/loader.o -o $@

$(VMX)/labout: $(VMX_SRC)/labout.c | $(DEPS)
	@mkdir -p $(@D)
	gcc -std=gnu11 -O2 -Wall -Wextra -Werror -static $< -o $@

$(VMX)/%/base.cpio: $(VMX_SRC)/build-base tests/lab/image.sh $(VMX)/labout \
		$(B)/cache/kernel/%/release | $(DEPS)
	@mkdir -p $(@D)
	$(VMX_SRC)/build-base $* $@

lab-vmx-images: $(VMX)/boot.bin $(VMX)/loader.bin \
		$(foreach k,$(LAB_VMX_KERNELS),$(VMX)/$(k)/base.cpio) ## build the images of the VMX lab

.PHONY: lab-vmx-images
