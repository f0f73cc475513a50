#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""xapic_ipi_test's own count of its IPIs equals the ledger's."""
import re
import sys

import nvxstat
from tap import Boot, Tap


def number(text, pattern):
    found = re.search(pattern, text or "")
    return int(found.group(1)) if found else None


def main():
    tap = Tap()
    boot = Boot(sys.argv[1])
    job = boot.job(tap, "51-xapic-ipi-test")
    stat = job and nvxstat.load(tap, job, "stat.json")
    if stat:
        said = job.text("said")
        sent = number(said, r"sent (\d+) IPIs")
        received = number(said, r"received (\d+) IPIs")
        if not tap.ok(sent and sent > 10, "the test says how many IPIs it sent", said):
            tap.done()
        rows = stat.data["ipis"]["ipis"]
        tap.equal([(row["level"], row["path"], row["to"]) for row in rows],
                  [("1", "xapic_icr", "one")], "they are unicast, by the xAPIC page")
        # The test ends its vCPU at any instruction: after an ICR write and before the count of
        # it, or after an ICR2 write, whose ICR never comes.
        tap.between(rows[0]["count"], sent, sent + 1, "the ledger's count is the test's, %d" % sent)
        tap.between(rows[0]["count"], received or 0, (received or 0) + 1,
                    "... and what the halting vCPU received, %s" % received)
        tap.note("sent %s, received %s, in the ledger %s" % (sent, received, rows[0]["count"]))
        tap.equal((rows[0]["exits"], rows[0]["destinations"], rows[0]["unknown_destinations"]),
                  (2 * rows[0]["count"], rows[0]["count"], 0),
                  "each took two exits and has one destination")
        nvxstat.no_drops(tap, stat, "stat.json")
    tap.done()


if __name__ == "__main__":
    main()
