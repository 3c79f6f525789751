# erlbpf: DTrace for the Erlang VM on Linux.
#
#   make demo     set up this machine (Debian 12, as root), build, and trace a stock node
#   make test     set up this machine, build, and run the tests that decide whether a change is correct
#   make          build only; `make help` lists the other targets
#
# This file has the settings. The rules are in the makefiles that it includes at its end, one for each subject. None has a
# list of tools: sources are found by name. Products are in $(BUILD).

HOST    := $(shell uname -m | sed 's/x86_64/x86/; s/aarch64/arm64/')
ARCH    ?= $(HOST)
TRIPLET := $(if $(filter arm64,$(ARCH)),aarch64,x86_64)-linux-gnu
BUILD   ?= $(if $(filter $(HOST),$(ARCH)),build,build/$(ARCH))
# One spelling of a folder: the dependencies of what was built under another spelling would not be found.
override BUILD := $(patsubst $(CURDIR)/%,%,$(abspath $(BUILD)))
CLANG   ?= clang
BPFTOOL ?= bpftool
LLVM_STRIP ?= llvm-strip
PREFIX  ?= /usr/local
DESTDIR ?=
MAKE_QUIETLY = @$(MAKE) --no-print-directory -s

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

## all: build only: the program and its man pages; CC=clang and SAN=address,undefined are understood
all: # what it needs is in user/user.mk

## demo: set up this machine, build, trace a stock node with a workload
demo: setup-demo
	$(MAKE_QUIETLY) $(BUILD)/erlbpf $(BUILD)/erl/demo.beam
	@tests/demo.sh $(BUILD)

clean:
	rm -rf $(BUILD)

# The comments that begin with `##`, each above its target.
help:
	@sed -n 's/^## \([^:]*\): \(.*\)/\1\t\2/p' Makefile $(PARTS) | expand -t 24

# Each may use the variables of those before it.
PARTS := packaging/setup.mk docs/docs.mk user/user.mk probes/probes.mk tests/tests.mk tests/fuzz/fuzz.mk tests/lint.mk \
         packaging/packaging.mk
include $(PARTS)

.PHONY: all demo clean help FORCE
.DELETE_ON_ERROR:
.SECONDARY:
