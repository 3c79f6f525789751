# erlbpf: DTrace for the Erlang VM on Linux.
#
#   make demo     set up this machine (Debian 12, root), build, and trace a stock node
#   make test     set up this machine, build, and run every test
#   make          build only; `make help` lists the rest
#
# The only makefile, and no list of tools in it: sources are found by name. Products are in $(BUILD).

BUILD   ?= build
CLANG   ?= clang
BPFTOOL ?= bpftool
PREFIX  ?= /usr/local
ARCH    := $(shell uname -m | sed 's/x86_64/x86/; s/aarch64/arm64/')

WARN := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings \
        -Wpointer-arith -Wformat=2 -Wvla -Wundef -Werror
CFLAGS ?= -O2 -g
ALL_CFLAGS := -std=gnu11 -D_GNU_SOURCE $(WARN) -Iuser -Itools -Iprobes -Ibpf -I$(BUILD) \
              $(SAN:%=-fsanitize=%) $(SAN:%=-fno-omit-frame-pointer) $(CFLAGS)
BPF_CFLAGS := -O2 -g -Wall -Wextra -Werror --target=bpf -mcpu=v3 -D__TARGET_ARCH_$(ARCH) \
              -Ibpf -idirafter /usr/include/$(shell $(CC) -print-multiarch)
# Static where Debian ships an archive: one binary to copy to a machine without development packages.
LDLIBS := -Wl,-Bstatic -lbpf -lelf -lz -ljson-c -Wl,-Bdynamic -lm

BPF_SRC   := $(wildcard bpf/*.bpf.c)
SKEL      := $(BPF_SRC:bpf/%.bpf.c=$(BUILD)/%.skel.h)
SRC       := $(wildcard user/*.c user/*/*.c tools/*.c)
OBJ       := $(SRC:%.c=$(BUILD)/%.o)
LIB_OBJ   := $(filter-out $(BUILD)/user/main.o,$(OBJ))
CATALOGUE := probes/erlang.d probes/user_trace.d

all: $(BUILD)/erlbpf

$(BUILD)/erlbpf: $(OBJ)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) $^ $(LDLIBS) -o $@

$(BUILD)/%.o: %.c | $(SKEL) $(BUILD)/probe_table.inc
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -MMD -MP -c $< -o $@

$(BUILD)/%.skel.h: $(BUILD)/%.bpf.o
	$(BPFTOOL) gen skeleton $< name $(subst -,_,$*)_bpf > $@

$(BUILD)/%.bpf.o: bpf/%.bpf.c
	@mkdir -p $(@D)
	$(CLANG) $(BPF_CFLAGS) -MMD -MP -c $< -o $@

$(BUILD)/gen: probes/gen.c
	@mkdir -p $(@D)
	$(CC) -std=gnu11 $(WARN) -O1 $< -o $@

$(BUILD)/probe_table.inc: $(BUILD)/gen $(CATALOGUE)
	$< table $(CATALOGUE) > $@

$(BUILD)/user/probe/catalogue.o: $(BUILD)/probe_table.inc

clean:
	rm -rf $(BUILD)

-include $(OBJ:.o=.d) $(SKEL:.skel.h=.bpf.d)
.PHONY: all clean
.DELETE_ON_ERROR:
.SECONDARY:
