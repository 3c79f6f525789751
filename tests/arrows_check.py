#!/usr/bin/env python3
"""Does tests/arrows.py find what it is for? Into copies of the tree one bad thing is put each: an include that the table
forbids, headers that include one another, rooms that use one another, calls that the table forbids or that go in a
circle. Each must be found, and the copy as it is must be clean."""
import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
PAGE = "docs/architecture.md"


def copy_tree(to):
    for folder in ("user", "tools", "bpf"):
        shutil.copytree(os.path.join(ROOT, folder), os.path.join(to, folder))
    os.makedirs(os.path.join(to, "docs"))
    shutil.copy(os.path.join(ROOT, PAGE), os.path.join(to, PAGE))


def arrows(tree, *more):
    done = subprocess.run([os.path.join(HERE, "arrows.py"), "--tree", tree, *more], capture_output=True, text=True)
    return done.returncode, done.stderr


def write(tree, path, text):
    """A file of its own: what is there is a link to that of the clean copy."""
    os.makedirs(os.path.dirname(os.path.join(tree, path)), exist_ok=True)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(os.path.join(tree, path))
    with open(os.path.join(tree, path), "w", encoding="utf-8") as file:
        file.write(text)


def change_rooms(tree, old, new):
    """In the copy's table of rooms."""
    with open(os.path.join(tree, PAGE), encoding="utf-8") as file:
        page = file.read()
    changed = re.sub(old, new, page, count=1, flags=re.M)
    assert changed != page, "the table has no row like %s" % old
    write(tree, PAGE, changed)


def upward(tree):
    write(tree, "user/base/bad.c", '#include "cli/commands.h"\n')


def libbpf(tree):
    write(tree, "user/base/bad.c", "#include <bpf/libbpf.h>\n")


def skeleton_of_another(tree):
    write(tree, "tools/bad.c", '#include "gc.skel.h"\n')


def headers_in_a_circle(tree):
    write(tree, "user/base/one.h", '#include "base/two.h"\n')
    write(tree, "user/base/two.h", '#include "base/one.h"\n')


def longer_circle(tree):
    for name, other in (("one", "two"), ("two", "three"), ("three", "one")):
        write(tree, "user/base/%s.h" % name, '#include "base/%s.h"\n' % other)


def rooms_in_a_circle(tree):
    change_rooms(tree, r"^\| `base` \| \|$", "| `base` | `target` |")


def room_without_row(tree):
    write(tree, "user/cellar/wine.c", "")


def row_without_room(tree):
    change_rooms(tree, r"^\| `base` \| \|$", "| `base` | |\n| `cellar` | |")


INCLUDES = [
    (upward, "user/base/bad.c includes cli/commands.h"),
    (libbpf, "user/base/bad.c includes libbpf"),
    (skeleton_of_another, "tools/bad.c includes gc.skel.h"),
    (headers_in_a_circle, "a circle of files: user/base/one.h user/base/two.h"),
    (longer_circle, "a circle of files: user/base/one.h user/base/three.h user/base/two.h"),
    (rooms_in_a_circle, "base may use target, which does not stand above it"),
    (room_without_row, "user/cellar/wine.c is in no room"),
    (row_without_room, "there is no room cellar"),
]

SMALL_TABLE = "<!-- rooms -->\n| `low` | |\n| `high` | `low` |\n<!-- end of rooms -->\n"
CALLS = [
    ({"low/a": "int a(void) { return 0; }", "high/b": "int a(void); int b(void) { return a(); }"}, ""),
    ({"low/a": "int b(void); int a(void) { return b(); }", "high/b": "int b(void) { return 0; }"},
     "user/low/a calls b() of user/high/b"),
    ({"low/a": "int b(int n); int a(int n) { return b(n); }", "low/b": "int a(int n); int b(int n) { return a(n); }",
      "high/c": ""}, "a circle of files: user/low/a user/low/b"),
]


def check_includes():
    with tempfile.TemporaryDirectory() as clean:
        copy_tree(clean)
        code, text = arrows(clean)
        if code:
            yield "the tree as it is: " + text
        for spoil, wanted in INCLUDES:
            with tempfile.TemporaryDirectory() as tree:
                shutil.copytree(clean, tree, copy_function=os.link, dirs_exist_ok=True)
                spoil(tree)
                code, text = arrows(tree)
            if code != 1 or wanted not in text:
                yield "%s: %d, %s" % (spoil.__name__, code, text)


def check_calls():
    for files, wanted in CALLS:
        with tempfile.TemporaryDirectory() as tree:
            write(tree, PAGE, SMALL_TABLE)
            for name, text in files.items():
                write(tree, "user/%s.c" % name, text)
                os.makedirs(os.path.join(tree, "build/user", os.path.dirname(name)), exist_ok=True)
                subprocess.run(["cc", "-O0", "-c", "user/%s.c" % name, "-o", "build/user/%s.o" % name], cwd=tree,
                               check=True)
            code, text = arrows(tree, "--objects", os.path.join(tree, "build"))
        if code != bool(wanted) or wanted not in text:
            yield "%s: %d, %s" % (sorted(files), code, text)


def main():
    wrong = list(check_includes()) + list(check_calls())
    for line in wrong:
        print("arrows_check: " + line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
