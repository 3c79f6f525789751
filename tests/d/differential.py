#!/usr/bin/env python3
"""Random expressions of D, beside what they are worth by the rules of DTrace, computed here in Python.

`differential.py [--build DIR] [--count N] [--seed N] [--keep]`. An expression is printed cut to its type (as printf
does it) and whole (as a long), or goes through a variable, an element, a bit-field, a key, an aggregation, a string
function. Expressions share a program, and all clauses of a program are one BPF program. --keep leaves a program that
differs in /tmp.

The rules are DTrace's, and know nothing of the compiler:

* a value is a word of 64 bits; its type is that of C, and only says how it is printed, cut, and whether / % >> and
  comparisons take a sign into account
* it is cut where it is stored, recorded, a key, or cast to a type that holds less, or as much with another sign
* what is assigned to says how /=, %= and >>= take signs; the value of an assignment is the word that was assigned
* a minus before an unsigned constant cuts to its type, -1U is 4294967295
"""
import os
import random
import subprocess
import sys
import tempfile

import random_run

WORD = (1 << 64) - 1
LIMIT = 120
AT_A_TIME = 60  # expressions in one program
TYPES = {"char": (1, True), "unsigned char": (1, False), "short": (2, True), "unsigned short": (2, False),
         "int": (4, True), "unsigned int": (4, False), "long": (8, True), "unsigned long": (8, False),
         "int8_t": (1, True), "uint16_t": (2, False), "int32_t": (4, True), "uint64_t": (8, False)}
INT = (4, True)
FIELDS = {"a": (5, INT), "b": (3, (4, False)), "c": (31, (4, False)), "d": (17, INT), "e": (40, (8, False)),
          "f": (33, (8, True)), "g": (7, (2, False))}


# --- Words ----------------------------------------------------------------------------------------

def signed(word):
    return word - (1 << 64) if word >> 63 else word


def cut(word, bits, is_signed):
    word &= (1 << bits) - 1
    if is_signed and word >> (bits - 1):
        word |= WORD & ~((1 << bits) - 1)
    return word


def cut_to(word, kind):
    return cut(word, 8 * kind[0], kind[1])


def promoted(kind):
    return INT if kind[0] < 4 else kind


def common(a, b):
    a, b = promoted(a), promoted(b)
    if a[0] != b[0]:
        return max(a, b)
    return a if a[1] == b[1] else (a[0], False)


def cast(word, old, new):
    loses = new[0] < 8 and (old[1] and not new[1] if new[0] > old[0] else new[0] < old[0] or new[1] != old[1])
    return cut_to(word, new) if loses else word


def divided(a, b, is_signed):
    """The quotient and the remainder, towards 0."""
    if not is_signed:
        return a // b, a % b
    a, b = signed(a), signed(b)
    quotient = abs(a) // abs(b) * (-1 if (a < 0) != (b < 0) else 1)
    return quotient & WORD, (a - quotient * b) & WORD


def computed(op, a, b, is_signed):
    order = (signed(a), signed(b)) if is_signed else (a, b)
    return {
        "+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "&": lambda: a & b, "|": lambda: a | b,
        "^": lambda: a ^ b, "/": lambda: divided(a, b, is_signed)[0], "%": lambda: divided(a, b, is_signed)[1],
        "<<": lambda: a << (b & 63), ">>": lambda: order[0] >> (b & 63),
        "==": lambda: a == b, "!=": lambda: a != b, "<": lambda: order[0] < order[1],
        "<=": lambda: order[0] <= order[1], ">": lambda: order[0] > order[1], ">=": lambda: order[0] >= order[1],
        "&&": lambda: bool(a and b), "||": lambda: bool(a or b), "^^": lambda: bool(a) != bool(b),
    }[op]() & WORD


ARITHMETIC = "+ - * / % & | ^ << >>".split()
TRUTH = "== != < <= > >= && || ^^".split()


class Value:
    def __init__(self, text, word, kind, is_constant=False, is_field=False):
        self.text, self.word, self.kind = text, word & WORD, kind
        self.is_constant, self.is_field = is_constant, is_field  # of bits: it has no size


def binary(op, a, b):
    if op in "/%":  # what divides is odd
        b = binary("|", b, Value("1", 1, INT, True))
    kind = promoted(a.kind) if op in ("<<", ">>") else common(a.kind, b.kind)
    word = computed(op, a.word, b.word, kind[1])
    return Value("(%s %s %s)" % (a.text, op, b.text), word, INT if op in TRUTH else kind,
                 a.is_constant and b.is_constant)


def unary(op, a):
    if op == "!":
        return Value("(!%s)" % a.text, a.word == 0, INT, a.is_constant)
    kind, word = promoted(a.kind), {"-": -a.word, "~": ~a.word, "+": a.word}[op] & WORD
    if op == "-" and a.is_constant and not kind[1]:
        word = cut_to(word, kind)
    return Value("(%s%s)" % (op, a.text), word, kind, a.is_constant)


def choice(condition, a, b):
    taken, other = (a, b) if condition.word else (b, a)
    # A constant leaves nothing to choose, and what is not taken has no type then, if it is no constant.
    is_alone = condition.is_constant and not (taken.is_constant and other.is_constant and "sizeof" not in other.text)
    return Value("(%s ? %s : %s)" % (condition.text, a.text, b.text), taken.word,
                 taken.kind if is_alone else common(a.kind, b.kind), condition.is_constant and taken.is_constant,
                 condition.is_constant and taken.is_field)


def cast_to(name, a):
    return Value("((%s)%s)" % (name, a.text), cast(a.word, a.kind, TYPES[name]), TYPES[name], a.is_constant)


# --- What expressions are made of -----------------------------------------------------------------

def interesting(pick, bits):
    return pick.choice([lambda: pick.getrandbits(bits), lambda: pick.getrandbits(pick.randint(1, bits)),
                        lambda: (1 << pick.randint(0, bits)) - pick.randint(0, 1),
                        lambda: pick.randint(0, 9), lambda: -pick.randint(1, 200)])() & WORD


def constant(pick):
    value = interesting(pick, 64) if pick.random() < 0.3 else pick.getrandbits(pick.choice([3, 8, 16, 31, 32, 33, 40]))
    if value >> 63:
        return Value("%dUL" % value, value, (8, False), True)
    if pick.random() < 0.2 and 33 <= value <= 126 and chr(value) not in "'\\\"":
        return Value("'%s'" % chr(value), value, INT, True)
    suffix, form = pick.choice(["", "", "", "U", "L", "UL", "LL"]), pick.choice(["%d", "0x%x", "0%o"])
    if value >> 31 == 1 and form != "%d" and not suffix:  # as in C, these are unsigned before they are long
        kind = (4, False)
    else:
        kind = (8 if "L" in suffix or value >> (32 if "U" in suffix else 31) else 4, "U" not in suffix)
    return Value(form % value + suffix if value else "0" + suffix, value, kind, True)


