# SPDX-License-Identifier: GPL-2.0-only
# The Debian packages that building and testing need; a target that needs any
# of them depends on $(DEPS), order-only.

DEPS_PACKAGES := \
	bc \
	bison \
	bochs \
	bochs-sdl \
	bochsbios \
	bpfcc-tools \
	bpftool \
	bpftrace \
	busybox-static \
	ca-certificates \
	chromium \
	clang \
	clang-format \
	clang-tidy \
	coccinelle \
	cpio \
	cppcheck \
	dpkg-dev \
	dwarves \
	e2fsprogs \
	flex \
	gcc \
	gcc-12 \
	git \
	kmod \
	libbpf-dev \
	libc6-dev \
	libclang-rt-dev \
	libcmocka-dev \
	libelf-dev \
	libjansson-dev \
	libmicrohttpd-dev \
	libncurses-dev \
	libssl-dev \
	libtracecmd-dev \
	libtracefs-dev \
	libtraceevent-dev \
	libzstd-dev \
	linux-perf \
	linux-source-6.1 \
	linux-source-6.12 \
	llvm \
	lz4 \
	mandoc \
	nginx-light \
	openssl \
	perl \
	pkgconf \
	procps \
	prometheus \
	python3 \
	python3-yaml \
	qemu-system-x86 \
	shellcheck \
	sparse \
	tmux \
	trace-cmd \
	vgabios \
	xz-utils \
	zlib1g-dev \
	zstd

DEPS := $(B)/.deps

# A new name in the list is looked at on the next run of any target.
$(DEPS): mk/deps.mk mk/deps.sh
	@mk/deps.sh -q $(DEPS_PACKAGES)
	@mkdir -p $(@D)
	@touch $@

deps: ## install the Debian packages that are missing
	@mk/deps.sh $(DEPS_PACKAGES)
	@mkdir -p $(B)
	@touch $(DEPS)

.PHONY: deps
