#!/usr/bin/env python3
"""Programs for the fuzzers of D to begin with, one per construct that nests or is long: d_seeds.py FOLDER."""
import os
import sys

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", folder) for folder in ("", "tools")]
import test_d_nesting as nesting	# noqa: E402

DEPTHS = (3, 40)

if len(sys.argv) != 2:
    sys.exit("usage: d_seeds.py FOLDER")
for group in (nesting.NESTED, nesting.LINKED, nesting.LONG):
    for name, program in group.items():
        for depth in DEPTHS:
            with open(os.path.join(sys.argv[1], "seed-%s-%d" % (name.replace(" ", "-"), depth)), "w") as file:
                file.write(program(depth))
