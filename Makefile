# SPDX-License-Identifier: GPL-2.0-only
# nvx: where a nested virtual machine spends its VM exits, and the KVM module
# that takes those exits away.  `make help` lists the targets.

B := build
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
SHELL := /bin/bash

# The packages first: prerequisites are expanded when they are read, and all the others name $(DEPS).
include mk/deps.mk $(sort $(filter-out mk/deps.mk,$(wildcard mk/*.mk)))

all: $(B)/nvx ## build the nvx command

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | LC_ALL=C sort | expand -t 18

clean: ## remove what was built (build/cache keeps the lab's kernels)
	rm -rf $(filter-out $(B)/cache,$(wildcard $(B)/*))

.PHONY: all help clean
