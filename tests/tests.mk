# Tests, in three tiers: `make check`, `make test`, `make test-all`. What they run is in $(BUILD), made by the rules here.

PYTEST   := /usr/bin/python3 -m pytest
# Of make test.
TESTS    := tests/unit tests/tools tests/bpf tests/tree
# Tests mostly wait: for nodes, for probes, for each other.
WORKERS  ?= $(shell echo $$(( $$(nproc) * 3 )))
JOBS     := -j$(shell nproc)
UNIT_OBJ := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/unit/*.c))
ERL_BEAM := $(patsubst tests/erl/%.erl,$(BUILD)/erl/%.beam,$(wildcard tests/erl/*.erl))
ERL_NIF  := $(patsubst tests/erl/%.c,$(BUILD)/erl/%.so,$(wildcard tests/erl/*.c))
export ERLBPF_BUILD := $(abspath $(BUILD))

# --- The tiers --------------------------------------------------------------------------------------

## check: unit tests, the layering check and the format check: no root, no VM
check: $(BUILD)/unit arrows sizes format-check
	$(BUILD)/unit -j$(shell nproc)

## test: set up this machine, build, and decide whether a change is correct; T="tests/tools/test_gc.py -k word": only these
test: setup-test test-vms-of-test
	$(MAKE_QUIETLY) $(JOBS) all test-programs
	@$(PYTEST) -n $(WORKERS) --dist loadgroup $(or $(T),$(TESTS))

## test-all: everything else too: other VMs and kernels, faults, hostile input, sanitizers, fuzzing, timing; takes hours, resumes
test-all: setup-all
	@tests/all.py --build $(BUILD) $(ITEMS)

## test-truth: results of live workloads that know their own numbers
test-truth: setup-test
	$(MAKE_QUIETLY) $(JOBS) all test-programs
	@$(PYTEST) $(or $(T),tests/truth)

## test-timing: what is about time: alone, on a machine that does nothing else
test-timing: setup-test
	$(MAKE_QUIETLY) $(JOBS) all test-programs
	@$(PYTEST) $(or $(T),tests/timing)

test-vms-of-test: setup-otp
	@probes/otp/build-otp.sh 25 usdt > /dev/null
	@probes/otp/build-otp.sh 29 stripped > /dev/null

# --- Parts of test-all ------------------------------------------------------------------------------

## test-faults: kills, failing system calls, lives of nodes, lost events; test-hostile: hostile files, VMs, names, peers
test-faults test-hostile: test-%: setup-test test-vms-of-test
	$(MAKE_QUIETLY) $(JOBS) all test-programs
	@$(PYTEST) -n $(WORKERS) --dist loadgroup $(or $(T),tests/$*)

## test-expressions: random expressions, distributions, structures and programs of D against values computed in Python and C
test-expressions: setup-test
	$(MAKE_QUIETLY) $(JOBS) all $(BUILD)/d-grammar
	@for seed in 1 2 3 4 5; do tests/d/differential.py --build $(BUILD) --count 2000 --seed $$seed || exit 1; done
	@tests/d/distributions.py --build $(BUILD)
	@tests/d/layouts.py --build $(BUILD)
	@tests/d/programs.py --build $(BUILD)

## test-kernels: erlbpf on other kernels of Debian, under qemu
test-kernels: setup-all setup-arm64
	$(MAKE_QUIETLY) $(JOBS) kernel-programs $(addprefix $(BUILD)/erl/,ctl.beam called.beam passing.beam passing.so) otp
	$(MAKE_QUIETLY) $(JOBS) ARCH=arm64 BUILD=$(BUILD)/arm64 kernel-programs
	@tests/kernels/matrix.py --build $(BUILD)

## test-vms: OTP of other suites of Debian with RabbitMQ, ejabberd and Elixir, and unusual builds; ROWS="29-emu": these
test-vms: setup-all
	$(MAKE_QUIETLY) $(JOBS) all test-programs
	@tests/vms/matrix.py --build $(BUILD) $(ROWS)

# --- Programs of tests ------------------------------------------------------------------------------

test-programs: $(BUILD)/unit $(BUILD)/erlbpf-slow $(BUILD)/d-grammar kernel-programs $(ERL_BEAM) $(ERL_NIF) \
               $(patsubst %,$(BUILD)/%,hostile-beam inject syscalls attacks clock_step.so survive_trap.so allocations.so match-names)

# What is tried in guests of other kernels.
kernel-programs: $(BUILD)/erlbpf $(BUILD)/fake-beam $(BUILD)/fake-beam-nop5 $(BUILD)/debug-registers

bench-programs: $(BUILD)/fake-beam $(BUILD)/fake-beam-nop5 $(ERL_BEAM)

unit: $(BUILD)/unit
$(BUILD)/unit: $(UNIT_OBJ) $(LIB_OBJ)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) $^ -lcriterion $(LDLIBS) -o $@

$(UNIT_OBJ): | $(BUILD)/checked-test
$(BUILD)/checked-test:
	@mkdir -p $(@D)
	@packaging/setup.sh --check setup-test libcriterion-dev clang-format universal-ctags
	@touch $@

# A BPF object of the unit tests.
$(BUILD)/%.bpf.o: tests/bpf/%.bpf.c | $(BUILD)/checked
	@mkdir -p $(@D)
	$(CLANG) $(BPF_CFLAGS) -MMD -MP -c $< -o $@

$(BUILD)/tests/unit/d_library.o: $(BUILD)/d_library.skel.h

# erlbpf with hits that cost 5 us more.
$(BUILD)/erlbpf-slow: $(filter-out $(BUILD)/user/load/kernel/slow.o,$(OBJ)) $(BUILD)/tests/slow/slow.o
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) $^ $(LDLIBS) -o $@

$(BUILD)/match-names: $(BUILD)/tests/match/names.o $(READ_ELF:%=$(BUILD)/%.o) $(patsubst %.c,$(BUILD)/%.o,$(wildcard user/match/*.c user/match/*/*.c))
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) $^ -lz -lZydis -lm -o $@

