# SPDX-License-Identifier: GPL-2.0-only
# make install DESTDIR=, PREFIX=: the command, its man pages, completion for bash, the unit of
# nvx export with its user, and what Prometheus and Grafana read.

PREFIX ?= /usr/local
SBINDIR ?= $(PREFIX)/sbin
MANDIR ?= $(PREFIX)/share/man
COMPLETIONDIR ?= $(PREFIX)/share/bash-completion/completions
UNITDIR ?= $(PREFIX)/lib/systemd/system
SYSUSERSDIR ?= $(PREFIX)/lib/sysusers.d
BOARDDIR ?= $(PREFIX)/share/nvx/dashboards
BOARDS := $(filter-out dashboards/systemd/%,$(wildcard dashboards/*/*))
UNITS := nvx-export.service nvx-export.socket
MAN_PAGES := $(wildcard docs/man/*.8)

install: $(B)/nvx ## install nvx, man pages, units, dashboards (DESTDIR=, PREFIX=/usr/local)
	install -D -m 755 $(B)/nvx $(DESTDIR)$(SBINDIR)/nvx
	install -d $(DESTDIR)$(MANDIR)/man8
	install -m 644 $(MAN_PAGES) $(DESTDIR)$(MANDIR)/man8
	install -D -m 644 completions/nvx.bash $(DESTDIR)$(COMPLETIONDIR)/nvx
	install -d $(DESTDIR)$(UNITDIR)
	for u in $(UNITS); do sed 's:/usr/local/sbin/nvx:$(SBINDIR)/nvx:' dashboards/systemd/$$u \
		>$(DESTDIR)$(UNITDIR)/$$u || exit 1; done
	install -D -m 644 dashboards/systemd/nvx.sysusers.conf $(DESTDIR)$(SYSUSERSDIR)/nvx.conf
	for b in $(BOARDS:dashboards/%=%); do \
		install -D -m 644 dashboards/$$b $(DESTDIR)$(BOARDDIR)/$$b || exit 1; done

uninstall: ## remove what install installed
	rm -f $(DESTDIR)$(SBINDIR)/nvx $(MAN_PAGES:docs/man/%=$(DESTDIR)$(MANDIR)/man8/%) \
		$(DESTDIR)$(COMPLETIONDIR)/nvx $(UNITS:%=$(DESTDIR)$(UNITDIR)/%) \
		$(DESTDIR)$(SYSUSERSDIR)/nvx.conf
	rm -rf $(DESTDIR)$(BOARDDIR)

.PHONY: install uninstall
