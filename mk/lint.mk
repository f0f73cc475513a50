# SPDX-License-Identifier: GPL-2.0-only
# make lint: the tree's own rules, and the checkers.

# The checkers read the skeletons that the live source includes.
lint: $(BPF_SKEL) | $(DEPS) ## check layers, sizes, texts, scripts and C
	@prove tests/lint/*.t

.PHONY: lint
