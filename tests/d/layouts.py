#!/usr/bin/env python3
"""Random structs, and what is done with them, beside what C makes of the same.

`layouts.py [--build DIR] [--count N] [--seed N] [--keep]`. Structs and unions of numbers, bit-fields, arrays, strings
and one another lie in variables of each sort, in elements, and in memory of alloca(). They are assigned to, whole and in
part, with constant and variable indexes. All arithmetic is of 64 bits, as DTrace has it. A string is an array of strsize
characters, which need no end. A program is a function in C; --keep leaves those that differ in /tmp.
"""
import collections
import os
import random
import re
import subprocess
import sys
import tempfile

import random_run

LIMIT = 60
STRSIZE = 7  # an odd one, so that what is behind a string has to be aligned
WIDTHS = {"int8_t": 8, "uint8_t": 8, "int16_t": 16, "uint16_t": 16, "int32_t": 32, "uint32_t": 32, "int64_t": 64,
          "uint64_t": 64}
TEXTS = ["", "a", "xyz", "1234567", "123456789"]
NUMBERS = [0, 1, -1, 127, 128, 255, -128, 65535, 32768, 2 ** 31 - 1, -2 ** 31, 2 ** 32 - 1]

C_HEAD = """#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
static void set(char *to, const char *from, const char *more)
{
	char text[32] = "";
	strncpy(text, from, %(size)d);
	strcat(text, more);
	memset(to, 0, %(size)d);
	memcpy(to, text, strnlen(text, %(size)d));
}
""" % {"size": STRSIZE}

Member = collections.namedtuple("Member", "name kind type counts bits")
Struct = collections.namedtuple("Struct", "keyword tag members")


# --- Types ----------------------------------------------------------------------------------------

def member(pick, name, inner, is_union):
    kind = pick.choice(["number", "number", "string", "bits", "struct"])
    counts = [pick.randint(1, 3) for _ in range(pick.choice([0, 0, 1, 2]))]
    if kind == "struct" and inner:
        return Member(name, kind, pick.choice(inner), counts[:1], 0)
    if kind == "bits" and not is_union:
        base = pick.choice(sorted(WIDTHS))
        return Member(name, kind, base, [], pick.randint(1, WIDTHS[base]))
    if kind == "string":
        return Member(name, kind, None, counts[:1], 0)
    return Member(name, "number", pick.choice(sorted(WIDTHS)), counts, 0)


def struct(pick, tag, inner):
    keyword = pick.choice(["struct"] * 4 + ["union"])
    return Struct(keyword, tag, [member(pick, "%s_%s" % (name, tag), inner, keyword == "union")
                                 for name in "abcde"[:pick.randint(1, 5)]])


def declared(of, in_c):
    text = ""
    for m in of.members:
        kind = "%s %s" % m.type[:2] if m.kind == "struct" else m.type
        kind = kind or ("char" if in_c else "string")
        counts = m.counts + ([STRSIZE] if in_c and m.kind == "string" else [])
        text += " %s %s%s%s;" % (kind, m.name, "".join("[%d]" % count for count in counts), ":%d" % m.bits if m.bits else "")
    return "%s %s {%s };\n" % (of.keyword, of.tag, text)


def leaves(of, index):
    """(where it is, whether it is a string) of all that has no members; index(count): those that are looked at."""
    for m in of.members:
        places = [m.name]
        for count in m.counts:
            places = ["%s[%s]" % (place, i) for place in places for i in index(count)]
        for place in places:
            if m.kind != "struct":
                yield place, m.kind == "string"
                continue
            for inner, is_string in leaves(m.type, index):
                yield "%s.%s" % (place, inner), is_string


# --- Programs -------------------------------------------------------------------------------------

