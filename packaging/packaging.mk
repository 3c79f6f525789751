# What leaves the tree: an installation, a Debian package, the container image, a source tarball.

## install: into PREFIX (default /usr/local), below DESTDIR; uninstall: take it away again
install: all
	install -D -m 755 $(BUILD)/erlbpf $(DESTDIR)$(PREFIX)/sbin/erlbpf
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/man/man8 $(MAN)
	install -D -m 644 docs/completion/erlbpf.bash \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/erlbpf
	install -D -m 644 docs/completion/_erlbpf $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_erlbpf
	install -D -m 755 -t $(DESTDIR)$(PREFIX)/share/erlbpf/bt tools/bt/run
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/erlbpf/bt tools/bt/README.md tools/bt/erl.h \
		$(wildcard tools/bt/*.bt)

uninstall:
	rm -f $(DESTDIR)$(PREFIX)/sbin/erlbpf $(patsubst $(BUILD)/man/%,$(DESTDIR)$(PREFIX)/share/man/man8/%,$(MAN)) \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions/erlbpf \
		$(DESTDIR)$(PREFIX)/share/zsh/site-functions/_erlbpf
	rm -rf $(DESTDIR)$(PREFIX)/share/erlbpf

## image: the container image of the agent, without Docker: build/image.tar
image: setup-test $(BUILD)/erlbpf
	packaging/image.py $(BUILD)

## deb: the Debian package, with a unit for the agent: build/erlbpf_VERSION_ARCH.deb
deb: all
	@packaging/setup.sh dpkg-dev
	packaging/deb.sh $(BUILD)

## dist: the source of the last commit: build/erlbpf-VERSION.tar.gz
# It builds and passes `make check` without git. `.commit` says which one it is.
DIST = erlbpf-$(shell cat VERSION)
dist:
	@mkdir -p $(BUILD)
	git rev-parse --short=7 HEAD > $(BUILD)/.commit
	git archive --prefix=$(DIST)/ --add-file=$(BUILD)/.commit HEAD | gzip -9n > $(BUILD)/$(DIST).tar.gz

.PHONY: install uninstall image deb dist
