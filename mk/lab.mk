# SPDX-License-Identifier: GPL-2.0-only
# The SVM lab: Debian kernels as L0 under QEMU's emulation of SVM.
#   make lab                                    a shell in L0
#   make lab-run KIND=svm-icount KVER=6.1 JOBS=...   one boot, all jobs or some
#   make lab-test                               all boots, then their checks
# What goes into the lab beside its own images (nvx, payloads, modules) is
# appended to LAB_NEEDS by the rules that build it.

LAB_KERNELS := 6.1 6.12
LAB_BOOTS := svm-linux-6.1 svm-linux-6.12 svm-icount-6.1 svm-icount-6.12
KVER ?= 6.1
KIND ?= svm-icount
JOBS ?=
LAB_NEEDS += $(B)/nvx

LAB_IMAGES := $(B)/lab/tools.cpio $(B)/cache/selftests/6.1/done \
	$(foreach k,$(LAB_KERNELS),$(B)/lab/svm/$(k)/base.cpio $(B)/lab/svm/$(k)/l1.cpio)

$(B)/cache/kernel/%/release: tests/lab/fetch-kernel tests/lab/extract-vmlinux.py | $(DEPS)
	@tests/lab/fetch-kernel $* >/dev/null
	@touch $@

$(B)/lab/tools.cpio: tests/lab/build-tools tests/lab/image.sh | $(DEPS)
	@mkdir -p $(@D)
	tests/lab/build-tools $@

$(B)/cache/selftests/6.1/done: tests/lab/build-selftests | $(DEPS)
	tests/lab/build-selftests
	@touch $@

$(B)/lab/svm/%/base.cpio: tests/lab/svm/build-base tests/lab/image.sh \
		$(B)/cache/kernel/%/release | $(DEPS)
	@mkdir -p $(@D)
	tests/lab/svm/build-base $* $@

$(B)/lab/svm/%/l1.cpio: tests/lab/svm/build-l1 tests/lab/svm/init-l1 tests/lab/image.sh \
		$(B)/cache/kernel/%/release | $(DEPS)
	@mkdir -p $(@D)
	tests/lab/svm/build-l1 $* $@

# Pattern rules would take the kernels for intermediate files and delete them.
.SECONDARY: $(foreach k,$(LAB_KERNELS),$(B)/cache/kernel/$(k)/release)
.SECONDEXPANSION:

lab-images: $(LAB_IMAGES) ## build the images of the SVM lab

lab: lab-images $$(LAB_NEEDS) ## a shell in L0 of the SVM lab (KIND=svm-linux, KVER=6.1)
	@tests/lab/shell $(if $(filter command line,$(origin KIND)),$(KIND),svm-linux) $(KVER)

lab-run: lab-images $$(LAB_NEEDS) ## one boot of the SVM lab (KIND=, KVER=, JOBS=)
	@tests/lab/run $(KIND) $(KVER) $(JOBS)

# tests/lab/run lets as many boots go on at a time as there are cores.  A boot
# that failed has its say in the checks.
lab-test: lab-images $$(LAB_NEEDS) ## run every boot of the SVM lab and judge it
	@printf '%s\n' $(LAB_BOOTS) | sed 's/-\([^-]*\)$$/ \1/' | \
		xargs -P 4 -L 1 tests/lab/run || true
	@tests=$$(tests/lab/checks $(LAB_BOOTS)) && prove $$tests

# The checks alone, over the results that are there.
lab-check:
	@tests=$$(tests/lab/checks $(LAB_BOOTS)) && prove $$tests

# Under icount one boot is the other, to the byte: counts, times, interrupts.
lab-repeat: lab-images $$(LAB_NEEDS)
	@tests/lab/repeat $(KVER) $(JOBS)

.PHONY: lab-repeat lab-images lab lab-run lab-test lab-check
