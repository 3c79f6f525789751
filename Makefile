# erlbpf: DTrace for the Erlang VM on Linux.
#
#   make demo     set up this machine (Debian 12, as root), build, and trace a stock node
#   make test     set up this machine, build, and run every test
#   make          build only; `make help` lists the rest
#
# The only makefile, and no list of tools in it: sources are found by name. Products are in $(BUILD).

HOST    := $(shell uname -m | sed 's/x86_64/x86/; s/aarch64/arm64/')
ARCH    ?= $(HOST)
TRIPLET := $(if $(filter arm64,$(ARCH)),aarch64,x86_64)-linux-gnu
BUILD   ?= $(if $(filter $(HOST),$(ARCH)),build,build/$(ARCH))
# One spelling of a folder, or the dependencies of what was built under another are not found.
override BUILD := $(patsubst $(CURDIR)/%,%,$(abspath $(BUILD)))
CLANG   ?= clang
BPFTOOL ?= bpftool
LLVM_STRIP ?= llvm-strip
PREFIX  ?= /usr/local
DESTDIR ?=

# `make ARCH=arm64` on x86-64: with Debian's cross compiler, and the libraries that `make setup-arm64` fetches.
HOSTCC  := $(CC)
SYSROOT :=
ifneq ($(ARCH),$(HOST))
CC      := $(TRIPLET)-gcc
SYSROOT := $(or $(ERLBPF_CACHE),$(HOME)/.cache/erlbpf)/kernels/sysroot-$(ARCH)
LDFLAGS += -Wl,-rpath-link,$(SYSROOT)/lib/$(TRIPLET)
endif

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings \
        -Wpointer-arith -Wformat=2 -Wvla -Wundef -Wno-missing-field-initializers -Werror
CFLAGS ?= -O2 -g
ALL_CFLAGS := -std=gnu11 -D_GNU_SOURCE $(WARN) -Iuser -Itools -Iprobes -Ibpf -I$(BUILD) \
              $(SYSROOT:%=--sysroot=%) $(SAN:%=-fsanitize=%) $(if $(SAN),-fno-omit-frame-pointer -fno-sanitize-recover=all) $(CFLAGS)
BPF_CFLAGS := -O2 -g -Wall -Wextra -Werror --target=bpf -mcpu=v3 -D__TARGET_ARCH_$(ARCH) \
              -Ibpf -Ivmlinux -idirafter $(SYSROOT)/usr/include/$(TRIPLET)
# Static where Debian ships an archive: one binary to copy to a machine without development packages. Of Zydis it
# ships none, so that machine needs libzydis4.0.
LDLIBS := -Wl,-Bstatic -lbpf -lelf -lz -ljson-c -lprotobuf-c -lei -lncursesw -ltinfo -lseccomp -lcap \
          -Wl,-Bdynamic -lZydis -lm

