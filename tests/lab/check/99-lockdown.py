#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Under kernel lockdown (confidentiality) nvx stat says in one line that it cannot work."""
import sys

from tap import Boot, Tap


def main():
    tap = Tap()
    boot = Boot(sys.argv[1])
    job = boot.job(tap, "99-lockdown")
    if job:
        tap.ok("[none]" in (job.text("before") or ""), "there is no lockdown at first",
               job.text("before"))
        tap.ok(job.json("before.json"), "nvx stat works at first")
        err = job.lines("err")
        tap.equal((job.text("stat.rc"), job.text("out")), ("1\n", ""), "then its exit code is 1")
        tap.ok(len(err) == 1 and "lockdown" in err[0], "and one line says why", "\n".join(err))
        probe = job.json("probe.json") or {"rows": []}
        row = {row["id"]: row for row in probe["rows"]}.get("lockdown", {})
        tap.ok(row.get("consequence"), "nvx probe names the consequence", row)
        tap.equal(probe.get("tier"), "none", "nvx probe offers no source")
    tap.done()


if __name__ == "__main__":
    main()
