#!/usr/bin/env python3
"""Holds the tree against the table of rooms in docs/architecture.md: `arrows.py [--tree DIR] [--objects BUILD]`.

Every #include of user/ and tools/ must be allowed by the table. A room may use only rooms that stand above it
there, so there is no circle of rooms, and every room of the table is there. With --objects, the same is shown of what
was built: who calls whom. There is no circle of files either, neither of headers nor of calls, but in the rooms whose
row says `recursive`. tests/arrows_check.py shows that it finds what it should. Prints what is wrong; exits 1 if anything is."""
import argparse
import glob
import os
import re
import subprocess
import sys

ROW = re.compile(r"^\| `([^`]+)` \|(.*?)\|", re.M)
INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)
LIBBPF = re.compile(r"^#include <bpf/", re.M)


class Table:
    def __init__(self, page):
        section = page.split("<!-- rooms -->")[1].split("<!-- end of rooms -->")[0]
        self.rooms, self.wrong = {}, []
        for room, cell in ROW.findall(section):
            allowed = re.findall(r"`([^`]+)`", cell)
            allowed = [name for other in allowed for name in (self.below(other) if other.endswith("/*") else [other])]
            for other in allowed:
                if "." not in other and other not in self.rooms:
                    self.wrong.append("docs/architecture.md: %s may use %s, which does not stand above it" % (room, other))
            self.rooms[room] = set(allowed) | {room}
        self.recursive = {room for room, cell in ROW.findall(section) if "recursive" in cell}
        self.libbpf = {room for room, cell in ROW.findall(section) if "libbpf" in cell}

    def below(self, pattern):
        """`node/*`: the rows so far whose room is in node/. One that is not there is wrong, as any name would be."""
        return [room for room in self.rooms if room.startswith(pattern[:-1])] or [pattern]


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def room_of(path):
    """user/d/lang/ast.c is in d/lang, tools/gc.c in tools, user/main.c in user."""
    folder = os.path.dirname(path)
    return folder[len("user/"):] if folder.startswith("user/") else folder


def sources(tree):
    names = ["user/**/*.c", "user/**/*.h", "tools/*.c"]
    return sorted(path for name in names for path in glob.glob(name, root_dir=tree, recursive=True))


def is_own(header, path):
    """Generated of what belongs to the file's own room: the table says which rooms may have these."""
    return header == os.path.basename(path)[:-2] + ".skel.h"


def included(tree, path, header, allowed):
    """What is wrong with that #include; None."""
    if os.path.exists(os.path.join(tree, "bpf", header)) or header.endswith((".inc", ".def")) or is_own(header, path):
        return None
    wanted = os.path.dirname(header) or header
    if wanted in allowed or any(name.startswith("*") and header.endswith(name[1:]) for name in allowed):
        return None
    return "%s includes %s" % (path, header)


def check_includes(tree, table):
    for path in sources(tree):
        room, text = room_of(path), read(os.path.join(tree, path))
        if room not in table.rooms:
            yield "%s is in no room of docs/architecture.md" % path
            continue
        for header in INCLUDE.findall(text):
            wrong = included(tree, path, header, table.rooms[room])
            if wrong:
                yield wrong
        if LIBBPF.search(text) and room not in table.libbpf:
            yield "%s includes libbpf" % path


def check_include_circles(tree, table):
    """Headers that include one another, but where a `recursive` room does."""
    there = set(sources(tree))
    graph = {path: {"user/" + header for header in INCLUDE.findall(read(os.path.join(tree, path)))} & there - {path}
             for path in there}
    yield from circles_of_files(graph, table)


def circles_of_files(graph, table):
    for circle in circles(graph):
        if not {room_of(file) for file in circle} <= table.recursive:
            yield "a circle of files: " + " ".join(sorted(circle))


def check_rooms(tree, table):
    """Every row is of a room that is there."""
    there = {room_of(path) for path in sources(tree)}
    for room in table.rooms:
        if room not in there:
            yield "docs/architecture.md: there is no room %s" % room


def symbols(objects):
    """({symbol: object that defines it}, {object: symbols that it wants})"""
    defined, wanted = {}, {}
    text = subprocess.run(["nm", "-A"] + objects, capture_output=True, text=True, check=True).stdout
    for path, kind, name in re.findall(r"^(\S+?):\S*\s+([A-Za-z]) (\S+)$", text, re.M):
        if kind == "U":
            wanted.setdefault(path, set()).add(name)
        elif kind in "TDBRVW":
            defined[name] = path
    return defined, wanted


def calls(tree, build):
    """{file: {file that it calls: one name}}, as paths of sources without their endings"""
    objects = [os.path.join(build, path[:-2] + ".o") for path in sources(tree) if path.endswith(".c")]
    objects = [path for path in objects if os.path.exists(path)]
    defined, wanted = symbols(objects)
    graph = {}
    for path in objects:
        file = os.path.relpath(path, build)[:-2]
        graph[file] = {os.path.relpath(defined[name], build)[:-2]: name
                       for name in wanted.get(path, ()) if name in defined and defined[name] != path}
    return graph


def circles(graph):
    """Sets of nodes that reach one another (Tarjan)."""
    number, low, stack, found = {}, {}, [], []

    def visit(node):
        number[node] = low[node] = len(number)
        stack.append(node)
        for other in graph.get(node, ()):
            if other not in number:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], number[other])
        if low[node] == number[node]:
            at = stack.index(node)
            if len(stack) - at > 1:
                found.append(set(stack[at:]))
            del stack[at:]

    for node in graph:
        if node not in number:
            visit(node)
    return found


def check_calls(tree, build, table):
    graph = calls(tree, build)
    if not graph:
        yield "%s has no objects: build first" % build
    for file, others in graph.items():
        allowed = table.rooms.get(room_of(file), set()) | {"user", "tools"}
        for other, name in others.items():
            if room_of(other) not in allowed and not (room_of(other) == "run" and "tool.h" in allowed):
                yield "%s calls %s() of %s" % (file, name, other)
    yield from circles_of_files(graph, table)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tree", default=os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    parser.add_argument("--objects", metavar="BUILD")
    options = parser.parse_args()
    sys.setrecursionlimit(10000)
    table = Table(read(os.path.join(options.tree, "docs", "architecture.md")))
    wrong = table.wrong + list(check_rooms(options.tree, table)) + list(check_includes(options.tree, table))
    wrong += check_include_circles(options.tree, table)
    if options.objects:
        wrong += check_calls(options.tree, options.objects, table)
    for line in wrong:
        print("arrows: " + line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