SKEL      := $(patsubst bpf/%.bpf.c,$(BUILD)/%.skel.h,$(wildcard bpf/*.bpf.c))
PROTO     := $(patsubst %.proto,$(BUILD)/%.pb-c.c,$(notdir $(wildcard user/*/*.proto)))
OBJ       := $(patsubst %.c,$(BUILD)/%.o,$(wildcard user/*.c user/*/*.c user/*/*/*.c tools/*.c)) $(PROTO:.c=.o)
LIB_OBJ   := $(filter-out $(BUILD)/user/main.o,$(OBJ))
CATALOGUE := probes/erlang.d probes/user_trace.d probes/vm.d
UNIT_OBJ  := $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/unit/*.c))
MAN       := $(patsubst docs/%.scd,$(BUILD)/%,$(wildcard docs/man/*.scd))
ERL_BEAM  := $(patsubst tests/erl/%.erl,$(BUILD)/erl/%.beam,$(wildcard tests/erl/*.erl))

all: $(BUILD)/erlbpf $(MAN)

$(BUILD)/erlbpf: $(OBJ)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) $^ $(LDLIBS) -o $@

# On which a hit costs 5 us more, for tests.
$(BUILD)/erlbpf-slow: $(filter-out $(BUILD)/user/load/slow.o,$(OBJ)) $(BUILD)/tests/slow/slow.o
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) $^ $(LDLIBS) -o $@

$(BUILD)/%.o: %.c | $(SKEL) $(BUILD)/probe_table.inc $(BUILD)/version.h
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

# Messages of other people's formats: the C of protobuf-c, which has warnings of its own.
vpath %.proto user/serve user/flame
$(BUILD)/%.pb-c.c: %.proto
	@mkdir -p $(@D)
	protoc-c -I$(<D) -Iuser/flame --c_out=$(BUILD) $<

$(BUILD)/otlp.pb-c.c $(BUILD)/otlp_profiles.pb-c.c: user/flame/otlp_common.proto $(BUILD)/otlp_common.pb-c.c

$(BUILD)/%.pb-c.o: $(BUILD)/%.pb-c.c
	$(CC) $(ALL_CFLAGS) -w -c $< -o $@

$(addprefix $(BUILD)/,$(addsuffix .o,user/serve/native user/serve/otlp user/flame/pprof user/flame/otlp tests/unit/flame_pprof \
             tests/unit/flame_otlp)): | $(PROTO)

$(BUILD)/%.skel.h: $(BUILD)/%.bpf.o
	$(BPFTOOL) gen skeleton $< name $(subst -,_,$*)_bpf > $@

$(BUILD)/%.bpf.o: bpf/%.bpf.c
	@mkdir -p $(@D)
	$(CLANG) $(BPF_CFLAGS) -MMD -MP -c $< -o $@
	$(LLVM_STRIP) -g $@   # the DWARF: nine tenths of the binary; BTF stays

# A test's own BPF object.
$(BUILD)/%.bpf.o: tests/bpf/%.bpf.c
	@mkdir -p $(@D)
	$(CLANG) $(BPF_CFLAGS) -MMD -MP -c $< -o $@

$(BUILD)/tests/unit/d_library.o: $(BUILD)/d_library.skel.h

$(BUILD)/gen: probes/gen.c
	@mkdir -p $(@D)
	$(HOSTCC) -std=gnu11 $(WARN) -O1 $< -o $@

$(BUILD)/probe_table.inc: $(BUILD)/gen $(CATALOGUE)
	$< table $(CATALOGUE) > $@

$(BUILD)/user/probe/catalogue.o: $(BUILD)/probe_table.inc

# Tables of references for VMs that hide their functions: one per release (user/match/reference.h).
FINGERPRINTS := $(sort $(wildcard probes/fingerprints/*.table))

$(BUILD)/fingerprints.inc: $(FINGERPRINTS) Makefile
	@mkdir -p $(@D)
	@printf '%s\n' $(patsubst probes/fingerprints/%.table,'FINGERPRINT(%)',$(FINGERPRINTS)) > $@

$(BUILD)/user/match/tables.o: $(BUILD)/fingerprints.inc

MATCH_OBJ := $(addprefix $(BUILD)/user/,elf/elf_file.o elf/elf_open.o elf/elf_segments.o elf/eh_frame.o base/a64.o base/array.o base/read_at.o) \
             $(patsubst %.c,$(BUILD)/%.o,$(wildcard user/match/*.c))

$(BUILD)/match-names: $(BUILD)/tests/match/names.o $(MATCH_OBJ)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) $^ -lz -lZydis -lm -o $@

$(BUILD)/fingerprint: $(addprefix $(BUILD)/,$(addsuffix .o,probes/fingerprint user/elf/elf_file user/elf/elf_open user/elf/elf_segments user/elf/eh_frame user/base/a64 user/base/array user/base/read_at \
                       $(addprefix user/match/,anchors binary frames graph registers registers_a64 registers_x86 scan scan_a64 scan_code scan_x86)))
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) $^ -lz -lZydis -lm -o $@

# RELEASE=29: the table of that release, from builds of it that are made for this.
fingerprints: $(BUILD)/fingerprint
	@test "$(RELEASE)" || { echo "usage: make fingerprints RELEASE=29" >&2; exit 2; }
	@mkdir -p probes/fingerprints
	builds=$$(probes/otp/references.sh $(RELEASE)) && $(BUILD)/fingerprint $(RELEASE) $$builds > $(BUILD)/table.new
	mv $(BUILD)/table.new probes/fingerprints/$(RELEASE).table

# RELEASE=30: rows for probes/fields.def, from builds of the release that have debug information.
fields:
	@test "$(RELEASE)" || { echo "usage: make fields RELEASE=29" >&2; exit 2; }
	@tests/setup.sh dwarves >&2
	@probes/layouts.py $(RELEASE) $$(probes/otp/build-otp.sh $(RELEASE) stock usdt | sed 's|$$|/erts-*/bin/beam.smp|')

# VERSION, and the commit: of git, or what a source tarball says in .commit. Written only when it has changed.
$(BUILD)/version.h: FORCE
	@mkdir -p $(@D)
	@commit=$$(if [ -e .git ]; then git rev-parse --short=7 HEAD; else cat .commit; fi 2> /dev/null || :); \
	printf '#define ERLBPF_VERSION "%s"\n#define ERLBPF_COMMIT "%s"\n' "$$(cat VERSION)" "$$commit" > $@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

$(BUILD)/user/serve/page.o: user/serve/page.html user/serve/dygraph.min.js
$(BUILD)/user/flame/template.o: user/flame/flame.html user/flame/flame_svg.js
$(BUILD)/user/dist/guard_task.o: user/dist/guard.erl

# The names of the system calls, for D's provider syscall.
$(BUILD)/syscalls.inc: Makefile
	echo '#include <sys/syscall.h>' | $(CC) $(SYSROOT:%=--sysroot=%) -E -dM - | \
		sed -n 's/^#define __NR_\([a-z0-9_]*\) .*/{ "\1", __NR_\1 },/p' | LC_ALL=C sort > $@

$(BUILD)/user/dtrace/provider/system.o: $(BUILD)/syscalls.inc

$(BUILD)/man/%: docs/man/%.scd VERSION
	@mkdir -p $(@D)
	sed "1s/VERSION/$$(cat VERSION)/" $< | scdoc > $@

# --- Setting up, and the two commands -----------------------------------------------------------

BUILD_PACKAGES := gcc clang llvm libbpf-dev libelf-dev zlib1g-dev libjson-c-dev libncurses-dev \
                  libmicrohttpd-dev libcurl4-openssl-dev libcap-dev libseccomp-dev libprotobuf-c-dev libzydis-dev \
                  protobuf-c-compiler erlang-dev uthash-dev bpftool scdoc pkg-config ca-certificates
DEMO_PACKAGES  := erlang-base
TEST_PACKAGES  := ccache strace libcriterion-dev systemtap-sdt-dev libclang-rt-14-dev python3 python3-pyte jq g++ dwarves \
                  dpkg-dev systemd erlang-eunit erlang-edoc erlang-dialyzer elixir rebar3 linux-perf bpftrace cppcheck clang-format clang-tidy universal-ctags libcap2-bin shellcheck mandoc zsh \
                  prometheus python3-yaml python3-seccomp python3-prometheus-client \
                  chromium-headless-shell python3-websocket python3-matplotlib \
                  $(if $(shell command -v kubectl),,kubernetes-client) \
                  qemu-system-x86 busybox-static cpio debian-archive-keyring
ARM_PACKAGES   := gcc-aarch64-linux-gnu qemu-system-arm

VM_PACKAGES    := mmdebstrap musl-tools
BENCH_PACKAGES := rabbitmq-server erlang-runtime-tools

demo: setup-demo
	@$(MAKE) --no-print-directory -s $(BUILD)/erlbpf $(BUILD)/erl/demo.beam
	@tests/demo.sh $(BUILD)

test: setup-test
	@tests/run.py --build $(BUILD)

setup-build:
	@tests/setup.sh $(BUILD_PACKAGES)

setup-demo:
	@tests/setup.sh $(BUILD_PACKAGES) $(DEMO_PACKAGES)

setup-test:
	@tests/setup.sh $(BUILD_PACKAGES) $(DEMO_PACKAGES) $(TEST_PACKAGES)

setup-bench:
	@tests/setup.sh $(BUILD_PACKAGES) $(DEMO_PACKAGES) $(TEST_PACKAGES) $(BENCH_PACKAGES)

# A cross compiler, and what is linked and run with it: nothing of the latter is installed.
setup-arm64: setup-build
	@tests/setup.sh $(ARM_PACKAGES) debian-archive-keyring
	@tests/kernels/packages.py arm64 $(filter lib% zlib% uthash% erlang-dev,$(BUILD_PACKAGES)) systemtap-sdt-dev busybox-static util-linux

# --- VMs to work against: see probes/otp/build-otp.sh ---------------------------------------------

otp:
	@probes/otp/build-otp.sh 25 usdt

otp-27:
	@probes/otp/build-otp.sh 27 stock usdt

otp-29:
	@probes/otp/build-otp.sh 29 stock usdt stripped

test-otp: setup-test
	@tests/run.py --build $(BUILD) --otp 27 --otp 29

# Of these, `make test` runs a sample.
test-faults test-hostile: test-%: setup-test
	@tests/run.py --build $(BUILD) --whole $*

# --- Tests ------------------------------------------------------------------------------------------

$(BUILD)/unit: $(UNIT_OBJ) $(LIB_OBJ)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) $^ -lcriterion $(LDLIBS) -o $@

$(BUILD)/fake_probes.inc: $(BUILD)/gen $(CATALOGUE)
	$< fake $(CATALOGUE) > $@

# With and without a nop5 behind every site's nop.
$(BUILD)/fake-beam: tests/bpf/fake-beam.c $(BUILD)/fake_probes.inc
	$(CC) $(SYSROOT:%=--sysroot=%) -std=gnu11 -O1 -g -w -I$(BUILD) -rdynamic $< -o $@ -lpthread

$(BUILD)/fake-beam-nop5: tests/bpf/fake-beam.c $(BUILD)/fake_probes.inc probes/sdt/sys/sdt.h
	$(CC) $(SYSROOT:%=--sysroot=%) -std=gnu11 -O1 -g -w -Iprobes/sdt -I$(BUILD) -rdynamic $< -o $@ -lpthread

# Preloaded into erlbpf: memory that runs out.
$(BUILD)/allocations.so: tests/faults/allocations.c
	$(CC) -std=gnu11 -D_GNU_SOURCE -O2 -g -Wall -Wextra -Werror -shared -fPIC $< -o $@

$(BUILD)/inject: tests/faults/inject.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $< -o $@ -lseccomp

$(BUILD)/clock_step.so $(BUILD)/survive_trap.so: $(BUILD)/%.so: tests/faults/%.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -Wno-missing-prototypes -fPIC -shared $< -o $@

# One whose memory harms the one who reads it.
$(BUILD)/hostile-beam: tests/bpf/hostile-beam.c tests/bpf/fake-beam.c $(BUILD)/fake_probes.inc
	$(CC) -std=gnu11 -O1 -g -w -I$(BUILD) -rdynamic $< -o $@ -lpthread

$(BUILD)/debug-registers: tests/kernels/debug-registers.c
	@mkdir -p $(@D)
	$(CC) $(SYSROOT:%=--sysroot=%) -std=gnu11 $(WARN) -D_GNU_SOURCE -O1 $< -o $@

# What is tried in guests of other kernels.
kernel-programs: $(BUILD)/erlbpf $(BUILD)/fake-beam $(BUILD)/fake-beam-nop5 $(BUILD)/debug-registers

# Random expressions of D, 2,000 for each of five seeds, distributions and structs; `make test` runs some of each.
test-expressions: all
	@for seed in 1 2 3 4 5; do tests/d/differential.py --build $(BUILD) --count 2000 --seed $$seed || exit 1; done
	@tests/d/distributions.py --build $(BUILD)
	@tests/d/layouts.py --build $(BUILD)

test-kernels: setup-test setup-arm64
	@$(MAKE) --no-print-directory -s -j2 kernel-programs $(addprefix $(BUILD)/erl/,ctl.beam called.beam passing.beam passing.so) otp
	@$(MAKE) --no-print-directory -s -j2 ARCH=arm64 BUILD=$(BUILD)/arm64 kernel-programs
	@tests/kernels/matrix.py --build $(BUILD)

# VMs that others build, and systems that run on them: see tests/vms/matrix.py.
test-vms: setup-test
	@tests/setup.sh $(VM_PACKAGES)
	@$(MAKE) --no-print-directory -s -j2 all test-programs
	@tests/vms/matrix.py --build $(BUILD)

$(BUILD)/erl/%.beam: tests/erl/%.erl
	@mkdir -p $(@D)
	erlc -o $(@D) $<

# NIFs. Their interface is the same in all releases, so one with the headers of any will do.
ERL_NIF := $(patsubst tests/erl/%.c,$(BUILD)/erl/%.so,$(wildcard tests/erl/*.c))
$(BUILD)/erl/%.so: tests/erl/%.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 -O2 $(WARN) -Wno-missing-prototypes -Wno-unused-parameter \
		-isystem /usr/lib/erlang/usr/include -fPIC -shared $< -o $@

FUZZERS := $(patsubst tests/fuzz/%.c,$(BUILD)/fuzz-%,$(wildcard tests/fuzz/*.c))
FUZZ_SECONDS ?= 3600

# The code under test is compiled again with the fuzzer's instrumentation: what reads files, memory, requests and texts
# of others, and the D compiler. It is a library, so that a fuzzer may put functions of its own in the place of a file's:
# of procfs.c, to give a reader its memory.
FUZZ_SRC := $(wildcard user/base/*.c user/etf/term.c user/dist/*.c user/elf/*.c user/flame/*.c user/match/*.c user/target/*.c user/term/*.c user/node/*.c user/probe/*.c user/d/*.c user/d/*/*.c) \
            $(addprefix user/load/,code_fold.c code_keep.c code_unused.c fold_state.c) \
            $(addprefix user/serve/,agent_answers.c exponential.c governor.c history.c host.c http.c metrics.c native.c otlp.c \
                                    page.c pairs.c prometheus.c) \
            $(addprefix user/cli/,dtrace_parse.c dtrace_program.c option.c option_text.c parse.c \
                                  select_options.c when.c words.c) \
            $(wildcard user/dtrace/session/option*.c) user/out/json_line.c user/profile/unwind.c
FUZZ_TO  := $(BUILD)/fuzz
FUZZ_OBJ := $(FUZZ_SRC:%.c=$(FUZZ_TO)/%.o) $(PROTO:$(BUILD)/%.c=$(FUZZ_TO)/%.o)
FUZZ_WITH := -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined
FUZZ_CC  := $(CLANG) $(filter-out -O2,$(ALL_CFLAGS)) -O1 $(FUZZ_WITH)
FUZZ_LIBS := -lei -lelf -lz -lm -lZydis -ljson-c -lprotobuf-c -lseccomp -lcap

$(FUZZ_TO)/%.o: %.c | $(SKEL) $(BUILD)/fingerprints.inc $(BUILD)/probe_table.inc $(BUILD)/version.h $(PROTO)
	@mkdir -p $(@D)
	$(FUZZ_CC) -MMD -MP -c $< -o $@

$(FUZZ_TO)/%.pb-c.o: $(BUILD)/%.pb-c.c
	@mkdir -p $(@D)
	$(FUZZ_CC) -w -c $< -o $@

$(FUZZ_TO)/readers.a: $(FUZZ_OBJ) Makefile
	@rm -f $@
	ar rcs $@ $(FUZZ_OBJ)

# Calls of the C library that a fuzzer answers itself.
$(FUZZ_TO)-procfs: FUZZ_WRAP := -Wl,--wrap=open,--wrap=fopen
$(FUZZ_TO)-http: FUZZ_WRAP := -Wl,--wrap=accept4

$(FUZZ_TO)-%: tests/fuzz/%.c $(wildcard tests/fuzz/*.h) $(FUZZ_TO)/readers.a
	$(FUZZ_CC) $(FUZZ_WRAP) -Itests/fuzz $< $(FUZZ_TO)/readers.a $(FUZZ_LIBS) -o $@

# How much of each reader the inputs that are kept reach: all of them, once, without the sanitizers.
FUZZ_COVERAGE := $(BUILD)/fuzz-coverage
fuzz-coverage:
	@$(MAKE) --no-print-directory -s -j2 FUZZ_TO=$(FUZZ_COVERAGE)/fuzz \
		FUZZ_WITH='-fsanitize=fuzzer -fprofile-instr-generate -fcoverage-mapping -DFUZZ_COVERAGE' \
		$(patsubst tests/fuzz/%.c,$(FUZZ_COVERAGE)/fuzz-%,$(wildcard tests/fuzz/*.c))
	@tests/fuzz-coverage.sh $(BUILD)

# Prints a random program: d-grammar SEED.
$(BUILD)/d-grammar: tests/fuzz/d_grammar.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -DPRINT $< -o $@

bench-programs: $(BUILD)/fake-beam $(BUILD)/fake-beam-nop5 $(ERL_BEAM)

# All, or FUZZ="http note".
fuzz: $(if $(FUZZ),$(FUZZ:%=$(BUILD)/fuzz-%),$(FUZZERS))
	tests/fuzz.sh $(BUILD) $(FUZZ_SECONDS) 60 $(FUZZ)

unit: $(BUILD)/unit
test-programs: $(BUILD)/unit $(BUILD)/erlbpf-slow $(BUILD)/d-grammar kernel-programs $(ERL_BEAM) $(ERL_NIF) $(FUZZERS) \
               $(patsubst %,$(BUILD)/%,hostile-beam inject clock_step.so survive_trap.so allocations.so match-names)

# Quick checks that need neither root nor a VM.
check: $(BUILD)/unit arrows
	$(BUILD)/unit -j1

# The rooms of docs/architecture.md: who includes and calls whom.
arrows: $(OBJ)
	tests/arrows.py --objects $(BUILD)

# Lengths of files and functions, numbers of parameters.
sizes:
	tests/sizes.py

# Functions and members of structs that nobody uses.
unused:
	tests/unused.py

# Places that read errno after a call that does not set it.
stale-errno:
	tests/stale_errno.py

lint: arrows sizes unused stale-errno
	@clang-format --dry-run -Werror $(C_FILES)
	cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,performance,portability \
		--inline-suppr --suppressions-list=tests/cppcheck.txt -Iuser -Ibpf -Iprobes \
		'-Dbpf_object__for_each_program(p,o)=while((p=bpf_object__next_program(o,p)))' \
		'-Dbpf_object__for_each_map(m,o)=while((m=bpf_object__next_map(o,m)))' user tools probes/gen.c
	@$(MAKE) --no-print-directory -s -j2 tidy-quick
	shellcheck -s sh probes/otp/*.sh tests/*.sh tools/bt/run docs/deploy/rules/*.sh packaging/*.sh

# The C of the tree, but for what others wrote (vmlinux.h, sdt.h). A tarball has no git to ask.
LIST_FILES = $(if $(wildcard .git),git ls-files -co --exclude-standard '*.[ch]',find [a-z]* -name '*.[ch]')
C_FILES = $(shell $(LIST_FILES) | grep -v '^$(BUILD)/\|^vmlinux/\|^probes/sdt/')

format:
	@clang-format -i $(C_FILES)

# clang-tidy with the checks of .clang-tidy: a file is looked at again when its object is made again. The analyzer takes
# ten times as long as all other checks together, so lint leaves it out (tidy-quick). No -j wanted: two at a time.
C_SOURCES := $(wildcard user/*.c user/*/*.c user/*/*/*.c tools/*.c)
TIDY := clang-tidy --quiet --warnings-as-errors='*'

$(BUILD)/tidy/quick/%: %.c $(BUILD)/%.o .clang-tidy
	@mkdir -p $(@D)
	@$(TIDY) --checks='-clang-analyzer-*' $< -- $(TIDY_CFLAGS) 2> $@.err || { cat $@.err; exit 1; }
	@touch $@

$(BUILD)/tidy/all/%: %.c $(BUILD)/%.o .clang-tidy
	@mkdir -p $(@D)
	@$(TIDY) $< -- $(TIDY_CFLAGS) 2> $@.err || { cat $@.err; exit 1; }
	@touch $@

TIDY_CFLAGS = $(filter-out -Werror,$(ALL_CFLAGS)) -Wno-unknown-warning-option
tidy-quick: $(C_SOURCES:%.c=$(BUILD)/tidy/quick/%)
tidy: $(C_SOURCES:%.c=$(BUILD)/tidy/all/%)

# Speed and cost: an hour, into docs/bench; or with QUICK=1 two minutes, into $(BUILD)/bench; ONLY=hits,keys: these groups.
bench: setup-bench
	@$(MAKE) --no-print-directory -s all otp bench-programs
	tests/bench/bench.py --build $(BUILD) $(if $(QUICK),--scale quick,--publish docs/bench) $(ONLY:%=--only %)

# OLD=FILE, and NEW=FILE if not the last run: refuses results of different machines.
bench-compare:
	@tests/bench/bench.py --compare $(OLD) $(or $(NEW),$(BUILD)/bench/results.json)

# --- Documentation that is made from the source -----------------------------------------------------

docs: $(BUILD)/gen $(BUILD)/erlbpf
	tests/docs.py $(BUILD) .
	docs/deploy/rules/prometheusrule.sh < docs/deploy/rules/erlbpf.rules.yaml > docs/deploy/rules/prometheusrule.yaml

# What the tools print on real nodes (root): all, or TOOLS="gc count".
examples: $(BUILD)/erlbpf $(ERL_BEAM) $(ERL_NIF)
	ERLBPF_BUILD=$(BUILD) tests/examples.py $(TOOLS)
	@$(MAKE) --no-print-directory -s docs

# --- For editors, and for those without git ---------------------------------------------------------

# How each file is compiled, for clangd and its kind: the commands of the rules above.
compile_commands.json: Makefile $(wildcard user/*/*.c user/*/*/*.c tools/*.c bpf/*.bpf.c tests/unit/*.c)
	$(file > $@.lines,)
	$(foreach file,$(C_SOURCES) $(wildcard tests/unit/*.c),$(file >> $@.lines,$(call compile_command,$(file),$(CC) $(ALL_CFLAGS))))
	$(foreach file,$(wildcard bpf/*.bpf.c),$(file >> $@.lines,$(call compile_command,$(file),$(CLANG) $(BPF_CFLAGS))))
	@{ echo '['; grep . $@.lines | sed '$$ ! s/$$/,/'; echo ']'; } > $@
	@rm $@.lines

compile_command = { "directory": "$(CURDIR)", "file": "$(1)", "command": "$(strip $(2)) -c $(1)" }

tags: $(C_SOURCES)
	ctags -R --languages=C --langmap=C:.c.h -I __noinline,__always_inline,__weak user tools bpf probes tests

# The source of the last commit, which builds and passes `make check` without git. `.commit` says which one it is.
DIST = erlbpf-$(shell cat VERSION)
dist:
	@mkdir -p $(BUILD)
	git rev-parse --short=7 HEAD > $(BUILD)/.commit
	git archive --prefix=$(DIST)/ --add-file=$(BUILD)/.commit HEAD | gzip -9n > $(BUILD)/$(DIST).tar.gz

# --- Installing -------------------------------------------------------------------------------------

install: all
	install -D -m 755 $(BUILD)/erlbpf $(DESTDIR)$(PREFIX)/sbin/erlbpf
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/man/man8 $(MAN)
	install -D -m 644 docs/completion/erlbpf.bash \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/erlbpf
	install -D -m 644 docs/completion/_erlbpf $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_erlbpf
	install -D -m 755 -t $(DESTDIR)$(PREFIX)/share/erlbpf/bt tools/bt/run
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/erlbpf/bt tools/bt/README.md tools/bt/erl.h \
		$(wildcard tools/bt/*.bt)

# Pictures of the agent's page.
docs/page.png docs/page-hour.png docs/page-process.png docs/page-phone.png &: user/serve/page.html
	ERLBPF_PICTURE=$(CURDIR)/docs/page.png tests/run.py export_page:

# A picture of top, from the terminal emulator of the tests.
docs/top.svg: tools/top.c tests/terminal_picture.py
	ERLBPF_TOP_PICTURE=$(CURDIR)/$@ tests/run.py "picture of the screen"

# The container image, as an OCI layout and as one file: see packaging/image.py.
image: $(BUILD)/erlbpf
	packaging/image.py $(BUILD)

# The Debian package of this machine's architecture.
deb: all
	packaging/deb.sh $(BUILD)

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/sbin/erlbpf $(DESTDIR)$(PREFIX)/share/man/man8/erlbpf.8 \
		$(DESTDIR)$(PREFIX)/share/man/man8/erlbpf-export.8 \
		$(DESTDIR)$(PREFIX)/share/man/man8/erlbpf-profile.8 \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/erlbpf \
		$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_erlbpf
	rm -rf $(DESTDIR)$(PREFIX)/share/erlbpf

clean:
	rm -rf $(BUILD)

help:
	@echo "make demo       set up this machine, build, trace a stock node with a workload"
	@echo "make test       set up this machine, build, run every test"
	@echo "make            build; CC=clang and SAN=address,undefined are understood"
	@echo "make check      unit tests and the layering check: no root, no VM"
	@echo "make otp        build OTP 25 with notes into the cache; otp-27, otp-29: these, with and without; of 29 also a stripped one"
	@echo "make fields RELEASE=29   where the structures of a release have their members: rows for probes/fields.def"
	@echo "make fingerprints RELEASE=29   what VMs are compared with that hide their functions: the table of a release"
	@echo "make test-otp   every test, and the end-to-end tests on OTP 27 and 29 too"
	@echo "make test-faults   kills, failing system calls, lives of nodes, lost events; test-hostile: hostile files, VMs, names"
	@echo "make test-kernels    erlbpf on other kernels, of Debian, under qemu"
	@echo "make test-vms   OTP as suites of Debian have it, with RabbitMQ, ejabberd and Elixir; unusual builds of the VM"
	@echo "make bench      speed and cost, beside bpftrace and Erlang's own tracing: an hour; QUICK=1: two minutes; ONLY=hits,keys: these"
	@echo "make bench-compare OLD=FILE    the last run's results beside older ones of the same machine"
	@echo "make fuzz       fuzz each reader for FUZZ_SECONDS (default 3600); FUZZ=\"http note\": these"
	@echo "make fuzz-coverage  how much of each reader the inputs that are kept reach"
	@echo "make lint       clang-format, cppcheck, clang-tidy and shellcheck; tidy: clang's analyzer, too, which takes long"
	@echo "make format     apply .clang-format"
	@echo "make docs       rewrite the generated references in docs/, and README's list of tools"
	@echo "make examples   run the examples of docs/tools.md again (TOOLS=\"gc count\": these), as root"
	@echo "make image      the container image of the agent, without Docker: build/image.tar"
	@echo "make deb        the Debian package, with a unit for the agent: build/erlbpf_VERSION_ARCH.deb"
	@echo "make dist       the source of the last commit: build/erlbpf-VERSION.tar.gz"
	@echo "make compile_commands.json tags    for editors"
	@echo "make install    into PREFIX (default /usr/local), below DESTDIR"

-include $(BUILD)/tests/match/names.d $(BUILD)/probes/fingerprint.d $(OBJ:.o=.d) $(UNIT_OBJ:.o=.d) $(FUZZ_OBJ:.o=.d) $(SKEL:.skel.h=.bpf.d) \
         $(BUILD)/d_library.bpf.d
.PHONY: all demo test unit fields fingerprints setup-build setup-demo setup-test setup-bench otp otp-27 otp-29 test-otp test-vms test-faults test-hostile test-expressions fuzz fuzz-coverage test-programs check arrows sizes unused stale-errno \
        lint format tidy tidy-quick bench bench-compare bench-programs \
        docs examples dist image deb install uninstall clean help FORCE
.DELETE_ON_ERROR:
.SECONDARY:
