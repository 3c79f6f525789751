#!/usr/bin/env python3
"""Is what comparison names in a stripped BEAM what it is called? `same_code.py STRIPPED REFERENCE`, where the reference is a build
of about the same source by the same compiler with the same options, and has its symbols: of each function that probes need, are
the instructions those that the reference has under that name? Addresses and large numbers are left out. Ends with 1 unless they
are, or nearly are, for all of them."""
import bisect
import difflib
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "tools")]

import test_match  # noqa: E402

NEARLY = 0.95
LINE = re.compile(r"\s+([0-9a-f]+):\s+([^#<]*)")
ADDRESS = re.compile(r"-?0x[0-9a-f]+(?=\(%rip\))|\b(?:0x)?[0-9a-f]{5,}\b")


class Code:
    def __init__(self, path):
        out = subprocess.run(["objdump", "-dw", "--no-show-raw-insn", "-j", ".text", path], stdout=subprocess.PIPE, check=True, text=True)
        lines = filter(None, map(LINE.match, out.stdout.splitlines()))
        self.lines = [(int(line.group(1), 16), ADDRESS.sub("N", " ".join(line.group(2).split()))) for line in lines]

    def between(self, begin, end):
        return [text for _, text in self.lines[bisect.bisect_left(self.lines, (begin,)):bisect.bisect_left(self.lines, (end,))]]

    def following(self, begin, count):
        first = bisect.bisect_left(self.lines, (begin,))
        return [text for _, text in self.lines[first:first + count]]


def symbols(path):
    """{name: (begin, end)}"""
    out = subprocess.run(["nm", "-S", path], stdout=subprocess.PIPE, check=True, text=True).stdout
    rows = [line.split() for line in out.splitlines()]
    return {row[3]: (int(row[0], 16), int(row[0], 16) + int(row[1], 16)) for row in rows if len(row) == 4 and row[2] in "tTwW"}


def main():
    stripped, reference = sys.argv[1:]
    found, _ = test_match.names_of(stripped)
    known, code, theirs = symbols(reference), Code(stripped), Code(reference)
    same, worst = 0, 1
    names = sorted(test_match.needed() & set(found) & set(known))
    for name in names:
        wanted = theirs.between(*known[name])
        there = code.following(found[name], len(wanted))
        alike = 1 if wanted == there else difflib.SequenceMatcher(None, wanted, there, autojunk=False).ratio()
        same, worst = same + (alike == 1), min(worst, alike)
        if alike < 1:
            print("%-40s %5.1f %% of %d instructions" % (name, 100 * alike, len(wanted)))
    print("%d functions, %d with the same code" % (len(names), same))
    return 1 if not names or worst < NEARLY else 0


if __name__ == "__main__":
    sys.exit(main())
