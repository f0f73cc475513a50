#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""The layers: who may include whom, who may use which library, who may print."""
import os
import re

from tree import TOP, Tap, files, lines

# Layer -> layers of ours that its files may include, beside its own.
LAYERS = {
    "include": [],
    "kmod/core": ["include"],
    "kmod/compat": ["include"],
    "kmod/overlay": ["kmod/core", "kmod/compat", "include"],
    "bpf/engine": ["include"],
    "bpf": ["bpf/engine", "include"],
    "cli/util": [],
    "cli/model": ["cli/util", "include", "bpf/engine"],
    "cli/source": ["cli/model", "cli/util", "include", "bpf/engine", "build/bpf"],
    "cli/view": ["cli/model", "cli/util", "include"],
    "cli/serve": ["cli/util"],
    "cli/cmd": ["cli/model", "cli/util", "cli/source", "cli/view", "cli/serve", "include"],
}

# Header of a library -> where it may be included.
LIBRARIES = {
    r"bpf/.*": ["bpf", "cli/source"],
    r"trace-cmd/.*|traceevent/.*|event-parse\.h|tracefs\.h": ["cli/source"],
    r"jansson\.h": ["cli/view", "cli/source"],
    r"curses\.h|ncurses.*": ["cli/view"],
    r"microhttpd\.h": ["cli/serve"],
    r"argp\.h": ["cli/cmd"],
}

SEARCH = ["include", "cli", "bpf", ".", "kmod/core", "kmod/compat", "kmod/overlay"]


def layer(name):
    directory = os.path.dirname(name)
    return directory if directory in LAYERS else None


def resolve(name, quoted, target):
    """The file of ours that an #include means, or None: another project's."""
    if target.endswith(".skel.h"):
        return "build/bpf/" + os.path.basename(target)
    places = ([os.path.dirname(name)] if quoted else []) + SEARCH
    for place in places:
        path = os.path.normpath(os.path.join(place, target))
        if os.path.isfile(os.path.join(TOP, path)):
            return path
    return None


def includes(name):
    for number, line in enumerate(lines(name), 1):
        match = re.match(r'\s*#\s*include\s+(["<])([^">]+)[">]', line)
        if match:
            yield number, match[1] == '"', match[2]


def layer_faults(name, own):
    for number, quoted, target in includes(name):
        path = resolve(name, quoted, target)
        if path is None:
            for library, places in LIBRARIES.items():
                if re.fullmatch(library, target) and own not in places:
                    yield "%s:%d: %s is not for %s" % (name, number, target, own)
            continue
        other = os.path.dirname(path)
        if other != own and other not in LAYERS[own]:
            yield "%s:%d: %s may not include %s" % (name, number, own, path)


def without_comments(name):
    text = "\n".join(lines(name))
    text = re.sub(r"/\*.*?\*/", lambda m: re.sub(r"[^\n]", " ", m[0]), text, flags=re.S)
    text = re.sub(r"//[^\n]*", "", text)
    return re.sub(r'"(\\.|[^"\\\n])*"', '""', text).split("\n")


# Only view/ writes to standard output, only cmd/ ends the process.
RULES = [
    (re.compile(r"\b(printf|puts|putchar)\s*\(|^(?!.*\bfreopen\b).*\bstdout\b"), ["cli/view", "cli/cmd"], "prints"),
    (re.compile(r"(?<![\w.])(exit|abort)\s*\("), ["cli/cmd"], "ends the process"),
]


def behaviour_faults(name, own):
    for number, line in enumerate(without_comments(name), 1):
        for pattern, places, what in RULES:
            if pattern.search(line) and own not in places:
                yield "%s:%d: %s, which is not for %s" % (name, number, what, own)


tap = Tap()
by_layer = {}
for file in files():
    if file.endswith((".c", ".h")) and layer(file):
        by_layer.setdefault(layer(file), []).append(file)
for own, names in sorted(by_layer.items()):
    tap.ok("%s includes only what it may" % own,
           [fault for name in names for fault in layer_faults(name, own)])
    if own.startswith("cli/"):
        tap.ok("%s keeps to its part" % own,
               [fault for name in names for fault in behaviour_faults(name, own)])
tap.ok("every C file of cli, bpf and include has a layer",
       [name for name in files() if re.match(r"(cli|bpf|include)/.*\.[ch]$", name) and
        not layer(name)])
tap.done()
