#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The page of nvx report: whole in itself, its numbers right, and drawn by a real browser."""
import html.parser
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import zlib

NVX = os.environ.get("NVX", "build/nvx")
SERIES = "tests/fixtures/series.nvx"
VOID = {"meta", "line", "rect", "polyline", "br"}
# HTML lets these end by what follows
OPEN_ENDED = {"tr", "td", "th", "p", "tbody"}
count = failed = 0


def ok(condition, name, why=""):
    global count, failed
    count += 1
    failed += not condition
    print("%sok %d - %s" % ("" if condition else "not ", count, name))
    for line in str(why).splitlines() if not condition else []:
        print("# " + line)


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.stack, self.wrong, self.tags, self.titles, self.links = [], [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        self.links += [value for name, value in attrs if name in ("src", "href")]
        if tag not in VOID and tag not in OPEN_ENDED:
            self.stack.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if tag in OPEN_ENDED:
            return
        if not self.stack or self.stack.pop() != tag:
            self.wrong.append("%s at %s" % (tag, self.getpos()))

    def handle_data(self, data):
        if self.stack and self.stack[-1] == "title":
            self.titles.append(data)


def nvx(*args):
    return subprocess.run([NVX, "report"] + list(args), check=True, stdout=subprocess.PIPE,
                          encoding="utf-8").stdout


def number(text):
    return int(text.replace(",", ""))


def flame(text):
    """Widths and counts of the frames by their row, and the count of all."""
    drawing = re.search(r'aria-label="flame graph of chains">(.*?)</svg>', text, re.S).group(1)
    frames = re.findall(r'<title>([^:]+): ([\d,]+) exits[^<]*</title><rect x="([\d.]+)" '
                        r'y="([\d.]+)" width="([\d.]+)"', drawing)
    rows = {}
    for name, exits, x, y, width in frames:
        rows.setdefault(float(y), []).append((name, number(exits), float(x), float(width)))
    return rows


def check_page(text):
    page = Page()
    page.feed(text)
    ok(not page.wrong and not page.stack, "its elements are closed", page.wrong + page.stack)
    ok(not page.links and "url(" not in text and "@import" not in text, "it fetches nothing",
       page.links)
    names = {tag for tag, _ in page.tags}
    ok("script" not in names and not any(name.startswith("on") for _, attrs in page.tags
                                         for name in attrs), "it has no scripts")
    return page


def check_flame(text, exits):
    rows = flame(text)
    everything, bottom, top = rows[60.0], rows[30.0], rows[0.0]
    ok([frame[1] for frame in everything] == [exits], "the flame graph's base is all exits",
       everything)
    ok(sum(frame[1] for frame in bottom) == exits, "the frames on it add up to all exits",
       (sum(frame[1] for frame in bottom), exits))
    ok(abs(sum(frame[3] for frame in bottom) - 1000) < 1, "and are as wide as it is")
    ok(len(top) > 10 and all(any(b[2] - 0.02 <= x and x + width <= b[2] + b[3] + 0.02
                                 for b in bottom if b[0].startswith("L2"))
                             for _, _, x, width in top), "L1 exits of chains stand on exits of L2")


def pixels(path):
    """Width, height and how many colours of a PNG (8 bits, RGB or RGBA)."""
    with open(path, "rb") as file:
        data = file.read()
    at, body = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, height, _, color = struct.unpack(">IIBB", data[at + 8:at + 18])
        if kind == b"IDAT":
            body += data[at + 8:at + 8 + size]
        at += size + 12
    raw = zlib.decompress(body)
    step = 4 if color == 6 else 3
    # rows are filtered, so this tells blank from drawn rows, not colours
    line = width * step + 1
    return width, height, sum(len(set(raw[i:i + line])) > 3 for i in range(0, len(raw), line))


def browser(path, *args):
    return subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu",
                           "--disable-dev-shm-usage", "--hide-scrollbars",
                           "--window-size=1100,2200"] + list(args) + ["file://" + path],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=120,
                          encoding="utf-8", errors="replace", check=False)


def check_browser(directory, path, text):
    dom = browser(path, "--user-data-dir=" + directory + "/profile", "--dump-dom").stdout
    ok(dom.count("<rect") == text.count("<rect") and dom.count("<polyline") == 2,
       "Chromium has each shape of the page", (dom.count("<rect"), text.count("<rect")))
    shot = os.path.join(directory, "page.png")
    browser(path, "--user-data-dir=" + directory + "/profile", "--screenshot=" + shot)
    if not os.path.exists(shot):
        ok(False, "Chromium takes a picture of it")
        return
    width, height, drawn = pixels(shot)
    ok((width, height) == (1100, 2200) and drawn > 700, "and draws it", (width, height, drawn))


def main():
    total = json.loads(nvx("--json", SERIES))["totals"]
    exits = sum(vm["l1_exits"] + vm["l2_exits"] + vm["unknown_exits"] for vm in total)
    text = nvx("--html", SERIES)
    check_page(text)
    check_flame(text, exits)
    for title in ("Where the vCPUs' time goes", "Exits by level and reason", "Chains",
                  "Time from an exit to the next entry", "Timeline"):
        ok("<h2>%s</h2>" % title in text, "it has: " + title)
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "page.html")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        check_browser(directory, path, text)
    both = nvx("--html", SERIES, SERIES)
    check_page(both)
    ok("<h2>What differs</h2>" in both and both.count("<h3>After</h3>") == 5,
       "two sessions are before and after")
    print("1..%d" % count)
    sys.exit(1 if failed else 0)


main()
