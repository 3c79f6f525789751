# The program: BPF objects and their skeletons, generated tables, and the C of user/ and tools/.

# Static where Debian ships an archive: one binary to copy to a machine without development packages. Debian has no archive
# of Zydis, so that machine needs libzydis4.0.
LDLIBS := -Wl,-Bstatic -lbpf -lelf -lz -ljson-c -lprotobuf-c -lei -lmd -lncursesw -ltinfo -lseccomp -lcap \
          -Wl,-Bdynamic -lZydis -lm

SKEL      := $(patsubst bpf/%.bpf.c,$(BUILD)/%.skel.h,$(wildcard bpf/*.bpf.c))
PROTO     := $(patsubst %.proto,$(BUILD)/%.pb-c.c,$(notdir $(wildcard user/*/*.proto user/*/*/*.proto)))
C_SOURCES := $(wildcard user/*.c user/*/*.c user/*/*/*.c tools/*.c)
OBJ       := $(C_SOURCES:%.c=$(BUILD)/%.o) $(PROTO:.c=.o)
LIB_OBJ   := $(filter-out $(BUILD)/user/main.o,$(OBJ))

all: $(BUILD)/erlbpf $(MAN)

# In its place at once: somebody may be running it.
$(BUILD)/erlbpf: $(OBJ)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) $^ $(LDLIBS) -o $@.new
	@mv $@.new $@

$(BUILD)/%.o: %.c | $(BUILD)/checked $(SKEL) $(BUILD)/probe_table.inc $(BUILD)/version.h
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

# Messages in other projects' formats: C made by protobuf-c, which has warnings of its own.
vpath %.proto user/serve/metrics user/flame/formats
$(BUILD)/%.pb-c.c: %.proto | $(BUILD)/checked
	@mkdir -p $(@D)
	protoc-c -I$(<D) -Iuser/flame/formats --c_out=$(BUILD) $<

$(BUILD)/otlp.pb-c.c $(BUILD)/otlp_profiles.pb-c.c: user/flame/formats/otlp_common.proto $(BUILD)/otlp_common.pb-c.c

$(BUILD)/%.pb-c.o: $(BUILD)/%.pb-c.c
	$(CC) $(ALL_CFLAGS) -w -c $< -o $@

$(addprefix $(BUILD)/,$(addsuffix .o,user/serve/metrics/native user/serve/metrics/otlp user/flame/formats/pprof user/flame/formats/otlp tests/unit/flame_pprof \
             tests/unit/flame_otlp)): | $(PROTO)

$(BUILD)/%.skel.h: $(BUILD)/%.bpf.o
	$(BPFTOOL) gen skeleton $< name $(subst -,_,$*)_bpf > $@

$(BUILD)/%.bpf.o: bpf/%.bpf.c | $(BUILD)/checked
	@mkdir -p $(@D)
	$(CLANG) $(BPF_CFLAGS) -MMD -MP -c $< -o $@
	$(LLVM_STRIP) -g $@   # the DWARF: nine tenths of the binary; BTF stays

# VERSION, and the commit: from git, or from .commit in a source tarball. Written only when it has changed.
$(BUILD)/version.h: FORCE
	@mkdir -p $(@D)
	@commit=$$(if [ -e .git ]; then git rev-parse --short=7 HEAD; else cat .commit; fi 2> /dev/null || :); \
	printf '#define ERLBPF_VERSION "%s"\n#define ERLBPF_COMMIT "%s"\n' "$$(cat VERSION)" "$$commit" > $@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@

$(BUILD)/user/serve/http/page.o: user/serve/http/page.html user/serve/http/dygraph.min.js
$(BUILD)/user/flame/formats/template.o: user/flame/formats/flame.html user/flame/formats/flame_svg.js
$(BUILD)/user/dist/watchdog_task.o: user/dist/watchdog.erl
$(BUILD)/user/cli/options/common_options.o: user/cli/options/options.txt
$(BUILD)/user/cli/export.o: user/cli/export.txt user/cli/export_options.txt
$(BUILD)/user/cli/dtrace/dtrace_parse.o: user/cli/dtrace/options.txt
$(BUILD)/user/cli/profile/profile_options.o: user/cli/profile/options.txt user/cli/profile/profile.txt
$(BUILD)/user/cli/profile/profile_options.o: user/cli/profile/profile_files.txt

# The names of the system calls, for D's provider syscall.
$(BUILD)/syscalls.inc: user/user.mk | $(BUILD)/checked
	echo '#include <sys/syscall.h>' | $(CC) $(SYSROOT:%=--sysroot=%) -E -dM - | \
		sed -n 's/^#define __NR_\([a-z0-9_]*\) .*/{ "\1", __NR_\1 },/p' | LC_ALL=C sort > $@

$(BUILD)/user/dtrace/provider/system.o: $(BUILD)/syscalls.inc

# For editors: how each file is compiled, by the commands of the rules above.
## compile_commands.json: how each file is compiled, for clangd; `make tags` for editors
compile_commands.json: $(MAKEFILE_LIST) $(C_SOURCES) $(wildcard bpf/*.bpf.c tests/unit/*.c)
	$(file > $@.lines,)
	$(foreach file,$(C_SOURCES) $(wildcard tests/unit/*.c),$(file >> $@.lines,$(call compile_command,$(file),$(CC) $(ALL_CFLAGS))))
	$(foreach file,$(wildcard bpf/*.bpf.c),$(file >> $@.lines,$(call compile_command,$(file),$(CLANG) $(BPF_CFLAGS))))
	@{ echo '['; grep . $@.lines | sed '$$ ! s/$$/,/'; echo ']'; } > $@
	@rm $@.lines

compile_command = { "directory": "$(CURDIR)", "file": "$(1)", "command": "$(strip $(2)) -c $(1)" }

tags: $(C_SOURCES) | setup-test
	ctags -R --languages=C --langmap=C:.c.h -I __noinline,__always_inline,__weak user tools bpf probes tests

-include $(OBJ:.o=.d) $(SKEL:.skel.h=.bpf.d)
