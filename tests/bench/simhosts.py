#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""simhosts.py TEXT HOSTS: one process that speaks for many hosts of nvx export.

TEXT is an exposition; each host N serves it at /host/N with its counters and histograms growing:
each second by about a tenth of what they are in the text.  Prints its port.
"""
import http.server
import sys
import time


class Text:
    """Pieces of text with the growing numbers between them."""

    def __init__(self, text):
        self.pieces, self.numbers, growing, piece = [], [], False, []
        for line in text.splitlines():
            if line.startswith("# TYPE"):
                growing = line.rsplit(" ", 1)[1] in ("counter", "histogram")
            name, _, value = line.rpartition(" ")
            if line.startswith("#") or not growing or "_created" in name:
                piece.append(line + "\n")
                continue
            piece.append(name + " ")
            self.pieces.append("".join(piece))
            self.numbers.append((float(value), "." in value))
            piece = ["\n"]
        self.end = "".join(piece)

    def at(self, factor):
        out = []
        for piece, (number, fraction) in zip(self.pieces, self.numbers):
            out.append(piece)
            out.append("%.9f" % (number * factor) if fraction else "%d" % (number * factor))
        out.append(self.end)
        return "".join(out)


def serve(text, hosts, port=0):
    """A server, started; hosts differ by up to a third."""
    start = time.time() - 1

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            number = self.path.rpartition("/")[2]
            if not number.isdigit() or int(number) >= hosts:
                self.send_error(404)
                return
            page = text.at((time.time() - start) * (90 + int(number) % 31) / 1000).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
            self.send_header("Content-Length", str(len(page)))
            self.end_headers()
            self.wfile.write(page)

        def log_message(self, *args):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
    server.daemon_threads = True
    return server


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        server = serve(Text(file.read()), int(sys.argv[2]))
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