class Program:
    """Variables, which have one value all the time, and what is printed of expressions of them."""

    def __init__(self, pick):
        self.pick, self.leaves, self.head, self.setup = pick, [], [], []
        self.clauses, self.wanted = [], []
        self.head.append("enum colour { RED, GREEN = 5, BLUE = -3, LARGE = 2000000000 };")
        for name, value in ("RED", 0), ("GREEN", 5), ("BLUE", -3), ("LARGE", 2000000000):
            self.leaves.append(Value(name, value, INT, True))
        for name, kind in TYPES.items():
            for scope in "", "self->", "this->":
                self.variable(scope, name, kind)
        self.members()
        self.elements()

    def variable(self, scope, name, kind):
        variable = "%sv%d" % (scope, len(self.leaves))
        value = interesting(self.pick, 64)
        self.head.append("%s%s %s;" % (scope.replace("->", " "), name, variable.replace(scope, "")))
        self.setup.append("%s = %s;" % (variable, self.literal(value)))
        self.leaves.append(Value(variable, cut_to(value, kind), kind))

    def members(self):
        fields = " ".join("%s %s:%d;" % ({(4, True): "int", (4, False): "unsigned int", (8, True): "long",
                                          (8, False): "unsigned long", (2, False): "unsigned short"}[kind], name, bits)
                          for name, (bits, kind) in FIELDS.items())
        plain = " ".join("%s m%d;" % (name, i) for i, name in enumerate(TYPES))
        self.head.append("struct all { %s %s int list[4]; }; struct all s; struct all scratch;" % (fields, plain))
        for name, (bits, kind) in FIELDS.items():
            value = interesting(self.pick, 64)
            self.setup.append("s.%s = %s;" % (name, self.literal(value)))
            self.leaves.append(Value("s.%s" % name, cut(value, bits, kind[1]), kind, is_field=True))
        for i, kind in enumerate(TYPES.values()):
            value = interesting(self.pick, 64)
            self.setup.append("s.m%d = %s;" % (i, self.literal(value)))
            self.leaves.append(Value("s.m%d" % i, cut_to(value, kind), kind))
        value = interesting(self.pick, 64)
        self.setup.append("s.list[2] = %s;" % self.literal(value))
        self.leaves.append(Value("s.list[2]", cut_to(value, INT), INT))

    def elements(self):
        for i, (name, kind) in enumerate(TYPES.items()):
            key, value = interesting(self.pick, 64), interesting(self.pick, 64)
            key_name = self.pick.choice(list(TYPES))
            self.head.append("%s a%d[%s, string];" % (name, i, key_name))
            self.setup.append('a%d[%s, "k"] = %s;' % (i, self.literal(key), self.literal(value)))
            other = cut_to(key, TYPES[key_name])  # it is found by all that is cut to the same
            self.leaves.append(Value('a%d[%s, "k"]' % (i, self.literal(other)), cut_to(value, kind), kind))

    @staticmethod
    def literal(value):
        return "%dUL" % (value & WORD)

    def expression(self, depth):
        pick = self.pick
        if depth == 0 or pick.random() < 0.1:
            return constant(pick) if pick.random() < 0.3 else pick.choice(self.leaves)
        what = pick.randrange(12)
        if what == 0:
            return unary(pick.choice("-~+!"), self.expression(depth - 1))
        if what == 1:
            return cast_to(pick.choice(list(TYPES)), self.expression(depth - 1))
        if what == 2:
            return choice(*(self.expression(depth - 1) for _ in range(3)))
        if what == 3:
            right = self.expression(depth - 1)
            return Value("(%s, %s)" % (self.expression(depth - 1).text, right.text), right.word, right.kind)
        if what == 4:
            a = self.expression(depth - 1)
            return Value("sizeof (%s)" % a.text, a.kind[0], (8, False), True) if not a.is_field else a
        return binary(pick.choice(ARITHMETIC + TRUTH), self.expression(depth - 1), self.expression(depth - 1))

    # --- What is done with one; each gives statements and the words that they print.

    def add(self, statements, wanted, about):
        number = len(self.clauses)
        self.clauses.append("BEGIN { %s }" % (statements % {"n": number}))
        self.wanted.append((wanted, about))

    def printed(self):
        """As its type, and whole."""
        a = self.expression(self.pick.choice([1, 2, 3]))
        word, bits = cut_to(a.word, a.kind), 8 * a.kind[0]
        self.add('printf("%%(n)d %%%%d %%%%u %%%%x %%%%d\\n", %s, %s, %s, (long)%s);' % ((escape(a.text),) * 4),
                 "%d %d %x %d" % (signed(word) if a.kind[1] else word, word & ((1 << bits) - 1),
                                  word & ((1 << bits) - 1), signed(a.word)), a.text)

    def assigned(self):
        """Through a new variable of a type: `=`, an operator with =, ++ and --."""
        pick, name = self.pick, self.pick.choice(list(TYPES))
        kind, first, a = TYPES[name], interesting(self.pick, 64), self.expression(self.pick.choice([1, 2]))
        place = "w%d" % len(self.clauses)
        where = pick.choice(["%s", "self->%s", "this->%s", "%s[7]"])
        self.head.append("%s%s %s;" % ({"self->%s": "self ", "this->%s": "this "}.get(where, ""), name,
                                       place if "[" not in where else place + "[int]"))
        self.change(where % place, kind, first, a, lambda word: cut_to(word, kind))

    def field(self):
        name = self.pick.choice(list(FIELDS))
        bits, kind = FIELDS[name]
        self.change("scratch.%s" % name, kind, interesting(self.pick, 64), self.expression(2),
                    lambda word: cut(word, bits, kind[1]))

    def change(self, place, kind, first, a, kept):
        pick, old = self.pick, kept(first)
        what = pick.randrange(3)
        if what == 0:
            text, value = "(%s = %s)" % (place, a.text), a.word
        elif what == 1:
            op = pick.choice(ARITHMETIC)
            b = binary("|", a, Value("1", 1, INT)) if op in "/%" else a
            text, value = "(%s %s= %s)" % (place, op, b.text), computed(op, old, b.word, kind[1])
        else:
            value = (old + pick.choice([1, -1])) & WORD
            op = "++" if value == (old + 1) & WORD else "--"
            is_before = pick.random() < 0.5
            text = "(%s%s)" % (op, place) if is_before else "(%s%s)" % (place, op)
        shown = old if what == 2 and not is_before else value
        self.add('%s = %s; this->r = (long)%s; printf("%%(n)d %%%%d %%%%d\\n", this->r, (long)%s);' %
                 (place, self.literal(first), escape(text), place),
                 "%d %d" % (signed(shown), signed(kept(value))), "%s (it was %d)" % (text, signed(old)))

    def key(self):
        """Of an array: what is cut to the same is the same key."""
        name, a = self.pick.choice(list(TYPES)), self.expression(2)
        array, same = "k%d" % len(self.clauses), cut_to(a.word, TYPES[name])
        self.head.append("int %s[%s];" % (array, name))
        self.add('%s[%s] = 7; printf("%%(n)d %%%%d %%%%d\\n", %s[%s], %s[%s]);' %
                 (array, escape(a.text), array, self.literal(same), array, self.literal(same ^ 1)), "7 0", a.text)

    def agg_key(self):
        a, name = self.expression(2), "@h%d" % len(self.clauses)
        word = cut_to(a.word, a.kind)
        self.add('%s[%s, "k"] = count(); printa("%%(n)d %%%%d %%%%s %%%%@d\\n", %s);' % (name, escape(a.text), name),
                 "%d k 1" % (signed(word) if a.kind[1] else word), a.text)

    def translated(self):
        """An inline of a type."""
        name, a = self.pick.choice(list(TYPES)), constant(self.pick)
        b = binary(self.pick.choice(ARITHMETIC), a, constant(self.pick))
        inline = "i%d" % len(self.clauses)
        self.head.append("inline %s %s = %s;" % (name, inline, b.text))
        word = cast(b.word, b.kind, TYPES[name])
        self.add('printf("%%(n)d %%%%d\\n", (long)%s);' % inline, "%d" % signed(word), "%s as %s" % (b.text, name))

    def predicate(self):
        a, number = self.expression(2), len(self.clauses)
        self.clauses.append('BEGIN /%s/ { printf("%d yes\\n"); } BEGIN /!(%s)/ { printf("%d no\\n"); }' %
                            (a.text, number, a.text, number))
        self.wanted.append(("yes" if a.word else "no", "/%s/" % a.text))

    def summed(self):
        """Aggregations are given whole words."""
        a, b, name = self.expression(2), self.expression(2), "@g%d" % len(self.clauses)
        function = self.pick.choice(["sum", "min", "max"])
        words = [signed(a.word), signed(b.word)]
        value = {"sum": lambda: signed(sum(words) & WORD), "min": lambda: min(words), "max": lambda: max(words)}
        self.add('%s = %s(%s); %s = %s(%s); printa("%%(n)d %%%%@d\\n", %s);' %
                 (name, function, escape(a.text), name, function, escape(b.text), name),
                 "%d" % value[function](), "%s of %s and %s" % (function, a.text, b.text))

    def string(self):
        a = string_expression(self.pick, self.pick.choice([1, 2, 3]))
        self.add('printf("%%(n)d %%%%s|\\n", %s);' % escape(a.text), a.value + "|", a.text)

    def string_number(self):
        text, value = string_number(self.pick)
        self.add('printf("%%(n)d %%%%d\\n", (long)(%s));' % escape(text), "%d" % value, text)

    def number_string(self):
        a = self.expression(2)
        self.add('printf("%%(n)d %%%%s\\n", lltostr(%s));' % escape(a.text), "%d" % signed(a.word),
                 "lltostr(%s)" % a.text)

    def fill(self, count):
        kinds = ([self.printed] * 8 + [self.assigned] * 4 + [self.field] * 2 + [self.key, self.agg_key, self.translated,
                 self.predicate, self.summed, self.number_string] + [self.string] * 3 + [self.string_number] * 2)
        while len(self.clauses) < count:
            self.pick.choice(kinds)()
        return self

    def text(self):
        first = "BEGIN { %s }" % " ".join(self.setup)
        return "\n".join(self.head + [first] + self.clauses + ["BEGIN { exit(0); }", ""])