class Program:
    """The same in D and in C, whose variables have other names: see c_text()."""

    def __init__(self, pick, number):
        self.pick, self.number, self.lines = pick, number, []
        self.structs = []
        for i in range(pick.randint(1, 3)):
            self.structs.append(struct(pick, "t%d_%d" % (number, i), self.structs[:]))
        self.top = self.structs[-1]
        self.type = "%s %s" % self.top[:2]
        for _ in range(pick.randint(4, 12)):
            pick.choice([self.number_line, self.number_line, self.step_line, self.string_line, self.copy_line])()

    def index(self, count):
        i = self.pick.randrange(count)
        return [self.pick.choice([str(i), "v%d" % i])]

    def whole(self):
        return self.pick.choice(["g", "h", "ga[%s]" % self.index(3)[0], "this->l", "self->s", "m[%s]" % self.index(3)[0],
                                 "p[%s]" % self.index(2)[0], "(*(p + 1))", "(*p)"])

    def leaf(self, wants_string):
        found = [place for place, is_string in leaves(self.top, self.index) if is_string == wants_string]
        return "%s.%s" % (self.whole(), self.pick.choice(found)) if found else None

    def expression(self, depth=0):
        leaf = self.leaf(False)
        if depth > 1 or self.pick.random() < 0.4:
            number = self.pick.choice(NUMBERS + [self.pick.randint(-2 ** 62, 2 ** 62)])
            return "((int64_t)%s)" % leaf if leaf and self.pick.random() < 0.6 else "((int64_t)%dLL)" % number
        return "(%s %s %s)" % (self.expression(depth + 1), self.pick.choice("+-*&|^"), self.expression(depth + 1))

    def number_line(self):
        to = self.leaf(False)
        if to:
            self.lines.append("%s %s %s;" % (to, self.pick.choice(["=", "=", "+=", "-=", "*=", "&=", "|=", "^="]),
                                             self.expression()))

    def step_line(self):
        to = self.leaf(False)
        if to:
            how = self.pick.choice(["%s++", "%s--", "++%s", "--%s", "%s <<= 3", "%s >>= 2"]) % to
            self.lines.append("%s; sum_ = sum_ * 31 + (int64_t)%s;" % (how, to))

    def string_line(self):
        to, a, text = self.leaf(True), self.leaf(True), self.pick.choice(TEXTS)
        if to:
            self.lines.append(self.pick.choice(['SET(%s, "", "%s");' % (to, text), 'SET(%s, %s, "%s");' % (to, a, text)]))

    def copy_line(self):
        to, source = self.whole(), self.whole()
        if to != source:
            self.lines.append("%s = %s;" % (to, source))

    def shown(self):
        for whole in ("g", "h", "ga[0]", "ga[2]", "this->l", "self->s", "m[0]", "m[2]", "(*p)", "p[1]"):
            for place, is_string in list(leaves(self.top, range))[:6]:
                yield "%s.%s" % (whole, place), is_string

    def printed(self, string, number):
        rows = [(string if is_string else number) % place for place, is_string in self.shown()]
        return rows + [number % "sum_", number % ("sizeof (%s)" % self.type)]

    def d_text(self):
        declarations = "".join(declared(each, False) for each in self.structs)
        declarations += "%(t)s g; %(t)s h; %(t)s ga[3]; this %(t)s l; self %(t)s s; %(t)s m[int]; %(t)s *p;\n" % {"t": self.type}
        body = re.sub(r'SET\((.*), (.*), (".*")\);', r"\1 = strjoin(\2, \3);", "\n".join(self.lines))
        rows = self.printed('printf("%%s\\n", %s);', 'printf("%%d\\n", (int64_t)%s);')
        return ("%sint v0; int v1; int v2; int64_t sum_;\nBEGIN { v1 = 1; v2 = 2; p = (%s *)alloca(2 * sizeof (%s));\n%s\n%s\n"
                "exit(0); }\nERROR { exit(1); }\n" % (declarations, self.type, self.type, body, "\n".join(rows)))

    def c_text(self):
        rows = self.printed('printf("%%.' + str(STRSIZE) + 's\\n", %s);', 'printf("%%ld\\n", (long)(int64_t)%s);')
        body = "\n".join(self.lines + rows).replace("SET(", "set(").replace("this->", "").replace("self->", "")
        return ("%sstatic void f%d(void) { static %s g, h, ga[3], l, s, m[3]; %s *p = calloc(2, sizeof (*p));\n"
                "int v0 = 0, v1 = 1, v2 = 2; int64_t sum_ = 0; (void)v0; (void)v1; (void)v2;\n%s\n}\n" %
                ("".join(declared(each, True) for each in self.structs), self.number, self.type, self.type, body))


# --- Running --------------------------------------------------------------------------------------

def what_c_prints(programs):
    with tempfile.TemporaryDirectory() as folder:
        source, binary = os.path.join(folder, "layouts.c"), os.path.join(folder, "layouts")
        calls = "".join('puts("@"); f%d();\n' % program.number for program in programs)
        with open(source, "w") as file:
            file.write(C_HEAD + "".join(program.c_text() for program in programs) + "int main(void) { %s }\n" % calls)
        subprocess.run(["cc", "-w", "-fwrapv", "-fno-strict-aliasing", "-o", binary, source], check=True)
        done = subprocess.run([binary], capture_output=True, check=True)
    return done.stdout.decode("latin-1").split("@\n")[1:]


def difference(erlbpf, program, wanted):
    done = subprocess.run([erlbpf, "-q", "-xstrsize=%d" % STRSIZE, "-xscratchsize=8k", "-n", program.d_text()],
                          capture_output=True, timeout=LIMIT, stdin=subprocess.DEVNULL)
    if done.returncode:
        return "status %d: %s" % (done.returncode, done.stderr.decode("latin-1")[:600])
    for (place, _), found, row in zip(list(program.shown()) + [("sum_", 0), ("sizeof", 0)],
                                      done.stdout.decode("latin-1").split("\n"), wanted.split("\n")):
        if found != row:
            return "%s of program %d: %s, not %s" % (place, program.number, found, row)
    return None


def run(erlbpf, count, seed, keep=False):
    programs = [Program(random.Random(seed * 1000003 + number), number) for number in range(count)]
    bad = []
    for program, wanted in zip(programs, what_c_prints(programs)):
        wrong = difference(erlbpf, program, wanted)
        if not wrong:
            continue
        bad.append(wrong)
        if keep:
            with open("/tmp/layouts-%d.d" % program.number, "w") as file:
                file.write(program.d_text())
    return bad


if __name__ == "__main__":
    sys.exit(random_run.main(__doc__, "programs", 500, run))
