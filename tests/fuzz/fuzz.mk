# Fuzzers of the readers of what others control: tests/fuzz/NAME.c makes $(BUILD)/fuzz-NAME.

FUZZERS := $(patsubst tests/fuzz/%.c,$(BUILD)/fuzz-%,$(wildcard tests/fuzz/*.c))
FUZZ_SECONDS ?= 3600

# The code under test is compiled again with the fuzzer's instrumentation: what reads files, memory, requests and texts
# of others, and the D compiler. It is a library, so that a fuzzer may put functions of its own in the place of a file's:
# of procfs.c, to give a reader its memory.
FUZZ_ROOMS := base dist elf flame match target term node probe d
FUZZ_SRC := $(wildcard $(foreach room,$(FUZZ_ROOMS),user/$(room)/*.c user/$(room)/*/*.c)) user/etf/term.c \
            $(addprefix user/load/optimiser/,code_fold.c code_keep.c code_unused.c fold_state.c) \
            $(addprefix user/serve/,agent/agent_answers.c agent/governor.c node_view/history.c http/host.c http/http.c http/page.c \
                                    http/pairs.c metrics/exponential.c metrics/metrics.c metrics/native.c metrics/otlp.c \
                                    metrics/prometheus.c) \
            $(addprefix user/cli/,dtrace/dtrace_parse.c dtrace/dtrace_program.c options/option.c options/option_text.c \
                                  options/parse.c options/common_options.c options/when.c options/words.c) \
            $(wildcard user/dtrace/options/option*.c) user/out/json_line.c user/profile/unwind.c
FUZZ_TO  := $(BUILD)/fuzz
FUZZ_OBJ := $(FUZZ_SRC:%.c=$(FUZZ_TO)/%.o) $(PROTO:$(BUILD)/%.c=$(FUZZ_TO)/%.o)
FUZZ_WITH := -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined
FUZZ_CC  := $(CLANG) $(filter-out -O2,$(ALL_CFLAGS)) -O1 $(FUZZ_WITH)
FUZZ_LIBS := -lei -lmd -lelf -lz -lm -lZydis -ljson-c -lprotobuf-c -lseccomp -lcap

$(FUZZ_TO)/%.o: %.c | $(SKEL) $(BUILD)/fingerprints.inc $(BUILD)/probe_table.inc $(BUILD)/version.h $(PROTO)
	@mkdir -p $(@D)
	$(FUZZ_CC) -MMD -MP -c $< -o $@

$(FUZZ_TO)/%.pb-c.o: $(BUILD)/%.pb-c.c
	@mkdir -p $(@D)
	$(FUZZ_CC) -w -c $< -o $@

$(FUZZ_TO)/readers.a: $(FUZZ_OBJ) tests/fuzz/fuzz.mk
	@rm -f $@
	ar rcs $@ $(FUZZ_OBJ)

# Calls of the C library that a fuzzer answers itself.
$(FUZZ_TO)-procfs: FUZZ_WRAP := -Wl,--wrap=open,--wrap=fopen
$(FUZZ_TO)-http: FUZZ_WRAP := -Wl,--wrap=accept4

$(FUZZ_TO)-%: tests/fuzz/%.c $(wildcard tests/fuzz/*.h) $(FUZZ_TO)/readers.a
	$(FUZZ_CC) $(FUZZ_WRAP) -Itests/fuzz $< $(FUZZ_TO)/readers.a $(FUZZ_LIBS) -o $@

## fuzz: fuzz each reader for FUZZ_SECONDS (default 3600); FUZZ="http note": these
fuzz: setup-all
	$(MAKE_QUIETLY) $(JOBS) $(if $(FUZZ),$(FUZZ:%=$(BUILD)/fuzz-%),$(FUZZERS))
	tests/fuzz.sh $(BUILD) $(FUZZ_SECONDS) 60 $(FUZZ)

## fuzz-coverage: how much of each reader the kept inputs reach: all of them, once, without the sanitizers
FUZZ_COVERAGE := $(BUILD)/fuzz-coverage
fuzz-coverage: setup-all
	$(MAKE_QUIETLY) $(JOBS) FUZZ_TO=$(FUZZ_COVERAGE)/fuzz \
		FUZZ_WITH='-fsanitize=fuzzer -fprofile-instr-generate -fcoverage-mapping -DFUZZ_COVERAGE' \
		$(patsubst tests/fuzz/%.c,$(FUZZ_COVERAGE)/fuzz-%,$(wildcard tests/fuzz/*.c))
	@tests/fuzz-coverage.sh $(BUILD)

# Prints a random program: d-grammar SEED.
$(BUILD)/d-grammar: tests/fuzz/d_grammar.c
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -DPRINT $< -o $@

-include $(FUZZ_OBJ:.o=.d)
.PHONY: fuzz fuzz-coverage
