#!/usr/bin/env python3
"""Does tests/sizes.py find what is too large? Files, functions and lists of parameters at the limit must pass, those one
beyond it must be reported."""
import os
import sys
import tempfile

import sizes

NAMES = "int one, int two, int three, int four, int (*five)(int, int), int six"


def body(name, lines, parameters="void"):
    return "static int %s(%s)\n{\n%s}\n" % (name, parameters, "\tvoid;\n" * (lines - 3))


CASES = [
    ("a file of 800 lines", "/* */\n" * 800, None),
    ("a file of 801 lines", "/* */\n" * 801, "801 lines"),
    ("a function of 60 lines among short ones", body("long_one", 60) + "".join(body("f%d" % i, 4) for i in range(40)), None),
    ("a function of 61 lines among short ones", body("long_one", 61) + "".join(body("f%d" % i, 4) for i in range(40)),
     "long_one() has 61 lines"),
    ("six parameters", body("many", 4, NAMES), None),
    ("seven parameters", body("many", 4, NAMES + ", int seven"), "many() has 7 parameters"),
    ("functions of 26 lines", body("f", 26) + body("g", 26), "95 % of the functions have up to 26 lines"),
]


def main():
    wrong = []
    for name, text, wanted in CASES:
        with tempfile.TemporaryDirectory() as tree:
            os.mkdir(os.path.join(tree, "user"))
            with open(os.path.join(tree, "user", "a.c"), "w", encoding="utf-8") as file:
                file.write(text)
            found = list(sizes.check(tree, sizes.functions(tree)))
        if (len(found) != 1 or wanted not in found[0]) if wanted else found:
            wrong.append("%s: %s" % (name, found))
    for line in wrong:
        print("sizes_check: " + line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
