#!/usr/bin/env python3
"""Functions and struct members of user/ and tools/ that nobody uses: `unused.py BUILD`.

Functions: erlbpf is built in BUILD/unused with a section per function, and the linker says which it left out. Those that
unit tests call are used; of static ones the compiler warns. Members: their name occurs nowhere but in definitions and initialisers. Prints what it finds;
exits 1 if there is anything."""
import os
import re
import subprocess
import sys

from tags import c_files, tags

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
REMOVED = re.compile(r"removing unused section '\.text\.([a-z_]\w*)' in file '[^']*?((?:user|tools)/[^']*)\.o'")
# What others define: layouts of the VM and of the kernel, of which not every member is read.
LAYOUTS = ("user/d/btf/ext.h", "user/d/object/function_info.h", "user/load/kernel.c", "user/node/natives.c")
MEANT = re.compile(r"pad\d*|\w+_unused")


def left_out(own):
    """{(source without its ending, function)} that the linker removed"""
    binary = os.path.join(own, "erlbpf")
    if os.path.exists(binary):
        os.unlink(binary)
    done = subprocess.run(["make", "--no-print-directory", "-s", "-j2", "BUILD=" + own,
                           "CFLAGS=-O0 -ffunction-sections", "LDFLAGS=-Wl,--gc-sections -Wl,--print-gc-sections",
                           "all"], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(done.stdout)
    return {(path, name) for name, path in REMOVED.findall(done.stdout)}


def functions(build):
    defined = {(tag["path"][:-2], tag["name"]) for tag in tags(ROOT, "f", ("user", "tools")) if not tag.get("file")}
    tests = "\n".join(read(path) for path in c_files(ROOT, ("tests",)))
    for path, name in sorted(left_out(os.path.join(build, "unused")) & defined):
        if not re.search(r"\b%s\(" % name, tests):
            yield "%s.c: %s() is not used" % (path, name)


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def members():
    text = "\n".join(read(path) for path in c_files(ROOT))
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
    # Initialisers name a member, but nobody reads it for that.
    text = re.sub(r"([{,]\s*)\.\w+(?:\.\w+)*\s*=(?!=)", r"\1", text)
    used = set(re.findall(r"(?:\.|->)\s*(\w+)", text))
    used |= set(re.findall(r"offsetof\([^,()]*,\s*(\w+)", text))
    used |= set(re.findall(r"\b\w+\(\w+, (\w+)\)", text))  # handed to a macro
    for tag in tags(ROOT, "m", ("user", "tools", "bpf")):
        if tag["name"] not in used and tag["path"] not in LAYOUTS and not MEANT.fullmatch(tag["name"]):
            yield "%s:%d: nobody reads the member %s" % (tag["path"], tag["line"], tag["name"])


def main():
    wrong = list(functions(os.path.abspath(sys.argv[1]))) + list(members())
    for line in wrong:
        print("unused: " + line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