# The fake BEAM has every probe of the catalogue; with nop5 also a nop5 behind each site's nop.
$(BUILD)/fake_probes.inc: $(BUILD)/gen $(CATALOGUE)
	$< fake $(CATALOGUE) > $@

FAKE_CC = $(CC) $(SYSROOT:%=--sysroot=%) -std=gnu11 -O1 -g -w -rdynamic
$(BUILD)/fake-beam: tests/bpf/fake-beam.c $(BUILD)/fake_probes.inc
	$(FAKE_CC) -I$(BUILD) $< -o $@ -lpthread

$(BUILD)/fake-beam-nop5: tests/bpf/fake-beam.c $(BUILD)/fake_probes.inc probes/sdt/sys/sdt.h
	$(FAKE_CC) -Iprobes/sdt -I$(BUILD) $< -o $@ -lpthread

# A fake BEAM whose memory harms its reader.
$(BUILD)/hostile-beam: tests/bpf/hostile-beam.c tests/bpf/fake-beam.c $(BUILD)/fake_probes.inc
	$(FAKE_CC) -I$(BUILD) $< -o $@ -lpthread

# Preloaded into erlbpf: memory that runs out.
$(BUILD)/allocations.so: tests/faults/allocations.c
	$(CC) -std=gnu11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Werror -shared -fPIC $< -o $@

$(BUILD)/inject: tests/faults/inject.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $< -o $@ -lseccomp

## syscalls: write the list of the system calls that each role may make anew, to be read as a change of it
syscalls: $(BUILD)/syscalls
	@{ sed -n '/^#/p' tests/hostile/syscalls.txt; $< list; } > $(BUILD)/syscalls.txt
	@mv $(BUILD)/syscalls.txt tests/hostile/syscalls.txt

# In the roles of the sandbox: all system calls, and attacks.
$(BUILD)/syscalls: tests/hostile/syscalls.c tests/hostile/syscall_conditions.c
$(BUILD)/attacks: tests/hostile/attacks.c
$(BUILD)/syscalls $(BUILD)/attacks: $(BUILD)/user/base/process/privileges.o $(BUILD)/user/base/process/privileges_filter.o
	$(CC) $(ALL_CFLAGS) $^ -lseccomp -lcap -o $@

$(BUILD)/clock_step.so $(BUILD)/survive_trap.so: $(BUILD)/%.so: tests/faults/%.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -Wno-missing-prototypes -fPIC -shared $< -o $@

$(BUILD)/debug-registers: tests/kernels/debug-registers.c
	@mkdir -p $(@D)
	$(CC) $(SYSROOT:%=--sysroot=%) -std=gnu11 $(WARN) -D_GNU_SOURCE -O1 $< -o $@

$(BUILD)/erl/%.beam: tests/erl/%.erl
	@mkdir -p $(@D)
	erlc -o $(@D) $<

# NIFs. Their interface is the same in all releases, so one built with the headers of any will do.
$(BUILD)/erl/%.so: tests/erl/%.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 $(WARN) -Wno-missing-prototypes -Wno-unused-parameter \
		-isystem /usr/lib/erlang/usr/include -fPIC -shared $< -o $@

# --- Speed ------------------------------------------------------------------------------------------

## bench: speed and cost beside bpftrace and Erlang's own tracing: an hour; QUICK=1: two minutes; ONLY=hits,keys: these groups
bench: setup-bench
	$(MAKE_QUIETLY) all otp bench-programs
	tests/bench/bench.py --build $(BUILD) $(if $(QUICK),--scale quick,--publish docs/bench) $(ONLY:%=--only %)

## bench-compare: OLD=FILE: the last results beside older ones of the same machine
bench-compare:
	@tests/bench/bench.py --compare $(OLD) $(or $(NEW),$(BUILD)/bench/results.json)

-include $(BUILD)/tests/match/names.d $(UNIT_OBJ:.o=.d) $(BUILD)/d_library.bpf.d
.PHONY: check test syscalls test-all test-truth test-timing test-vms-of-test test-faults test-hostile test-expressions test-kernels test-vms \
        test-programs kernel-programs bench-programs unit bench bench-compare
