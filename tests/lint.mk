# Checks of the source: layering, sizes, unused code, format, static analysis.

# The rooms of docs/architecture.md: who includes and calls whom.
arrows: $(OBJ)
	tests/arrows.py --objects $(BUILD)

# Lengths of files and functions, numbers of parameters.
sizes: | $(BUILD)/checked-test
	tests/sizes.py

# Functions and members of structs that nobody uses.
unused: | $(BUILD)/checked-test
	tests/unused.py

# Places that read errno after a call that does not set it.
stale-errno:
	tests/stale_errno.py

# The C of the tree, but for what others wrote (vmlinux.h, sdt.h). A tarball has no git to ask.
LIST_FILES = $(if $(wildcard .git),git ls-files -co --exclude-standard '*.[ch]',find [a-z]* -name '*.[ch]')
C_FILES = $(shell $(LIST_FILES) | grep -v '^$(BUILD)/\|^vmlinux/\|^probes/sdt/')

format-check: | $(BUILD)/checked-test
	@clang-format --dry-run -Werror $(C_FILES)

## format: apply .clang-format
format: | $(BUILD)/checked-test
	@clang-format -i $(C_FILES)

## lint: clang-format, cppcheck, clang-tidy and shellcheck; tidy: clang's analyzer too, which takes long
lint: setup-lint
	$(MAKE_QUIETLY) $(JOBS) arrows sizes unused stale-errno format-check tidy-quick
	cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,performance,portability \
		--inline-suppr --suppressions-list=tests/cppcheck.txt -Iuser -Ibpf -Iprobes \
		'-Dbpf_object__for_each_program(p,o)=while((p=bpf_object__next_program(o,p)))' \
		'-Dbpf_object__for_each_map(m,o)=while((m=bpf_object__next_map(o,m)))' user tools probes/gen.c
	shellcheck -s sh probes/otp/*.sh tests/*.sh tools/bt/run docs/deploy/rules/*.sh packaging/*.sh

# clang-tidy with the checks of .clang-tidy: a file is looked at again when its object is made again. The analyzer takes
# ten times as long as all other checks together, so lint leaves it out (tidy-quick).
TIDY := clang-tidy --quiet --warnings-as-errors='*'
TIDY_CFLAGS = $(filter-out -Werror,$(ALL_CFLAGS)) -Wno-unknown-warning-option

$(BUILD)/tidy/quick/%: %.c $(BUILD)/%.o .clang-tidy
	@mkdir -p $(@D)
	@$(TIDY) --checks='-clang-analyzer-*' $< -- $(TIDY_CFLAGS) 2> $@.err || { cat $@.err; exit 1; }
	@touch $@

$(BUILD)/tidy/all/%: %.c $(BUILD)/%.o .clang-tidy
	@mkdir -p $(@D)
	@$(TIDY) $< -- $(TIDY_CFLAGS) 2> $@.err || { cat $@.err; exit 1; }
	@touch $@

tidy-quick: $(C_SOURCES:%.c=$(BUILD)/tidy/quick/%)
tidy: setup-lint $(C_SOURCES:%.c=$(BUILD)/tidy/all/%)

.PHONY: arrows sizes unused stale-errno format-check format lint tidy-quick tidy
