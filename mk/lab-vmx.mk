# SPDX-License-Identifier: GPL-2.0-only
# The VMX lab: Debian kernels as L0 under Bochs's emulation of VMX.
#   make lab-vmx        a shell in L0
#   make lab-vmx-test   the usual boots, then their checks
#   make lab-vmx-more   the others, likewise
#   tests/lab/run vmx 6.1 [JOB...]   one boot, all jobs or some

LAB_VMX_KERNELS := 6.1 6.12
# The longest first.
LAB_VMX_BOOTS := vmx-nvx-6.12 vmx-nvx-6.1 vmx-6.12 vmx-6.1
# More, for those who have the minutes: make lab-vmx-more.  With two CPUs the kernel's xapic_ipi_test is the load: Bochs does
# not leave a guest that has interrupts off for an interrupt of the host, so CPUs of L0 wait for one another for ever while
# payloads run; and on 6.12 that test gives up by its own watchdog, on the distribution's modules too.
LAB_VMX_MORE := vmx-2cpu-6.1 vmx-nvx-2cpu-6.1 vmx-linux-6.1
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

.SECONDEXPANSION:

lab-vmx-images: $(VMX)/boot.bin $(VMX)/loader.bin $(B)/cache/selftests/6.1/done \
		$(B)/lab/svm/6.1/l1.cpio $(LAB_VMX_KERNELS:%=$(B)/kmod/%/kvm.ko) \
		$(foreach k,$(LAB_VMX_KERNELS),$(VMX)/$(k)/base.cpio) ## build the images of the VMX lab

lab-vmx: lab-vmx-images $$(LAB_NEEDS) ## a shell in L0 of the VMX lab (KIND=vmx-nvx, KVER=6.1)
	@tests/lab/shell $(if $(filter command line,$(origin KIND)),$(KIND),vmx) $(KVER)

# tests/lab/run lets as many boots go on at a time as there are cores.  A boot that failed has its
# say in the checks.
lab-vmx-test: lab-vmx-images $$(LAB_NEEDS) ## run every boot of the VMX lab and judge it
	@printf '%s\n' $(LAB_VMX_BOOTS) | sed 's/-\([^-]*\)$$/ \1/' | \
		xargs -P 4 -L 1 tests/lab/run || true
	@prove $$(tests/lab/checks $(LAB_VMX_BOOTS))

lab-vmx-more: ## the VMX lab's boots with two CPUs and with a Linux for L1
	@$(MAKE) lab-vmx-test LAB_VMX_BOOTS='$(LAB_VMX_MORE)'

.PHONY: lab-vmx-images lab-vmx lab-vmx-test lab-vmx-more
