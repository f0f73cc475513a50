# SPDX-License-Identifier: GPL-2.0-only
# The main job in one command: a live profile of nested guests.
#   make demo            on this host, or in the SVM lab where this host has no nested VMs
#   make demo-lab        in the lab in any case (KVER=6.1, 6.12)
#   make readme-screen   its second half, whose last screen goes into README.md

# Fewer images than the tests of the lab need, so that a bare machine shows something soon.
DEMO_IMAGES = $(B)/lab/tools.cpio $(B)/lab/svm/$(KVER)/base.cpio $(B)/lab/svm/$(KVER)/l1.cpio

# KVER and PAYLOAD are set by files that come after this one.
.SECONDEXPANSION:

demo: $(B)/nvx $$(PAYLOAD)/labvmm ## show a live profile of nested VMs, here or in the SVM lab
	@case $$(tests/lab/demo where) in live) tests/lab/demo live ;; *) $(MAKE) demo-lab ;; esac

demo-lab: $(B)/nvx $$(PAYLOAD)/labvmm $$(DEMO_IMAGES) ## the demo in the SVM lab in any case (KVER=6.12)
	@tests/lab/demo lab $(KVER)

# On a busy machine the guests take longer than a demo may; here they get through.
readme-screen: $(B)/nvx $$(PAYLOAD)/labvmm $$(DEMO_IMAGES) ## run half of the demo in the lab, put its last screen into README.md
	@LIMIT=200 tests/lab/demo lab $(KVER) linux
	@tests/lab/demo readme

readme-bench: bench ## run make bench and put its table into README.md
	@tests/lab/demo readme-bench

.PHONY: demo demo-lab readme-screen readme-bench