def escape(text):
    return text.replace("%", "%%")


# --- Strings --------------------------------------------------------------------------------------

class String:
    def __init__(self, text, value):
        self.text, self.value = text, value


ALPHABET = "abcABC/.,x01-_ "


def literal_string(pick):
    value = "".join(pick.choice(ALPHABET) for _ in range(pick.choice([0, 1, 3, 7, 8, 9, 15, 30])))
    return String('"%s"' % value, value)


def part(value, at, most):
    """substr()."""
    length = len(value)
    if at < 0:
        at += length
        if at < 0 < at + most:
            most, at = most + at, 0
    if at < 0 or at >= length:
        return ""
    return value[at:at + most] if most >= 0 else value[at:max(at, length + most)]


def base_name(value):
    stripped = value.rstrip("/")
    return stripped.rsplit("/", 1)[-1] if stripped else "/" if value else "."


def dir_name(value):
    stripped = value.rstrip("/")
    if not stripped:
        return "/" if value else "."
    if "/" not in stripped:
        return "."
    return stripped.rsplit("/", 1)[0].rstrip("/") or "/"


def lower(value):
    return "".join(chr(ord(c) + 32) if "A" <= c <= "Z" else c for c in value)


def upper(value):
    return "".join(chr(ord(c) - 32) if "a" <= c <= "z" else c for c in value)


