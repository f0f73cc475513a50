# SPDX-License-Identifier: GPL-2.0-only
# What watching costs, measured in instructions: the SVM lab under icount, nvx
# in each source tier beside an empty program, a yardstick and its peers.

BENCH := $(B)/bench
BENCH_KVER ?= 6.1

$(BENCH)/%.bpf.o: tests/bench/%.bpf.c include/nvx_abi.h | $(DEPS)
	@mkdir -p $(@D)
	$(Q)$(CLANG) $(BPF_CFLAGS) -c $< -o $@

$(BENCH)/%.skel.h: $(BENCH)/%.bpf.o
	$(Q)$(BPFTOOL) gen skeleton $< name $*_bpf > $@

$(BENCH)/bench-ref: tests/bench/ref.c $(BENCH)/ref.skel.h
	$(Q)$(CC) $(NVX_CFLAGS) -I$(BENCH) -o $@ $< $(NVX_LIBS)

$(BENCH)/read: tests/bench/read.c $(B)/libnvx.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(NVX_CFLAGS) -o $@ $< $(B)/libnvx.a $(NVX_LIBS)

$(BENCH)/peers-%.cpio: tests/bench/build-peers tests/bench/peers.sh $(BENCH)/bench-ref \
		$(B)/cache/kernel/%/release | $(DEPS)
	tests/bench/build-peers $* $@

# LAB_NEEDS grows in files that are read later
.SECONDEXPANSION:

bench: $(BENCH)/read $(BENCH)/peers-$(BENCH_KVER).cpio lab-images $$(LAB_NEEDS) ## cost of an exit under nvx and its peers, and of a reading (BENCH_KVER=6.1)
	@tests/lab/run svm-bench $(BENCH_KVER)
	@tests/bench/report $(B)/lab/out/svm-bench-$(BENCH_KVER)/95-bench
	@echo
	@$(BENCH)/read 1024
	@echo
	@$(MAKE) bench-import

bench-import: $(B)/nvx ## nvx import beside perf and trace-cmd on the same files
	@tests/bench/import $(BENCH)

.SECONDARY: $(BENCH)/ref.bpf.o $(BENCH)/ref.skel.h
.PHONY: bench bench-import

$(BENCH)/export: tests/bench/export.c tests/bench/simvm.h $(B)/libnvx.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(NVX_CFLAGS) -Itests/bench -o $@ $< $(B)/libnvx.a $(NVX_LIBS)

bench-export: $(BENCH)/export ## a scrape of 100 and of 1,000 simulated VMs (as root)
	@$(BENCH)/export 100 8 20
	@$(BENCH)/export 1000 8 200

$(BENCH)/top: tests/bench/top.c tests/bench/simvm.h $(B)/libnvx.a
	@mkdir -p $(@D)
	$(Q)$(CC) $(NVX_CFLAGS) -Itests/bench -o $@ $< $(B)/libnvx.a $(NVX_LIBS)

bench-top: $(BENCH)/top ## an interval of nvx top with 100 and 1,000 simulated VMs (as root)
	@$(BENCH)/top 100 8
	@$(BENCH)/top 1000 8

# FLEET: hosts, VMs a host, seconds
FLEET ?= 200 2 180
bench-fleet: $(BENCH)/export $(B)/nvx ## 200 simulated hosts and one real Prometheus (FLEET="HOSTS VMS SECONDS")
	@tests/bench/fleet.py $(FLEET)

.PHONY: bench-export bench-fleet bench-top
