# SPDX-License-Identifier: GPL-2.0-only
# make install DESTDIR=, PREFIX=: the command, its man pages, completion for bash.

PREFIX ?= /usr/local
SBINDIR ?= $(PREFIX)/sbin
MANDIR ?= $(PREFIX)/share/man
COMPLETIONDIR ?= $(PREFIX)/share/bash-completion/completions
MAN_PAGES := $(wildcard docs/man/*.8)

install: $(B)/nvx ## install nvx and its man pages (DESTDIR=, PREFIX=/usr/local)
	install -D -m 755 $(B)/nvx $(DESTDIR)$(SBINDIR)/nvx
	install -d $(DESTDIR)$(MANDIR)/man8
	install -m 644 $(MAN_PAGES) $(DESTDIR)$(MANDIR)/man8
	install -D -m 644 completions/nvx.bash $(DESTDIR)$(COMPLETIONDIR)/nvx

uninstall: ## remove what install installed
	rm -f $(DESTDIR)$(SBINDIR)/nvx $(MAN_PAGES:docs/man/%=$(DESTDIR)$(MANDIR)/man8/%) \
		$(DESTDIR)$(COMPLETIONDIR)/nvx

.PHONY: install uninstall