def string_expression(pick, depth):
    if depth == 0:
        return literal_string(pick)
    a, b = string_expression(pick, depth - 1), string_expression(pick, depth - 1)
    at, most = pick.randint(-12, 12), pick.randint(-12, 12)
    c = pick.choice("ab/.x")
    found = {"strchr": a.value.find(c), "strrchr": a.value.rfind(c)}
    way = pick.choice(sorted(found))
    choices = [
        lambda: String("strjoin(%s, %s)" % (a.text, b.text), a.value + b.value),
        lambda: String("substr(%s, %d, %d)" % (a.text, at, most), part(a.value, at, most)),
        lambda: String("substr(%s, %d)" % (a.text, at), part(a.value, at, 256)),
        lambda: String("basename(%s)" % a.text, base_name(a.value)),
        lambda: String("dirname(%s)" % a.text, dir_name(a.value)),
        lambda: String("toupper(%s)" % a.text, upper(a.value)),
        lambda: String("tolower(%s)" % a.text, lower(a.value)),
        lambda: String("(%s < %s ? %s : %s)" % (a.text, b.text, a.text, b.text), min(a.value, b.value)),
        lambda: String("(%s(%s, '%s') == NULL ? \"none\" : %s(%s, '%s'))" % (way, a.text, c, way, a.text, c),
                       a.value[found[way]:] if found[way] >= 0 else "none"),
        lambda: String("(this->t = %s)" % a.text, a.value),
    ]
    made = pick.choice(choices)()
    return made if len(made.value) < 200 else a


def string_number(pick):
    """The text and the value of a number that strings make."""
    a, b = string_expression(pick, 1), string_expression(pick, 1)
    sub, digits = pick.choice("abc/x"), str(pick.getrandbits(pick.randint(1, 60)))
    i = pick.randrange(len(a.value) + 2)
    op = pick.choice(["==", "!=", "<", "<=", ">", ">="])
    order = {"==": a.value == b.value, "!=": a.value != b.value, "<": a.value < b.value, "<=": a.value <= b.value,
             ">": a.value > b.value, ">=": a.value >= b.value}
    return pick.choice([
        ("strlen(%s)" % a.text, len(a.value)),
        ('index(%s, "%s")' % (a.text, sub), a.value.find(sub)),
        ('rindex(%s, "%s")' % (a.text, sub), a.value.rfind(sub)),
        ("%s %s %s" % (a.text, op, b.text), int(order[op])),
        ("(%s)[%d]" % (a.text, i), ord(a.value[i]) if i < len(a.value) else 0),
        ("(%s)[GREEN - 5 + s.m9 * 0 + %d]" % (a.text, i), ord(a.value[i]) if i < len(a.value) else 0),
        ('strtoll("%s")' % digits, int(digits)),
        ('strtoll("-%s xyz")' % digits, -int(digits)),
        ("strlen(lltostr(%s)) + %d" % (digits, i), len(digits) + i),
    ])


# --- Running --------------------------------------------------------------------------------------

def differences(erlbpf, program, keep=False):
    with tempfile.NamedTemporaryFile("w", suffix=".d", delete=keep is False) as script:
        script.write(program.text())
        script.flush()
        done = subprocess.run([erlbpf, "-q", "-s", script.name], capture_output=True, text=True, timeout=LIMIT,
                              stdin=subprocess.DEVNULL)
        rows = dict(line.split(" ", 1) for line in done.stdout.splitlines() if " " in line)
        if done.returncode:
            return ["status %d: %s" % (done.returncode, done.stderr[:600])]
        bad = ["%s: %s, not %s" % (about, rows.get(str(number), "nothing"), wanted)
               for number, (wanted, about) in enumerate(program.wanted) if rows.get(str(number)) != wanted]
        if keep and bad:
            print("kept: %s" % script.name)
        elif keep:
            os.unlink(script.name)
        return bad


def run(erlbpf, count, seed, keep=False):
    pick, bad = random.Random(seed), []
    for first in range(0, count, AT_A_TIME):
        bad += differences(erlbpf, Program(pick).fill(min(AT_A_TIME, count - first)), keep)
    return bad


if __name__ == "__main__":
    sys.exit(random_run.main(__doc__, "expressions", 10000, run))
