#!/usr/bin/env python3
"""Holds the C of user/, tools/ and bpf/ to its sizes: `sizes.py [--tree DIR] [--list]`. No file is longer than 800 lines,
no function longer than 60, 95 % of them are at most 25, and none has more than 6 parameters. --list prints the longest.
Prints what is too large; exits 1 if anything is. tests/sizes_check.py shows that it finds what it should."""
import argparse
import os
import re
import sys

from tags import c_files, tags

FOLDERS = ("user", "tools", "bpf")
FILE_LINES, FUNCTION_LINES, P95_LINES, PARAMETERS = 800, 60, 25, 6

# Callbacks whose parameters a library fixes.
FIXED = {
    ("user/serve/http/http.c", "on_request"): "MHD_AccessHandlerCallback of libmicrohttpd",
}


def parameters(signature):
    """How many: commas that are not within parentheses."""
    inner = signature.strip()[1:-1]
    while True:
        shorter = re.sub(r"\([^()]*\)", "", inner)
        if shorter == inner:
            break
        inner = shorter
    return 0 if inner.strip() in ("", "void") else inner.count(",") + 1


def functions(root):
    """(lines, parameters, file, line, name) of each."""
    return sorted(((tag["end"] - tag["line"] + 1, parameters(tag.get("signature", "()")), tag["path"], tag["line"], tag["name"])
                   for tag in tags(root, "f", FOLDERS) if "end" in tag), reverse=True)


def lengths(root):
    for path in c_files(root, FOLDERS):
        with open(os.path.join(root, path), "rb") as file:
            yield path, sum(1 for _ in file)


def check(root, found):
    for path, lines in lengths(root):
        if lines > FILE_LINES:
            yield "%s: %d lines, more than %d" % (path, lines, FILE_LINES)
    for lines, count, path, line, name in found:
        if lines > FUNCTION_LINES:
            yield "%s:%d: %s() has %d lines, more than %d" % (path, line, name, lines, FUNCTION_LINES)
        if count > PARAMETERS and (path, name) not in FIXED:
            yield "%s:%d: %s() has %d parameters, more than %d" % (path, line, name, count, PARAMETERS)
    if p95(found) > P95_LINES:
        yield "95 %% of the functions have up to %d lines, more than %d" % (p95(found), P95_LINES)


def p95(found):
    """The length that 95 of 100 functions do not exceed."""
    return found[len(found) * 5 // 100][0] if found else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tree", default=os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    found = functions(options.tree)
    if options.list:
        for lines, count, path, line, name in found[:len(found) * 7 // 100]:
            print("%4d lines, %d parameters  %s:%d %s()" % (lines, count, path, line, name))
        print("%d functions, p95 %d lines" % (len(found), p95(found)))
    wrong = list(check(options.tree, found))
    for line in wrong:
        print("sizes: " + line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
