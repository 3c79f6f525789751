# Man pages, and documentation that is made from the source.

MAN := $(patsubst docs/%.scd,$(BUILD)/%,$(wildcard docs/man/*.scd))

$(BUILD)/man/%: docs/man/%.scd VERSION | $(BUILD)/checked
	@mkdir -p $(@D)
	sed "1s/VERSION/$$(cat VERSION)/" $< | scdoc > $@

## docs: rewrite the generated references in docs/, and README's list of tools
docs: $(BUILD)/erlbpf
	docs/generate/docs.py $(BUILD) .
	docs/deploy/rules/prometheusrule.sh < docs/deploy/rules/erlbpf.rules.yaml > docs/deploy/rules/prometheusrule.yaml

# What the tools print on real nodes.
## examples: run the examples of docs/tools.md again, as root; TOOLS="gc count": these
examples: setup-test $(BUILD)/erlbpf test-programs
	tests/examples.py $(TOOLS)
	$(MAKE_QUIETLY) docs

# Pictures of the agent's page and of top.
docs/page.png docs/page-hour.png docs/page-process.png docs/page-phone.png &: user/serve/http/page.html | setup-test
	ERLBPF_PICTURE=$(CURDIR)/docs/page.png $(PYTEST) tests/tools/test_export_page.py

docs/top.svg: tools/top.c tests/terminal_picture.py | setup-test
	ERLBPF_TOP_PICTURE=$(CURDIR)/$@ $(PYTEST) tests/tools -k picture_of_the_screen

.PHONY: docs examples
