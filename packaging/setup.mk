# Packages of Debian, by what they are needed for. As root these targets install what is missing; others are told.

BUILD_PACKAGES := gcc make clang llvm libbpf-dev libelf-dev zlib1g-dev libjson-c-dev libncurses-dev \
                  libmicrohttpd-dev libcurl4-openssl-dev libcap-dev libseccomp-dev libmd-dev libprotobuf-c-dev libzydis-dev \
                  protobuf-c-compiler erlang-dev uthash-dev bpftool scdoc pkg-config ca-certificates
DEMO_PACKAGES  := erlang-base
OTP_PACKAGES   := gcc g++ make perl m4 dpkg-dev libncurses-dev systemtap-sdt-dev ca-certificates
TEST_PACKAGES  := $(OTP_PACKAGES) ccache git strace libcriterion-dev python3 python3-pytest python3-pytest-xdist python3-pytest-timeout \
                  python3-pyte jq dwarves systemd erlang-eunit erlang-edoc erlang-dialyzer elixir rebar3 linux-perf bpftrace \
                  clang-format universal-ctags libcap2-bin mandoc zsh \
                  prometheus python3-yaml python3-seccomp python3-prometheus-client \
                  chromium-headless-shell python3-websocket python3-matplotlib \
                  $(if $(shell command -v kubectl),,kubernetes-client)
LINT_PACKAGES  := clang-format clang-tidy cppcheck shellcheck universal-ctags
ALL_PACKAGES   := $(LINT_PACKAGES) libclang-rt-14-dev qemu-system-x86 busybox-static cpio debian-archive-keyring mmdebstrap musl-tools
ARM_PACKAGES   := gcc-aarch64-linux-gnu qemu-system-arm
BENCH_PACKAGES := rabbitmq-server erlang-runtime-tools

## setup-build: install the packages that a build needs (Debian 12, as root); setup-test: those of `make test`
setup-build:
	@packaging/setup.sh $(BUILD_PACKAGES)

setup-demo:
	@packaging/setup.sh $(BUILD_PACKAGES) $(DEMO_PACKAGES)

setup-otp:
	@packaging/setup.sh $(OTP_PACKAGES)

setup-lint:
	@packaging/setup.sh $(BUILD_PACKAGES) $(LINT_PACKAGES)

setup-test:
	@packaging/setup.sh $(BUILD_PACKAGES) $(DEMO_PACKAGES) $(TEST_PACKAGES)

setup-all:
	@packaging/setup.sh $(BUILD_PACKAGES) $(DEMO_PACKAGES) $(TEST_PACKAGES) $(ALL_PACKAGES)

setup-bench:
	@packaging/setup.sh $(BUILD_PACKAGES) $(DEMO_PACKAGES) $(TEST_PACKAGES) $(BENCH_PACKAGES)

# A cross compiler, and what is linked and run with it: nothing of the latter is installed.
setup-arm64: setup-build
	@packaging/setup.sh $(ARM_PACKAGES) debian-archive-keyring
	@tests/kernels/packages.py arm64 $(filter lib% zlib% uthash% erlang-dev,$(BUILD_PACKAGES)) systemtap-sdt-dev busybox-static util-linux

# A build installs nothing. It stops, before the first compiler fails, with the packages that are missing.
$(BUILD)/checked:
	@mkdir -p $(@D)
	@packaging/setup.sh --check setup-build $(if $(filter $(HOST),$(ARCH)),$(BUILD_PACKAGES))
	@touch $@

.PHONY: setup-build setup-demo setup-otp setup-lint setup-test setup-all setup-bench setup-arm64
