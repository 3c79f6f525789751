#!/usr/bin/env python3
"""Functions and struct members of user/, tools/ and bpf/ that nobody uses: `unused.py [--tree DIR]`.

A function that other files may call is used if its name occurs anywhere but where it is declared and defined; what only
tests call is not. Of static ones the compiler warns. A member is used if its name is read anywhere: not where it is
defined, nor where it is initialised. Prints what it finds; exits 1 if there is anything. tests/unused_check.py shows that
it finds what it should."""
import argparse
import collections
import os
import re
import sys

from tags import c_files, tags

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDERS = ("user", "tools", "bpf")
# What others define: layouts of the VM and of the kernel, of which not every member is read.
LAYOUTS = ("user/d/btf/ext.h", "user/d/object/function_info.h", "user/load/kernel/kernel.c", "user/node/code/natives.c")
# What tests look at and no command shows.
FOR_TESTS = ("operand_format", "prototype_row", "image_open", "privileges_role_name")
OF_NO_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)
MEANT = re.compile(r"pad\d*|\w+_unused")


def read(tree, path):
    with open(os.path.join(tree, path), encoding="utf-8", errors="replace") as file:
        return OF_NO_CODE.sub("", file.read())


def functions(tree):
    defined = {tag["name"]: tag for tag in tags(tree, "f", ("user", "tools")) if not tag.get("file")}
    said = collections.Counter(tag["name"] for tag in tags(tree, "fp", FOLDERS + ("probes",)))
    text = "\n".join(read(tree, path) for path in c_files(tree, FOLDERS + ("probes",)))
    there = collections.Counter(re.findall(r"(?<![.>])\b[a-z_]\w*", text))
    for name, tag in sorted(defined.items()):
        if name not in ("main",) + FOR_TESTS and there[name] <= said[name]:
            yield "%s:%d: %s() is not used" % (tag["path"], tag["line"], name)


def members(tree):
    text = "\n".join(read(tree, path) for path in c_files(tree))
    # Initialisers name a member, but nobody reads it for that.
    text = re.sub(r"([{,]\s*)\.\w+(?:\.\w+)*\s*=(?!=)", r"\1", text)
    used = set(re.findall(r"(?:\.|->)\s*(\w+)", text))
    used |= set(re.findall(r"offsetof\([^,()]*,\s*(\w+)", text))
    used |= set(re.findall(r"\b\w+\(\w+, (\w+)\)", text))  # handed to a macro
    for tag in tags(tree, "m", FOLDERS):
        if tag["name"] not in used and tag["path"] not in LAYOUTS and not MEANT.fullmatch(tag["name"]):
            yield "%s:%d: nobody reads the member %s" % (tag["path"], tag["line"], tag["name"])


def unused(tree):
    return list(functions(tree)) + list(members(tree))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--tree", default=ROOT)
    found = unused(parser.parse_args().tree)
    for line in found:
        print("unused: " + line, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
