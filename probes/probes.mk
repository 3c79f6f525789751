# What is known of probes and of VMs: the catalogue, tables of known builds, layouts, and VMs to work against.

CATALOGUE := probes/erlang.d probes/user_trace.d probes/vm.d

$(BUILD)/gen: probes/gen.c
	@mkdir -p $(@D)
	$(HOSTCC) -std=gnu11 $(WARN) -O1 $< -o $@

$(BUILD)/probe_table.inc: $(BUILD)/gen $(CATALOGUE)
	$< table $(CATALOGUE) > $@

$(BUILD)/user/probe/catalogue.o: $(BUILD)/probe_table.inc

# Tables of references for VMs that hide their functions: one for each release (user/match/reference.h).
FINGERPRINTS := $(sort $(wildcard probes/fingerprints/*.table))

$(BUILD)/fingerprints.inc: $(FINGERPRINTS) probes/probes.mk
	@mkdir -p $(@D)
	@printf '%s\n' $(patsubst probes/fingerprints/%.table,'FINGERPRINT(%)',$(FINGERPRINTS)) > $@

$(BUILD)/user/match/reference.o: $(BUILD)/fingerprints.inc

READ_ELF := $(addprefix user/,elf/elf_file elf/elf_segments elf/eh_frame base/a64 base/array base/io/read_at)

$(BUILD)/fingerprint: $(addprefix $(BUILD)/,$(addsuffix .o,probes/fingerprint $(READ_ELF) \
                       $(patsubst %.c,%,$(wildcard user/match/graph/*.c))))
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) $^ -lz -lZydis -lm -o $@

## fingerprints: RELEASE=29: the table of a release that hides its functions, from builds made for this
fingerprints: setup-otp $(BUILD)/fingerprint
	@test "$(RELEASE)" || { echo "usage: make fingerprints RELEASE=29" >&2; exit 2; }
	@mkdir -p probes/fingerprints
	builds=$$(probes/otp/references.sh $(RELEASE)) && $(BUILD)/fingerprint $(RELEASE) $$builds > $(BUILD)/table.new
	mv $(BUILD)/table.new probes/fingerprints/$(RELEASE).table

## fields: RELEASE=29: rows for probes/fields.def, from builds of the release that have debug information
fields: setup-otp
	@test "$(RELEASE)" || { echo "usage: make fields RELEASE=29" >&2; exit 2; }
	@packaging/setup.sh dwarves >&2
	@probes/layouts.py $(RELEASE) $$(probes/otp/build-otp.sh $(RELEASE) stock usdt | sed 's|$$|/erts-*/bin/beam.smp|')

# VMs to work against, in a cache outside of the tree: see probes/otp/build-otp.sh.
## otp: build OTP 25 with notes into the cache; otp-27: with and without notes; otp-29: also a stripped one
otp: setup-otp
	@probes/otp/build-otp.sh 25 usdt

otp-27: setup-otp
	@probes/otp/build-otp.sh 27 stock usdt

otp-29: setup-otp
	@probes/otp/build-otp.sh 29 stock usdt stripped

-include $(BUILD)/probes/fingerprint.d
.PHONY: fingerprints fields otp otp-27 otp-29
